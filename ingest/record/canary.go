package record

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Token ids of our own prompts: above the special ids at the start of the
// vocabularies in use, and below the end of small ones, since a server refuses
// ids that its model does not have.
const (
	firstID = 1000
	lastID  = 16000 // exclusive
)

// canaryLen is the least length of the canary in tokens: long enough for some
// pages, and for a hit that is no crumb.
const canaryLen = 256

// canary is a private prompt per rank.
type canary struct {
	prompts [][]int32
}

// newCanary draws prompts that nobody has sent.
func newCanary(ranks, pageSize int) *canary {
	c := &canary{}
	for range ranks {
		c.prompts = append(c.prompts, randomPrompt(max(canaryLen, 4*pageSize+1)))
	}
	return c
}

func randomPrompt(n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = firstID + rand.Int32N(lastID-firstID)
	}
	return ids
}

// send sends the canary of a rank and returns its cached tokens: as the answer
// tells them, else as the server's counters do.
func (c *canary) send(ctx context.Context, s *session, rank int) (cached int, err error) {
	addressed := -1
	if s.facts.ranks > 1 {
		addressed = rank
	}
	before, haveBefore, err := s.counters(ctx)
	if err != nil {
		return 0, err
	}
	r, err := generate(ctx, s.t, s.e, "canary", c.prompts[rank], 4, addressed)
	if err != nil {
		return 0, fmt.Errorf("canary: %w", err)
	}
	if r.prompt != nil && *r.prompt != len(c.prompts[rank]) {
		return 0, refuse("the canary had %d tokens and the server counted %d: token ids are not taken as they are", len(c.prompts[rank]), *r.prompt)
	}
	if r.cached != nil {
		s.canaryReported = true
		if s.facts.ranks == 1 {
			return *r.cached, nil
		}
	}
	if !haveBefore {
		if s.facts.ranks > 1 && r.rank != nil && r.cached != nil && *r.rank == rank {
			return *r.cached, nil
		}
		return 0, refuse("the server tells cached tokens neither in its answers nor in its counters: start SGLang with --enable-metrics, vLLM with --enable-prompt-tokens-details")
	}
	after, err := s.afterOne(ctx, before)
	if err != nil {
		return 0, err
	}
	if s.facts.ranks > 1 {
		if err := reached(rank, r, before, after); err != nil {
			return 0, err
		}
	}
	switch {
	case r.cached != nil:
		return *r.cached, nil
	case s.canaryReported:
		return 0, nil // this server leaves a zero out
	case before.cached != nil && after.cached != nil:
		return int(*after.cached - *before.cached), nil
	}
	return 0, refuse("the server tells cached tokens neither in its answers nor in its counters: start vLLM with --enable-prompt-tokens-details")
}

// reached makes sure that a canary was served by the rank it was sent to.
func reached(rank int, r *reply, before, after counters) error {
	if r.rank != nil {
		if *r.rank != rank {
			return refuse("the canary for rank %d was served by rank %d: the flush cannot be proved for every rank", rank, *r.rank)
		}
		return nil
	}
	if len(after.byRank) > rank && len(before.byRank) > rank && after.byRank[rank] > before.byRank[rank] {
		return nil
	}
	return refuse("nothing tells which rank served the canary for rank %d: the flush cannot be proved for every rank", rank)
}

// afterOne reads the counters once they show one request more. Scheduler and
// front end publish apart, so the reading must also be steady.
func (s *session) afterOne(ctx context.Context, before counters) (counters, error) {
	for range steadyTries {
		c, ok, err := s.counters(ctx)
		if err != nil {
			return c, err
		}
		if !ok || before.requests == nil || *c.requests > *before.requests {
			return c, nil
		}
		if err := pause(ctx, s.o.Poll); err != nil {
			return c, err
		}
	}
	return counters{}, refuse("the server's counters do not show the canary")
}

// visible is the least number of cached tokens that show a cache at work.
func visible(pageSize int) int { return max(pageSize, 16) }

// prove runs the protocol of a fresh start: canary twice, flush, canary once
// more.
func (s *session) prove(ctx context.Context, f *flushDoc) error {
	c := newCanary(s.facts.ranks, s.facts.pageSize)
	s.canaryReported = false
	for rank := range c.prompts {
		if _, err := c.send(ctx, s, rank); err != nil {
			return err
		}
		again, err := c.send(ctx, s, rank)
		if err != nil {
			return err
		}
		if f.Canary.Before == nil || again < *f.Canary.Before {
			f.Canary.Before = &again
		}
		if again < visible(s.facts.pageSize) {
			return refuse("the canary, sent twice to rank %d, shows %d cached tokens: the cache is off, evicts at once, or is not reported, so that a flush cannot be proved", rank, again)
		}
	}
	if err := s.empty(ctx, f); err != nil {
		return err
	}
	s.canaries = len(c.prompts)
	for rank := range c.prompts {
		after, err := c.send(ctx, s, rank)
		if err != nil {
			return err
		}
		if f.Canary.After == nil || after > *f.Canary.After {
			f.Canary.After = &after
		}
		if after != 0 {
			return refuse("the flush answered %q and the canary still has %d cached tokens on rank %d: the cache was not emptied", f.Answered, after, rank)
		}
	}
	f.Proved = true
	return nil
}

// empty flushes, again and again while the server refuses, or restarts the
// server if there is a command for it.
func (s *session) empty(ctx context.Context, f *flushDoc) error {
	f.Asked = true
	if s.o.RestartCmd != "" {
		if err := s.restart(ctx, f); err != nil {
			return err
		}
		return s.countFromHere(ctx)
	}
	if err := s.countFromHere(ctx); err != nil {
		return err
	}
	deadline := time.Now().Add(s.o.FlushWait)
	for {
		a, err := s.e.flush(ctx, min(s.o.FlushWait, 10*time.Second))
		a.At = stampNow()
		f.Answers = append(f.Answers, a)
		f.Answered = a.Answered
		if errors.Is(err, errNoFlush) {
			if s.e.name() == "vllm" {
				return stopError{refuse("vLLM answers 404 to POST /reset_prefix_cache: it was started without VLLM_SERVER_DEV_MODE=1, so that its cache cannot be emptied. Start it with that variable, or give --restart-cmd")}
			}
			return stopError{refuse("%v (%s): give --restart-cmd", err, a.Asked)}
		}
		if err != nil {
			return err
		}
		if a.Answered != saidRefused {
			return nil
		}
		if time.Now().After(deadline) {
			return refuse("the server refused to flush for %s: status %d, %s", s.o.FlushWait, a.Status, a.Body)
		}
		if err := pause(ctx, s.o.Poll); err != nil {
			return err
		}
	}
}

// countFromHere remembers how many requests the server has finished.
func (s *session) countFromHere(ctx context.Context) error {
	c, ok, err := s.counters(ctx)
	s.flushedAt = nil
	if err == nil && ok {
		s.flushedAt = c.requests
	}
	return err
}

// onlyCanaries refuses a cell if more than the canary was served between the
// flush and the client: what came in between may have left its prompts.
func (s *session) onlyCanaries(c counters) error {
	if s.flushedAt == nil || c.requests == nil {
		return nil
	}
	if n := int(*c.requests - *s.flushedAt); n != s.canaries {
		return refuse("other traffic: the server counted %d requests between the flush and the client, %d were sent", n, s.canaries)
	}
	return nil
}
