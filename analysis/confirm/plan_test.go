package confirm

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/plan"
	"coldcase/ingest/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, d)
	}
}

func ptr[T any](v T) *T { return &v }

// kitRun is a run of sglang.bench_serving with the arguments of the incident.
func kitRun(id string, cap, prompts int, seed int64, median, duration float64) *capture.Run {
	return &capture.Run{ID: id, Merged: capture.Result{
		Client: "sglang.bench_serving", Engine: "sglang", Backend: "sglang", Completed: ptr(prompts), Duration: ptr(duration),
		MaxConcurrency: capture.Cap{Known: true, N: cap}, RequestRate: capture.Rate{Known: true, Inf: true},
		Printed: map[string]capture.Figure{"median_ttft_ms": {Value: median}},
		Workload: capture.Workload{
			Dataset: "random", Seed: ptr(seed), Prompts: ptr(prompts), InputLen: ptr(512), OutputLen: ptr(128), RangeRatio: ptr(1.0), Warmups: ptr(1),
			DatasetPath: "/data/sharegpt.json",
		},
	}}
}

func kit() *capture.Capture {
	return &capture.Capture{
		Sources: []capture.Source{{Name: "kit"}},
		Runs: []*capture.Run{
			kitRun("c32.jsonl:1", 32, 128, 7, 390.38, 30),
			kitRun("c8.jsonl:1", 8, 64, 7, 677.61, 20),
		},
		Commands: []*capture.Command{{Workload: capture.Workload{Seed: ptr(int64(2))}}},
	}
}

// TestPlanFromKit: client, dataset, lengths, caps and prompts are the kit's;
// seeds and flush are not, and that is all that differs.
func TestPlanFromKit(t *testing.T) {
	p, err := FromCapture(kit(), Options{RepeatArm: true, RangeRatio: -1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "plan-incident.json", b)
	var s strings.Builder
	if err := p.Summary(&s); err != nil {
		t.Fatal(err)
	}
	golden(t, "plan-incident.txt", []byte(s.String()))
	again, err := plan.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, again); d != "" {
		t.Errorf("a plan read back differs:\n%s", d)
	}
}

func TestDifferencesAreSaid(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		want []string
	}{
		{"prompts", Options{Prompts: []int{300}, RangeRatio: -1}, []string{"prompts: 300 instead of 64 at cap 8", "prompts: 300 instead of 128 at cap 32"}},
		{"caps", Options{Caps: []int{8, 16}, Prompts: []int{64}, RangeRatio: -1}, []string{"cap 16: not in the kit", "cap 32: in the kit, not in the sweep"}},
		{"lengths", Options{InputLen: 1024, OutputLen: 64, RangeRatio: 0.5}, []string{"input_len: 1024 instead of 512", "output_len: 64 instead of 128", "range_ratio: 0.5 instead of 1"}},
		{"client", Options{Client: "builtin", RangeRatio: -1}, []string{"client: builtin instead of sglang.bench_serving", "random token ids"}},
		{"dataset", Options{Dataset: "sharegpt", RangeRatio: -1}, []string{"dataset: sharegpt instead of random"}},
	}
	for _, tt := range tests {
		p, err := FromCapture(kit(), tt.o)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		all := strings.Join(p.DiffersFromKit, "\n")
		for _, w := range tt.want {
			if !strings.Contains(all, w) {
				t.Errorf("%s: %q is not among the differences:\n%s", tt.name, w, all)
			}
		}
		if n := len(p.DiffersFromKit); n != 2+len(tt.want) {
			t.Errorf("%s: %d differences, want seeds, flush and %d more:\n%s", tt.name, n, len(tt.want), all)
		}
	}
}

