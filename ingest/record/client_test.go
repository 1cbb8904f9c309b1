package record

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coldcase/ingest/plan"
	"coldcase/samples/lab"
)

// TestPrompts: the same seed gives the same prompts, the first ones of a larger
// cell are those of a smaller one, no two are alike, and ids and lengths stay
// in their bands.
func TestPrompts(t *testing.T) {
	cell := func(n int, seed int64) *plan.Cell { return &plan.Cell{Prompts: n, Seed: seed} }
	for _, ratio := range []float64{1, 0.5, 0} {
		small, large := prompts(cell(20, 7), 64, ratio), prompts(cell(50, 7), 64, ratio)
		other := prompts(cell(50, 8), 64, ratio)
		seen := map[uint64]bool{}
		for i, p := range large {
			if i < len(small) && !slices.Equal(p, small[i]) {
				t.Errorf("ratio %g: prompt %d depends on the number of prompts", ratio, i)
			}
			if least := max(int(64*ratio), 1); len(p) > 64 || len(p) < least {
				t.Errorf("ratio %g: prompt %d has %d tokens", ratio, i, len(p))
			}
			if slices.Min(p) < firstID || slices.Max(p) >= lastID {
				t.Errorf("prompt %d leaves the band of ids", i)
			}
			if h := hashPrompt(p); seen[h] {
				t.Errorf("ratio %g: prompt %d is there twice", ratio, i)
			} else {
				seen[h] = true
			}
			if seen[hashPrompt(other[i])] {
				t.Errorf("ratio %g: prompt %d of another seed is the same", ratio, i)
			}
		}
	}
	long, short := prompts(cell(20, 7), 64, 1), prompts(cell(20, 7), 48, 0.5)
	for i, p := range short {
		if !slices.Equal(p, long[i][:len(p)]) {
			t.Errorf("prompt %d of other lengths is not the head of the longer one", i)
		}
	}
	// One token has 15,000 values: with lengths of 1 equal draws must be drawn
	// again.
	if got := prompts(cell(2000, 1), 1, 1); len(got) != 2000 {
		t.Errorf("%d prompts of one token", len(got))
	}
}

// TestCommands: the engines' clients get the kit's arguments, the cell's seed
// and cap, and nothing that flushes.
func TestCommands(t *testing.T) {
	ratio, warm := 1.0, 1
	w := plan.Workload{Dataset: "random", DatasetPath: "/data/share gpt.json", InputLen: new(int), OutputLen: new(int), RangeRatio: &ratio, Warmups: &warm, RequestRate: "inf", Tokenizer: "/m/tok"}
	*w.InputLen, *w.OutputLen = 512, 128
	cell := &plan.Cell{ID: "001-c8-s1-fresh", Cap: 8, Prompts: 64, Seed: 1}
	s := &session{o: &Options{Server: "http://127.0.0.1:30000", ClientWarmups: -1}, plan: &plan.Plan{Workload: w}, e: &sglang{}, facts: serverFacts{version: "0.5.22", model: "m/x"}}
	tests := []struct{ name, got, want string }{
		{"sglang", s.sglangCommand(cell).line, `python3 -m sglang.bench_serving --backend sglang --host 127.0.0.1 --port 30000 --tokenizer /m/tok --dataset-name random --dataset-path '/data/share gpt.json' --num-prompts 64 --random-input-len 512 --random-output-len 128 --random-range-ratio 1 --seed 1 --max-concurrency 8 --warmup-requests 1 --output-file result.jsonl --output-details --cache-report`},
		{"vllm", s.vllmCommand(cell).line, `vllm bench serve --backend vllm --host 127.0.0.1 --port 30000 --model m/x --tokenizer /m/tok --dataset-name random --dataset-path '/data/share gpt.json' --num-prompts 64 --random-input-len 512 --random-output-len 128 --random-range-ratio 1 --seed 1 --max-concurrency 8 --num-warmups 1 --save-result --save-detailed --result-dir . --result-filename result.json`},
	}
	s.facts.version = "0.4.5"
	tests = append(tests, struct{ name, got, want string }{"old sglang", lastWords(s.sglangCommand(cell).line, 2), `--output-file result.jsonl`})
	s.plan.Client = "bench --url {server} -s {seed} -c {cap} -n {prompts} -i {input_len} -m {model} -o {out}"
	s.o.Server = "http://h:1/a b"
	tests = append(tests, struct{ name, got, want string }{"template", s.templateCommand(cell).line, `bench --url 'http://h:1/a b' -s 1 -c 8 -n 64 -i 512 -m m/x -o result.json`})
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, tt.got, tt.want)
		}
	}
}

