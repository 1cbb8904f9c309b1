// Package lab is a simulated LLM server: a paged prefix cache with LRU eviction
// and a pool of tokens, a queue, prefill-first continuous batching with chunked
// prefill, and decode steps, behind the HTTP endpoints, the log lines and the
// counters of SGLang 0.5.22 or vLLM 0.32. Benchmark clients and the sweep run
// against it unchanged, on a laptop and without a GPU.
//
// The idea is that the cache is real and the model is not: which tokens of a
// prompt are served from the cache, and who left them there, follows from the
// requests alone, while times come from two rates. What the lab did is written
// beside its log as truth.jsonl, so that a count made from the log can be
// checked against what happened.
//
// With a serial client, and with Config.Start set, two sessions write the same
// bytes. With concurrent clients the order of arrival decides the batches: the
// counts stay, the bytes do not.
//
// Out of scope: sampling (the output is a fixed function of the prompt),
// retraction and preemption (a request is admitted only when its whole answer
// fits), speculative decoding, hybrid caches, offload tiers, and any claim that
// its times resemble those of a given GPU.
package lab
