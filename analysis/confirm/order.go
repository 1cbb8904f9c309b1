package confirm

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"coldcase/ingest/plan"
)

// orderStream separates the shuffle from other uses of the same seed.
const orderStream = 0x636f6c6463617365

// layout puts caps × seeds into blocks, one block per seed's worth of
// repeats: each block holds every cap once, in a shuffled order, so that a
// drift of the server falls on all caps alike. Inside a block each cap has
// another seed: if a flush fails unseen, the cell before has not sent the same
// prompts.
//
// With repeat, the last fresh cell of each cap is followed by a cell that sends
// the same prompts again.
func layout(points []plan.Point, seeds []int64, orderSeed uint64, repeat bool) []plan.Cell {
	rng := rand.New(rand.NewPCG(orderSeed, orderStream))
	seeds = slices.Clone(seeds)
	rng.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
	var cells []plan.Cell
	for b := range seeds {
		order := rng.Perm(len(points))
		for _, i := range order {
			cells = append(cells, plan.Cell{Cap: points[i].Cap, Prompts: points[i].Prompts, Seed: seeds[(b+i)%len(seeds)], Arm: plan.Fresh})
			if repeat && b == len(seeds)-1 {
				twin := cells[len(cells)-1]
				twin.Arm = plan.Repeat
				cells = append(cells, twin)
			}
		}
	}
	for i := range cells {
		c := &cells[i]
		c.ID = fmt.Sprintf("%03d-c%d-s%d-%s", i+1, c.Cap, c.Seed, c.Arm)
	}
	return cells
}

// defaultSeeds is the number of fresh seeds where none are given: the least
// that gives each point a range.
const defaultSeeds = 3

// freshSeeds returns the seeds to use. Seeds that a person gave must not be
// the kit's; others are counted up from 1, past the kit's.
func freshSeeds(asked, kit []int64, step int64) ([]int64, error) {
	for i, s := range asked {
		if slices.Contains(kit, s) {
			return nil, fmt.Errorf("--seeds: %d is the seed of the kit: its prompts may be in the cache, and the sweep needs fresh ones", s)
		}
		if slices.Contains(asked[:i], s) {
			return nil, fmt.Errorf("--seeds: %d is given twice", s)
		}
	}
	if len(asked) > 0 {
		return asked, nil
	}
	var seeds []int64
	for s := int64(1); len(seeds) < defaultSeeds; s += step {
		if !slices.Contains(kit, s) {
			seeds = append(seeds, s)
		}
	}
	return seeds, nil
}

// seedStep is the distance between fresh seeds. With vLLM's
// prefix_repetition, prefix k of one seed is prefix k-1 of the next in the
// Rust client, so that neighbours share most of their prompts.
func seedStep(dataset string) int64 {
	if dataset == "prefix_repetition" {
		return 1000
	}
	return 1
}

// seedless are datasets whose prompts do not depend on the seed: there only
// the flush makes a run cold.
var seedless = []string{"openai", "mooncake", "agentic-trace", "speed_bench", "spec_bench", "timed_trace"}
