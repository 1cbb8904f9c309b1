package sglang

import (
	"bytes"

	"coldcase/ingest/capture"
)

// info reads what uvicorn prints behind "INFO:".
func info(b []byte, ev *Event) {
	if ev.seen.access(b, ev) || access(b, ev) {
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
	ev.seen.remember(b, ev.Access)
	return true
}

// lastAccess remembers an access line, since most lines of a busy log differ
// from the one before in the port alone.
type lastAccess struct {
	line  AccessLine
	whole []byte // host, then what follows the port
	host  int    // length of the host
}

// access fills ev if the line repeats the remembered one.
func (l *lastAccess) access(b []byte, ev *Event) bool {
	if !l.repeats(b) {
		return false
	}
	ev.Class, ev.Access = ClassAccess, l.line
	return true
}

// repeats reports whether the line is the remembered one but for its port.
func (l *lastAccess) repeats(b []byte) bool { return len(b) > 0 && l.length(b) == len(b) }

// length returns the length of the remembered line at the start of b, with
// whatever port; 0 if another text stands there.
func (l *lastAccess) length(b []byte) int {
	h := l.host
	if h == 0 || len(b) <= h || b[h] != ':' || string(b[:h]) != string(l.whole[:h]) {
		return 0
	}
	port := h + 1
	for port < len(b) && b[port] >= '0' && b[port] <= '9' {
		port++
	}
	end := port + len(l.whole) - h
	if end > len(b) || string(b[port:end]) != string(l.whole[h:]) {
		return 0
	}
	return end
}

// remember keeps a whole access line.
func (l *lastAccess) remember(b []byte, line AccessLine) {
	h := len(line.Host)
	port := h
	if port < len(b) && b[port] == ':' {
		for port++; port < len(b) && b[port] >= '0' && b[port] <= '9'; port++ {
		}
	}
	l.whole = append(append(l.whole[:0], b[:h]...), b[port:]...)
	l.host, l.line = h, line
	l.line.Host = l.whole[:h]
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
