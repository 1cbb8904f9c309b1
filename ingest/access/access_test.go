package access

import (
	"fmt"
	"testing"

	"coldcase/ingest/capture"
)

func TestParse(t *testing.T) {
	tests := []struct{ line, want string }{
		{`127.0.0.1:40290 - "POST /generate HTTP/1.1" 200 OK`, "127.0.0.1 /generate false 200"},
		{`127.0.0.1:40290 - "POST /flush_cache?timeout=60.0 HTTP/1.1" 400 Bad Request`, "127.0.0.1 /flush_cache true 400"},
		{`[::1]:40290 - "GET /metrics HTTP/1.1" 200`, "[::1] /metrics false 200"},
		{`testclient - "GET / HTTP/1.1" 404 Not Found`, "testclient / false 404"},
		{`10.0.0.1:1 - "POST /v1/completions" 200 OK`, "10.0.0.1 /v1/completions false -1"},
		{`10.0.0.1:1 - "POST /v1/completions HTTP/1.1" 20`, "10.0.0.1 /v1/completions false -1"},
		{`10.0.0.1:1 - "POST /v1/completions HTTP/1.1" 2000`, "10.0.0.1 /v1/completions false -1"},
		{`10.0.0.1:1 - "POST /v1/completions HTTP/1.1" 2x0`, "10.0.0.1 /v1/completions false -1"},
		{`10.0.0.1:1 - "POST /v1/completions HTTP/1.1"`, "10.0.0.1 /v1/completions false -1"},
		{`10.0.0.1:1 - "POST /v1/comp`, "10.0.0.1 /v1/comp false -1"},
		{`10.0.0.1:1 - "POST `, ""},
		{`10.0.0.1:1 - ",POST /x HTTP/1.1" 200 OK`, "10.0.0.1 /x false 200"},
		{`10.0.0.1:1 - "quotation /x HTTP/1.1" 200 OK`, ""},
		{`the answer - "POST /x HTTP/1.1" 200 OK`, ""},
		{`10.0.0.1:1 "POST /x HTTP/1.1" 200 OK`, ""},
		{``, ""},
	}
	for _, tt := range tests {
		got := ""
		if l, is := Parse([]byte(tt.line)); is {
			got = fmt.Sprintf("%s %s %v %d", l.Host, l.Path, l.Query, l.Status)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestClass(t *testing.T) {
	for path, want := range map[string]capture.Path{
		"/generate": capture.PathGenerate, "/v1/completions": capture.PathCompletions, "/v1/chat/completions": capture.PathChat,
		"/v1/responses": capture.PathChat, "/flush_cache": capture.PathFlush, "/reset_prefix_cache": capture.PathFlush,
		"/get_server_info": capture.PathServerInfo, "/model_info": capture.PathModelInfo, "/metrics/": capture.PathMetrics,
		"/ping": capture.PathHealth, "/health_generate": capture.PathHealthGenerate, "/v1/loads": capture.PathLoad,
		"/proxy/7/v1/completions": capture.PathCompletions, "/a/reset_prefix_cache": capture.PathFlush,
		"/": capture.PathOther, "": capture.PathOther, "/generated": capture.PathOther,
	} {
		if got := Class([]byte(path)); got != want {
			t.Errorf("%q: class %d, want %d", path, got, want)
		}
	}
}

// FuzzParse holds that what is read stands in the line.
func FuzzParse(f *testing.F) {
	f.Add(`127.0.0.1:40290 - "POST /flush_cache?timeout=60.0 HTTP/1.1" 400 Bad Request`)
	f.Add(`a - "GET /`)
	f.Fuzz(func(t *testing.T, s string) {
		l, is := Parse([]byte(s))
		if !is {
			return
		}
		if len(l.Host) == 0 || len(l.Path) == 0 || l.Path[0] != '/' || l.Status < -1 || l.Status > 999 {
			t.Errorf("%q: %+v", s, l)
		}
	})
}
