package record

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"coldcase/ingest/plan"
)

// resultFile is the record of the built-in client and of SGLang's.
const resultFile = "result.jsonl"

// measured is one prompt and what came of it.
type measured struct {
	reply *reply
	err   error
}

// builtin measures a cell with the built-in client and writes its record.
func (s *session) builtin(ctx context.Context, cell *plan.Cell, doc *cellDoc) (*clientResult, error) {
	doc.Result = resultFile
	rec, err := s.send(ctx, cell)
	if err != nil {
		return nil, err
	}
	doc.Command = rec.command()
	if err := writeFile(s.path(cell, resultFile), rec.encode()); err != nil {
		return nil, err
	}
	return rec.result(), nil
}

// send sends the prompts of a cell, at most cap at a time, in order, each when
// a slot is free and, with a finite rate, not before its turn.
func (s *session) send(ctx context.Context, cell *plan.Cell) (*clientRecord, error) {
	ratio := 1.0
	if r := s.plan.Workload.RangeRatio; r != nil {
		ratio = *r
	}
	list := prompts(cell, s.inputLen(), ratio)
	rate, err := s.rate()
	if err != nil {
		return nil, err
	}
	turns := arrivals(cell, rate)
	results := make([]measured, len(list))
	var wg sync.WaitGroup
	next := make(chan int)
	started := time.Now()
	for range min(cell.Cap, len(list)) {
		wg.Go(func() {
			for i := range next {
				r, err := generate(ctx, s.t, s.e, "measured", list[i], s.outputLen(), -1)
				results[i] = measured{r, err}
			}
		})
	}
	sent := 0
	for ; sent < len(list) && ctx.Err() == nil; sent++ {
		if wait := turns[sent] - time.Since(started); wait > 0 {
			if pause(ctx, wait) != nil {
				break
			}
		}
		next <- sent
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return newRecord(s, cell, ratio, rate, list, results, started), nil
}

// rate is the plan's request rate per second, 0 = no limit.
func (s *session) rate() (float64, error) {
	switch v := s.plan.Workload.RequestRate.(type) {
	case nil:
		return 0, nil
	case float64:
		if v > 0 {
			return v, nil
		}
	case string:
		if v == "inf" || v == "" {
			return 0, nil
		}
	}
	return 0, refuse("request_rate %v: want inf or a number above 0", s.plan.Workload.RequestRate)
}

// arrivals are the earliest send times: at once, or a Poisson process.
func arrivals(cell *plan.Cell, rate float64) []time.Duration {
	turns := make([]time.Duration, cell.Prompts)
	if rate == 0 {
		return turns
	}
	rng := rand.New(rand.NewPCG(uint64(cell.Seed), rateStream))
	at := 0.0
	for i := range turns {
		turns[i] = time.Duration(at * float64(time.Second))
		at += rng.ExpFloat64() / rate
	}
	return turns
}
