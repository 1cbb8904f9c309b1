package lab_test

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coldcase/analysis"
	"coldcase/analysis/confirm"
	"coldcase/ingest"
	"coldcase/ingest/record"
	"coldcase/samples/lab"
)

// The kit that the lab is measured with: the second run sends the prompts of
// the first again.
const (
	fewPrompts  = 16
	manyPrompts = 48
)

// TestCircle closes the circle for both engines: a careless kit, its count, the
// plan, the sweep, and the report of both. The kit is contaminated with exactly
// the prompts of its first run, every fresh cell is clean with nothing cached,
// every repeat cell is warm throughout, and the expectation is confirmed. The
// lab runs at its own speed: faster, a busy machine would decide the rates.
func TestCircle(t *testing.T) {
	for _, engine := range []lab.Engine{lab.SGLang, lab.VLLM} {
		for _, page := range []int{1, 32} {
			if engine == lab.VLLM && page == 1 {
				continue
			}
			t.Run(string(engine), func(t *testing.T) { circle(t, lab.Config{Engine: engine, PageSize: page, Speed: 1}) })
		}
	}
}

func circle(t *testing.T, cfg lab.Config) {
	dir := t.TempDir()
	o := record.Options{
		Server: startLab(t, cfg), Out: filepath.Join(dir, "kit"), AsKit: true, ClientWarmups: -1,
		IdleHold: 20 * time.Millisecond, Poll: 5 * time.Millisecond,
	}
	choices := confirm.Options{Caps: []int{2, 16}, Prompts: []int{fewPrompts, manyPrompts}, Seeds: []int64{7}, InputLen: 256, OutputLen: 4, RangeRatio: 1}
	var err error
	if o.Plan, err = confirm.NewPlan(choices); err != nil {
		t.Fatal(err)
	}
	if err := record.Run(context.Background(), o, io.Discard); err != nil {
		t.Fatal(err)
	}
	kit, err := ingest.Open(ingest.Options{}, o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if o.Plan, err = confirm.FromCapture(kit, confirm.Options{Seeds: []int64{1, 2, 3}, RepeatArm: true, RangeRatio: -1}); err != nil {
		t.Fatal(err)
	}
	o.Out, o.AsKit, o.Yes = filepath.Join(dir, "sweep"), false, true
	if err := record.Run(context.Background(), o, io.Discard); err != nil {
		t.Fatal(err)
	}
	both, err := ingest.Open(ingest.Options{}, filepath.Join(dir, "kit"), filepath.Join(dir, "sweep"))
	if err != nil {
		t.Fatal(err)
	}
	nb := analysis.Analyze(both, analysis.Options{})
	checkCounts(t, nb, len(o.Plan.Cells)+2)
	for _, f := range nb.Check.Findings {
		if f.Rule == "L06" && f.State == "unknown" {
			t.Errorf("L06 is unknown for %v: %s", f.Runs, f.Text)
		}
	}
	if c := nb.Confirmation; c == nil || c.Outcome != confirm.Confirmed || !slices.Contains(c.Text, "every fresh cell started with no prompt in the cache") {
		t.Errorf("confirmation %+v", c)
	}
}

// checkCounts holds each run's count against what its place says it must be.
func checkCounts(t *testing.T, nb *analysis.Notebook, want int) {
	t.Helper()
	runs := 0
	for _, r := range nb.Count.Runs {
		if r.Kind != "run" {
			continue
		}
		runs++
		cached, verdict := int64(0), "clean"
		switch {
		case strings.HasPrefix(r.ID, "kit/c16"):
			cached, verdict = fewPrompts, "contaminated"
		case strings.Contains(r.ID, "-repeat/"):
			cached, verdict = int64(*r.Prompts), "contaminated"
		}
		if r.AtStart.Low != cached || r.AtStart.High == nil || *r.AtStart.High != cached || r.Verdict != verdict {
			t.Errorf("%s: %+v, %s; want %d, %s", r.ID, r.AtStart, r.Verdict, cached, verdict)
		}
		if strings.Contains(r.ID, "-fresh/") && r.Flush != "proved" {
			t.Errorf("%s: flush %s", r.ID, r.Flush)
		}
	}
	if runs != want {
		t.Errorf("%d runs, want %d", runs, want)
	}
}

func startLab(t *testing.T, cfg lab.Config) string {
	t.Helper()
	s, err := lab.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Serve(ctx, l); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return "http://" + l.Addr().String()
}
