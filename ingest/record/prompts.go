package record

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"coldcase/ingest/plan"
)

// promptStream separates the draws of prompts from other uses of a seed.
const promptStream = 0x70726f6d7074

// prompts builds the prompts of a cell: independent token ids, no two alike.
// Prompt i depends on the seed and on i alone, so that the first prompts of a
// larger cell are those of a smaller one, as with the engines' own random sets.
// Lengths lie in [len × ratio, len], as SGLang's --random-range-ratio has it.
func prompts(cell *plan.Cell, length int, ratio float64) [][]int32 {
	seen := map[uint64]bool{}
	list := make([][]int32, cell.Prompts)
	for i := range list {
		for try := uint64(0); ; try++ {
			rng := rand.New(rand.NewPCG(uint64(cell.Seed), promptStream+uint64(i)<<8+try))
			p := drawPrompt(rng, length, ratio)
			if h := hashPrompt(p); !seen[h] {
				seen[h] = true
				list[i] = p
				break
			}
		}
	}
	return list
}

func drawPrompt(rng *rand.Rand, length int, ratio float64) []int32 {
	n := length
	if least := max(int(math.Floor(float64(length)*ratio)), 1); least < length {
		n = least + rng.IntN(length-least+1)
	}
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = firstID + rng.Int32N(lastID-firstID)
	}
	return ids
}

func hashPrompt(ids []int32) uint64 {
	h := fnv.New64a()
	var b [4]byte
	for _, id := range ids {
		b[0], b[1], b[2], b[3] = byte(id), byte(id>>8), byte(id>>16), byte(id>>24)
		h.Write(b[:])
	}
	return h.Sum64()
}