func lastWords(s string, n int) string {
	f := strings.Fields(s)
	return strings.Join(f[len(f)-n:], " ")
}

// TestTemplateClient: a command is run in the folder of its cell, its output
// kept; one that sent nothing, left nothing or failed does not make a cell
// done.
func TestTemplateClient(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl")
	}
	ts := startLab(t, lab.Config{Engine: lab.VLLM, PageSize: 16})
	send := `for i in 1 2 3 4 5 6 7 8; do curl -s {server}/v1/completions -d "{\"prompt\":\"a$i b{seed} c\",\"max_tokens\":2}" >/dev/null; done; `
	tests := []struct {
		name, client string
		warmups      int
		state, why   string
	}{
		{"good", send + `echo hello; printf '{"completed":8}' > {out}`, 0, Done, ""},
		{"sent nothing", `printf '{"completed":8}' > {out} # {seed}`, 0, Failed, "counted 0 requests"},
		{"left nothing", send + `true {out}`, 0, Failed, "no result"},
		{"failed", `exit 3 # {seed} {out}`, 0, Failed, "exit status 3"},
		{"sent more", send + send + `printf '{"completed":8}' > {out}`, 0, Failed, "other traffic"},
		{"warm-ups said", send + send + `printf '{"completed":8}' > {out}`, 8, Done, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := quick(t, ts, smallPlan(t))
			o.Plan.Cells = o.Plan.Cells[:1]
			o.Plan.Client = tt.client
			o.ClientWarmups = tt.warmups
			sum, _ := sweep(t, o)
			if c := sum.Cells[0]; c.State != tt.state || !strings.Contains(c.Why, tt.why) {
				t.Errorf("%s: %s, want %s: %s", c.State, c.Why, tt.state, tt.why)
			}
			text, err := os.ReadFile(filepath.Join(o.Out, cellsDir, sum.Cells[0].ID, textFile))
			if err != nil {
				t.Error(err)
			}
			if tt.name == "good" && string(text) != "hello\n" {
				t.Errorf("client.txt holds %q", text)
			}
		})
	}
}

// TestRate: with a finite rate the sends are spread, and the record says so.
func TestRate(t *testing.T) {
	ts := startLab(t, lab.Config{})
	o := quick(t, ts, smallPlan(t))
	o.Plan.Cells = o.Plan.Cells[:1]
	o.Plan.Workload.RequestRate = 200.0
	if sum, err := sweep(t, o); err != nil {
		t.Fatalf("%v %v", sum, err)
	}
	rec := readRecord(t, o, o.Plan.Cells[0].ID)
	if rec.RequestRate != 200.0 {
		t.Errorf("request_rate %v", rec.RequestRate)
	}
	turns := arrivals(&o.Plan.Cells[0], 200)
	for i, at := range rec.StartTimes {
		if at < turns[i].Seconds()-1e-3 {
			t.Errorf("prompt %d was sent at %.4f s, before its turn %.4f", i, at, turns[i].Seconds())
		}
	}
}

