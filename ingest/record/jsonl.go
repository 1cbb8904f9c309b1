package record

import (
	"encoding/json"
	"fmt"
	"time"

	"coldcase/ingest/plan"
)

// clientRecord is the result of the built-in client: one line of JSON in the
// shape of sglang.bench_serving's record with details, so that one reader
// serves both. What is added names what that record leaves out: the client, the
// seed, the number of prompts, the time of each send.
//
// Times in the arrays are seconds; *_ms are milliseconds. Arrays are in prompt
// order. cached_tokens holds null where the server named no number.
type clientRecord struct {
	Client         string  `json:"client"`
	Schema         string  `json:"schema"`
	Backend        string  `json:"backend"`
	EngineVersion  string  `json:"engine_version"`
	Model          string  `json:"model"`
	DatasetName    string  `json:"dataset_name"`
	Seed           int64   `json:"seed"`
	NumPrompts     int     `json:"num_prompts"`
	RequestRate    any     `json:"request_rate"`
	MaxConcurrency int     `json:"max_concurrency"`
	InputLen       int     `json:"random_input_len"`
	OutputLen      int     `json:"random_output_len"`
	RangeRatio     float64 `json:"random_range_ratio"`
	TokenizePrompt bool    `json:"tokenize_prompt"`
	Warmups        int     `json:"warmup_requests"`
	PageSize       *int    `json:"page_size"`
	StartTime      float64 `json:"start_time"` // Unix seconds
	Duration       float64 `json:"duration"`
	Completed      int     `json:"completed"`
	Failed         int     `json:"failed"`
	TotalInput     int64   `json:"total_input_tokens"`
	TotalOutput    int64   `json:"total_output_tokens"`
	RequestTput    float64 `json:"request_throughput"`
	InputTput      float64 `json:"input_throughput"`
	OutputTput     float64 `json:"output_throughput"`
	Concurrency    float64 `json:"concurrency"`
	summaries
	// InputByServer: input_lens are the server's counts, not the client's.
	InputByServer bool         `json:"input_by_server"`
	CacheReport   *cacheReport `json:"cache_report,omitempty"`
	StartTimes    []float64    `json:"start_times"`
	InputLens     []int        `json:"input_lens"`
	OutputLens    []int        `json:"output_lens"`
	TTFTs         []float64    `json:"ttfts"`
	FirstTexts    []float64    `json:"first_texts"`
	Latencies     []float64    `json:"latencies"`
	ITLs          [][]float64  `json:"itls"`
	Errors        []string     `json:"errors"`
	CachedTokens  []*int       `json:"cached_tokens"`
	PromptHashes  []string     `json:"prompt_hashes"`
}

// summaries are the figures that clients print, over the completed prompts.
type summaries struct {
	MeanE2E    *float64 `json:"mean_e2e_latency_ms"`
	MedianE2E  *float64 `json:"median_e2e_latency_ms"`
	StdE2E     *float64 `json:"std_e2e_latency_ms"`
	P90E2E     *float64 `json:"p90_e2e_latency_ms"`
	P95E2E     *float64 `json:"p95_e2e_latency_ms"`
	P99E2E     *float64 `json:"p99_e2e_latency_ms"`
	MeanTTFT   *float64 `json:"mean_ttft_ms"`
	MedianTTFT *float64 `json:"median_ttft_ms"`
	StdTTFT    *float64 `json:"std_ttft_ms"`
	P90TTFT    *float64 `json:"p90_ttft_ms"`
	P95TTFT    *float64 `json:"p95_ttft_ms"`
	P99TTFT    *float64 `json:"p99_ttft_ms"`
	MeanTPOT   *float64 `json:"mean_tpot_ms"`
	MedianTPOT *float64 `json:"median_tpot_ms"`
	StdTPOT    *float64 `json:"std_tpot_ms"`
	P90TPOT    *float64 `json:"p90_tpot_ms"`
	P95TPOT    *float64 `json:"p95_tpot_ms"`
	P99TPOT    *float64 `json:"p99_tpot_ms"`
	MeanITL    *float64 `json:"mean_itl_ms"`
	MedianITL  *float64 `json:"median_itl_ms"`
	StdITL     *float64 `json:"std_itl_ms"`
	P90ITL     *float64 `json:"p90_itl_ms"`
	P95ITL     *float64 `json:"p95_itl_ms"`
	P99ITL     *float64 `json:"p99_itl_ms"`
}

// cacheReport are the totals of cached tokens; absent if an answer named none.
type cacheReport struct {
	Prompt int64   `json:"total_prompt_tokens"`
	Cached int64   `json:"total_cached_tokens"`
	Rate   float64 `json:"cache_hit_rate_pct"`
}

// recordSchema names the record of the built-in client.
const recordSchema = "coldcase.record/1"

