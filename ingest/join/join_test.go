package join

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
)

func ptr[T any](v T) *T { return &v }

// measured is what a client measured in one run, and its arguments.
type measured struct {
	prompts, cap  int
	seed          int64
	duration, lat float64
}

// record is the run as bench_serving's JSONL holds it: without seed.
func (m measured) record(file string, line int) *capture.Result {
	return &capture.Result{
		Span: capture.Span{File: file, Line: line}, Kind: capture.SGLangJSONL, Backend: "sglang",
		Completed: ptr(m.prompts), Duration: ptr(m.duration), MaxConcurrency: capture.Cap{Known: true, N: m.cap},
		Workload: capture.Workload{Form: "record", Dataset: "random", InputLen: ptr(512), OutputLen: ptr(128)},
		Printed:  m.printed(-1),
	}
}

// report is the run as the text prints it.
func (m measured) report(file string) *capture.Result {
	r := m.record(file, 15)
	r.Kind, r.Client = capture.SGLangBenchText, "sglang.bench_serving"
	r.Duration = ptr(round(m.duration))
	r.Printed = m.printed(2)
	r.Workload.Form, r.Workload.Seed, r.Workload.Prompts = "namespace", ptr(m.seed), ptr(m.prompts)
	r.Workload.From = capture.Evidence{File: file, Line: 3}
	return r
}

func round(v float64) float64 { return math.Round(v*100) / 100 }

func (m measured) printed(digits int) map[string]capture.Figure {
	out := map[string]capture.Figure{}
	for i, name := range []string{"mean_ttft_ms", "median_ttft_ms", "mean_tpot_ms", "mean_e2e_latency_ms", "request_throughput"} {
		v := m.lat * (1 + float64(i)/7)
		if digits >= 0 {
			v = round(v)
		}
		out[name] = capture.Figure{Value: v, Line: i, Digits: digits}
	}
	return out
}

// joined runs the join over results in the order of the capture.
func joined(c *capture.Capture, results ...*capture.Result) []*capture.Run {
	for _, r := range results {
		c.Runs = append(c.Runs, &capture.Run{Results: []*capture.Result{r}})
	}
	Runs(c)
	return c.Runs
}

// summary says of each run what it is made of and its seed.
func summary(runs []*capture.Run) []string {
	var out []string
	for _, r := range runs {
		var files []string
		for _, s := range r.Spans {
			files = append(files, s.File)
		}
		seed := "no seed"
		if s := r.Merged.Workload.Seed; s != nil {
			seed = fmt.Sprint("seed ", *s)
		}
		out = append(out, r.ID+" = "+strings.Join(files, " + ")+", "+seed)
	}
	return out
}

func expect(t *testing.T, runs []*capture.Run, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, summary(runs)); d != "" {
		t.Errorf("runs (-want +got):\n%s", d)
	}
}

// sweep is three runs of one shape with seeds of their own.
var sweep = []measured{{64, 8, 1, 6.2486, 117.321}, {64, 8, 2, 6.2512, 118.457}, {64, 8, 3, 6.2444, 117.329}}

func TestRecordsAndTextsOfOneShape(t *testing.T) {
	runs := joined(&capture.Capture{},
		sweep[0].record("r.jsonl", 1), sweep[1].record("r.jsonl", 2), sweep[2].record("r.jsonl", 3),
		sweep[2].report("x.txt"), sweep[0].report("y.txt"), sweep[1].report("z.txt"))
	expect(t, runs,
		"r.jsonl:1 = r.jsonl + y.txt, seed 1", "r.jsonl:2 = r.jsonl + z.txt, seed 2", "r.jsonl:3 = r.jsonl + x.txt, seed 3")
	if f := runs[0].Merged.Printed["mean_ttft_ms"]; f.Digits != -1 {
		t.Errorf("the text's rounding won over the record: %+v", f)
	}
	if w := runs[0].Merged.Workload; w.Form != "namespace" || w.From.File != "y.txt" {
		t.Errorf("arguments from %+v", w.From)
	}
}

func TestTextsThatContradictStayApart(t *testing.T) {
	forged := sweep[0]
	forged.seed = 9
	expect(t, joined(&capture.Capture{}, sweep[0].record("r.jsonl", 1), sweep[0].report("x.txt"), forged.report("y.txt")),
		"r.jsonl:1 = r.jsonl, no seed", "x.txt:15 = x.txt, seed 1", "y.txt:15 = y.txt, seed 9")
}

func TestCopiesAreOneRun(t *testing.T) {
	expect(t, joined(&capture.Capture{}, sweep[0].record("a/r.jsonl", 1), sweep[0].record("b/r.jsonl", 1), sweep[0].report("b/x.txt")),
		"a/r.jsonl:1 = a/r.jsonl + b/r.jsonl + b/x.txt, seed 1")
}

