package degrade

import (
	"bytes"
	"maps"
	"strconv"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// perfect is the document that a count with the whole truth would give.
func perfect(t truth) *carryover.Document {
	doc := &carryover.Document{}
	exactly := func(n *int64) carryover.Interval {
		return carryover.Interval{Low: *n, High: n, Grade: carryover.PerPrompt}
	}
	origin := func(r *trueRun, name string) carryover.Bounds {
		n := r.ByOrigin[name]
		return carryover.Bounds{Low: *n, High: n}
	}
	for _, r := range t.Runs {
		run := &carryover.Run{
			ID: r.Run, Kind: "run", Seed: r.Seed, Prompts: &r.Prompts, Verdict: r.Verdict,
			AtStart: exactly(r.WarmAtStart), Cached: exactly(r.FullAtStart), PartlyCached: exactly(r.PartialAtStart),
			CachedTokens: exactly(r.CachedTokens),
			Witnesses:    []carryover.Witness{{Grade: carryover.PerPrompt}},
			Origins: carryover.Origins{
				EarlierRun: origin(&r, "earlier_run"), WarmUp: origin(&r, "warm_up"),
				InRun: origin(&r, "in_run"), OtherClient: origin(&r, "other_client"),
				Unknown: origin(&r, "unknown"),
			},
		}
		file, line, _ := strings.Cut(r.Files[0], ":")
		run.Source = append(run.Source, capture.Span{File: file, Line: lineOf(line)})
		doc.Runs = append(doc.Runs, run)
	}
	return doc
}

// The judge lets the truth pass, whole and degraded, and finds each error that
// is put into it.
func TestJudge(t *testing.T) {
	var rec *recorded
	for _, r := range load(t) {
		if r.name == "s22-incident-32b" {
			rec = r
		}
	}
	whole := &variant{kind: "whole", truth: rec.truth, whole: true}
	part := &variant{kind: "part", truth: rec.truth}
	c1, c8, c32 := 0, 1, 2
	for _, tt := range []struct {
		name  string
		spoil func(doc *carryover.Document)
		v     *variant
		want  string // part of a fault; none if empty
	}{
		{"truth", func(*carryover.Document) {}, whole, ""},
		{"truth of a part", func(*carryover.Document) {}, part, ""},
		{"unknown in a part", func(d *carryover.Document) {
			d.Runs[c8].Verdict = "unknown"
			d.Runs[c8].AtStart = carryover.Interval{Grade: carryover.None}
		}, part, ""},
		{"unknown in the whole", func(d *carryover.Document) { d.Runs[c8].Verdict = "unknown" }, whole, "verdict unknown"},
		{"run lost from a part", func(d *carryover.Document) { d.Runs = d.Runs[1:] }, part, ""},
		{"run lost from the whole", func(d *carryover.Document) { d.Runs = d.Runs[1:] }, whole, "2 runs"},
		{"wide interval in the whole", func(d *carryover.Document) { d.Runs[c8].AtStart.High = nil }, whole, "exactly 16 expected"},
		{"narrow interval", func(d *carryover.Document) {
			d.Runs[c32].AtStart = carryover.Interval{Low: 65, Grade: carryover.PerBatch}
		}, part, "does not hold 64"},
		{"false clean", func(d *carryover.Document) { d.Runs[c8].Verdict = "clean" }, part, "FALSE CLEAN (16 of 64 warm)"},
		{"false contaminated", func(d *carryover.Document) { d.Runs[c1].Verdict = "contaminated" }, part, "FALSE CONTAMINATED"},
		{"nothing measured", func(d *carryover.Document) { d.Runs[c8].Witnesses[0].Grade = carryover.Predicted }, part, "without a measured witness"},
		{"wrong seed", func(d *carryover.Document) { d.Runs[c8].Seed = new(int64) }, part, "seed 0, it was 7"},
		{"no seed", func(d *carryover.Document) { d.Runs[c8].Seed = nil }, whole, "no seed"},
		{"wrong origin", func(d *carryover.Document) {
			d.Runs[c8].Origins.InRun, d.Runs[c8].Origins.EarlierRun = d.Runs[c8].Origins.EarlierRun, d.Runs[c8].Origins.InRun
		}, part, "origin earlier_run"},
		{"tokens", func(d *carryover.Document) { d.Runs[c8].CachedTokens.Low++ }, part, "cached tokens"},
		{"run that does not exist", func(d *carryover.Document) {
			ghost := *d.Runs[c8]
			ghost.ID, ghost.Source = "ghost", []capture.Span{{File: "other.txt", Line: 1}}
			d.Runs = append(d.Runs, &ghost)
		}, part, "ghost: contaminated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := perfect(rec.truth)
			tt.spoil(doc)
			faults := strings.Join(judge(tt.v, doc).faults, "\n")
			if tt.want == "" && faults != "" || !strings.Contains(faults, tt.want) {
				t.Errorf("faults:\n%s\nwant one with %q", faults, tt.want)
			}
		})
	}
}

