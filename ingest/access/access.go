// Package access reads the access lines of uvicorn, the web server that SGLang
// and vLLM both run behind:
//
//	INFO:     127.0.0.1:40290 - "POST /flush_cache?timeout=60.0 HTTP/1.1" 400 Bad Request
//
// It takes one line apart and names the class of its path. What stands in front
// of the level, and what a run of such lines means, is the business of the
// readers of the logs.
package access

import (
	"bytes"

	"coldcase/ingest/capture"
)

// Line is one access line. Its texts are parts of what was parsed.
type Line struct {
	Host  []byte // of the client, without its port
	Path  []byte // without the query
	Query bool   // the URL carries a query
	// Status is the HTTP status, -1 where the line is damaged.
	Status int
}

// maxMethod bounds the length of a method; bytes of a damaged line may be glued to
// it.
const maxMethod = 8

// Parse reads a line behind its level and the blanks after it. is tells whether
// the line is an access line; its Status is -1 if it is cut before the end of
// the status, which has three digits and may stand last.
func Parse(b []byte) (l Line, is bool) {
	host, request, ok := bytes.Cut(b, []byte(` - "`))
	if !ok || len(host) == 0 || bytes.IndexByte(host, ' ') >= 0 {
		return l, false
	}
	method, url, _ := bytes.Cut(request, []byte(" "))
	if len(method) == 0 || len(method) > maxMethod || len(url) == 0 || url[0] != '/' {
		return l, false
	}
	if colon := bytes.LastIndexByte(host, ':'); colon > 0 {
		host = host[:colon]
	}
	target, rest, quoted := bytes.Cut(url, []byte(`"`)) // /generate HTTP/1.1
	target, _, protocol := bytes.Cut(target, []byte(" "))
	l = Line{Host: host, Status: -1}
	l.Path, _, l.Query = bytes.Cut(target, []byte("?"))
	if quoted && protocol {
		l.Status = status(rest)
	}
	return l, true
}

// status reads " 200 OK", -1 if it is cut or something else.
func status(b []byte) int {
	const width = len(" 200")
	if len(b) < width || b[0] != ' ' || len(b) > width && b[width] != ' ' {
		return -1
	}
	n := 0
	for _, c := range b[1:width] {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// Class names the path of a request. The engines share most of their routes;
// none of them uses a name for something else. Routes behind a proxy's prefix
// are told by their end.
func Class(path []byte) capture.Path {
	switch string(path) {
	case "/generate", "/inference/v1/generate":
		return capture.PathGenerate
	case "/v1/completions":
		return capture.PathCompletions
	case "/v1/chat/completions", "/v1/responses", "/v1/messages":
		return capture.PathChat
	case "/flush_cache", "/reset_prefix_cache", "/clear_kv_blocks":
		return capture.PathFlush
	case "/v1/models":
		return capture.PathModels
	case "/model_info", "/get_model_info":
		return capture.PathModelInfo
	case "/server_info", "/get_server_info":
		return capture.PathServerInfo
	case "/metrics", "/metrics/":
		return capture.PathMetrics
	case "/health", "/ping":
		return capture.PathHealth
	case "/health_generate":
		return capture.PathHealthGenerate
	case "/tokenize":
		return capture.PathTokenize
	case "/load", "/get_load", "/v1/loads":
		return capture.PathLoad
	}
	for _, route := range proxied {
		if len(path) > len(route) && bytes.HasSuffix(path, []byte(route)) {
			return Class([]byte(route))
		}
	}
	return capture.PathOther
}

// proxied are the routes that are told by their end.
var proxied = [...]string{"/v1/completions", "/v1/chat/completions", "/reset_prefix_cache", "/flush_cache"}