// A part of a report that a document quotes is no run of its own; one that is
// of no run in the capture is.
func TestQuotedPartsOfReports(t *testing.T) {
	quote := func(m measured, names ...string) *capture.Result {
		r := m.report("README.md")
		r.Completed, r.Duration, r.MaxConcurrency, r.Client = nil, nil, capture.Cap{}, ""
		r.Workload = capture.Workload{}
		all := r.Printed
		r.Printed = map[string]capture.Figure{}
		for _, name := range names {
			r.Printed[name] = all[name]
		}
		return r
	}
	a, b := sweep[0].record("a.jsonl", 1), sweep[1].record("b.jsonl", 1)
	expect(t, joined(&capture.Capture{}, a, b, quote(sweep[1], "mean_ttft_ms", "median_ttft_ms")),
		"a.jsonl:1 = a.jsonl, no seed", "b.jsonl:1 = b.jsonl + README.md, no seed")
	expect(t, joined(&capture.Capture{}, a, b, quote(sweep[2], "mean_ttft_ms", "median_ttft_ms")),
		"README.md:15 = README.md, no seed", "a.jsonl:1 = a.jsonl, no seed", "b.jsonl:1 = b.jsonl, no seed")
	// One figure could be met by chance.
	expect(t, joined(&capture.Capture{}, a, b, quote(sweep[1], "mean_ttft_ms")),
		"README.md:15 = README.md, no seed", "a.jsonl:1 = a.jsonl, no seed", "b.jsonl:1 = b.jsonl, no seed")
	unlike := quote(sweep[1], "mean_ttft_ms", "median_ttft_ms")
	unlike.Printed["p95_ttft_ms"] = capture.Figure{Value: 1, Digits: 2}
	expect(t, joined(&capture.Capture{}, a, b, unlike),
		"README.md:15 = README.md, no seed", "a.jsonl:1 = a.jsonl, no seed", "b.jsonl:1 = b.jsonl, no seed")
}

func TestFiguresThatMeetByTheirUnits(t *testing.T) {
	// Nothing but totals and rates agree: two runs of one setting.
	a, b := sweep[0].record("a.json", 1), sweep[0].record("b.json", 1)
	b.Duration = nil
	b.Printed = map[string]capture.Figure{"request_throughput": a.Printed["request_throughput"], "concurrency": {Value: 8, Digits: -1}}
	expect(t, joined(&capture.Capture{}, a, b), "a.json:1 = a.json, no seed", "b.json:1 = b.json, no seed")
}

func TestSameFigure(t *testing.T) {
	for _, c := range []struct {
		a, b   float64
		da, db int
		want   bool
	}{
		{117.325, 117.33, -1, 2, true}, {117.325, 117.32, -1, 2, true}, {117.3249, 117.33, -1, 2, false}, {117.3, 117.33, 1, 2, true},
		{117.3, 117.36, 1, 2, false}, {1, 1.0000001, -1, -1, false}, {0, 0, -1, 2, true}, {math.NaN(), math.NaN(), -1, -1, true}, {math.NaN(), 1, -1, -1, false},
	} {
		if got := sameFigure(capture.Figure{Value: c.a, Digits: c.da}, capture.Figure{Value: c.b, Digits: c.db}); got != c.want {
			t.Errorf("sameFigure(%v to %d, %v to %d) = %v", c.a, c.da, c.b, c.db, got)
		}
	}
}

func TestRequestsAndSummariesOfOneRun(t *testing.T) {
	n := 16
	q := &capture.Requests{N: n, InOrder: true}
	for i := range n {
		q.TTFT = append(q.TTFT, 0.1+float64(i*i)/977)
		q.E2E = append(q.E2E, 0.9+float64(i*i*i)/9973)
	}
	single := &capture.Result{Span: capture.Span{File: "p.jsonl", Line: 1}, Kind: "aiperf-jsonl", Completed: &n, Requests: q}
	whole := &capture.Result{Span: capture.Span{File: "s.json", Line: 1}, Kind: "aiperf-json", Completed: &n, Printed: map[string]capture.Figure{
		"mean_ttft_ms": {Value: 1000 * mean(q.TTFT), Digits: -1}, "median_ttft_ms": {Value: 1000 * median(q.TTFT), Digits: -1},
		"mean_e2e_latency_ms": {Value: 1000 * mean(q.E2E), Digits: -1}, "median_e2e_latency_ms": {Value: 1000 * median(q.E2E), Digits: -1},
	}}
	expect(t, joined(&capture.Capture{}, single, whole), "p.jsonl:1 = p.jsonl + s.json, no seed")
	other := *whole
	other.Printed = map[string]capture.Figure{"mean_ttft_ms": {Value: 1000*mean(q.TTFT) + 1, Digits: -1}, "median_ttft_ms": {Value: 1000*median(q.TTFT) + 1, Digits: -1}}
	expect(t, joined(&capture.Capture{}, single, &other), "p.jsonl:1 = p.jsonl, no seed", "s.json:1 = s.json, no seed")
}

