package rules

import (
	"fmt"
	"math/rand"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

// edit changes a capture; d and r are the two sides of its first run.
type edit func(w *world, d *carryover.Run, r *capture.Run)

// ruleCase is the smallest capture in which a rule fires, one in which it
// passes, and one in which it must answer unknown. A nil edit takes the capture
// as it is: full() for pass, bare() for unknown. Where a rule has no such state,
// the text says why.
type ruleCase struct {
	fires     string // the state when it fires
	fire      edit   // on full()
	pass      edit   // on full()
	noPass    string
	unknown   edit // on full(); nil = bare()
	noUnknown string
}

func show(pairs ...any) edit {
	return func(w *world, d *carryover.Run, r *capture.Run) { latencytest.Print(r, pairs...) }
}

// summaryOnly takes the per-request figures of the first run away.
func summaryOnly(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Requests = nil }

// split makes the first run's requests fall into two groups.
func split(w *world, d *carryover.Run, r *capture.Run) {
	for i := range r.Merged.Requests.TTFT {
		if i%2 == 0 {
			r.Merged.Requests.TTFT[i] *= 9
		}
	}
	delete(r.Merged.Printed, "median_ttft_ms")
}

var ruleCases = map[string]ruleCase{
	"L01": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.Facts.SameSeedAs = []string{"b.jsonl"} }},
	"L02": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { latencytest.Warm(d, 16) }},
	"L03": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		latencytest.Warm(d, 16)
		d.Predicted = &carryover.Prediction{Low: 64, High: ptr(int64(64))}
	}, pass: func(w *world, d *carryover.Run, r *capture.Run) { latencytest.Warm(d, 16) }, unknown: func(w *world, d *carryover.Run, r *capture.Run) {
		d.AtStart, d.Predicted = latencytest.Nothing(), &carryover.Prediction{Low: 64, High: ptr(int64(64))}
	}},
	"L04": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		d.Origins.WarmUp = carryover.Bounds{Low: 1, High: ptr(int64(1))}
	}},
	"L05": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		w.Capture.Logs[0].Flushes = []capture.Flush{{Line: 5, Kind: capture.FlushDone}}
	}, pass: func(w *world, d *carryover.Run, r *capture.Run) {
		for _, o := range w.Capture.Runs {
			o.Merged.Workload.FlushAsked = ptr(true)
		}
	}},
	"L06": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		d.Flush, r.Merged.Workload.FlushAsked = "claimed", ptr(true)
	}, pass: func(w *world, d *carryover.Run, r *capture.Run) {
		d.Flush, r.Merged.Workload.FlushAsked = "proved", ptr(true)
	}},
	"L07": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for i := range r.Merged.Requests.TextHash {
			r.Merged.Requests.TextHash[i] = uint64(i%12 + 1)
		}
	}},
	"L08": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		d.Origins.InRun = carryover.Bounds{Low: 40, High: ptr(int64(40))}
	}},
	"L09": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.InputTokens = ptr(int64(96 * 4096)) },
		pass: func(w *world, d *carryover.Run, r *capture.Run) {
			r.Merged.InputTokens = ptr(int64(96 * 4096))
			latencytest.Print(r, "median_ttft_ms", 800.0)
		}, unknown: func(w *world, d *carryover.Run, r *capture.Run) {
			r.Merged.InputTokens, r.Merged.Requests = ptr(int64(96*4096)), nil
			delete(r.Merged.Printed, "median_ttft_ms")
		}},
	"L10": {fires: Unknown, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.PrefixCache = "unknown" }},
	"L11": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.Facts.Server.PoolTokens = ptr(int64(5000)) }},
	"L12": {fires: Unknown, fire: func(w *world, d *carryover.Run, r *capture.Run) { r.After.Series["x_total"][0].Value = 0 },
		unknown: func(w *world, d *carryover.Run, r *capture.Run) { r.Before, r.After = nil, nil }},
	"L13": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) { w.Count.Runs = w.Count.Runs[:2] },
		unknown: func(w *world, d *carryover.Run, r *capture.Run) {
			for _, o := range w.Capture.Runs {
				o.Merged.MaxConcurrency = capture.Cap{}
			}
		}},
	"L14": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) { w.Count.Runs = w.Count.Runs[:2] }},
	"L15": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.Completed, d.Prompts = ptr(16), ptr(16) }},
	"L16": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Workload.InputLen = ptr(4096) }},
	"L17": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.Facts.Log, r.Merged.Model = nil, "other/model" }},
	"L18": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		other := w.Capture.Runs[3]
		r.Merged.Duration, other.Merged.Duration = ptr(12.34567), ptr(12.34567)
	}, noUnknown: "without record files it does not apply"},
	"L19": {fires: Unknown, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.Facts.Log = nil }},
	"L20": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.Completed = ptr(80) }},
	"L21": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Requests.Output[3] = 0 }},
	"L22": {fires: Warn, fire: show("concurrency", 5.0)},
	"L23": {fires: Warn, fire: show("concurrency", 5.0)},
	"L24": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		r.Merged.RequestRate = capture.Rate{Known: true, PerSecond: 10}
	}},
	"L25": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		openLoop(w, d, r)
		r.Merged.Requests.Queue = []float64{0.05, 0.06, 0.07}
	}, pass: func(w *world, d *carryover.Run, r *capture.Run) {
		openLoop(w, d, r)
		r.Merged.Requests.Queue = []float64{0.001, 0.001, 0.001}
	}, unknown: openLoop},
	"L26": {fires: Block, fire: show("max_output_tokens_per_s", 111.0)},
	"L27": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for i := range r.Merged.Requests.Chunks {
			r.Merged.Requests.Chunks[i] = 40
		}
	}},
	"L28": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.OutputTokens = ptr(int64(96 * 60)) }},
	"L29": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		r.Merged.Requests.Input, r.Merged.Requests.InputByServer = []int32{400, 400}, true
	}},
	"L30": {fires: Info, fire: show("total_output_tokens_retokenized", 60.0)},
	"L31": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Duration = ptr(20.0) }},
	"L32": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		r.Merged.MaxConcurrency = capture.Cap{Known: true, Unlimited: true}
	}, unknown: func(w *world, d *carryover.Run, r *capture.Run) {
		r.Merged.MaxConcurrency, r.Merged.RequestRate = capture.Cap{}, capture.Rate{}
	}},
	"L33": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		openLoop(w, d, r)
		for i := range r.Merged.Requests.TTFT {
			r.Merged.Requests.TTFT[i] += 0.01 * float64(i)
		}
	}, pass: openLoop, unknown: func(w *world, d *carryover.Run, r *capture.Run) { openLoop(w, d, r); r.Merged.Requests.Start = nil }},
	"L34": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { d.Facts.Foreign = 3 }},
	"L35": {fires: Warn, fire: show("p99_ttft_ms", 120.0), unknown: withoutN("p90_ttft_ms")},
	"L36": {fires: Block, fire: show("p99_ttft_ms", 120.0), pass: func(w *world, d *carryover.Run, r *capture.Run) {
		latencytest.Print(w.Capture.Runs[1], "p99_ttft_ms", 480.0)
	}, unknown: withoutN("p99_ttft_ms")},
	"L37": {fires: Info, pass: func(w *world, d *carryover.Run, r *capture.Run) { addRuns(w, 4, 105) }, noUnknown: "runs are counted, or there are none"},
	"L38": {fires: Block, fire: show("median_ttft_ms", 300.0), noUnknown: "without repeats it does not apply"},
	"L39": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for _, k := range []int{0, 3} {
			w.Count.Runs[k].Facts.SameSeedAs = []string{"b.jsonl"}
		}
	}, noUnknown: "without repeats it does not apply; what L01 does not know is L01's to say"},
	"L40": {fires: Warn, fire: split},
	"L41": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) { latencytest.Warm(d, 48) }, unknown: func(w *world, d *carryover.Run, r *capture.Run) {
		summaryOnly(w, d, r)
		d.AtStart = latencytest.Nothing()
	}},
	"L42": {fires: Info, fire: show("p90_ttft_ms", 110.0, "p95_ttft_ms", 111.0)},
	"L43": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Workload.RangeRatio = ptr(1.0) }},
	"L44": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for i := range r.Merged.Requests.TTFT {
			r.Merged.Requests.TTFT[i] = 0.1 + 0.001*float64(i)
		}
	}},
	"L45": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for i := range 8 {
			r.Merged.Requests.TTFT[i] *= 2
		}
	}},
	"L46": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for i := range 4 {
			addRuns(w, 1, 110+10*float64(i))
		}
		latencytest.Print(w.Capture.Runs[3], "median_ttft_ms", 108.0)
	}, pass: func(w *world, d *carryover.Run, r *capture.Run) { addRuns(w, 4, 105) }, noUnknown: "with fewer than four repeats it does not apply"},
	"L47": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for _, k := range []int{0, 3} {
			latencytest.Print(w.Capture.Runs[k], "median_ttft_ms", 900.0)
		}
	}},
	"L48": {fires: Warn, fire: show("p99_ttft_ms", 2000.0)},
	"L49": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		summaryOnly(w, d, r)
		r.Merged.Printed = map[string]capture.Figure{"mean_ttft_ms": {Value: 100, Line: 1}}
	}, noUnknown: "without first-token figures it does not apply"},
	"L50": {fires: Unknown, fire: func(w *world, d *carryover.Run, r *capture.Run) { w.Capture.GPU = nil }},
	"L51": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for i := range w.Capture.GPU[0].Rows {
			w.Capture.GPU[0].Rows[i].SMClock = 800
		}
	}},
	"L52": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		for i := range 8 {
			w.Capture.GPU[0].Rows[i].SMClock = 1700
		}
	}},
	"L53": {fires: Info, fire: inverted("median_tpot_ms", 5.0), pass: inverted("median_tpot_ms", 8.0), unknown: func(w *world, d *carryover.Run, r *capture.Run) {
		inverted("median_tpot_ms", 5.0)(w, d, r)
		delete(r.Merged.Printed, "median_tpot_ms")
	}},
	"L54": {fires: Unknown, fire: func(w *world, d *carryover.Run, r *capture.Run) { w.Capture.Notes.Facts = nil }},
	"L55": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) { w.Capture.Notes.Facts = nil }, noUnknown: "a check is stated, or it is not"},
	"L56": {fires: Warn, fire: show("accept_length", 2.1), noUnknown: "without accept lengths it does not apply"},
	"L57": {fires: Warn, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		d.Facts.FirstOfLife, r.Merged.Workload.Warmups = true, ptr(0)
	}},
	"L58": {fires: Info, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		b := &w.Capture.Logs[0].Batches
		for i := w.Count.Runs[2].Facts.FirstBatch; i < b.Len(); i++ {
			b.At(i).Stamp += 30 * 60 * 1000
		}
	}},
	"L59": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) {
		r.Merged.Workload.Args = map[string]any{"header": "Authorization: [redacted]"}
	}, noUnknown: "every line that may be shown is looked at"},
	"L60": {fires: Unknown, fire: func(w *world, d *carryover.Run, r *capture.Run) { w.Capture.Files[0].Read = capture.ReadPart }},
	"L61": {fires: Block, fire: func(w *world, d *carryover.Run, r *capture.Run) { w.Capture.Notes.Points[0].Requests = nil }, noUnknown: "without stated results it does not apply"},
	"L62": {fires: Block, fire: confirmed(50), pass: confirmed(500), unknown: func(w *world, d *carryover.Run, r *capture.Run) {
		confirmed(50)(w, d, r)
		for _, o := range w.Capture.Runs {
			o.Merged.Requests = nil
			delete(o.Merged.Printed, "median_ttft_ms")
		}
	}},
}