// TestRecord: the figures are those of the arrays, and the line is plain JSON.
func TestRecord(t *testing.T) {
	ts := startLab(t, lab.Config{PageSize: 16, Speed: 500})
	o := quick(t, ts, smallPlan(t))
	o.Plan.Cells = o.Plan.Cells[:1]
	if sum, err := sweep(t, o); err != nil {
		t.Fatalf("%v %v", sum, err)
	}
	b, err := os.ReadFile(filepath.Join(o.Out, cellsDir, o.Plan.Cells[0].ID, resultFile))
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(b, &raw); err != nil || strings.Count(string(b), "\n") != 1 {
		t.Fatalf("not one line of JSON: %v", err)
	}
	rec := readRecord(t, o, o.Plan.Cells[0].ID)
	ttfts := slices.Clone(rec.TTFTs)
	slices.Sort(ttfts)
	n := len(ttfts)
	if want := (ttfts[(n-1)/2] + ttfts[n/2]) / 2 * 1000; !near(*rec.MedianTTFT, want) {
		t.Errorf("median_ttft_ms %g, the array gives %g", *rec.MedianTTFT, want)
	}
	for i := range rec.ITLs {
		if len(rec.ITLs[i]) != rec.OutputLens[i]-1 {
			t.Errorf("prompt %d: %d gaps for %d tokens", i, len(rec.ITLs[i]), rec.OutputLens[i])
		}
		sum := rec.TTFTs[i]
		for _, g := range rec.ITLs[i] {
			sum += g
		}
		if !near(sum, rec.Latencies[i]) {
			t.Errorf("prompt %d: first token and gaps give %g s, latency is %g", i, sum, rec.Latencies[i])
		}
	}
	if rec.CacheReport == nil || rec.CacheReport.Cached != 0 {
		t.Errorf("cache report %+v", rec.CacheReport)
	}
	if d := time.Since(time.Unix(int64(rec.StartTime), 0)); d < 0 || d > time.Minute {
		t.Errorf("start_time is %s ago", d)
	}
}

func near(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }

// TestServerLogSlice: the slice of a cell holds the lines of its client alone,
// also when the log was cut in between.
func TestServerLogSlice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.log")
	ts := startLab(t, lab.Config{LogPath: path})
	o := quick(t, ts, smallPlan(t))
	o.Plan.Cells = o.Plan.Cells[:1]
	o.ServerLog = path
	if sum, err := sweep(t, o); err != nil {
		t.Fatalf("%v %v", sum, err)
	}
	b, err := os.ReadFile(filepath.Join(o.Out, cellsDir, o.Plan.Cells[0].ID, logFile))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "POST /generate"); n != o.Plan.Cells[0].Prompts {
		t.Errorf("the slice holds %d requests, want %d", n, o.Plan.Cells[0].Prompts)
	}
	if strings.Contains(string(b), "flushed") {
		t.Error("the slice holds the flush before the client")
	}

	if err := os.WriteFile(path, []byte(strings.Repeat("old\n", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	slice, err := startSlice(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("new\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "slice")
	if err := slice.save(to); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(to); string(b) != "new\n" {
		t.Errorf("slice of a truncated log: %q", b)
	}
}

// FuzzEvent: no stream makes an engine's reader panic, and numbers come only
// from events that were read.
func FuzzEvent(f *testing.F) {
	for _, s := range []string{
		`data: {"text":"a","meta_info":{"id":"9f","finish_reason":null,"prompt_tokens":512,"completion_tokens":1,"cached_tokens":511,"cached_tokens_details":{"device":511,"host":0}}}`,
		": keep-alive\n\ndata: {\"id\":\"cmpl-1\",\"choices\":[{\"index\":0,\"text\":\"\"}]}\r\n\r\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":512,\"completion_tokens\":8,\"prompt_tokens_details\":{\"cached_tokens\":496}}}\n\ndata: [DONE]\n",
		`data: {"error":{"message":"x"}}`, `data: {"usage":null,"choices":[{}]}`, `data: {"prompt_tokens_details":null}`, "data: [DONE]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, e := range []engine{&sglang{}, &vllm{}} {
			r := &reply{}
			err := r.read(strings.NewReader(string(stream)), e)
			if err == nil && r.first.IsZero() {
				t.Errorf("a stream without a token is no answer")
			}
			if len(r.chunks) > 0 && r.first.IsZero() {
				t.Errorf("chunks without a first token")
			}
		}
	})
}

// vLLM's client tells in its output whether it sent prompt 1 to see if the
// server answers.
func TestReadyChecks(t *testing.T) {
	for text, want := range map[string]int{
		"Starting initial single prompt test run...\nSkipping endpoint ready check.\nStarting main benchmark run...\n":                        0,
		"Starting initial single prompt test run...\nInitial test run completed. Starting main benchmark run...\nTraffic request rate: inf\n": 1,
		"Starting main benchmark run...\n": 0,
	} {
		if got := readyChecks([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