// TestArguments: what the kit's client was told beside its workload is told
// again to the same client, and named where it is not.
func TestArguments(t *testing.T) {
	given := func(dataset string, args ...map[string]any) *capture.Capture {
		c := kit()
		for i, r := range c.Runs {
			r.Merged.Workload.Dataset, r.Merged.Workload.Args = dataset, args[i%len(args)]
		}
		return c
	}
	tests := []struct {
		name      string
		kit       *capture.Capture
		o         Options
		arguments string
		lost      string // the last differences
	}{
		{"none", kit(), Options{}, "", ""},
		{"switches and values", given("random", map[string]any{
			"tokenize_prompt": true, "apply_chat_template": false, "extra_request_body": `{"top_k": 1}`, "prompt_suffix": "", "lora_name": []any{"a", "b"},
			"dataset_offset": int64(0), "gsp_num_groups": int64(64), "sharegpt_output_len": nil, "num_prompts": int64(64), "flush_cache": true,
		}), Options{}, `--tokenize-prompt --extra-request-body {"top_k": 1} --lora-name a b`, ""},
		{"of its dataset", given("generated-shared-prefix", map[string]any{"gsp_num_groups": int64(64), "gsp_range_ratio": 1.0, "gsp_output_len": int64(128)}), Options{}, "--gsp-num-groups 64 --gsp-output-len 128", ""},
		{"another length", given("sharegpt", map[string]any{"sharegpt_output_len": int64(256)}), Options{OutputLen: 64}, "--sharegpt-output-len 64", ""},
		{"another dataset", given("sharegpt", map[string]any{"sharegpt_output_len": int64(256)}), Options{Dataset: "random"}, "", ""},
		{"another client", given("random", map[string]any{"tokenize_prompt": true}), Options{Client: "builtin"}, "", "the kit's client was also given: --tokenize-prompt"},
		{"different in the kit", given("random", map[string]any{"tokenize_prompt": true}, map[string]any{}), Options{}, "", "--tokenize-prompt: left out"},
		{"masked", given("random", map[string]any{"extra_request_body": text.Redacted}), Options{}, "", "--extra-request-body: left out"},
	}
	for _, tt := range tests {
		tt.o.RangeRatio = -1
		p, err := FromCapture(tt.kit, tt.o)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := strings.Join(p.Workload.Arguments, " "); got != tt.arguments {
			t.Errorf("%s: arguments %q, want %q", tt.name, got, tt.arguments)
		}
		if last := p.DiffersFromKit[len(p.DiffersFromKit)-1]; tt.lost != "" && !strings.Contains(last, tt.lost) || tt.lost == "" && strings.Contains(last, "--") {
			t.Errorf("%s: differs by %q, want %q", tt.name, last, tt.lost)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	tests := []struct {
		name string
		kit  *capture.Capture
		o    Options
		want string
	}{
		{"a seed of the kit", kit(), Options{Seeds: []int64{1, 7}}, "--seeds: 7 is the seed of the kit"},
		{"a seed of a command without a result", kit(), Options{Seeds: []int64{2}}, "--seeds: 2"},
		{"a seed twice", nil, Options{Caps: []int{8}, Seeds: []int64{1, 1}}, "given twice"},
		{"no caps", nil, Options{}, "--caps"},
		{"a cap of nothing", nil, Options{Caps: []int{0}}, "at least 1"},
		{"two caps, three numbers", nil, Options{Caps: []int{1, 2}, Prompts: []int{1, 2, 3}}, "--prompts: 3 values for 2 caps"},
		{"a cap that the kit lacks", kit(), Options{Caps: []int{64}}, "the kit has no run at cap 64"},
		{"an empty capture", &capture.Capture{}, Options{}, "--from"},
	}
	for _, tt := range tests {
		tt.o.RangeRatio = -1
		var err error
		if tt.kit != nil {
			_, err = FromCapture(tt.kit, tt.o)
		} else {
			_, err = NewPlan(tt.o)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestLayout: for any caps, seeds and order seed each pair is measured once,
// the order repeats, a cell never follows one with its own seed inside a block,
// and a repeat cell follows its twin.
func TestLayout(t *testing.T) {
	for caps := 1; caps <= 5; caps++ {
		for n := 1; n <= 5; n++ {
			for order := uint64(1); order <= 20; order++ {
				var points []plan.Point
				for i := range caps {
					points = append(points, plan.Point{Cap: 1 << i, Prompts: 10 * (i + 1)})
				}
				var seeds []int64
				for i := range n {
					seeds = append(seeds, int64(100+i))
				}
				cells := layout(points, seeds, order, true)
				if d := cmp.Diff(cells, layout(points, seeds, order, true)); d != "" {
					t.Fatalf("the same order seed gives another order:\n%s", d)
				}
				seen := map[[2]int64]int{}
				repeats := map[int]int{}
				for i, c := range cells {
					if c.Arm == plan.Repeat {
						repeats[c.Cap]++
						if twin := cells[i-1]; twin.Cap != c.Cap || twin.Seed != c.Seed || twin.Arm != plan.Fresh {
							t.Fatalf("%s follows %s", c.ID, twin.ID)
						}
						continue
					}
					seen[[2]int64{int64(c.Cap), c.Seed}]++
				}
				for pair, k := range seen {
					if k != 1 {
						t.Fatalf("cap %d, seed %d is measured %d times", pair[0], pair[1], k)
					}
				}
				if len(seen) != caps*n || len(repeats) != caps {
					t.Fatalf("%d caps, %d seeds: %d fresh pairs, %d repeats", caps, n, len(seen), len(repeats))
				}
			}
		}
	}
	// The shuffle does something: over order seeds, each cap is first at times.
	first := map[int]bool{}
	for order := uint64(1); order <= 40; order++ {
		first[layout([]plan.Point{{Cap: 1, Prompts: 1}, {Cap: 2, Prompts: 1}, {Cap: 3, Prompts: 1}}, []int64{1, 2, 3}, order, false)[0].Cap] = true
	}
	if len(first) != 3 {
		t.Errorf("only caps %v ever come first", first)
	}
}

func TestFreshSeedsStepPastTheKit(t *testing.T) {
	got, err := freshSeeds(nil, []int64{1, 3}, 1)
	if err != nil || !slices.Equal(got, []int64{2, 4, 5}) {
		t.Errorf("%v %v", got, err)
	}
	got, err = freshSeeds(nil, []int64{1}, seedStep("prefix_repetition"))
	if err != nil || !slices.Equal(got, []int64{1001, 2001, 3001}) {
		t.Errorf("prefix_repetition: %v %v", got, err)
	}
}

// TestPercentiles: a plan from flags has room for the percentile asked for.
func TestPercentiles(t *testing.T) {
	for percentile, want := range map[float64]int{0: 60, 90: 32, 95: 60, 99: 300} {
		p, err := NewPlan(Options{Caps: []int{8, 32}, Percentile: percentile, RangeRatio: -1})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Cells {
			if c.Prompts != want {
				t.Errorf("P%g: %d prompts, want %d", percentile, c.Prompts, want)
			}
		}
	}
	p, err := NewPlan(Options{Caps: []int{8}, Prompts: []int{64}, RangeRatio: -1})
	if err != nil || !slices.Equal(p.NotCarried, []string{"cap 8: 64 prompts do not carry P99"}) {
		t.Errorf("%v %v", p.NotCarried, err)
	}
}
