package latency

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"coldcase/analysis/carryover"
)

// Spread is one statistic over the runs of one point: the run, not the request,
// is what was repeated.
type Spread struct {
	Cap       int
	Statistic string
	Runs      []string
	Values    []float64 // ms, in the order of Runs
	Low       float64   // the range over the runs, never a confidence interval
	Median    float64
	High      float64
	CV        float64 // sample standard deviation over the mean, 0 for one run
	// Interval is the 95 % interval of the median with no assumption on the
	// distribution, nil with fewer than six runs.
	Interval *[2]float64
	Warnings []string
}

// intervalRuns is the least number of runs for a 95 % interval of a median.
const intervalRuns = 6

// Spreads gives the spread of a printed statistic at each cap of each workload,
// by workload in order of appearance, then cap; runs with warm prompts and runs
// without are points of their own.
func Spreads(d *carryover.Document, runs []*Run, stat string) []Spread {
	if d == nil {
		return nil
	}
	byID := map[string]*carryover.Run{}
	for _, r := range d.Runs {
		byID[r.ID] = r
	}
	out := []Spread{}
	for _, points := range workloads(byID, runs, stat) {
		for _, p := range points {
			out = append(out, newSpread(p, stat))
		}
	}
	return out
}

func newSpread(p *point, stat string) Spread {
	s := Spread{Cap: p.cap, Statistic: stat, Runs: p.runs, Values: p.values,
		Low: slices.Min(p.values), Median: Median(p.values), High: slices.Max(p.values)}
	n := float64(len(p.values))
	if len(p.values) < 2 {
		s.Warnings = append(s.Warnings, "one run: no range")
		return s
	}
	s.CV = Std(p.values) * math.Sqrt(n/(n-1)) / Mean(p.values)
	if len(p.values) < intervalRuns {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d runs: a range, not an interval (%d are needed)", len(p.values), intervalRuns))
		return s
	}
	sample := benchmath.NewSample(slices.Clone(p.values), &benchmath.DefaultThresholds)
	sum := benchmath.AssumeNothing.Summary(sample, 0.95)
	s.Interval = &[2]float64{sum.Lo, sum.Hi}
	for _, w := range sum.Warnings {
		s.Warnings = append(s.Warnings, w.Error())
	}
	return s
}
