package sglang

import "coldcase/ingest/format"

// Formats are the whole-file formats of SGLang: bench_serving's records, saved
// /server_info answers, request-metrics files.
func Formats() []format.Format {
	return []format.Format{records, serverInfos, requestMetrics}
}

// Machines are constructors of the readers of lines: the server log and the
// text reports of the clients.
func Machines() []func() format.Machine {
	return []func() format.Machine{NewLog, NewBenchText}
}
