package confirm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
	"coldcase/ingest/plan"
)

// scene is a kit with an inversion and its sweep, each fresh cell clean.
type scene struct {
	c   *capture.Capture
	doc *carryover.Document
	lat []*latency.Run
}

// newScene builds the sweep; ttft gives the median of each fresh cell by cap
// and number within the cap.
func newScene(t *testing.T, repeat bool, ttft func(cap, n int) float64) *scene {
	t.Helper()
	planned, err := FromCapture(kit(), Options{RepeatArm: repeat, RangeRatio: -1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := planned.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	s := &scene{c: kit(), doc: &carryover.Document{}}
	p := &capture.Plan{File: "sweep/plan.json", JSON: tree}
	s.c.Plans = []*capture.Plan{p}
	for _, r := range s.c.Runs {
		s.add(r, "contaminated", 16, r.Merged.Printed[medianTTFT].Value)
	}
	n := map[int]int{}
	for _, cell := range planned.Cells {
		got := &capture.Cell{ID: cell.ID, State: "done", Arm: cell.Arm, Cap: cell.Cap, Prompts: cell.Prompts, Seed: cell.Seed, FlushProved: cell.Arm == plan.Fresh}
		p.Cells = append(p.Cells, got)
		v := ttft(cell.Cap, n[cell.Cap])
		r := kitRun(cell.ID, cell.Cap, cell.Prompts, cell.Seed, v, 1)
		r.Cell = got
		if cell.Arm == plan.Repeat {
			s.add(r, "contaminated", int64(cell.Prompts), 80)
			continue
		}
		n[cell.Cap]++
		s.add(r, "clean", 0, v)
	}
	return s
}

func (s *scene) add(r *capture.Run, verdict string, warm int64, median float64) {
	r.Merged.InputTokens, r.Merged.OutputTokens = ptr(int64(512**r.Merged.Completed)), ptr(int64(128**r.Merged.Completed))
	s.doc.Runs = append(s.doc.Runs, &carryover.Run{
		ID: r.ID, Kind: "run", MaxConcurrency: r.Merged.MaxConcurrency.N, Prompts: r.Merged.Completed, Completed: r.Merged.Completed,
		AtStart: carryover.Interval{Low: warm, High: ptr(warm), Grade: carryover.PerPrompt}, Verdict: verdict, Facts: &carryover.Facts{Run: r},
	})
	s.lat = append(s.lat, &latency.Run{Run: r.ID, Printed: []latency.Figure{{Name: medianTTFT, Value: median}}})
}

func (s *scene) read() *Confirmation { return Read(s.c, s.doc, s.lat) }

// rising are medians as a clean kit gives them.
func rising(cap, n int) float64 { return map[int]float64{8: 700, 32: 1600}[cap] + float64(10*n) }

func TestOutcomes(t *testing.T) {
	tests := []struct {
		name      string
		repeat    bool
		ttft      func(cap, n int) float64
		change    func(*scene)
		outcome   string
		inversion string
		says      string
	}{
		{name: "confirmed", ttft: rising, outcome: Confirmed, inversion: "no", says: "every fresh cell started with no prompt in the cache"},
		{name: "with the repeat arm", repeat: true, ttft: rising, outcome: Confirmed, inversion: "no", says: "at least 64 of 64 prompts cached at start"},
		{name: "the inversion comes back", ttft: func(cap, n int) float64 { return map[int]float64{8: 700, 32: 400}[cap] + float64(n) },
			outcome: Refuted, inversion: "yes", says: "still falls from cap 8 to cap 32"},
		{name: "ranges overlap against the order", ttft: func(cap, n int) float64 { return []float64{500, 600, 700}[n] - float64(cap) },
			outcome: Incomplete, inversion: "unknown", says: "more seeds are needed"},
		{name: "a cell was refused", ttft: rising, change: func(s *scene) {
			s.c.Plans[0].Cells[0].State, s.c.Plans[0].Cells[0].Why = "refused", "not idle"
		}, outcome: Incomplete, inversion: "unknown", says: "refused: not idle"},
		{name: "a cell is left", ttft: rising, change: func(s *scene) { s.c.Plans[0].Cells = s.c.Plans[0].Cells[1:] }, outcome: Incomplete, inversion: "unknown", says: "not run"},
		{name: "a done cell without a result", ttft: rising, change: func(s *scene) { s.doc.Runs = s.doc.Runs[:len(s.doc.Runs)-1] }, outcome: Incomplete, inversion: "unknown", says: "could not be read"},
		{name: "a warm fresh cell", ttft: rising, change: func(s *scene) { s.fresh(0).Verdict = "contaminated" }, outcome: NotComparable, inversion: "unknown", says: "prompts were cached at the start"},
		{name: "an unknown fresh cell", ttft: rising, change: func(s *scene) { s.fresh(0).Verdict = "unknown" }, outcome: Incomplete, inversion: "unknown", says: "nothing proves"},
		{name: "shorter prompts", ttft: rising, change: func(s *scene) {
			for _, d := range s.doc.Runs {
				if cellOf(d) != nil {
					*d.Facts.Run.Merged.InputTokens /= 2
				}
			}
		}, outcome: NotComparable, inversion: "no", says: "the mean prompt has 256 tokens in the sweep and 512 in the kit"},
		{name: "another prefill rate", ttft: rising, change: func(s *scene) {
			for i, l := range s.lat {
				l.PrefillRate = &latency.Rate{TokensPerS: map[bool]float64{true: 5800, false: 19000}[i < 2]}
			}
		}, outcome: NotComparable, inversion: "no", says: "the kit's runs imply 5800 prefill tokens/s, the sweep's 19000"},
		{name: "a kit's rate by one wave alone", ttft: rising, change: func(s *scene) {
			for i, d := range s.doc.Runs {
				s.lat[i].PrefillRate = &latency.Rate{TokensPerS: 5800}
				if cellOf(d) == nil && runCap(d) == 32 {
					s.lat[i].PrefillRate = &latency.Rate{TokensPerS: 9900, OneWave: true}
				}
			}
		}, outcome: Confirmed, inversion: "no", says: "the prefill rates agree: 5800 tokens/s in the kit, 5800 in the sweep"},
		{name: "the repeat arm is cold", repeat: true, ttft: rising, change: func(s *scene) {
			for _, d := range s.doc.Runs {
				if c := cellOf(d); c != nil && c.Arm == plan.Repeat {
					d.Verdict, d.AtStart.Low = "clean", 0
				}
			}
		}, outcome: Refuted, inversion: "no", says: "did not bring the fault back"},
		{name: "moved the wrong way", ttft: func(cap, n int) float64 { return map[int]float64{8: 210, 32: 416}[cap] + float64(n) },
			outcome: Confirmed, inversion: "no", says: "cap 8 moved the wrong way: 677.61 ms in the kit, 210.00 to 212.00 ms"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, tt.repeat, tt.ttft)
			if tt.change != nil {
				tt.change(s)
			}
			got := s.read()
			text := strings.Join(got.Text, "\n")
			if got.Outcome != tt.outcome || got.Inversion != tt.inversion || !strings.Contains(text, tt.says) {
				t.Errorf("outcome %s, inversion %s, want %s, %s, and %q in:\n%s", got.Outcome, got.Inversion, tt.outcome, tt.inversion, tt.says, text)
			}
			if got.Expectation == "" || got.RefutedIf == "" {
				t.Error("the expectation is gone")
			}
		})
	}
}

