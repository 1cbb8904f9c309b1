package record

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
)

// vllm speaks to a vLLM server.
type vllm struct {
	t     *target
	model string
}

func (v *vllm) name() string { return "vllm" }

// describe reads version, model and the labels of vllm:cache_config_info.
func (v *vllm) describe(ctx context.Context) (serverFacts, error) {
	var f serverFacts
	var version struct {
		Version string `json:"version"`
	}
	if _, err := v.t.getJSON(ctx, "/version", &version); err != nil {
		return f, err
	}
	f.version = version.Version
	var models struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if _, err := v.t.getJSON(ctx, "/v1/models", &models); err != nil {
		return f, err
	}
	if len(models.Data) > 0 {
		f.model = models.Data[0].ID
		v.model = f.model
	}
	text, err := scrape(ctx, v.t)
	if err != nil {
		return f, err
	}
	m, err := parseMetrics(text)
	if err != nil {
		return f, err
	}
	for _, s := range m.Series["vllm:cache_config_info"] {
		f.ranks++
		if n, err := strconv.Atoi(s.Labels["block_size"]); err == nil {
			f.pageSize = n
		}
		if n, err := strconv.Atoi(s.Labels["cache_hit_alignment_tokens"]); err == nil {
			f.pageSize = n
		}
		f.cacheOff = f.cacheOff || s.Labels["enable_prefix_caching"] == "False"
	}
	f.ranks = max(f.ranks, 1)
	if start := sum(m, "process_start_time_seconds", "vllm:prompt_tokens_created"); start != nil {
		f.life = lifeOf(*start)
	}
	return f, nil
}

func (v *vllm) load(ctx context.Context) (running, waiting int, err error) {
	return loadByGauges(ctx, v.t, "vllm:num_requests_running", "vllm:num_requests_waiting")
}

// flush posts /reset_prefix_cache, which exists with VLLM_SERVER_DEV_MODE=1
// only. The status is 200 whether it took place or not; since July 2026 the
// body tells, before that nothing does.
func (v *vllm) flush(ctx context.Context, _ time.Duration) (flushAnswer, error) {
	const path = "/reset_prefix_cache"
	a, err := v.t.call(ctx, http.MethodPost, path, 30*time.Second)
	if err != nil {
		return flushAnswer{Asked: "POST " + path}, err
	}
	f := flushAnswer{Asked: "POST " + path, Status: a.status, Body: shorten(a.body), Answered: saidUnknown}
	switch a.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return f, errNoFlush
	case http.StatusUnauthorized, http.StatusForbidden:
		return f, fmt.Errorf("POST %s: %w", path, errKey)
	case http.StatusOK:
		var body struct {
			Success *bool `json:"success"`
		}
		if json.Unmarshal(a.body, &body) == nil && body.Success != nil {
			f.Answered = saidRefused
			if *body.Success {
				f.Answered = saidDone
			}
		}
	default:
		f.Answered = saidRefused
	}
	return f, nil
}

func (v *vllm) request(prompt []int32, maxNew, rank int) (string, []byte, http.Header) {
	body := map[string]any{
		"model": v.model, "prompt": prompt, "max_tokens": maxNew, "temperature": 0, "ignore_eos": true,
		"stream": true, "stream_options": map[string]any{"include_usage": true},
	}
	var header http.Header
	if rank >= 0 {
		header = http.Header{"X-Data-Parallel-Rank": {strconv.Itoa(rank)}}
	}
	return "/v1/completions", mustJSON(body), header
}

func (v *vllm) event(data []byte, r *reply) error {
	var e struct {
		Choices []struct {
			Text string `json:"text"`
		} `json:"choices"`
		Usage *struct {
			Prompt     *int `json:"prompt_tokens"`
			Completion *int `json:"completion_tokens"`
			Details    *struct {
				Cached *int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
		Error jsontext.Value `json:"error"`
	}
	if err := decodeEvent(data, &e); err != nil {
		return err
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return fmt.Errorf("the server answered an error inside the stream: %s", shorten(e.Error))
	}
	r.token = len(e.Choices) > 0
	r.hasText = r.token && e.Choices[0].Text != ""
	if u := e.Usage; u != nil {
		if u.Completion != nil {
			r.output = *u.Completion
		}
		var cached *int
		if u.Details != nil {
			cached = u.Details.Cached
		}
		r.keep(u.Prompt, cached, nil)
	}
	return nil
}

func (v *vllm) tally(m *capture.Snapshot) tally {
	t := tally{
		requests: sum(m, "vllm:request_success_total"), prompt: sum(m, "vllm:prompt_tokens_total"),
		cached: sum(m, "vllm:prompt_tokens_cached_total", "vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
	}
	for _, s := range m.Series["vllm:prompt_tokens_total"] {
		rank, err := strconv.Atoi(s.Labels["engine"])
		if err != nil || rank < 0 || rank > 4096 {
			continue
		}
		for len(t.byRank) <= rank {
			t.byRank = append(t.byRank, 0)
		}
		t.byRank[rank] += s.Value
	}
	return t
}
