package record

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coldcase/ingest/plan"
)

// run measures one cell and writes its folder. The error is not nil only if
// the sweep has to end; what is wrong with the cell stands in its document.
func (s *session) run(ctx context.Context, i int) (*cellDoc, error) {
	cell := &s.plan.Cells[i]
	doc := &cellDoc{
		Schema: cellSchema, ID: cell.ID, State: Aborted, Why: "the sweep ended before this cell did",
		Arm: cell.Arm, Cap: cell.Cap, Prompts: cell.Prompts, Seed: cell.Seed,
		Started: stampNow(), Client: s.plan.Client, Notes: []string{}, Earlier: []attempt{},
	}
	if err := s.store.begin(doc); err != nil {
		return doc, err
	}
	s.t.cell, s.measured = cell.ID, false
	err := s.measure(ctx, i, doc)
	doc.Ended = stampNow()
	var stop error
	switch r := (refusal{}); {
	case err == nil && doc.State == Aborted:
		doc.State, doc.Why = Done, ""
	case err == nil:
	case ctx.Err() != nil:
		doc.State, doc.Why = Aborted, "interrupted"
		stop = ctx.Err()
	case errors.As(err, &r):
		doc.State, doc.Why = Refused, r.why
	case !s.measured:
		doc.State, doc.Why = Refused, err.Error()
	default:
		doc.State, doc.Why = Failed, err.Error()
	}
	var ends stopError
	if errors.As(err, &ends) || errors.Is(err, errNoAnswer) || errors.Is(err, errKey) {
		stop = err
	}
	if werr := s.store.write(doc); werr != nil {
		return doc, werr
	}
	return doc, stop
}

