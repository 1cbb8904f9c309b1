package sglang

import (
	"bytes"

	"coldcase/ingest/capture"
)

// rare classifies the lines that a log holds few of.
func rare(m []byte, ev *Event) {
	switch m[0] {
	case 'C':
		flush(m, ev)
	case 'D':
		switch {
		case hasPrefix(m, "Deferred flush_cache timed out"):
			ev.Class, ev.Flush = ClassFlush, capture.FlushTimeout
		case hasPrefix(m, "Decode out of memory happened."):
			mark(ev, capture.MarkRetract, valueOf(m, "#retracted_reqs: "))
		}
	case 'F':
		if hasPrefix(m, "Finish: obj=") {
			finish(m, ev)
		}
	case 'G':
		if hasPrefix(m, "Gracefully exiting...") {
			mark(ev, capture.MarkStop, 0)
		}
	case 'K':
		switch {
		case hasPrefix(m, "KV Cache is allocated."):
			mark(ev, capture.MarkPool, valueOf(m, "#tokens: "))
		case hasPrefix(m, "KV cache pool is full."):
			mark(ev, capture.MarkRetract, valueOf(m, "#retracted_reqs: "))
		}
	case 'L':
		if hasPrefix(m, "Load weight begin.") || hasPrefix(m, "Load weight end.") {
			ev.Class = ClassKnown
		}
	case 'R':
		switch {
		case hasPrefix(m, "ReqTimeStats("), hasPrefix(m, "Req Time Stats("):
			timeStats(m, ev)
		case hasPrefix(m, "Receive: obj="):
			ev.Class, ev.Served = ClassRequest, ev.Served[:0]
		}
	case 'S':
		if hasPrefix(m, "SIGTERM received.") || hasPrefix(m, "Scheduler hit an exception") {
			mark(ev, capture.MarkStop, 0)
		}
	case 'T':
		switch {
		case hasPrefix(m, "The server is fired up and ready to roll!"):
			mark(ev, capture.MarkReady, 0)
		case hasPrefix(m, "Tree cache initialized: "):
			mark(ev, capture.MarkTree, 0)
		}
	case 'i':
		if hasPrefix(m, "in=") && bytes.Contains(m, []byte(", out={")) {
			finish(m, ev)
		}
	case 'k':
		if hasPrefix(m, "kill_process_tree called") {
			mark(ev, capture.MarkStop, 0)
		}
	case 'm':
		if hasPrefix(m, "max_total_num_tokens=") {
			mark(ev, capture.MarkPool, valueOf(m, "max_total_num_tokens="))
		}
	case 's':
		if hasPrefix(m, "server_args=") {
			ev.Class = ClassStart
		}
	case '/':
		// To 0.2.13 a refusal was a Python warning with its source line.
		if bytes.Contains(m, []byte("UserWarning: Cache not flushed because")) {
			ev.Class, ev.Flush = ClassFlush, capture.FlushRefused
		}
	case '{':
		jsonRequest(m, ev)
	}
}

func flush(m []byte, ev *Event) {
	switch {
	case hasPrefix(m, "Cache flushed successfully!"):
		ev.Class, ev.Flush = ClassFlush, capture.FlushDone
	case hasPrefix(m, "Cache not flushed because"):
		ev.Class, ev.Flush = ClassFlush, capture.FlushRefused
	}
}

func mark(ev *Event, kind capture.MarkKind, n int64) {
	ev.Class, ev.Mark, ev.N = ClassMark, kind, n
}

// valueOf returns the number behind a key, -1 if there is none.
func valueOf(m []byte, key string) int64 {
	at := bytes.Index(m, []byte(key))
	if at < 0 {
		return -1
	}
	n, end := digits(m, at+len(key))
	if end == at+len(key) {
		return -1
	}
	return n
}
