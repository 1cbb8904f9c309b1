// Package sglang reads what SGLang and its benchmark clients write: the server
// log, the text reports and JSONL records of bench_serving (Python and Rust),
// /server_info answers and request-metrics files.
//
// The shapes changed with nearly every release, so nothing here asks for a
// version: lines are read key by key with exact keys, unknown keys are ignored,
// and a key that is missing is -1 or nil, never 0. A damaged line is a record
// of its own (capture.Damage), not an error.
//
// Out of scope: which run a line belongs to, what copies of other ranks mean,
// and every count of prompts; that is for analysis.
package sglang
