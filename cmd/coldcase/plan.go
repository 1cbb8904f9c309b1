package main

import (
	"slices"

	"github.com/spf13/pflag"

	"coldcase/analysis/confirm"
	"coldcase/ingest"
	"coldcase/ingest/plan"
)

// planFlags are the flags from which a plan is made.
type planFlags struct {
	confirm.Options
	from  string
	names []string // of the flags that register added
}

func (p *planFlags) register(f *pflag.FlagSet) {
	own := pflag.NewFlagSet("plan", pflag.ContinueOnError)
	own.SortFlags = false
	own.StringVar(&p.from, "from", "", "plan the confirmation of the kit in `CAPTURE`")
	own.IntSliceVar(&p.Caps, "caps", nil, "concurrency caps")
	own.IntSliceVar(&p.Prompts, "prompts", nil, "prompts per run: one number, or one for each cap")
	own.Int64SliceVar(&p.Seeds, "seeds", nil, "fresh seeds; those of the kit are refused")
	own.IntVar(&p.InputLen, "input-len", 0, "prompt length in tokens")
	own.IntVar(&p.OutputLen, "output-len", 0, "output length in tokens")
	own.Float64Var(&p.RangeRatio, "range-ratio", -1, "spread of the lengths, in the client's own meaning")
	own.StringVar(&p.Dataset, "dataset", "", "the client's `NAME` of the dataset")
	own.BoolVar(&p.RepeatArm, "repeat-arm", false, "add cells that repeat a seed without a flush, to bring the fault back")
	own.Uint64Var(&p.OrderSeed, "order-seed", 0, "seed of the shuffled order of the cells")
	own.Float64Var(&p.Percentile, "percentile", 0, "deepest percentile that the result shall carry, in %")
	own.VisitAll(func(g *pflag.Flag) { p.names = append(p.names, g.Name) })
	f.AddFlagSet(own)
}

// given reports whether any flag of a plan was set.
func (p *planFlags) given(f *pflag.FlagSet) bool {
	return slices.ContainsFunc(p.names, f.Changed)
}

// make builds the plan, from the kit or from the flags alone.
func (p *planFlags) make(t *terminal) (*plan.Plan, error) {
	if p.from == "" {
		made, err := confirm.NewPlan(p.Options)
		if err != nil {
			return nil, usageErrorf("plan the sweep: %w", err)
		}
		return made, nil
	}
	kit, err := ingest.Open(ingest.Options{Stdin: t.in, OpenFile: t.openFile}, p.from)
	if err != nil {
		return nil, usageErrorf("--from: %w", err)
	}
	made, err := confirm.FromCapture(kit, p.Options)
	if err != nil {
		return nil, usageErrorf("plan the sweep from %s: %w", p.from, err)
	}
	return made, nil
}