// A capture without details names no request's cached tokens any more, and
// keeps all else.
func TestWithoutDetails(t *testing.T) {
	for _, rec := range load(t) {
		for name, content := range rec.files {
			short := withoutDetails(name, content)
			switch {
			case isRecord(name):
				for _, key := range []string{`"cached_tokens"`, `"prompt_tokens_details"`, `"usage_prompt_cache_read_tokens"`} {
					if bytes.Contains(short, []byte(key)) {
						t.Errorf("%s/%s: %s is still there", rec.name, name, key)
					}
				}
				if bytes.Count(short, []byte("Infinity")) == 0 && bytes.Contains(content, []byte(`"request_rate": Infinity`)) {
					t.Errorf("%s/%s: lost its infinite request rate", rec.name, name)
				}
			case isLog(name):
				if requestLine.Match(short) {
					t.Errorf("%s/%s: names single requests", rec.name, name)
				}
				if got, want := bytes.Count(short, []byte("Prefill batch")), bytes.Count(content, []byte("Prefill batch")); got != want {
					t.Errorf("%s/%s: %d of %d prefill lines left", rec.name, name, got, want)
				}
			}
		}
	}
}

func TestStripJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a": 1, "cached_tokens": [1, 2], "b": {"cache_read": 3, "c": [{"response": {"x": 1}, "d": -Infinity}]}}`,
			`{"a":1,"b":{"c":[{"d":-Infinity}]}}`},
		{`{"ttfts": [0.5], "deep": {"ttfts": [0.5]}, "rate": Infinity}`, `{"deep":{"ttfts":[0.5]},"rate":Infinity}`},
		{`["cached_tokens", "response"]`, `["cached_tokens","response"]`},
	} {
		got, err := stripJSON([]byte(tt.in), detailKeys)
		if err != nil || string(got) != tt.want {
			t.Errorf("stripJSON(%s) = %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
	if got, err := stripJSON([]byte(`{"cut": [1, 2`), nil); err == nil {
		t.Errorf("stripJSON of half a value = %s, want an error", got)
	}
}

// The same capture gives the same variants; two captures give more than sixty.
func TestVariants(t *testing.T) {
	recordings := load(t)
	total := 0
	for i, rec := range recordings {
		other := recordings[(i+1)%len(recordings)]
		a, b := variants(rec, other), variants(rec, other)
		total += len(a)
		for n := range a {
			if a[n].kind != b[n].kind {
				t.Fatalf("%s: variant %d is %s, then %s", rec.name, n, a[n].kind, b[n].kind)
			}
			if !maps.EqualFunc(a[n].files, b[n].files, bytes.Equal) {
				t.Errorf("%s/%s differs from one time to the next", rec.name, a[n].kind)
			}
		}
		if i == 1 {
			break
		}
	}
	if total < 60 {
		t.Errorf("%d variants of two captures, want at least 60", total)
	}
}

// lineOf reads the line number of a "file:line", 1 where there is none.
func lineOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1
	}
	return n
}