func openLoop(w *world, d *carryover.Run, r *capture.Run) {
	r.Merged.MaxConcurrency = capture.Cap{Known: true, Unlimited: true}
	r.Merged.RequestRate = capture.Rate{Known: true, PerSecond: 10}
	for _, o := range w.Capture.Runs[1:] {
		o.Merged.RequestRate = capture.Rate{Known: true, Inf: true}
	}
}

// withoutN prints a percentile and hides of how many requests it is.
func withoutN(figure string) edit {
	return func(w *world, d *carryover.Run, r *capture.Run) {
		latencytest.Print(r, figure, 110.0)
		r.Merged.Requests, r.Merged.Completed, r.Merged.Workload.Prompts = nil, nil, nil
	}
}

// addRuns adds repeats of the point at cap 8, in order of time.
func addRuns(w *world, n int, median float64) {
	for range n {
		for _, limit := range []int{8, 32} {
			k := len(w.Count.Runs)
			d, r := w.AddRun(fmt.Sprintf("more%d.jsonl", k), limit, 12*limit, int64(100+k))
			r.Merged.Requests = evenRequests(rand.New(rand.NewSource(int64(k))), 12*limit, 0.1)
			latencytest.Print(r, "median_ttft_ms", median*float64(limit)/8)
			d.Facts.Log, d.Facts.FirstBatch, d.Facts.LastBatch = w.Capture.Logs[0], 1, 3
		}
	}
}

