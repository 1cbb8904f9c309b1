package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scrape builds a snapshot from "name{label=value,...} number" lines, each
// sample on its own line of the file.
func scrape(t *testing.T, engine string, lines ...string) *Snapshot {
	t.Helper()
	s := &Snapshot{File: "m.prom", Engine: engine, Series: make(map[string][]Sample)}
	for i, line := range lines {
		head, value, ok := strings.Cut(line, "} ")
		if !ok {
			t.Fatalf("no value: %s", line)
		}
		name, list, _ := strings.Cut(head, "{")
		x := Sample{Line: i + 1, Labels: make(map[string]string)}
		for _, pair := range strings.Split(list, ",") {
			if k, v, ok := strings.Cut(pair, "="); ok {
				x.Labels[k] = v
			}
		}
		if _, err := fmt.Sscan(value, &x.Value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s.Series[name] = append(s.Series[name], x)
	}
	return s
}

func TestDeltaVLLM(t *testing.T) {
	before := []string{
		"vllm:prefix_cache_queries_total{engine=0} 32768", "vllm:prefix_cache_queries_created{engine=0} 1792220000",
		"vllm:prefix_cache_hits_total{engine=0} 0", "vllm:prompt_tokens_total{engine=0} 32768",
		"vllm:request_prefill_kv_computed_tokens_bucket{engine=0,le=20.0} 0",
	}
	after := []string{
		"vllm:prefix_cache_queries_total{engine=0} 98304", "vllm:prefix_cache_queries_created{engine=0} 1792220000",
		"vllm:prefix_cache_hits_total{engine=0} 31744", "vllm:prompt_tokens_total{engine=0} 98304",
		"vllm:request_prefill_kv_computed_tokens_bucket{engine=0,le=20.0} 64",
	}
	change := func(lines []string, from, to string) []string {
		changed := append([]string(nil), lines...)
		for i := range changed {
			changed[i] = strings.Replace(changed[i], from, to, 1)
		}
		return changed
	}
	tests := []struct {
		name          string
		before, after []string
		queries, hits float64 // -1: must not be OK
		full          float64
		why           string
	}{
		{"worked set", before, after, 65536, 31744, 64, ""},
		{"second engine", append(before[:5:5], "vllm:prefix_cache_hits_total{engine=1} 10"), append(after[:5:5], "vllm:prefix_cache_hits_total{engine=1} 506"), 65536, 32240, 64, ""},
		{"process changed", before, change(after, "1792220000", "1792229999"), -1, -1, -1, "vllm:prefix_cache_queries_created changed"},
		{"counter fell", change(before, "hits_total{engine=0} 0", "hits_total{engine=0} 40000"), after, -1, -1, -1, "vllm:prefix_cache_hits_total fell"},
		{
			"old and new names", append(before[:5:5], "vllm:gpu_prefix_cache_hits_total{engine=0} 0"),
			append(after[:5:5], "vllm:gpu_prefix_cache_hits_total{engine=0} 31744"), 65536, 31744, 64, "",
		},
		{"inflated by retries", before, change(after, "98304", "102768"), 70000, 31744, 64, ""},
		{"partial hits", before, change(after, "31744", "31000"), 65536, 31000, 64, ""},
		{"no scrape before", nil, after, -1, -1, -1, "no vllm: series"},
	}
	for _, tt := range tests {
		d := NewDelta(scrape(t, "vllm", tt.before...), scrape(t, "vllm", tt.after...))
		queries := d.Queries()
		hits, blocks := d.Hits()
		bucket, ok := d.UncachedTokens().AtMost(20)
		got := []float64{-1, -1, -1}
		if queries.OK {
			got[0] = queries.Value
		}
		if hits.OK {
			got[1] = hits.Value
		}
		if ok {
			got[2] = bucket.N
		}
		if diff := cmp.Diff([]float64{tt.queries, tt.hits, tt.full}, got); diff != "" || blocks {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if tt.why != "" && !strings.Contains(queries.Why, tt.why) {
			t.Errorf("%s: why %q, want %q", tt.name, queries.Why, tt.why)
		}
	}
	d := NewDelta(scrape(t, "vllm", before...), scrape(t, "vllm", after...))
	if c := d.CachedTokens(); !c.OK || c.Value != 31744 || c.Series != "vllm:prefix_cache_hits_total" || c.Before[0] != 3 || c.After[0] != 3 {
		t.Errorf("cached tokens %+v", c)
	}
	if id := d.Identity(); !id.Same || !id.Proved {
		t.Errorf("identity %+v", id)
	}
}

// Scrapes that name no process in common are of two starts; a start in which
// another process wrote later is one.
func TestProcesses(t *testing.T) {
	const seven, nine = "sglang:num_running_reqs{pid=7} 0", "sglang:num_running_reqs{pid=9} 0"
	for _, tt := range []struct {
		name          string
		before, after []string
		same          bool
	}{
		{"one process", []string{seven}, []string{seven}, true},
		{"one more", []string{seven}, []string{seven, nine}, true},
		{"another", []string{"sglang:x{} 1", seven}, []string{nine}, false},
		{"none named before", []string{"sglang:x{} 1"}, []string{nine}, true},
	} {
		id := NewDelta(scrape(t, "sglang", tt.before...), scrape(t, "sglang", tt.after...)).Identity()
		if id.Same != tt.same || id.Proved || !tt.same && (id.Why == "" || id.Before != 2 || id.After != 1) {
			t.Errorf("%s: %+v", tt.name, id)
		}
	}
}

// TestCachedTokensVLLM: one family is taken and never two added.
func TestCachedTokensVLLM(t *testing.T) {
	tests := []struct {
		name          string
		before, after []string
		value         float64
		series        string
		ok            bool
	}{
		{
			"total and tiers",
			[]string{"vllm:prompt_tokens_cached_total{engine=0} 100", "vllm:prompt_tokens_cached_by_source_total{source=device} 100", "vllm:prefix_cache_hits_total{engine=0} 100"},
			[]string{"vllm:prompt_tokens_cached_total{engine=0} 596", "vllm:prompt_tokens_cached_by_source_total{source=device} 900", "vllm:prefix_cache_hits_total{engine=0} 900"},
			496, "vllm:prompt_tokens_cached_total", true,
		},
		{
			"by source",
			[]string{"vllm:prompt_tokens_by_source_total{source=local_compute} 1", "vllm:prompt_tokens_by_source_total{source=local_cache_hit} 0", "vllm:prompt_tokens_by_source_total{source=external_kv_transfer} 0"},
			[]string{"vllm:prompt_tokens_by_source_total{source=local_compute} 17", "vllm:prompt_tokens_by_source_total{source=local_cache_hit} 480", "vllm:prompt_tokens_by_source_total{source=external_kv_transfer} 16"},
			496, "vllm:prompt_tokens_by_source_total", true,
		},
		{
			"blocks before v0.9",
			[]string{"vllm:gpu_prefix_cache_hits_total{engine=0} 0", "vllm:gpu_prefix_cache_queries_total{engine=0} 0", "vllm:prompt_tokens_total{engine=0} 0"},
			[]string{"vllm:gpu_prefix_cache_hits_total{engine=0} 31", "vllm:gpu_prefix_cache_queries_total{engine=0} 32", "vllm:prompt_tokens_total{engine=0} 512"},
			0, "vllm:gpu_prefix_cache_hits_total", false,
		},
		{"no cache counter", []string{"vllm:prompt_tokens_total{engine=0} 0"}, []string{"vllm:prompt_tokens_total{engine=0} 9"}, 0, "", false},
	}
	for _, tt := range tests {
		c := NewDelta(scrape(t, "vllm", tt.before...), scrape(t, "vllm", tt.after...)).CachedTokens()
		if c.OK != tt.ok || c.Series != tt.series || c.OK && c.Value != tt.value || !c.OK && c.Why == "" {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}

// TestCachedTokensSGLang: the counter has a source label, and is absent until
// the first hit.
func TestCachedTokensSGLang(t *testing.T) {
	const request, page = "sglang:num_requests_total{model_name=m} 1", "sglang:page_size{tp_rank=0} 1"
	tests := []struct {
		name          string
		before, after []string
		value         float64
		ok            bool
	}{
		{
			"sum over sources",
			[]string{"sglang:cached_tokens_total{cache_source=device} 6879"},
			[]string{"sglang:cached_tokens_total{cache_source=device} 7000", "sglang:cached_tokens_total{cache_source=host} 128", "sglang:cached_tokens_total{cache_source=storage_file} 64"},
			313, true,
		},
		{"absent before the first hit", []string{request}, []string{request, "sglang:cached_tokens_total{cache_source=device} 511"}, 511, true},
		{"absent in both, newer series there", []string{request, page}, []string{request, page}, 0, true},
		{"absent in both, an old server may lack it", []string{request}, []string{request}, 0, false},
		{"gone", []string{request, "sglang:cached_tokens_total{cache_source=device} 511"}, []string{request, page}, 0, false},
		{"metrics off before", nil, []string{"sglang:cached_tokens_total{cache_source=device} 511"}, 0, false},
	}
	for _, tt := range tests {
		c := NewDelta(scrape(t, "sglang", tt.before...), scrape(t, "sglang", tt.after...)).CachedTokens()
		if c.OK != tt.ok || c.OK && c.Value != tt.value || !c.OK && c.Why == "" {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}

// TestRanksAreCopies: scheduler series repeat for each tensor-parallel rank;
// data-parallel ranks serve requests of their own.
func TestRanksAreCopies(t *testing.T) {
	s := scrape(t, "sglang",
		"sglang:realtime_tokens_total{mode=prefill_cache,tp_rank=1,pp_rank=0,dp_rank=0} 100",
		"sglang:realtime_tokens_total{mode=prefill_cache,tp_rank=0,pp_rank=0,dp_rank=0} 101",
		"sglang:realtime_tokens_total{mode=prefill_cache,tp_rank=3,pp_rank=0,dp_rank=1} 40",
		"sglang:realtime_tokens_total{mode=prefill_cache,tp_rank=10,pp_rank=0,dp_rank=1} 41",
		"sglang:realtime_tokens_total{mode=prefill_compute,tp_rank=0,pp_rank=1,dp_rank=0} 7",
	)
	sum, lines, ok := s.Total("sglang:realtime_tokens_total")
	if !ok || sum != 101+40+7 {
		t.Errorf("sum %v of lines %v", sum, lines)
	}
	if diff := cmp.Diff([]int{2, 3, 5}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestBucketsAreNumbers: bounds are configurable, printed in several ways, and
// sort as numbers.
func TestBucketsAreNumbers(t *testing.T) {
	const name = "sglang:uncached_prompt_tokens_histogram"
	d := NewDelta(
		scrape(t, "sglang", name+"_bucket{le=100.0} 1", name+"_bucket{le=1e+03} 1", name+"_bucket{le=+Inf} 1", name+"_count{x=y} 1", name+"_sum{x=y} 60"),
		scrape(t, "sglang", name+"_bucket{le=100.0} 65", name+"_bucket{le=1e+03} 129", name+"_bucket{le=+Inf} 130", name+"_count{x=y} 130", name+"_sum{x=y} 70060"),
	)
	h := d.UncachedTokens()
	if !h.OK || h.Count != 129 || h.Sum != 70000 {
		t.Fatalf("%+v", h)
	}
	var n []float64
	for _, b := range h.Buckets {
		n = append(n, b.N)
	}
	if diff := cmp.Diff([]float64{64, 128, 129}, n); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	if b, ok := h.AtMost(99); ok {
		t.Errorf("no bucket is at most 99: %+v", b)
	}
	if b, ok := h.Covering(99); !ok || b.LE != 100 || b.N != 64 || b.Before != 1 || b.After != 1 {
		t.Errorf("bucket %+v", b)
	}
	other := NewDelta(scrape(t, "sglang", name+"_bucket{le=50} 1"), scrape(t, "sglang", name+"_bucket{le=100} 1")).UncachedTokens()
	if other.OK || !strings.Contains(other.Why, "other buckets") {
		t.Errorf("%+v", other)
	}
}

func TestFigures(t *testing.T) {
	d := NewDelta(
		scrape(t, "vllm", "vllm:request_success_total{finished_reason=length} 2", "vllm:request_success_total{finished_reason=stop} 0", "vllm:num_preemptions_total{engine=0} 0", "process_start_time_seconds{} 5"),
		scrape(t, "vllm", "vllm:request_success_total{finished_reason=length} 60", "vllm:request_success_total{finished_reason=stop} 8", "vllm:num_preemptions_total{engine=0} 3", "process_start_time_seconds{} 5"),
	)
	if c := d.Requests(); !c.OK || c.Value != 66 {
		t.Errorf("requests %+v", c)
	}
	if c := d.Preemptions(); !c.OK || c.Value != 3 {
		t.Errorf("preemptions %+v", c)
	}
	if c := d.EvictedTokens(); c.OK || c.Why == "" {
		t.Errorf("vLLM counts no evicted tokens: %+v", c)
	}
	mixed := NewDelta(scrape(t, "vllm", "vllm:x{} 1"), scrape(t, "sglang", "sglang:x{} 1"))
	if mixed.Engine() != "" || mixed.Identity().Same || mixed.Requests().OK {
		t.Error("two engines make no pair")
	}
	if none := NewDelta(nil, nil); none.Identity().Same || none.Requests().OK || none.UncachedTokens().OK {
		t.Error("a missing scrape makes no pair")
	}
}

// TestLlamaPromptTokens: llama.cpp's counter leaves cached tokens out, the
// opposite of vLLM's.
func TestLlamaPromptTokens(t *testing.T) {
	d := NewDelta(
		scrape(t, "llama.cpp", "llamacpp:prompt_tokens_total{} 10", "llamacpp:prompt_tokens_cached_total{} 0"),
		scrape(t, "llama.cpp", "llamacpp:prompt_tokens_total{} 11", "llamacpp:prompt_tokens_cached_total{} 511"))
	if c := d.PromptTokens(); !c.OK || c.Value != 512 {
		t.Errorf("%+v", c)
	}
	d = NewDelta(scrape(t, "llama.cpp", "llamacpp:prompt_tokens_total{} 10"), scrape(t, "llama.cpp", "llamacpp:prompt_tokens_total{} 11"))
	if c := d.PromptTokens(); c.OK {
		t.Errorf("without the cached counter the prompt tokens are not known: %+v", c)
	}
}

func TestSettings(t *testing.T) {
	s := scrape(t, "vllm", "vllm:x{model_name=m} 1", "vllm:cache_config_info{block_size=16,enable_prefix_caching=True,cache_hit_alignment_tokens=None,num_gpu_blocks=7716} 1")
	i := s.Settings()
	if *i.PageSize != 16 || !*i.PrefixCache || i.HitAlignment != nil || *i.PoolTokens != 16*7716 || i.Model != "m" || i.At.Line != 2 {
		t.Errorf("%+v", i)
	}
	i = scrape(t, "sglang", "sglang:page_size{tp_rank=0} 64", "sglang:max_total_num_tokens{tp_rank=0} 4096").Settings()
	if *i.PageSize != 64 || *i.PoolTokens != 4096 || i.PrefixCache != nil {
		t.Errorf("%+v", i)
	}
	if i := scrape(t, "vllm", "vllm:x{} 1").Settings(); i != nil {
		t.Errorf("no settings were stated: %+v", i)
	}
	var none *Snapshot
	if none.Settings() != nil {
		t.Error("no scrape, no settings")
	}
	n, lines, ok := scrape(t, "vllm", "vllm:num_requests_running{engine=0} 2", "vllm:num_requests_waiting{engine=0} 1", "vllm:num_requests_waiting_by_reason{reason=deferred} 1").InFlight()
	if !ok || n != 3 || len(lines) != 2 {
		t.Errorf("in flight %v %v %v", n, lines, ok)
	}
}