// fresh is the i-th run of the fresh arm.
func (s *scene) fresh(i int) *carryover.Run {
	for _, d := range s.doc.Runs {
		if c := cellOf(d); c != nil && c.Arm == plan.Fresh {
			if i == 0 {
				return d
			}
			i--
		}
	}
	return nil
}

func TestRanges(t *testing.T) {
	got := newScene(t, true, rising).read()
	var lines []string
	for _, r := range append(got.Ranges, got.Repeat...) {
		lines = append(lines, fmt.Sprintf("%s cap %d %s n=%d %g..%g..%g cached %v", r.Arm, r.Cap, r.Stat, r.N, r.Low, r.Median, r.High, r.Cached))
	}
	golden(t, "ranges.txt", []byte(strings.Join(lines, "\n")+"\n"))
}

// TestStated: a table without its files is set beside the kit and decides
// nothing.
func TestStated(t *testing.T) {
	s := newScene(t, false, rising)
	s.c.Plans = nil
	s.doc.Runs, s.lat = s.doc.Runs[:2], s.lat[:2]
	for cap, v := range map[int]float64{8: 209.98, 32: 416.37} {
		s.c.Notes.Points = append(s.c.Notes.Points, capture.Points{Label: "three seeds", Seeds: []int64{1, 2, 3}, Cap: ptr(cap), MedianTTFT: ptr(v), Low: ptr(v - 20), High: ptr(v + 20)})
	}
	got := s.read()
	text := strings.Join(got.Text, "\n")
	if got.Plan != nil || got.Outcome != NotComparable || len(got.Stated) != 2 || got.Inversion != "no" {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(text, "cap 8 moved the wrong way") || strings.Contains(text, "cap 32 moved") {
		t.Errorf("text:\n%s", text)
	}
	if Read(&capture.Capture{}, &carryover.Document{}, nil) != nil {
		t.Error("a capture without plan and points has a confirmation")
	}
}