// inverted makes the median fall from cap 8 to cap 32 and sets a figure at the
// higher cap.
func inverted(name string, value float64) edit {
	return func(w *world, d *carryover.Run, r *capture.Run) {
		for i, o := range w.Capture.Runs {
			v := 400.0
			if i == 1 || i == 2 {
				v = 200
				latencytest.Print(o, name, value)
			}
			o.Merged.Printed["median_ttft_ms"] = capture.Figure{Value: v, Line: 1, Digits: 2}
		}
	}
}

// confirmed makes the first run warm and states a fresh figure at its cap.
func confirmed(ms float64) edit {
	return func(w *world, d *carryover.Run, r *capture.Run) {
		latencytest.Warm(d, 16)
		w.Count.Runs[3].Verdict = "unknown"
		w.Capture.Notes.Points = []capture.Points{{Label: "seeds", Cap: ptr(8), MedianTTFT: &ms, Requests: ptr(64), Low: &ms, High: &ms}}
	}
}

func TestEveryRule(t *testing.T) {
	if len(all) != 62 {
		t.Fatalf("%d rules, want 62", len(all))
	}
	build := func(start func() *world, e edit) *Document {
		w := start()
		if e != nil {
			e(w, w.Count.Runs[0], w.Capture.Runs[0])
		}
		return check(w)
	}
	for i, r := range all {
		if want := fmt.Sprintf("L%02d", i+1); r.id != want {
			t.Errorf("row %d is %s, want %s", i+1, r.id, want)
		}
		c, ok := ruleCases[r.id]
		if !ok {
			t.Errorf("%s has no cases", r.id)
			continue
		}
		if state, text := stateOf(build(full, c.fire), r.id); state != c.fires {
			t.Errorf("%s %s: %s (%s), want %s where it fires", r.id, r.name, state, text, c.fires)
		}
		if c.noPass == "" {
			if state, text := stateOf(build(full, c.pass), r.id); state != Pass {
				t.Errorf("%s %s: %s (%s), want pass", r.id, r.name, state, text)
			}
		}
		if c.noUnknown == "" {
			start := full
			if c.unknown == nil {
				start = bare
			}
			if state, text := stateOf(build(start, c.unknown), r.id); state != Unknown {
				t.Errorf("%s %s: %s (%s), want unknown", r.id, r.name, state, text)
			}
		}
	}
}
