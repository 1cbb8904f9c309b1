package lab

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

func (s *Server) sglangRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /generate", s.generate)
	for _, path := range []string{"/model_info", "/get_model_info"} {
		mux.HandleFunc("GET "+path, s.modelInfo)
	}
	for _, path := range []string{"/server_info", "/get_server_info"} {
		mux.HandleFunc("GET "+path, s.serverInfo)
	}
	mux.HandleFunc("/health", s.healthGenerate)
	mux.HandleFunc("/health_generate", s.healthGenerate)
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /v1/loads", s.loads)
	if !s.cfg.NoReset {
		mux.HandleFunc("/flush_cache", s.flushCache)
	}
}

// generateRequest is what the lab reads of SGLang's own route.
type generateRequest struct {
	Text     json.RawMessage `json:"text"`
	InputIDs json.RawMessage `json:"input_ids"`
	Sampling struct {
		MaxNewTokens *int `json:"max_new_tokens"`
	} `json:"sampling_params"`
	Stream       bool   `json:"stream"`
	RID          string `json:"rid"`
	RoutedDPRank *int   `json:"routed_dp_rank"`
}

func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	var g generateRequest
	if err := json.NewDecoder(r.Body).Decode(&g); err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error()))
		return
	}
	raw := g.InputIDs
	if len(raw) == 0 || string(raw) == "null" {
		raw = g.Text
	}
	tokens, err := s.prompt(raw)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error()))
		return
	}
	maxNew := 128
	if g.Sampling.MaxNewTokens != nil {
		maxNew = *g.Sampling.MaxNewTokens
	}
	q := newRequest(tokens, maxNew)
	q.stream, q.rid, q.rank = g.Stream, g.RID, -1
	if g.RoutedDPRank != nil && *g.RoutedDPRank < len(s.ranks) {
		q.rank = *g.RoutedDPRank
	}
	if !s.accept(w, r, q) {
		return
	}
	var send func(string)
	if g.Stream {
		send = startStream(w)
	}
	text, failed, n := "", "", 0
	if !s.stream(w, r, q, func(e event) {
		if e.err != "" {
			failed = e.err
		} else {
			n++
			text += tokenText(e.token)
		}
		switch {
		case !g.Stream:
		case e.err != "":
			send(fmt.Sprintf(`{"error":{"message":%q}}`, e.err))
		default:
			send(s.generateAnswer(q, text, n, e.done))
		}
	}) {
		return
	}
	switch {
	case g.Stream:
		send("[DONE]")
	case failed != "":
		writeJSON(w, http.StatusInternalServerError, map[string]any{"error": map[string]any{"message": failed}})
	default:
		writeJSON(w, http.StatusOK, json.RawMessage(s.generateAnswer(q, text, n, true)))
	}
}

// generateAnswer is one chunk of a stream, or the whole answer: the text so
// far and meta_info.
func (s *Server) generateAnswer(q *request, text string, n int, last bool) string {
	meta := map[string]any{
		"id": q.rid, "finish_reason": nil, "prompt_tokens": len(q.tokens), "weight_version": "default",
		"completion_tokens": n, "num_retractions": 0,
	}
	if len(s.ranks) > 1 {
		meta["dp_rank"] = q.rank
	}
	if !s.cfg.has(faultNoReport) {
		meta["cached_tokens"] = q.cached
		meta["cached_tokens_details"] = nil
		if q.cached > 0 {
			meta["cached_tokens_details"] = map[string]any{"device": q.cached, "host": 0}
		}
	}
	if q.rid == "" {
		meta["id"] = fmt.Sprintf("lab-%d", q.seq)
	}
	if last {
		meta["finish_reason"] = map[string]any{"type": "length", "length": n}
		meta["e2e_latency"] = s.clock.Now().Sub(q.arrived).Seconds()
	}
	b, err := json.Marshal(map[string]any{"text": text, "meta_info": meta})
	if err != nil {
		panic(err) // maps of strings and numbers always marshal
	}
	return string(b)
}

func (s *Server) modelInfo(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"model_path": s.cfg.Model, "tokenizer_path": s.cfg.Model, "is_generation": true, "served_model_name": s.cfg.Model,
		"preferred_sampling_params": nil, "weight_version": "default", "has_image_understanding": false, "has_audio_understanding": false,
	})
}

func (s *Server) serverInfo(w http.ResponseWriter, _ *http.Request) {
	states := make([]any, len(s.ranks))
	for i := range s.ranks {
		states[i] = map[string]any{"last_gen_throughput": 0.0, "memory_usage": map[string]any{"token_capacity": s.cfg.PoolTokens}}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"model_path": s.cfg.Model, "tokenizer_path": s.cfg.Model, "served_model_name": s.cfg.Model,
		"page_size": s.cfg.PageSize, "disable_radix_cache": s.cfg.NoCache, "chunked_prefill_size": s.cfg.ChunkTokens,
		"schedule_policy": "fcfs", "radix_eviction_policy": "lru", "enable_cache_report": !s.cfg.has(faultNoReport), "enable_metrics": true,
		"tp_size": 1, "pp_size": 1, "dp_size": len(s.ranks), "random_seed": s.randomSeed,
		"max_total_tokens": s.cfg.PoolTokens, "max_total_num_tokens": s.cfg.PoolTokens, "max_running_requests": s.cfg.MaxRunning,
		"load_format": "dummy", "host": s.host, "port": s.port, "status": "ready", "frontend": "python",
		"startup_time":    map[string]any{"scheduler_e2e": float64(s.started.UnixNano()%1e9) / 1e9},
		"internal_states": states, "version": sglangVersion,
	})
}

// loads is /v1/loads: running and waiting requests by rank.
func (s *Server) loads(w http.ResponseWriter, _ *http.Request) {
	list := make([]any, len(s.ranks))
	for i, r := range s.ranks {
		running, waiting := r.load()
		list[i] = map[string]any{"dp_rank": i, "num_running_reqs": running, "num_waiting_reqs": waiting, "max_total_num_tokens": s.cfg.PoolTokens}
	}
	writeJSON(w, http.StatusOK, map[string]any{"timestamp": s.clock.Now().UTC().Format(time.RFC3339Nano), "version": sglangVersion, "loads": list})
}

// healthGenerate makes one token, as SGLang's health check does since
// v0.4.10.post2.
func (s *Server) healthGenerate(w http.ResponseWriter, r *http.Request) {
	q := newRequest([]int32{0}, 1)
	q.role, q.endpoint = roleHealth, r.URL.Path
	q.seq = s.seq.Add(1)
	s.ranks[0].submit(q)
	q.wait()
	w.WriteHeader(http.StatusOK)
}

// flushCache answers as SGLang v0.5.10 and later: 200 if the cache was
// flushed, 400 if not, after waiting for the time that the query asks for.
func (s *Server) flushCache(w http.ResponseWriter, r *http.Request) {
	wait, _ := strconv.ParseFloat(r.URL.Query().Get("timeout"), 64)
	deadline := time.Now().Add(seconds(wait))
	for {
		if s.idle() || time.Now().After(deadline) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s.flushAll() {
		writeText(w, http.StatusOK, "Cache flushed.\nPlease check backend logs for more details. (When there are running or waiting requests, the operation will not be performed.)\n")
		return
	}
	text := "Flush cache failed.\n"
	if wait > 0 && !s.idle() {
		text = "Timed out waiting for idle state."
	}
	writeText(w, http.StatusBadRequest, text)
}

func (s *Server) idle() bool {
	for _, r := range s.ranks {
		if running, waiting := r.load(); running+waiting > 0 {
			return false
		}
	}
	return true
}