// measure is the protocol of a cell.
func (s *session) measure(ctx context.Context, i int, doc *cellDoc) error {
	cell := &s.plan.Cells[i]
	s.show.state("waiting for an idle server")
	if err := waitIdle(ctx, s.e, s.o); err != nil {
		return stopError{err} // the next cell would wait as long
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	doc.Engine = s.e.name() + " " + s.facts.version
	doc.ServerLife = s.facts.life
	if s.facts.cacheOff {
		return stopError{refuse("the server's prefix cache is off: there is nothing to confirm here")}
	}
	if cell.Arm == plan.Repeat {
		if err := s.followsItsTwin(i); err != nil {
			return err
		}
	} else if err := s.freshStart(ctx, cell, doc); err != nil {
		return err
	}
	return s.client(ctx, cell, doc)
}

// freshStart warms the server up and proves that its cache was emptied.
func (s *session) freshStart(ctx context.Context, cell *plan.Cell, doc *cellDoc) error {
	s.show.state("warm-up")
	if err := s.warm(ctx, cell); err != nil {
		return beforeMeasuring(ctx, err)
	}
	s.show.state("flush")
	f := &flushDoc{Schema: "coldcase.flush/1", Answers: []flushAnswer{}, By: "canary", Ranks: s.facts.ranks}
	err := s.prove(ctx, f)
	doc.Flush = flushPart{Asked: f.Asked, Answered: f.Answered, Proved: f.Proved, Canary: f.Canary}
	doc.ServerLife = s.facts.life
	if werr := writeJSON(s.path(cell, flushFile), f); werr != nil {
		return werr
	}
	return beforeMeasuring(ctx, err)
}

// beforeMeasuring makes a refusal of an error that came before the client:
// nothing was measured. Errors that end the sweep stay what they are.
func beforeMeasuring(ctx context.Context, err error) error {
	var ends stopError
	if err == nil || ctx.Err() != nil || errors.As(err, &ends) || errors.Is(err, errNoAnswer) || errors.Is(err, errKey) {
		return err
	}
	return refuse("%v", err)
}

// followsItsTwin makes sure that what a repeat cell repeats is what the server
// saw last.
func (s *session) followsItsTwin(i int) error {
	if i == 0 {
		return refuse("a repeat cell needs a cell before it")
	}
	twin := s.store.cell(s.plan.Cells[i-1].ID)
	if twin == nil || twin.State != Done {
		return refuse("the cell that this one repeats, %s, is not done", s.plan.Cells[i-1].ID)
	}
	if twin.ServerLife != s.facts.life {
		return refuse("the server was restarted since %s, which this cell repeats: remove that cell to measure both again", twin.ID)
	}
	for _, c := range s.plan.Cells {
		if other := s.store.cell(c.ID); other != nil && c.ID != s.plan.Cells[i].ID && other.Flush.Asked && other.Started > twin.Ended {
			return refuse("cell %s flushed the cache after %s, which this cell repeats", other.ID, twin.ID)
		}
	}
	return nil
}

// client runs the measuring client between two readings of the counters.
func (s *session) client(ctx context.Context, cell *plan.Cell, doc *cellDoc) error {
	before, have, err := s.counters(ctx)
	if err != nil {
		return err
	}
	if have && cell.Arm == plan.Fresh {
		if err := s.onlyCanaries(before); err != nil {
			return err
		}
	}
	if have {
		if err := writeFile(s.path(cell, beforeFile), before.text); err != nil {
			return err
		}
	}
	slice, err := startSlice(s.o.ServerLog)
	if err != nil {
		return err
	}
	s.show.state("running")
	s.measured = true
	result, runErr := s.measureWith(ctx, cell, doc)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.show.state("reading the counters")
	if err := s.afterClient(ctx, cell, doc, before, have, result); err != nil {
		return errors.Join(runErr, err)
	}
	if err := slice.save(s.path(cell, logFile)); err != nil {
		return err
	}
	if runErr != nil {
		return runErr
	}
	return s.judge(cell, doc, result)
}

// afterClient waits for idle and reads the counters again.
func (s *session) afterClient(ctx context.Context, cell *plan.Cell, doc *cellDoc, before counters, have bool, result *clientResult) error {
	if !have {
		doc.Notes = append(doc.Notes, "the server has no metrics: other traffic would not have been seen")
		return nil
	}
	idle := *s.o
	idle.IdleHold = 0 // a foreign request that comes later is not this cell's
	if err := waitIdle(ctx, s.e, &idle); err != nil {
		var r refusal
		if errors.As(err, &r) { // measured, so it is no refusal any more
			return errors.New("after the client: " + r.why)
		}
		return err
	}
	after, _, err := s.counters(ctx)
	if err != nil {
		return err
	}
	if err := writeFile(s.path(cell, afterFile), after.text); err != nil {
		return err
	}
	if before.requests != nil && after.requests != nil {
		n := int(math.Round(*after.requests - *before.requests))
		doc.RequestsSeen = &n
	}
	if before.cached != nil && after.cached != nil {
		n := int64(*after.cached - *before.cached)
		doc.CachedTokens = &n
	}
	if result != nil && result.warmups != nil {
		n := cell.Prompts + *result.warmups
		doc.RequestsSent = &n
	}
	life := s.facts.life
	if err := s.look(ctx); err != nil {
		return err
	}
	if s.facts.life != life {
		return errors.New("the server was restarted during the cell")
	}
	return nil
}

// judge looks for reasons not to call a measured cell done.
func (s *session) judge(cell *plan.Cell, doc *cellDoc, r *clientResult) error {
	if r.completed != nil && *r.completed < cell.Prompts {
		return fmt.Errorf("%d of %d prompts did not complete: %s", cell.Prompts-*r.completed, cell.Prompts, r.firstError)
	}
	if doc.RequestsSeen != nil {
		switch sent := doc.RequestsSent; {
		case *doc.RequestsSeen < cell.Prompts:
			return fmt.Errorf("the server counted %d requests for %d prompts: the counters were reset, or the client sent less", *doc.RequestsSeen, cell.Prompts)
		case sent == nil && *doc.RequestsSeen != cell.Prompts:
			doc.Notes = append(doc.Notes, fmt.Sprintf("the server counted %d requests for %d prompts: warm-ups of the client or other traffic (say --client-warmups)", *doc.RequestsSeen, cell.Prompts))
		case sent != nil && *doc.RequestsSeen > *sent:
			return fmt.Errorf("other traffic: the server counted %d requests, %d were sent", *doc.RequestsSeen, *sent)
		case sent != nil && *doc.RequestsSeen < *sent:
			return fmt.Errorf("the server counted %d requests, and the client should have sent %d with its warm-ups: what it sent is not known", *doc.RequestsSeen, *sent)
		}
	}
	warm := s.warmPrompts(doc, r)
	if cell.Arm == plan.Repeat {
		if warm != nil {
			doc.Notes = append(doc.Notes, fmt.Sprintf("%d of %d prompts were served from the cache", *warm, cell.Prompts))
		}
		return nil
	}
	if warm != nil && *warm > s.byChance(cell) {
		return fmt.Errorf("%d of %d prompts were served from the cache although it was proved empty: another client sent them, or the prompts of this run share prefixes", *warm, cell.Prompts)
	}
	return nil
}

// warmPrompts is the number of prompts that were served from the cache, not
// counting those that the client's own warm-up explains; nil if nothing tells.
func (s *session) warmPrompts(doc *cellDoc, r *clientResult) *int {
	warmed := 0 // prompt 1 is a hit if the client's warm-up sent it
	if r.warmups != nil && *r.warmups > 0 {
		warmed = 1
	}
	if r.cached != nil {
		n := 0
		for i, c := range r.cached {
			if i >= warmed && s.isHit(c, r.inputOf(i, s.inputLen())) {
				n++
			}
		}
		return &n
	}
	if doc.CachedTokens == nil || r.warmups == nil {
		return nil
	}
	// Bound from the counters: what exceeds full hits of the warm-ups.
	extra := int(*doc.CachedTokens) - *r.warmups*s.inputLen()
	n := 0
	if extra >= visible(s.facts.pageSize) {
		n = (extra + s.inputLen() - 1) / s.inputLen()
	}
	return &n
}

// isHit tells a hit from a crumb such as a shared first token: at least a page,
// 16 tokens and 5 % of the prompt.
func (s *session) isHit(cached, length int) bool {
	return cached >= visible(s.facts.pageSize) && cached*20 >= length
}

// byChance is the number of prompts of a run that may equal each other by
// chance. Our own prompts are independent tokens: none. Those of the engines'
// clients start at a random id or row, where two in a few hundred may meet.
func (s *session) byChance(cell *plan.Cell) int {
	if s.plan.Client == clientBuiltin {
		return 0
	}
	return max(2, cell.Prompts/50)
}
