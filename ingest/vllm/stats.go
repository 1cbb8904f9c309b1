package vllm

import (
	"bytes"
	"strconv"

	"coldcase/ingest/capture"
)

// isStats reports whether a message is a periodic stats line, of the engine or
// of the Rust front end.
func isStats(msg []byte) bool {
	return bytes.HasPrefix(msg, []byte("Avg prompt throughput: ")) || bytes.HasPrefix(msg, []byte("Avg prompt tput: "))
}

// hitRateLabel stands in front of the hit rate of the GPU prefix cache. The
// same words behind "External " or "MM " are other caches.
var hitRateLabel = []byte("Prefix cache hit rate: ")

// parseStats reads a stats line by its "key: value" pairs: what stands between
// them grew with every version. whole is false if the line has a hit rate that
// cannot be read to its percent sign.
//
// The rate is over the last 1,000 requests of the engine, whichever run sent
// them, and since v0.33 it is left out while there were none: absent is not 0.
func parseStats(msg []byte) (s capture.Stat, whole bool) {
	s = capture.Stat{EngineID: -1, PromptRate: -1, GenRate: -1, Running: -1, Waiting: -1, KVUsage: -1, HitRate: -1}
	whole = true
	for part := range bytes.SplitSeq(msg, []byte(", ")) {
		key, value, found := bytes.Cut(part, []byte(": "))
		if !found {
			if len(part) > 0 && bytes.HasPrefix(hitRateLabel, part) {
				whole = false // the line ends inside of the label
			}
			continue
		}
		switch string(key) {
		case "Avg prompt throughput", "Avg prompt tput":
			s.PromptRate = leadingNumber(value)
		case "Avg generation throughput", "Avg generation tput":
			s.GenRate = leadingNumber(value)
		case "Running", "Reqs Running":
			s.Running = int(leadingNumber(value))
		case "Waiting", "Pending":
			s.Waiting = int(leadingNumber(value))
		case "Prefix cache hit rate":
			s.HitRate, whole = percent(value)
		default:
			if bytes.HasSuffix(key, []byte("KV cache usage")) || bytes.HasSuffix(key, []byte("KV cache used")) {
				if !bytes.HasPrefix(key, []byte("CPU")) || s.KVUsage < 0 {
					s.KVUsage, _ = percent(value)
				}
			}
		}
	}
	return s, whole
}

// isV0HitRate reports whether a message is the second line of the old engine's
// stats: "Prefix cache hit rate: GPU: 50.00%, CPU: 0.00%".
func isV0HitRate(msg []byte) bool {
	return bytes.HasPrefix(msg, hitRateLabel)
}

// parseV0HitRate reads the GPU's part of that line.
func parseV0HitRate(msg []byte) (s capture.Stat, whole bool) {
	s = capture.Stat{EngineID: -1, PromptRate: -1, GenRate: -1, Running: -1, Waiting: -1, KVUsage: -1, HitRate: -1}
	gpu, ok := bytes.CutPrefix(msg[len(hitRateLabel):], []byte("GPU: "))
	if !ok {
		return s, false
	}
	gpu, _, _ = bytes.Cut(gpu, []byte(","))
	s.HitRate, whole = percent(gpu)
	return s, whole
}

// isIteration reports whether a message is an iteration line.
func isIteration(msg []byte) bool {
	return bytes.HasPrefix(msg, []byte("Iteration("))
}

// parseIteration reads
//
//	Iteration(17): 14 context requests, 224 context tokens, 1 generation requests, ...
//
// Context tokens are those scheduled, so cached ones are not in them. One
// request in chunks is a context request on several lines.
func parseIteration(msg []byte) (it capture.Iteration, whole bool) {
	it = capture.Iteration{ContextReqs: -1, ContextTokens: -1, GenReqs: -1, EngineID: -1}
	_, rest, ok := bytes.Cut(msg, []byte("): "))
	if !ok {
		return it, false
	}
	for part := range bytes.SplitSeq(rest, []byte(", ")) {
		n, unit, _ := bytes.Cut(part, []byte(" "))
		v, err := strconv.ParseInt(string(n), 10, 32)
		if err != nil {
			continue
		}
		switch string(unit) {
		case "context requests":
			it.ContextReqs = int32(v)
		case "context tokens":
			it.ContextTokens = int32(v)
		case "generation requests":
			it.GenReqs = int32(v)
		}
	}
	it.Dummy = bytes.Contains(rest, []byte(" ms (dummy)"))
	return it, it.ContextReqs >= 0 && it.ContextTokens >= 0 && it.GenReqs >= 0
}

// engineTag takes "Engine 000: " or "2 Engines Aggregated: " off a message. The
// id is -1 without a tag, and for the sum over engines.
func engineTag(msg []byte) (id int, rest []byte) {
	tag, rest, found := bytes.Cut(msg, []byte(": "))
	if !found {
		return -1, msg
	}
	if number, ok := bytes.CutPrefix(tag, []byte("Engine ")); ok {
		if n, err := strconv.Atoi(string(number)); err == nil {
			return n, rest
		}
	}
	if bytes.HasSuffix(tag, []byte(" Engines Aggregated")) {
		return -1, rest
	}
	return -1, msg
}

// leadingNumber is the number at the start of b, -1 if there is none.
func leadingNumber(b []byte) float64 {
	n := 0
	for n < len(b) && (b[n] >= '0' && b[n] <= '9' || b[n] == '.') {
		n++
	}
	v, err := strconv.ParseFloat(string(b[:n]), 64)
	if err != nil {
		return -1
	}
	return v
}

// percent reads a number that ends in a percent sign; without the sign it may
// be cut inside of the number and is not read.
func percent(b []byte) (v float64, whole bool) {
	number, _, found := bytes.Cut(b, []byte("%"))
	if !found {
		return -1, false
	}
	v, err := strconv.ParseFloat(string(number), 64)
	if err != nil || v < 0 {
		return -1, false
	}
	return v, true
}