func TestGroupsAndPartialFiles(t *testing.T) {
	a := &capture.Result{Span: capture.Span{File: "c2/a.json", Line: 1}, Group: "c2", Completed: ptr(3)}
	b := &capture.Result{Span: capture.Span{File: "c2/args.json", Line: 1}, Group: "c2", Partial: true, Workload: capture.Workload{Seed: ptr(int64(5))}}
	alone := &capture.Result{Span: capture.Span{File: "c4/args.json", Line: 1}, Group: "c4", Partial: true}
	expect(t, joined(&capture.Capture{}, a, b, alone), "c2/a.json:1 = c2/a.json + c2/args.json, seed 5")
}

// A client that finished more requests than it was told prompts held
// conversations of several turns, its warm-up too.
func TestConversations(t *testing.T) {
	for _, c := range []struct {
		prompts, completed, failed, want int
		warmups                          bool
	}{
		{8, 24, 0, 24, false}, {8, 22, 2, 24, false}, {8, 8, 0, 8, true}, {8, 6, 2, 8, true},
	} {
		r := sweep[0].report("x.txt")
		r.Completed, r.Failed, r.Workload.Prompts, r.Workload.Warmups = &c.completed, &c.failed, &c.prompts, ptr(1)
		if w := joined(&capture.Capture{}, r)[0].Merged.Workload; *w.Prompts != c.want || (w.Warmups != nil) != c.warmups {
			t.Errorf("%+v: %d prompts, warm-ups %v", c, *w.Prompts, w.Warmups)
		}
	}
}

func TestTextWithoutItsResult(t *testing.T) {
	text := sweep[1].report("x.txt")
	text.Completed, text.Duration, text.Printed = nil, nil, nil
	text.Workload.Args = map[string]any{"output_file": "out/c8.jsonl"}
	expect(t, joined(&capture.Capture{}, sweep[1].record("c8.jsonl", 1), text), "c8.jsonl:1 = c8.jsonl + x.txt, seed 2")

	text = sweep[1].report("x.txt")
	text.Completed, text.Duration, text.Printed = nil, nil, nil
	text.Workload.Args = map[string]any{"output_file": "c8.jsonl"}
	expect(t, joined(&capture.Capture{}, sweep[1].record("c8.jsonl", 1), sweep[2].record("c8.jsonl", 2), text),
		"c8.jsonl:1 = c8.jsonl, no seed", "c8.jsonl:2 = c8.jsonl, no seed", "x.txt:15 = x.txt, seed 2")
}

// FuzzAgreement: what is not the same stays not the same in either order, and
// a result agrees with itself.
func FuzzAgreement(f *testing.F) {
	f.Add(117.32, 117.324, 2, -1)
	f.Add(0.0, 1e-300, 0, 0)
	f.Fuzz(func(t *testing.T, a, b float64, da, db int) {
		x, y := capture.Figure{Value: a, Digits: da % 8}, capture.Figure{Value: b, Digits: db % 8}
		if sameFigure(x, y) != sameFigure(y, x) {
			t.Errorf("sameFigure(%v, %v) depends on the order", x, y)
		}
		if !sameFigure(x, x) {
			t.Errorf("%v is not itself", x)
		}
	})
}

// Several records of one line are several runs, which have names of their own.
func TestRecordsOfOneLineHaveNamesOfTheirOwn(t *testing.T) {
	c := &capture.Capture{}
	runs := joined(c,
		measured{16, 2, 42, 1, 20}.record("all.json", 1), measured{32, 4, 42, 2, 31}.record("all.json", 1), measured{64, 8, 42, 3, 47}.record("all.json", 1),
		measured{16, 2, 42, 4, 25}.record("other.json", 1))
	var ids []string
	caps := map[string]int{}
	for _, r := range runs {
		ids = append(ids, r.ID)
		caps[r.ID] = r.Merged.MaxConcurrency.N
	}
	if d := cmp.Diff([]string{"all.json:1", "all.json:1#2", "all.json:1#3", "other.json:1"}, ids); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
	if caps["all.json:1"] != 2 || caps["all.json:1#2"] != 4 || caps["all.json:1#3"] != 8 {
		t.Errorf("caps by name: %v", caps)
	}
}
