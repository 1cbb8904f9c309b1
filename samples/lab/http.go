package lab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// handler routes the endpoints of the engine, with access lines and the key
// check around them.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", s.models)
	mux.HandleFunc("POST /v1/completions", s.completions)
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /metrics", s.metrics)
	if s.cfg.Engine == VLLM {
		s.vllmRoutes(mux)
	} else {
		s.sglangRoutes(mux)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lw := &loggedWriter{ResponseWriter: w, s: s, r: r}
		if !s.allowed(r) {
			writeJSON(lw, http.StatusUnauthorized, map[string]any{"error": "Unauthorized"})
			return
		}
		mux.ServeHTTP(lw, r)
		lw.done()
	})
}

// allowed checks the key. Health and metrics need none in either engine, and
// vLLM v0.32 guards the routes below /v1 alone.
func (s *Server) allowed(r *http.Request) bool {
	if s.cfg.APIKey == "" || r.Header.Get("Authorization") == "Bearer "+s.cfg.APIKey {
		return true
	}
	if s.cfg.Engine == VLLM {
		return !strings.HasPrefix(r.URL.Path, "/v1/")
	}
	return strings.HasPrefix(r.URL.Path, "/health") || r.URL.Path == "/metrics"
}

// loggedWriter writes the access line when the status goes out.
type loggedWriter struct {
	http.ResponseWriter
	s      *Server
	r      *http.Request
	status int
}

func (w *loggedWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.s.log.access(w.s.peers.name(w.r.RemoteAddr), w.r.Method, w.r.URL.RequestURI(), status)
		w.s.counters.httpResponse(w.r.URL.Path, w.r.Method, status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *loggedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// cutOff stands for the status of a connection that was cut without an answer:
// a server writes no access line for it.
const cutOff = -1

// Hijack takes the connection away from the answer.
func (w *loggedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.status == 0 {
		w.status = cutOff
	}
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap lets the standard library reach Flush.
func (w *loggedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *loggedWriter) done() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(b)
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{
		"id": s.cfg.Model, "object": "model", "created": s.started.Unix(), "owned_by": string(s.cfg.Engine),
		"root": s.cfg.Model, "parent": nil, "max_model_len": contextLen,
	}}})
}

func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	text := ""
	if s.cfg.Engine == VLLM {
		text = s.vllmMetrics()
	} else {
		text = s.sglangMetrics()
	}
	w.Header().Set("Content-Type", "text/plain; version=1.0.0; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	fmt.Fprint(w, text)
}

// prompt is a text, a list of ids, or a list with one of either.
func (s *Server) prompt(raw json.RawMessage) ([]int32, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return s.vocab.encode(text), nil
	}
	var ids []int32
	if json.Unmarshal(raw, &ids) == nil && len(ids) > 0 {
		return ids, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
		return s.prompt(list[0])
	}
	return nil, fmt.Errorf("prompt: want a text or a list of ids; the lab takes one prompt a request")
}
