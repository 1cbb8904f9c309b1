package vllm

import (
	"bytes"

	"coldcase/ingest/capture"
)

// access is one line of uvicorn's access log:
//
//	INFO:     127.0.0.1:53218 - "POST /v1/completions HTTP/1.1" 200 OK
type access struct {
	host   string
	path   capture.Path
	query  bool
	status int16
}

// accessMark stands between the host and the method.
var accessMark = []byte(` - "`)

// parseAccess reads an access line. is says that the line is one; whole is
// false if its status is missing or has not all three digits.
func parseAccess(msg []byte) (a access, is, whole bool) {
	rest, ok := bytes.CutPrefix(msg, []byte("INFO:"))
	if !ok {
		return a, false, false
	}
	host, request, found := bytes.Cut(bytes.TrimLeft(rest, " "), accessMark)
	if !found || len(host) == 0 || bytes.IndexByte(host, ' ') >= 0 {
		return a, false, false
	}
	method, target, _ := bytes.Cut(request, []byte(" "))
	if !isMethod(method) {
		return a, false, false
	}
	if colon := bytes.LastIndexByte(host, ':'); colon > 0 {
		host = host[:colon]
	}
	a.host = string(host)
	target, after, closed := bytes.Cut(target, []byte(`"`))
	url, _, _ := bytes.Cut(target, []byte(" "))
	path, query, hasQuery := bytes.Cut(url, []byte("?"))
	a.path = pathOf(string(path))
	a.query = hasQuery && len(query) > 0
	after = bytes.TrimLeft(after, " ")
	if !closed || len(after) < 3 {
		return a, true, false
	}
	for _, c := range after[:3] {
		if c < '0' || c > '9' {
			return a, true, false
		}
		a.status = a.status*10 + int16(c-'0')
	}
	return a, true, true
}

func isMethod(b []byte) bool {
	if len(b) < 3 || len(b) > 7 {
		return false
	}
	for _, c := range b {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// pathOf classes a route. Routes behind a proxy's prefix are told by their end.
func pathOf(path string) capture.Path {
	switch path {
	case "/v1/completions":
		return capture.PathCompletions
	case "/v1/chat/completions", "/v1/responses", "/v1/messages":
		return capture.PathChat
	case "/generate", "/inference/v1/generate":
		return capture.PathGenerate
	case "/reset_prefix_cache", "/flush_cache":
		return capture.PathFlush
	case "/v1/models":
		return capture.PathModels
	case "/server_info":
		return capture.PathServerInfo
	case "/metrics":
		return capture.PathMetrics
	case "/health", "/ping":
		return capture.PathHealth
	case "/tokenize":
		return capture.PathTokenize
	case "/load":
		return capture.PathLoad
	}
	for _, route := range []string{"/v1/completions", "/v1/chat/completions", "/reset_prefix_cache"} {
		if len(path) > len(route) && path[len(path)-len(route):] == route {
			return pathOf(route)
		}
	}
	return capture.PathOther
}
