package record

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"coldcase/ingest/plan"
)

// Streams that separate the uses of a seed: token ids, lengths, send times.
const (
	promptStream = 0x70726f6d7074
	lengthStream = 0x6c656e677468
	rateStream   = 0x72617465
)

// prompts builds the prompts of a cell: independent token ids, no two alike.
// The ids of prompt i depend on the seed and on i alone, so that the first
// prompts of a larger cell are those of a smaller one, as with the engines' own
// random sets, and a shorter prompt is the head of a longer one. Lengths lie in
// [len × ratio, len], as SGLang's --random-range-ratio has it.
func prompts(cell *plan.Cell, length int, ratio float64) [][]int32 {
	seen := map[uint64]bool{}
	list := make([][]int32, cell.Prompts)
	for i := range list {
		n := drawLength(rand.New(rand.NewPCG(uint64(cell.Seed), lengthStream+uint64(i))), length, ratio)
		for try := uint64(0); ; try++ {
			p := drawIDs(rand.New(rand.NewPCG(uint64(cell.Seed), promptStream+uint64(i)<<8+try)), n)
			if h := hashPrompt(p); !seen[h] {
				seen[h] = true
				list[i] = p
				break
			}
		}
	}
	return list
}

func drawLength(rng *rand.Rand, length int, ratio float64) int {
	least := max(int(math.Floor(float64(length)*ratio)), 1)
	if least >= length {
		return length
	}
	return least + rng.IntN(length-least+1)
}

func drawIDs(rng *rand.Rand, n int) []int32 {
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
