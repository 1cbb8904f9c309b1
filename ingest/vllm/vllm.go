// Package vllm reads what vLLM's server and its benchmark clients leave behind:
// server logs, the text of `vllm bench serve`, and its result files.
//
// Readers go by what a line or a record holds, never by a version: captures
// mix them. Three things are easily taken for more than they are. The hit rate
// of the server's stats line is of the last 1,000 requests, whichever run sent
// them. The seed of the server's start line is for sampling; prompts come from
// the client's seed. And a reset is answered with status 200 whether it was
// done or refused (a body that tells exists since July 2026).
//
// Out of scope: joining files to runs, counting cached prompts, and judging
// any of it; the text that sglang.bench_serving prints against a vLLM server
// belongs to package sglang.
package vllm

import "coldcase/ingest/format"

// Machines returns constructors of the machines for mixed texts: server log and
// client text.
func Machines() []func() format.Machine {
	return []func() format.Machine{newServerLog, newBenchText}
}
