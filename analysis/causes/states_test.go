package causes_test

import (
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

// setup changes one clean run of 64 prompts at cap 8 and one of 128 at cap 32.
type setup func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run)

func TestStates(t *testing.T) {
	times := func(first, rest float64) *capture.Requests {
		q := &capture.Requests{N: 64, InOrder: true}
		for i := range 64 {
			ms := rest + float64(i%8)
			if i < 8 {
				ms = first + float64(i)
			}
			q.TTFT = append(q.TTFT, ms/1000)
		}
		return q
	}
	gpu := func(mhz float64) []*capture.GPUSeries {
		s := &capture.GPUSeries{File: "gpu.csv", Device: "GPU 0"}
		for i := range 10 {
			s.Rows = append(s.Rows, capture.GPUSample{Line: i + 2, Stamp: capture.Stamp(1e12 + 1000*i), SMClock: mhz, MaxClock: 1980, Power: 600, Util: 99})
		}
		return []*capture.GPUSeries{s}
	}
	place := func(d *carryover.Run, usage float32, queue int32) *capture.ServerLog {
		log := &capture.ServerLog{File: "server.log", Complete: true}
		log.Batches.Append(capture.Batch{Line: 10, NewSeq: 1, NewToken: 512, Usage: usage, Queue: queue, Stamp: 1e12})
		log.Batches.Append(capture.Batch{Line: 20, NewSeq: 7, NewToken: 3584, Usage: usage, Queue: queue, Stamp: 1e12 + 5000})
		d.Facts.Log, d.Facts.LastBatch = log, 2
		return log
	}
	for _, c := range []struct {
		cause, state, what string
		set                setup
	}{
		{"warm-cache", "supported", "16 of 64 warm", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { latencytest.Warm(d8, 16) }},
		{"warm-cache", "against", "counted clean", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"warm-cache", "not-testable", "predicted, not measured", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			d8.Verdict, d8.AtStart = "unknown", latencytest.Nothing()
			d8.Predicted = &carryover.Prediction{Low: 16, High: latencytest.Ptr(int64(16))}
		}},
		{"warm-cache", "against", "another client's prompts", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Warm(d8, 20)
			d8.Origins.EarlierRun, d8.Origins.OtherClient = carryover.Bounds{High: latencytest.Ptr(int64(0))}, carryover.Bounds{Low: 20, High: latencytest.Ptr(int64(20))}
		}},
		{"warm-up-prompt", "supported", "one prompt", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			d8.Origins.WarmUp = carryover.Bounds{Low: 1, High: latencytest.Ptr(int64(1))}
		}},
		{"warm-up-prompt", "against", "none", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"warm-up-prompt", "not-testable", "open above", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { d8.Origins.WarmUp.High = nil }},
		{"in-run-sharing", "supported", "50 of 64", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			d8.Origins.InRun = carryover.Bounds{Low: 50, High: latencytest.Ptr(int64(50))}
		}},
		{"in-run-sharing", "against", "cache off", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			d8.Origins.InRun.High, d8.PrefixCache = nil, "off"
		}},
		{"in-run-sharing", "not-testable", "open above", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { d8.Origins.InRun.High = nil }},
		{"other-traffic", "supported", "foreign requests", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { d8.Facts.Foreign = 12 }},
		{"other-traffic", "against", "none", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"other-traffic", "not-testable", "not counted", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { d8.Facts.Foreign = -1 }},
		{"other-traffic", "not-testable", "an excerpt of the log", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			place(d8, 0.1, 0).Excerpts = []capture.Excerpt{{Line: 1}}
		}},
		{"pool-pressure", "not-testable", "an excerpt of the log", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			place(d8, 0.1, 0).Excerpts = []capture.Excerpt{{Line: 1}}
			place(d32, 0.1, 0)
		}},
		{"first-run", "supported", "a slow first wave", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { r8.Merged.Requests = times(900, 100) }},
		{"first-run", "not-testable", "no times", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"first-run", "not-testable", "times, but hits not known in a warm run", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			r8.Merged.Requests = times(900, 100)
			latencytest.Warm(d8, 16)
		}},
		{"opening-wave", "supported", "1.8 times the rest", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { r8.Merged.Requests = times(180, 100) }},
		{"opening-wave", "not-testable", "no times", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"thinned-mean", "supported", "the mean alone falls", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "mean_ttft_ms", 300.0, "median_ttft_ms", 100.0)
			latencytest.Print(r32, "mean_ttft_ms", 200.0, "median_ttft_ms", 110.0)
		}},
		{"thinned-mean", "against", "nothing falls", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "mean_ttft_ms", 100.0)
			latencytest.Print(r32, "mean_ttft_ms", 200.0)
		}},
		{"thinned-mean", "not-testable", "no mean", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"scheduler", "supported", "clean runs invert", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "median_ttft_ms", 300.0)
			latencytest.Print(r32, "median_ttft_ms", 200.0)
		}},
		{"scheduler", "against", "nothing falls", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "median_ttft_ms", 200.0)
			latencytest.Print(r32, "median_ttft_ms", 300.0)
		}},
		{"scheduler", "not-testable", "no median at one cap", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "median_ttft_ms", 200.0)
		}},
		{"thinned-mean", "not-testable", "the mean falls and no median is known", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "mean_ttft_ms", 300.0)
			latencytest.Print(r32, "mean_ttft_ms", 200.0)
		}},
		{"scheduler", "not-testable", "the faster run is warm", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "median_ttft_ms", 300.0)
			latencytest.Print(r32, "median_ttft_ms", 200.0)
			latencytest.Warm(d32, 64)
		}},
		{"clock-or-power", "supported", "half clock", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			w.Capture.GPU = gpu(900)
			place(d8, 0.1, 0)
		}},
		{"clock-or-power", "against", "full clock", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			w.Capture.GPU = gpu(1980)
			place(d8, 0.1, 0)
			place(d32, 0.1, 0)
		}},
		{"clock-or-power", "not-testable", "no samples", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"pool-pressure", "supported", "a retraction", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			place(d8, 0.5, 0).Marks = []capture.Mark{{Line: 15, Kind: capture.MarkRetract}}
		}},
		{"pool-pressure", "supported", "full and queued", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { place(d8, 0.98, 5) }},
		{"pool-pressure", "against", "an easy pool", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { place(d8, 0.1, 5); place(d32, 0.1, 0) }},
		{"pool-pressure", "not-testable", "no place on a log", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"different-workload", "supported", "other lengths", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			r32.Merged.Workload.InputLen = latencytest.Ptr(256)
		}},
		{"different-workload", "against", "cap and seed only", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"different-workload", "not-testable", "presumed", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) { r32.Merged.Workload.Presumed = true }},
		{"output-length", "supported", "half", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			r8.Merged.OutputTokens = latencytest.Ptr(int64(64 * 64))
		}},
		{"output-length", "against", "as asked", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"output-length", "not-testable", "not told", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			r8.Merged.OutputTokens, r32.Merged.OutputTokens = nil, nil
		}},
		{"client-limit", "supported", "5 of 8", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "concurrency", 5.0)
		}},
		{"client-limit", "against", "7.98 of 8", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "concurrency", 7.98)
			latencytest.Print(r32, "concurrency", 31.0)
		}},
		{"client-limit", "not-testable", "not told", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {}},
		{"noise", "supported", "repeats 100 and 200", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			_, again := w.AddRun("again", 8, 64, 9)
			latencytest.Print(r8, "median_ttft_ms", 100.0)
			latencytest.Print(again, "median_ttft_ms", 200.0)
		}},
		{"noise", "not-testable", "one run a point", func(w *world, d8, d32 *carryover.Run, r8, r32 *capture.Run) {
			latencytest.Print(r8, "median_ttft_ms", 100.0)
		}},
	} {
		w := latencytest.New()
		d8, r8 := w.AddRun("c8", 8, 64, 7)
		d32, r32 := w.AddRun("c32", 32, 128, 8)
		c.set(w, d8, d32, r8, r32)
		list, _ := causes.Analyze(input(w))
		got := find(t, list, c.cause)
		if got.State != c.state {
			t.Errorf("%s, %s: %s, want %s: %+v", c.cause, c.what, got.State, c.state, got.Runs)
		}
	}
}
