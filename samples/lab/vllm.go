package lab

import (
	"encoding/json"
	"net/http"
)

func (s *Server) vllmRoutes(mux *http.ServeMux) {
	ok := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	mux.HandleFunc("GET /health", ok)
	mux.HandleFunc("/ping", ok)
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"version": vllmVersion})
	})
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("POST /detokenize", s.detokenize)
	if !s.cfg.NoReset {
		mux.HandleFunc("POST /reset_prefix_cache", s.resetPrefixCache)
	}
}

// resetPrefixCache answers 200 whether the cache was reset or not; only the
// body tells (vLLM since July 2026).
func (s *Server) resetPrefixCache(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"success": s.flushAll()})
}

func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	var t struct {
		Prompt   string        `json:"prompt"`
		Messages []chatMessage `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error()))
		return
	}
	for _, m := range t.Messages {
		t.Prompt += " " + m.text()
	}
	ids := s.vocab.encode(t.Prompt)
	writeJSON(w, http.StatusOK, map[string]any{"count": len(ids), "max_model_len": contextLen, "tokens": ids, "token_strs": nil})
}

func (s *Server) detokenize(w http.ResponseWriter, r *http.Request) {
	var t struct {
		Tokens []int32 `json:"tokens"`
	}
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error()))
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"prompt": s.vocab.decode(t.Tokens)})
}
