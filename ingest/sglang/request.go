package sglang

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"math"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyrepr"
)

// timeStats reads the line of --enable-request-time-stats-logging:
//
//	ReqTimeStats(rid=9f1c, input_len=512, cached_input_len=511, output_len=128, attempts=1, type=unified): ...
//	Req Time Stats(rid=9f1c, input len=512, output len=128, type=unified): ...
//
// The first form is that of 0.5.10 and later, the second, without cached
// tokens, that of 0.4.6.post4 to 0.5.9. Of a server that is split into prefill
// and decode workers only the prefill side says what it cached.
func timeStats(m []byte, ev *Event) {
	ev.Class, ev.Served = ClassRequest, ev.Served[:0]
	open := bytes.IndexByte(m, '(')
	end := bytes.IndexByte(m, ')')
	if end < open {
		return
	}
	s := newServed()
	kind := ""
	for _, field := range bytes.Split(m[open+1:end], []byte(", ")) {
		key, value, ok := bytes.Cut(field, []byte("="))
		if !ok {
			continue
		}
		switch string(key) {
		case "rid":
			s.RID, s.Health = requestID(string(value))
		case "input_len", "input len":
			s.Prompt = optional(value)
		case "cached_input_len":
			s.Cached = optional(value)
		case "output_len", "output len":
			s.Output = optional(value)
		case "attempts":
			if n := optional(value); n >= 0 && n <= math.MaxInt16 {
				s.Tries = int16(n)
			}
		case "type":
			kind = string(value)
		}
	}
	if kind == "decode" || s.Prompt < 0 {
		return
	}
	ev.Served = append(ev.Served, s)
}

func newServed() capture.Served {
	return capture.Served{Prompt: -1, Cached: -1, Output: -1, Tries: 1}
}

// requestID hashes a request id and says whether it is that of a health check.
func requestID(rid string) (hash uint64, health bool) {
	h := fnv.New64a()
	h.Write([]byte(rid))
	return h.Sum64(), bytes.HasPrefix([]byte(rid), []byte("HEALTH_CHECK"))
}

// finish reads the end of a request as --log-requests prints it, "Finish:
// obj=..., out={...}" or, to 0.3, "in=..., out={...}". The text of a prompt may
// hold anything, also ", out={", so each such place is tried until one reads as
// a value that has meta_info.
func finish(m []byte, ev *Event) {
	ev.Class, ev.Served = ClassRequest, ev.Served[:0]
	const mark = ", out="
	for at := 0; ; {
		next := bytes.Index(m[at:], []byte(mark))
		if next < 0 {
			return
		}
		at += next + len(mark)
		v, _, err := pyrepr.Prefix(m[at:])
		if err != nil && !pyrepr.Incomplete(err) {
			continue
		}
		if served := answers(pyrepr.Plain(v)); len(served) > 0 {
			ev.Served = append(ev.Served, served...)
			return
		}
	}
}

// answers reads the meta_info of one answer or of a list of them.
func answers(out any) []capture.Served {
	switch out := out.(type) {
	case []any:
		var all []capture.Served
		for _, v := range out {
			all = append(all, answers(v)...)
		}
		return all
	case map[string]any:
		meta, ok := out["meta_info"].(map[string]any)
		if !ok {
			return nil
		}
		return []capture.Served{metaInfo(meta)}
	}
	return nil
}

// metaInfo reads the counters of one answer.
func metaInfo(meta map[string]any) capture.Served {
	s := newServed()
	s.Prompt = count32(meta["prompt_tokens"])
	s.Cached = count32(meta["cached_tokens"])
	s.Output = count32(meta["completion_tokens"])
	if id, ok := meta["id"].(string); ok {
		s.RID, s.Health = requestID(id)
	}
	for _, key := range []string{"num_retractions", "total_retractions"} {
		if n := count32(meta[key]); n > 0 && n < math.MaxInt16 {
			s.Tries = int16(n) + 1
		}
	}
	return s
}

// count32 reads a token count, -1 if v is none.
func count32(v any) int32 {
	var f float64
	switch v := v.(type) {
	case int64:
		f = float64(v)
	case float64:
		f = v
	default:
		return -1
	}
	if f < 0 || f > math.MaxInt32 || f != math.Trunc(f) {
		return -1
	}
	return int32(f)
}

// jsonRequest reads an event of --log-requests-format json (0.5.7 and later).
func jsonRequest(m []byte, ev *Event) {
	received := bytes.Contains(m, []byte(`"request.received"`))
	finished := bytes.Contains(m, []byte(`"request.finished"`))
	if !received && !finished {
		return
	}
	ev.Class, ev.Served = ClassRequest, ev.Served[:0]
	if !finished {
		return
	}
	var event struct {
		Event string `json:"event"`
		Out   any    `json:"out"`
	}
	if json.Unmarshal(m, &event) == nil && event.Event == "request.finished" {
		ev.Served = append(ev.Served, answers(event.Out)...)
	}
}
