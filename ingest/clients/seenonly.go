package clients

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// Load generators that know requests and bytes but no tokens: they are named
// in the inventory and not read. Their "time to first byte" is no TTFT, and
// with one body they repeat one prompt.
const (
	OhaJSON capture.Kind = "oha-json"
	K6JSON  capture.Kind = "k6-json"
	LLMD    capture.Kind = "llm-d-benchmark"
)

func init() { register("load-generators", seenOnly) }

func seenOnly() []format.Format {
	return []format.Format{
		seen(OhaJSON, "oha: no tokens, and its first byte is no first token; not read",
			sniffJSON('{', likely, `"summary"`, `"latencyPercentiles"`)),
		seen(K6JSON, "k6: no tokens, and its first byte is no first token; not read", func(in *format.Input) int {
			if opens(in.Head) == '{' && hasAny(in.Head, `"http_req_duration"`) && hasAny(in.Head, `"metrics"`, `"type":"Metric"`) &&
				!hasAny(in.Head, `"benchmark_phase"`, `"aiperf_version"`) {
				return likely
			}
			return 0
		}),
		seen(LLMD, "llm-d-benchmark: a report around the files of a client; not read", func(in *format.Input) int {
			if hasAll(in.Head, "scenario:", "results:", "request_performance:") {
				return certain
			}
			return 0
		}),
	}
}
