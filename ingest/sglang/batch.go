package sglang

import (
	"bytes"
	"math"
	"strconv"

	"coldcase/ingest/capture"
)

// prefill reads a prefill line; b stands behind "Prefill batch".
func prefill(b []byte, ev *Event) {
	i := headed(b)
	if i < 0 {
		return
	}
	ev.Class = ClassPrefill
	ev.line = append(append(ev.line[:0], b[i:]...), usualEnd...)
	ev.Batch = untold
	ev.Batch.Rank = ev.Rank
	if counted(ev.line, &ev.Batch) == 0 {
		counters(b[i:], ev)
	}
	ev.Batch.Old = len(b) > 0 && (b[0] == '.' || b[0] == '(')
	if b := &ev.Batch; b.NewSeq < 0 || b.NewToken < 0 || b.Cached < 0 {
		ev.Malformed = true
	}
	if len(b) > 0 && b[0] == '(' {
		if _, running := mixed(b); running >= 0 {
			ev.Batch.Running = running
		}
	}
}

// mixed reads "(mixed #running-req: 7)".
func mixed(b []byte) (end int, running int32) {
	const key = "(mixed #running-req: "
	if !hasPrefix(b, key) {
		return 0, -1
	}
	n, end := digits(b, len(key))
	if end == len(key) || end >= len(b) || b[end] != ')' {
		return 0, -1
	}
	return end, int32(n)
}

// untold is a batch of which the line says nothing.
var untold = capture.Batch{
	Pending: -1, NewSeq: -1, NewToken: -1, Cached: -1, Running: -1, Queue: -1,
	Replay: -1, Throughput: -1, Usage: -1, HitRate: -1, Rank: capture.NoRank, Graph: -1,
}

// counters reads "key: value, key: value" into ev.Batch, by exact keys. A
// second "#new-seq" or a new stamp means that another line was glued to this
// one; it becomes ev.Rest.
func counters(b []byte, ev *Event) {
	batch := &ev.Batch
	*batch = untold
	batch.Rank = ev.Rank
	b = unglued(b, ev)
	for len(b) > 0 {
		var field []byte
		whole := true // a comma behind the value shows that it was not cut
		if i := bytes.IndexByte(b, ','); i >= 0 {
			field, b = b[:i], b[i+1:]
			if len(b) > 0 && b[0] == ' ' {
				b = b[1:]
			}
		} else {
			field, b, whole = b, nil, false
		}
		colon := bytes.IndexByte(field, ':')
		if colon < 0 || colon+1 >= len(field) || field[colon+1] != ' ' {
			continue
		}
		counter(batch, field[:colon], field[colon+2:], whole)
	}
}

func counter(batch *capture.Batch, key, value []byte, whole bool) {
	switch string(key) {
	case "#new-seq":
		batch.NewSeq = needed(value, whole)
	case "#new-token":
		batch.NewToken = needed(value, whole)
	case "#cached-token":
		batch.Cached = needed(value, whole)
	case "#running-req":
		batch.Running = optional(value)
	case "#queue-req":
		batch.Queue = optional(value)
	case "#pending-token":
		batch.Pending = optional(value)
	case "#replay-token":
		batch.Replay = optional(value)
	case "token usage", "full token usage":
		batch.Usage = decimal(bytes.TrimPrefix(value, []byte("full=")))
	case "cache hit rate":
		batch.HitRate = decimal(bytes.TrimSuffix(value, []byte("%")))
	case "input throughput (token/s)":
		batch.Throughput = decimal(value)
	case "cuda graph", "cpu graph", "npu graph":
		switch string(bytes.TrimRight(value, " ")) {
		case "True":
			batch.Graph = 1
		case "False":
			batch.Graph = 0
		}
	}
}

// needed reads a counter that the line cannot do without: digits alone, with
// something behind them. Anything else is -1.
func needed(value []byte, whole bool) int32 {
	if !whole {
		return -1
	}
	return optional(value)
}

// optional reads a counter that is all digits, -1 if it is not.
func optional(value []byte) int32 {
	n, end := digits(value, 0)
	if end == 0 || n > math.MaxInt32 {
		return -1
	}
	for ; end < len(value); end++ {
		if value[end] != ' ' {
			return -1
		}
	}
	return int32(n)
}

// decimal reads a number such as "0.07" or "2074.38", -1 if it is none.
func decimal(value []byte) float32 {
	whole, i := digits(value, 0)
	if i == 0 {
		return -1
	}
	if i == len(value) {
		return float32(whole)
	}
	if value[i] == '.' {
		frac, end := digits(value, i+1)
		if width := end - i - 1; end == len(value) && width >= 1 && width <= 4 {
			return fraction(whole, frac, width)
		}
	}
	f, err := strconv.ParseFloat(string(value), 32)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return -1
	}
	return float32(f)
}

// fraction is whole.frac of so many decimal places.
func fraction(whole, frac int64, width int) float32 {
	return float32(float64(whole) + float64(frac)/powers[width])
}

var powers = [...]float64{1, 10, 100, 1000, 10000}

// unglued parts a line from another one that was written behind it without a
// newline, which becomes ev.Rest.
func unglued(b []byte, ev *Event) []byte {
	at := glued(b)
	if at < 0 {
		return b
	}
	ev.Rest = b[at:]
	return b[:at]
}

// glued returns the offset at which a second line starts inside a first, -1 if
// there is none.
func glued(b []byte) int {
	at := bytes.IndexByte(b, '[')
	for at >= 0 {
		if stampAt(b[at:]) {
			return at
		}
		next := bytes.IndexByte(b[at+1:], '[')
		if next < 0 {
			return -1
		}
		at += 1 + next
	}
	return -1
}