// newRecord makes the record of a cell.
func newRecord(s *session, cell *plan.Cell, ratio, rate float64, prompts [][]int32, results []measured, started time.Time) *clientRecord {
	r := &clientRecord{
		Client: "coldcase", Schema: recordSchema, Backend: s.e.name(), EngineVersion: s.facts.version, Model: s.facts.model,
		DatasetName: "random-ids", Seed: cell.Seed, NumPrompts: cell.Prompts, RequestRate: "inf", MaxConcurrency: cell.Cap,
		InputLen: s.inputLen(), OutputLen: s.outputLen(), RangeRatio: ratio, TokenizePrompt: true,
		StartTime: float64(started.UnixNano()) / 1e9,
	}
	if rate > 0 {
		r.RequestRate = rate
	}
	if s.facts.pageSize > 0 {
		r.PageSize = &s.facts.pageSize
	}
	var ttft, e2e, tpot, itl []float64
	last := started
	report, told, byServer := cacheReport{}, true, true
	for i, m := range results {
		r.add(m, prompts[i], started)
		if m.err != nil {
			continue
		}
		if m.reply.end.After(last) {
			last = m.reply.end
		}
		ttft = append(ttft, r.TTFTs[i])
		e2e = append(e2e, r.Latencies[i])
		itl = append(itl, r.ITLs[i]...)
		if n := r.OutputLens[i]; n > 1 {
			tpot = append(tpot, (r.Latencies[i]-r.TTFTs[i])/float64(n-1))
		}
		byServer = byServer && m.reply.prompt != nil
		report.Prompt += int64(r.InputLens[i])
		if c := r.CachedTokens[i]; c != nil {
			report.Cached += int64(*c)
		} else {
			told = false
		}
	}
	if told && r.Completed > 0 {
		report.Rate = 100 * float64(report.Cached) / float64(max(report.Prompt, 1))
		r.CacheReport = &report
	}
	r.Duration = last.Sub(started).Seconds()
	if r.Duration > 0 {
		r.RequestTput = float64(r.Completed) / r.Duration
		r.InputTput = float64(r.TotalInput) / r.Duration
		r.OutputTput = float64(r.TotalOutput) / r.Duration
		for _, l := range e2e {
			r.Concurrency += l / r.Duration
		}
	}
	r.InputByServer = byServer && r.Failed == 0 && r.Completed > 0
	r.MeanTTFT, r.MedianTTFT, r.StdTTFT, r.P90TTFT, r.P95TTFT, r.P99TTFT = figures(ttft)
	r.MeanE2E, r.MedianE2E, r.StdE2E, r.P90E2E, r.P95E2E, r.P99E2E = figures(e2e)
	r.MeanTPOT, r.MedianTPOT, r.StdTPOT, r.P90TPOT, r.P95TPOT, r.P99TPOT = figures(tpot)
	r.MeanITL, r.MedianITL, r.StdITL, r.P90ITL, r.P95ITL, r.P99ITL = figures(itl)
	return r
}

// add appends one prompt to the arrays. A failed one has zeros, as in the
// record of sglang.bench_serving.
func (r *clientRecord) add(m measured, prompt []int32, started time.Time) {
	input, output, ttft, firstText, latency, failed := len(prompt), 0, 0.0, 0.0, 0.0, ""
	itl := []float64{}
	var cached *int
	start := 0.0
	if m.reply != nil {
		start = m.reply.sent.Sub(started).Seconds()
	}
	if m.err != nil {
		failed = m.err.Error()
		r.Failed++
	} else {
		a := m.reply
		if a.prompt != nil {
			input = *a.prompt
		}
		output, cached = a.output, a.cached
		ttft, latency = a.first.Sub(a.sent).Seconds(), a.end.Sub(a.sent).Seconds()
		if !a.firstText.IsZero() {
			firstText = a.firstText.Sub(a.sent).Seconds()
		}
		for i := 1; i < len(a.chunks); i++ {
			itl = append(itl, a.chunks[i].Sub(a.chunks[i-1]).Seconds())
		}
		r.Completed++
		r.TotalInput += int64(input)
		r.TotalOutput += int64(output)
	}
	r.StartTimes = append(r.StartTimes, start)
	r.InputLens = append(r.InputLens, input)
	r.OutputLens = append(r.OutputLens, output)
	r.TTFTs = append(r.TTFTs, ttft)
	r.FirstTexts = append(r.FirstTexts, firstText)
	r.Latencies = append(r.Latencies, latency)
	r.ITLs = append(r.ITLs, itl)
	r.Errors = append(r.Errors, failed)
	r.CachedTokens = append(r.CachedTokens, cached)
	r.PromptHashes = append(r.PromptHashes, fmt.Sprintf("%016x", hashPrompt(prompt)))
}

func (r *clientRecord) encode() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // numbers are finite: quantiles of finite times
	}
	return append(b, '\n')
}

// command says in one line what was sent.
func (r *clientRecord) command() string {
	return fmt.Sprintf("builtin: %d prompts of %d tokens, range ratio %g, %d tokens out, cap %d, seed %d, rate %v",
		r.NumPrompts, r.InputLen, r.RangeRatio, r.OutputLen, r.MaxConcurrency, r.Seed, r.RequestRate)
}

// result is what the sweep itself needs.
func (r *clientRecord) result() *clientResult {
	out := &clientResult{file: resultFile, completed: &r.Completed, warmups: &r.Warmups, input: r.InputLens}
	told := false
	for i, text := range r.Errors {
		if text != "" && out.firstError == "" {
			out.firstError = fmt.Sprintf("prompt %d: %s", i, text)
		}
		c := -1
		if r.CachedTokens[i] != nil {
			c, told = *r.CachedTokens[i], true
		}
		out.cached = append(out.cached, c)
	}
	if !told {
		out.cached = nil
	}
	return out
}
