package sglang

import (
	"bytes"

	"coldcase/ingest/capture"
)

// info reads what uvicorn prints behind "INFO:".
func info(b []byte, ev *Event) {
	if access(b, ev) {
		return
	}
	switch {
	case hasPrefix(b, "Shutting down"), hasPrefix(b, "Finished server process"):
		ev.Class, ev.Mark, ev.N = ClassMark, capture.MarkStop, 0
	case hasPrefix(b, "Uvicorn running on"):
		ev.Class = ClassKnown
	}
}

// access reads an access line behind its level:
//
//	127.0.0.1:40290 - "POST /flush_cache?timeout=60.0 HTTP/1.1" 400 Bad Request
//
// It reports whether the line is one. The status is needed; it may stand last
// if it has three digits.
func access(b []byte, ev *Event) bool {
	dash := bytes.IndexByte(b, ' ')
	if dash <= 0 || len(b) < dash+5 || string(b[dash:dash+4]) != " - \"" {
		return false
	}
	host := b[:dash]
	if colon := bytes.LastIndexByte(host, ':'); colon > 0 {
		host = host[:colon]
	}
	url := b[dash+4:]
	blank := bytes.IndexByte(url, ' ')
	if blank <= 0 || blank > 8 || blank+1 >= len(url) || url[blank+1] != '/' {
		return false
	}
	ev.Class = ClassAccess
	ev.Access = AccessLine{Host: host, Status: -1}
	url = url[blank+1:]
	end := bytes.IndexByte(url, ' ')
	if end < 0 {
		ev.Malformed = true
		return true
	}
	path := url[:end]
	if q := bytes.IndexByte(path, '?'); q >= 0 {
		ev.Access.Query = true
		path = path[:q]
	}
	ev.Access.Path = PathClass(path)
	rest := url[end+1:] // HTTP/1.1" 200 OK
	quote := bytes.IndexByte(rest, '"')
	if quote < 0 || quote+2 > len(rest) || quote+1 >= len(rest) || rest[quote+1] != ' ' {
		ev.Malformed = true
		return true
	}
	status, stop := digits(rest, quote+2)
	if stop != quote+5 || stop < len(rest) && rest[stop] != ' ' {
		ev.Malformed = true
		return true
	}
	ev.Access.Status = int16(status)
	return true
}

// PathClass names the path of a request, without its query.
func PathClass(path []byte) capture.Path {
	switch string(path) {
	case "/generate":
		return capture.PathGenerate
	case "/v1/completions":
		return capture.PathCompletions
	case "/v1/chat/completions":
		return capture.PathChat
	case "/flush_cache", "/reset_prefix_cache":
		return capture.PathFlush
	case "/v1/models":
		return capture.PathModels
	case "/model_info", "/get_model_info":
		return capture.PathModelInfo
	case "/server_info", "/get_server_info":
		return capture.PathServerInfo
	case "/metrics", "/metrics/":
		return capture.PathMetrics
	case "/health":
		return capture.PathHealth
	case "/health_generate":
		return capture.PathHealthGenerate
	case "/tokenize":
		return capture.PathTokenize
	case "/get_load", "/v1/loads":
		return capture.PathLoad
	}
	return capture.PathOther
}
