package record

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"coldcase/ingest/plan"
)

// session is a sweep at work: one server, one plan, one record.
type session struct {
	o     *Options
	t     *target
	e     engine
	facts serverFacts
	plan  *plan.Plan
	store *store
	show  *progress

	noMetrics      bool     // the server has none
	canaryReported bool     // answers to the canary named cached tokens
	measured       bool     // the client of the present cell was started
	flushedAt      *float64 // requests that the server had finished at the flush; nil = not told
	canaries       int      // sent since
}

// flushDoc is flush.json: what was asked, answered and proved.
type flushDoc struct {
	Schema   string        `json:"schema"`
	Asked    bool          `json:"asked"`
	Answers  []flushAnswer `json:"answers"`
	Answered string        `json:"answered"`
	Proved   bool          `json:"proved"`
	By       string        `json:"by"`
	Ranks    int           `json:"ranks"`
	Canary   canaryShown   `json:"canary"`
}

// counters scrapes until two readings agree; ok is false if the server has no
// metrics.
func (s *session) counters(ctx context.Context) (c counters, ok bool, err error) {
	if s.noMetrics {
		return counters{}, false, nil
	}
	return steady(ctx, s.t, s.e, s.o.Poll/4)
}

// look reads what the server says about itself, and whether it is the same
// life as before.
func (s *session) look(ctx context.Context) error {
	f, err := s.e.describe(ctx)
	if err != nil {
		return err
	}
	s.facts = f
	_, err = scrape(ctx, s.t)
	s.noMetrics = err != nil
	return nil
}

// warm sends prompts of its own, as many at once as the cell will have in
// flight, so that no measured batch is the first of its size.
func (s *session) warm(ctx context.Context, cell *plan.Cell) error {
	n := min(cell.Cap, cell.Prompts, maxWarm)
	length := s.inputLen()
	done := make(chan error, n)
	for range n {
		prompt := randomPrompt(length)
		go func() {
			_, err := generate(ctx, s.t, s.e, "warm-up", prompt, warmTokens, -1)
			done <- err
		}()
	}
	var first error
	for range n {
		if err := <-done; err != nil && first == nil {
			first = fmt.Errorf("warm-up: %w", err)
		}
	}
	return first
}

// Bounds of the warm-up.
const (
	maxWarm    = 64
	warmTokens = 8
)

// Lengths where the plan names none.
const (
	defaultInput  = 512
	defaultOutput = 128
)

func (s *session) inputLen() int  { return orElse(s.plan.Workload.InputLen, defaultInput) }
func (s *session) outputLen() int { return orElse(s.plan.Workload.OutputLen, defaultOutput) }

func orElse(n *int, d int) int {
	if n == nil || *n < 1 {
		return d
	}
	return *n
}

// restart runs --restart-cmd and waits until the server answers as another
// life.
func (s *session) restart(ctx context.Context, f *flushDoc) error {
	before := s.facts.life
	cmd := exec.CommandContext(ctx, "sh", "-c", s.o.RestartCmd)
	out, err := cmd.CombinedOutput()
	a := flushAnswer{Asked: "restart", Body: shorten(out), Answered: saidUnknown, At: stampNow()}
	f.Answers = append(f.Answers, a)
	f.Answered = a.Answered
	if err != nil {
		return refuse("--restart-cmd: %v: %s", err, shorten(out))
	}
	deadline := time.Now().Add(restartWait)
	for {
		if err := s.look(ctx); err == nil && s.facts.life != "" && s.facts.life != before {
			return waitIdle(ctx, s.e, s.o)
		}
		if time.Now().After(deadline) {
			return refuse("after --restart-cmd the server does not answer as a new one within %s", restartWait)
		}
		if err := pause(ctx, s.o.Poll); err != nil {
			return err
		}
	}
}

// restartWait is the longest time that a server may take to start: the
// largest models load for many minutes.
const restartWait = 30 * time.Minute

func stampNow() string { return time.Now().UTC().Format(time.RFC3339Nano) }

func (s *session) path(cell *plan.Cell, name string) string {
	return filepath.Join(s.store.cellDir(cell.ID), name)
}
