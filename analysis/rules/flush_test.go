package rules

import (
	"slices"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

// A flush that worked leaves nothing: what is warm afterwards is either another
// client's, or the flush did not do what it said.
func TestWarmAfterFlush(t *testing.T) {
	for _, c := range []struct {
		name         string
		warm, others int64
		l01, l06     string
	}{
		{"nothing warm", 0, 0, Pass, Pass},
		{"warm by another client since", 20, 20, Pass, Pass},
		{"warm in part by another client", 20, 5, Block, Block},
		{"warm, and nobody was there", 20, 0, Block, Block},
	} {
		w := full()
		d, r := w.Count.Runs[2], w.Capture.Runs[2]
		d.Flush, r.Merged.Workload.FlushAsked = "proved", ptr(true)
		d.AtStart = latencytest.Range(c.warm, c.warm, carryover.PerPrompt)
		d.Origins.OtherClient = carryover.Bounds{Low: c.others, High: ptr(c.others)}
		d.Facts.SameSeedAs = []string{"a.jsonl"}
		doc := check(w)
		for rule, want := range map[string]string{"L01": c.l01, "L06": c.l06} {
			if state, text := stateOf(doc, rule); state != want {
				t.Errorf("%s: %s %s (%s), want %s", c.name, rule, state, text, want)
			}
		}
	}
}

// L06 quotes the lines of a flush, not what else the client said, and finds
// them where another client's batches came between flush and run.
func TestFlushIsQuoted(t *testing.T) {
	w := full()
	d, r := w.Count.Runs[2], w.Capture.Runs[2]
	d.Flush, d.AtStart = "proved", latencytest.Range(20, 20, carryover.PerPrompt)
	r.Merged.Notes = []capture.Evidence{{File: "c.txt", Line: 4, Text: "Starting warmup with 1 sequences..."}}
	w.Count.Runs[1].Facts.LastBatch-- // the last batch before the run is another client's
	w.Capture.Logs[0].Flushes = []capture.Flush{{Line: 20, Kind: capture.FlushDone}, {Line: 21, Kind: capture.FlushDone}}
	for _, f := range check(w).Findings {
		if f.Rule != "L06" || f.State != Block {
			continue
		}
		if !slices.ContainsFunc(f.Evidence, func(e capture.Evidence) bool { return e.File == "server.log" && e.Line == 21 }) {
			t.Errorf("the line of the flush is not among %+v", f.Evidence)
		}
		if slices.ContainsFunc(f.Evidence, func(e capture.Evidence) bool { return strings.Contains(e.Text, "warmup") }) {
			t.Errorf("a line that does not speak of a flush is quoted: %+v", f.Evidence)
		}
		return
	}
	t.Error("L06 does not block")
}

// L03 looks where the count lies: eviction cannot add prompts.
func TestPredictionAdvice(t *testing.T) {
	for _, c := range []struct {
		predicted, counted int64
		has, not           string
	}{{0, 20, "another client", "eviction"}, {20, 0, "eviction", "another client"}} {
		w := full()
		d := w.Count.Runs[0]
		d.Predicted = &carryover.Prediction{Low: c.predicted, High: &c.predicted}
		d.AtStart = latencytest.Range(c.counted, c.counted, carryover.PerPrompt)
		found := false
		for _, f := range check(w).Findings {
			if f.Rule == "L03" && f.State == Warn {
				found = true
				if !strings.Contains(f.Advice, c.has) || strings.Contains(f.Advice, c.not) {
					t.Errorf("%d predicted, %d counted: %q", c.predicted, c.counted, f.Advice)
				}
			}
		}
		if !found {
			t.Errorf("%d predicted, %d counted: L03 is silent", c.predicted, c.counted)
		}
	}
}

// L34 shows lines, also where scrapes alone tell of other requests.
func TestOtherTrafficHasEvidence(t *testing.T) {
	w := full()
	d := w.Count.Runs[0]
	d.Facts.Foreign, d.Facts.Log, d.Facts.FirstBatch, d.Facts.LastBatch = 3, nil, 0, 0
	for _, f := range check(w).Findings {
		if f.Rule == "L34" && f.State == Block && len(f.Evidence) == 0 {
			t.Error("L34 blocks without a line to show")
		}
	}
}
