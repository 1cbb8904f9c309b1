package carryover_test

import (
	"fmt"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// kit is a capture of arguments alone: no log, no metrics, no details.
type kit struct{ c capture.Capture }

// add appends a run of SGLang's client at a cap, in the stated order of time.
func (k *kit) add(limit, prompts int, seed int64, opts ...func(*capture.Result)) *kit {
	file := fmt.Sprintf("bench-%d.txt", len(k.c.Runs)+1)
	in, out, warm, ratio, no, on := 512, 128, 1, 1.0, false, true
	m := capture.Result{
		Span: capture.Span{File: file, Line: 1}, Kind: capture.SGLangBenchText,
		Client: "sglang.bench_serving", ClientVersion: "0.5.22", Engine: "sglang", EngineVersion: "0.5.22", Backend: "sglang",
		Completed: &prompts, MaxConcurrency: capture.Cap{Known: true, N: limit},
		Workload: capture.Workload{
			From: capture.Evidence{File: file, Line: 1, Text: "Namespace(...)"}, Form: "namespace", Dataset: "random", DatasetPath: "conversations.json",
			Seed: &seed, Prompts: &prompts, InputLen: &in, OutputLen: &out, RangeRatio: &ratio, Warmups: &warm, FlushAsked: &no,
		},
		Server: &capture.ServerInfo{Engine: "sglang", PrefixCache: &on},
	}
	for _, o := range opts {
		o(&m)
	}
	k.c.Runs = append(k.c.Runs, &capture.Run{ID: file + ":1", Spans: []capture.Span{m.Span}, Results: []*capture.Result{&m}, Merged: m})
	k.c.Notes.Order = append(k.c.Notes.Order, file)
	return k
}

func flushed(m *capture.Result) {
	yes, one := true, 1
	m.Workload.FlushAsked, m.Server.DPSize = &yes, &one
}

func pool(tokens int64) func(*capture.Result) {
	return func(m *capture.Result) { m.Server.PoolTokens = &tokens }
}

func cacheOff(m *capture.Result) {
	off := false
	m.Server.PrefixCache = &off
}

func at(target string) func(*capture.Result) {
	return func(m *capture.Result) { m.Workload.Target = target }
}

func longer(m *capture.Result) {
	n := 1024
	m.Workload.InputLen = &n
}

// What the arguments and the order of runs imply, before any log is read. The
// expectation is of the last run; "none" is no prediction at all.
func TestPredicted(t *testing.T) {
	for _, c := range []struct {
		name  string
		kit   *kit
		want  string
		from  int    // how many earlier runs sent the prompts
		notes string // part of the note
	}{
		{"one run: nothing is known of what came before", new(kit).add(8, 64, 7), "none", 0, ""},
		{"the published kit, third run", new(kit).add(1, 16, 7).add(8, 64, 7).add(32, 128, 7), "64", 2, ""},
		{"its second run", new(kit).add(1, 16, 7).add(8, 64, 7), "16", 1, ""},
		{"large first", new(kit).add(32, 128, 7).add(8, 64, 7), "64", 1, ""},
		{"the same load again", new(kit).add(8, 64, 7).add(8, 64, 7), "64", 1, ""},
		{"fresh seeds", new(kit).add(8, 64, 1).add(8, 64, 2).add(8, 64, 3), "few", 0, ""},
		// The other seed's 32 prompts over 5,000 rows: 0.8 equal ones are
		// expected, more than 5 in one case of a thousand.
		{"one of two seeds comes again", new(kit).add(8, 64, 1).add(8, 32, 2).add(32, 128, 1), "64 to 69", 1, "by chance"},
		{"a proved flush", new(kit).add(8, 64, 7).add(32, 128, 7, flushed), "0", 0, ""},
		{"a flush before the run between", new(kit).add(8, 64, 7).add(8, 16, 7, flushed).add(32, 128, 7), "16", 1, ""},
		{"a prefix cache that is off", new(kit).add(8, 64, 7, cacheOff).add(32, 128, 7, cacheOff), "0", 0, "off"},
		{"a pool that holds everything", new(kit).add(8, 64, 7, pool(1e6)).add(32, 128, 7, pool(1e6)), "64", 1, ""},
		{"a pool that holds a third: the oldest leave first, and each is sent just after it left", new(kit).add(8, 64, 7, pool(14000)).add(32, 128, 7, pool(14000)), "0", 1, "pool"},
		{"another server", new(kit).add(8, 64, 7, at("a:30000")).add(32, 128, 7, at("b:30000")), "0", 0, ""},
		{"longer prompts: common starts, no equal ones", new(kit).add(8, 64, 7).add(8, 64, 7, longer), "0 to 64", 0, "heads"},
	} {
		doc := carryover.Count(&c.kit.c)
		r := doc.Runs[len(doc.Runs)-1]
		got, from, note := "none", 0, ""
		if p := r.Predicted; p != nil {
			got, from, note = between(p.Low, p.High), len(p.From), p.Note
		}
		if c.want == "few" {
			if p := r.Predicted; p == nil || p.Low != 0 || p.High == nil || *p.High > 16 {
				t.Errorf("%s: predicted %s, want none but for chance", c.name, got)
			}
			continue
		}
		if got != c.want || from != c.from || !strings.Contains(note, c.notes) {
			t.Errorf("%s: predicted %s from %d runs (%s), want %s from %d with %q", c.name, got, from, note, c.want, c.from, c.notes)
		}
		if r.Verdict != carryover.VerdictUnknown && c.want != "0" {
			t.Errorf("%s: verdict %s of arguments alone", c.name, r.Verdict)
		}
	}
}

func between(low int64, high *int64) string {
	switch {
	case high == nil:
		return fmt.Sprintf("%d or more", low)
	case *high == low:
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, *high)
}

// A prediction stands beside the count and never makes a number of it: without
// a witness at start nothing is known, whatever the arguments imply.
func TestPredictionCountsNothing(t *testing.T) {
	doc := carryover.Count(&new(kit).add(8, 64, 7).add(32, 128, 7).c)
	for _, r := range doc.Runs {
		if r.AtStart.Low != 0 || r.AtStart.High != nil || r.AtStart.Grade != carryover.None {
			t.Errorf("%s: at start %s, grade %s", r.ID, between(r.AtStart.Low, r.AtStart.High), r.AtStart.Grade)
		}
		if r.Cached.Low != 0 || r.CachedTokens.Low != 0 || r.Origins.EarlierRun.Low != 0 {
			t.Errorf("%s: counted %+v, %+v, %+v of arguments", r.ID, r.Cached, r.CachedTokens, r.Origins.EarlierRun)
		}
	}
}

// Without any evidence of the order an earlier run may be a later one: nothing
// is predicted for certain.
func TestPredictedWithoutOrder(t *testing.T) {
	k := new(kit).add(8, 64, 7).add(32, 128, 7)
	k.c.Notes.Order = nil
	doc := carryover.Count(&k.c)
	if p := doc.Runs[1].Predicted; p == nil || p.Low != 0 || p.High == nil || *p.High != 64 {
		t.Errorf("predicted %+v, want 0 to 64", p)
	}
}
