package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
)

// sglang speaks to an SGLang server.
type sglang struct {
	t       *target
	version string
}

func (s *sglang) name() string { return "sglang" }

func (s *sglang) describe(ctx context.Context) (serverFacts, error) {
	var info struct {
		Version     string `json:"version"`
		Model       string `json:"served_model_name"`
		ModelPath   string `json:"model_path"`
		PageSize    int    `json:"page_size"`
		DP          int    `json:"dp_size"`
		Disabled    bool   `json:"disable_radix_cache"`
		RandomSeed  any    `json:"random_seed"`
		StartupTime any    `json:"startup_time"`
	}
	for _, path := range []string{"/server_info", "/get_server_info"} {
		ok, err := s.t.getJSON(ctx, path, &info)
		if err != nil {
			return serverFacts{}, err
		}
		if ok {
			break
		}
	}
	s.version = info.Version
	f := serverFacts{version: info.Version, model: info.Model, pageSize: info.PageSize, ranks: max(info.DP, 1), cacheOff: info.Disabled}
	if f.model == "" {
		f.model = info.ModelPath
	}
	if info.RandomSeed != nil || info.StartupTime != nil {
		f.life = lifeOf([]any{info.RandomSeed, info.StartupTime})
	}
	return f, nil
}

// load asks /v1/loads (v0.5.8 and later), then the older route, then the
// gauges, which may be stale by 30 s on an idle server.
func (s *sglang) load(ctx context.Context) (running, waiting int, err error) {
	var loads struct {
		Loads []struct {
			Running int `json:"num_running_reqs"`
			Waiting int `json:"num_waiting_reqs"`
		} `json:"loads"`
	}
	ok, err := s.t.getJSON(ctx, "/v1/loads?include=core", &loads)
	if err != nil {
		return 0, 0, err
	}
	if ok && len(loads.Loads) > 0 {
		for _, l := range loads.Loads {
			running, waiting = running+l.Running, waiting+l.Waiting
		}
		return running, waiting, nil
	}
	var old []struct {
		Requests int `json:"num_reqs"`
		Waiting  int `json:"num_waiting_reqs"`
	}
	if ok, err = s.t.getJSON(ctx, "/get_load", &old); err != nil {
		return 0, 0, err
	}
	if ok && len(old) > 0 {
		for _, l := range old {
			running, waiting = running+l.Requests-l.Waiting, waiting+l.Waiting
		}
		return running, waiting, nil
	}
	return loadByGauges(ctx, s.t, "sglang:num_running_reqs", "sglang:num_queue_reqs")
}

// errLoadUnknown is a server that does not tell whether it is idle.
var errLoadUnknown = errors.New("the server does not tell how many requests it runs (no load route, no metrics)")

func loadByGauges(ctx context.Context, t *target, running, waiting string) (int, int, error) {
	text, err := scrape(ctx, t)
	if err != nil {
		if errors.Is(err, errNoAnswer) {
			return 0, 0, err
		}
		return 0, 0, errLoadUnknown
	}
	m, err := parseMetrics(text)
	if err != nil {
		return 0, 0, errLoadUnknown
	}
	r, okR := m.Sum(running)
	w, okW := m.Sum(waiting)
	if !okR || !okW {
		return 0, 0, errLoadUnknown
	}
	return int(r), int(w), nil
}

// flush posts /flush_cache. From v0.5.10 the server waits for idle itself when
// it is asked to; before v0.4.5.post3 the status says nothing.
func (s *sglang) flush(ctx context.Context, wait time.Duration) (flushAnswer, error) {
	path := "/flush_cache"
	if versionAtLeast(s.version, "0.5.10") && wait > 0 {
		path = fmt.Sprintf("/flush_cache?timeout=%.1f", wait.Seconds())
	}
	a, err := s.t.call(ctx, http.MethodPost, path, wait+30*time.Second)
	if err != nil {
		return flushAnswer{Asked: "POST " + path}, err
	}
	f := flushAnswer{Asked: "POST " + path, Status: a.status, Body: shorten(a.body), Answered: saidRefused}
	switch a.status {
	case http.StatusOK:
		f.Answered = saidDone
		if !versionAtLeast(s.version, "0.4.6") {
			f.Answered = saidUnknown
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return f, errNoFlush
	case http.StatusUnauthorized, http.StatusForbidden:
		return f, fmt.Errorf("POST /flush_cache: %w, or --admin-key-env if the server has a key for administration", errKey)
	}
	return f, nil
}

func (s *sglang) request(prompt []int32, maxNew, rank int) (string, []byte, http.Header) {
	body := map[string]any{
		"input_ids": prompt, "stream": true,
		"sampling_params": map[string]any{"temperature": 0, "max_new_tokens": maxNew, "ignore_eos": true},
	}
	if rank >= 0 {
		body["routed_dp_rank"] = rank
	}
	return "/generate", mustJSON(body), nil
}

func (s *sglang) event(data []byte, r *reply) error {
	var e struct {
		Text  string         `json:"text"`
		Error jsontext.Value `json:"error"`
		Meta  struct {
			Prompt     *int `json:"prompt_tokens"`
			Completion *int `json:"completion_tokens"`
			Cached     *int `json:"cached_tokens"`
			Rank       *int `json:"dp_rank"`
		} `json:"meta_info"`
	}
	if err := decodeEvent(data, &e); err != nil {
		return err
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return fmt.Errorf("the server answered an error inside the stream: %s", shorten(e.Error))
	}
	if e.Meta.Completion != nil {
		r.output = *e.Meta.Completion
	}
	r.token = e.Text != "" || r.output > 0
	r.hasText = e.Text != ""
	r.keep(e.Meta.Prompt, e.Meta.Cached, e.Meta.Rank)
	return nil
}

// tally reads SGLang's counters. The one of cached tokens is absent until its
// first increment (v0.5.22), so beside others it means 0.
func (s *sglang) tally(m *capture.Snapshot) tally {
	t := tally{requests: sum(m, "sglang:num_requests_total"), prompt: sum(m, "sglang:prompt_tokens_total"), cached: sum(m, "sglang:cached_tokens_total")}
	if t.cached == nil && t.requests != nil {
		t.cached = new(float64)
	}
	return t
}

// shorten is a body for a person: at most 300 bytes on one line.
func shorten(b []byte) string {
	s := strings.Join(strings.Fields(string(b)), " ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return strings.ToValidUTF8(s, "?")
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers always marshal
	}
	return b
}
