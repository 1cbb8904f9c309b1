package confirm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"coldcase/analysis/latency"
	"coldcase/ingest/plan"
)

// draft is a plan that is being written.
type draft struct{ *plan.Plan }

// NewPlan makes a plan from flags alone: the same number of prompts at every
// cap, enough for the deepest percentile that is asked for.
func NewPlan(o Options) (*plan.Plan, error) {
	if len(o.Caps) == 0 {
		return nil, errors.New("--caps: want at least one cap, or --from a capture that has them")
	}
	if len(o.Prompts) == 0 {
		o.Prompts = []int{promptsFor(o.Percentile)}
	}
	points, err := pointsOf(o.Caps, o.Prompts)
	if err != nil {
		return nil, err
	}
	seeds, err := freshSeeds(o.Seeds, nil, seedStep(o.Dataset))
	if err != nil {
		return nil, err
	}
	p := &draft{&plan.Plan{
		Workload: plan.Workload{Dataset: "random", InputLen: intPtr(512), OutputLen: intPtr(128), RangeRatio: floatPtr(fixedRatio(o.Client)), RequestRate: "inf"},
		Client:   "builtin",
	}}
	p.fill(o, points, seeds)
	p.DiffersFromKit = []string{}
	p.expect(nil)
	return p.Plan, p.Check()
}

// fixedRatio is the range ratio that means one length for all prompts. vLLM's
// client spans len ± ratio (since April 2025), SGLang's and the built-in one
// draw from [len × ratio, len].
func fixedRatio(client string) float64 {
	if client == "vllm" {
		return 0
	}
	return 1
}

// defaultPercentile is what a plan from flags makes room for.
const defaultPercentile = 95

// promptsFor is a round number of prompts that carries percentile.
func promptsFor(percentile float64) int {
	if percentile == 0 {
		percentile = defaultPercentile
	}
	n := latency.MinRequests(percentile / 100)
	return (n + 3) / 4 * 4
}

// pointsOf pairs caps with numbers of prompts.
func pointsOf(caps, prompts []int) ([]plan.Point, error) {
	if len(prompts) != 1 && len(prompts) != len(caps) {
		return nil, fmt.Errorf("--prompts: %d values for %d caps: want one for all, or one for each", len(prompts), len(caps))
	}
	points := make([]plan.Point, len(caps))
	for i, c := range caps {
		points[i] = plan.Point{Cap: c, Prompts: prompts[min(i, len(prompts)-1)]}
		if c < 1 || points[i].Prompts < 1 {
			return nil, errors.New("--caps and --prompts: want numbers of at least 1")
		}
		if slices.Contains(caps[:i], c) {
			return nil, fmt.Errorf("--caps: %d is given twice", c)
		}
	}
	return points, nil
}

// fill writes what both kinds of plan have.
func (p *draft) fill(o Options, points []plan.Point, seeds []int64) {
	p.Schema = plan.Schema
	p.Server = o.Server
	if o.Engine != "" && o.Engine != "auto" {
		p.Engine = o.Engine
	}
	if o.Client != "" {
		p.Client = o.Client
	}
	p.OrderSeed = max(o.OrderSeed, 1)
	p.Cells = layout(points, seeds, p.OrderSeed, o.RepeatArm)
	if o.Dataset != "" {
		p.Workload.Dataset = o.Dataset
	}
	if o.InputLen > 0 {
		p.Workload.InputLen = intPtr(o.InputLen)
	}
	if o.OutputLen > 0 {
		p.Workload.OutputLen = intPtr(o.OutputLen)
	}
	if o.RangeRatio >= 0 {
		p.Workload.RangeRatio = floatPtr(o.RangeRatio)
	}
	p.NotCarried = notCarried(points)
	p.Notes = []string{}
	if slices.Contains(seedless, p.Workload.Dataset) {
		p.Notes = append(p.Notes, fmt.Sprintf("the prompts of dataset %s do not depend on the seed: every cell sends the same ones, and only the flush makes it cold", p.Workload.Dataset))
	}
}

// notCarried names the percentiles of each point that n is too small for.
func notCarried(points []plan.Point) []string {
	out := []string{}
	for _, pt := range points {
		var deep []string
		for _, q := range []float64{90, 95, 99} {
			if pt.Prompts < latency.MinRequests(q/100) {
				deep = append(deep, fmt.Sprintf("P%g", q))
			}
		}
		if len(deep) > 0 {
			out = append(out, fmt.Sprintf("cap %d: %d prompts do not carry %s", pt.Cap, pt.Prompts, strings.Join(deep, ", ")))
		}
	}
	return out
}

func intPtr(n int) *int           { return &n }
func floatPtr(f float64) *float64 { return &f }
