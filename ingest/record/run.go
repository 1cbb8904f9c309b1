package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"coldcase/ingest/plan"
)

// Run runs the cells of a plan that are not done yet. It returns nil if every
// cell of the record is done, an error that is ErrNotDone if not, and one that
// is ErrUsage if nothing could be started.
func Run(ctx context.Context, o Options, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.AsKit {
		return runKit(ctx, &o, stderr)
	}
	st, err := openStore(o.Out)
	if err != nil {
		return err
	}
	defer st.close()
	s := &session{o: &o, t: newTarget(&o), store: st, show: &progress{w: stderr, terminal: o.Terminal}}
	if err := s.choosePlan(); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	if err := s.register(); err != nil {
		return err
	}
	stop := s.cells(ctx)
	return s.outcome(stop)
}

// choosePlan takes the plan of the record, or the one that was given. Both at
// once must be the same: a plan is registered before its first cell, and not
// changed afterwards.
func (s *session) choosePlan() error {
	old, err := s.store.plan()
	if err != nil {
		return usage("%v", err)
	}
	given := s.o.Plan
	switch {
	case old == nil && given == nil:
		return usage("--plan: want a plan, or the flags of one, or an --out that holds one")
	case old == nil:
		empty, err := s.store.empty()
		if err != nil {
			return usage("--out: %v", err)
		}
		if !empty {
			return usage("--out %s: the folder is not empty and holds no plan", s.o.Out)
		}
		p := *given
		s.plan = &p
	case given != nil && !old.Same(given):
		return usage("--plan: %s holds another plan; a registered plan is not changed", filepath.Join(s.o.Out, planFile))
	default:
		s.plan = old
	}
	if s.o.Client != "" {
		if old != nil && old.Client != s.o.Client {
			return usage("--client: the registered plan says %s", old.Client)
		}
		s.plan.Client = s.o.Client
	}
	if s.plan.Server != "" && s.plan.Server != s.o.Server && old != nil {
		return usage("--server: the registered plan says %s", s.plan.Server)
	}
	s.plan.Server = s.o.Server
	for _, id := range s.o.Only {
		if !slices.ContainsFunc(s.plan.Cells, func(c plan.Cell) bool { return c.ID == id }) {
			return usage("--only: the plan has no cell %s", id)
		}
	}
	return s.checkClient()
}

// connect finds the engine. Every error here is one for all cells.
func (s *session) connect(ctx context.Context) error {
	e, err := detect(ctx, s.t, s.o.Engine)
	if err != nil {
		return fmt.Errorf("%s: %w", s.o.Server, err)
	}
	s.e = e
	if s.plan.Engine != "" && s.plan.Engine != e.name() {
		return usage("--server: the plan is for %s, and %s is %s", s.plan.Engine, s.o.Server, e.name())
	}
	s.plan.Engine = e.name()
	if c := s.plan.Client; c == clientVLLM && e.name() == clientSGLang {
		return usage("--client vllm: the server is SGLang")
	}
	if err := s.look(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.o.Server, err)
	}
	return nil
}

// register writes the plan before anything is sent.
func (s *session) register() error {
	b, err := s.plan.Encode()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(s.store.dir, planFile), b)
}

// cells runs the cells that are not done. The error says why it ended early.
func (s *session) cells(ctx context.Context) error {
	began := time.Now()
	for i := range s.plan.Cells {
		id := s.plan.Cells[i].ID
		if !s.o.wants(id) {
			continue
		}
		if old := s.store.cell(id); old != nil && old.State == Done {
			continue
		}
		select {
		case <-s.o.Stop:
			return errors.New("ended by the person after a cell")
		default:
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if m := s.o.MaxMinutes; m > 0 && time.Since(began) > time.Duration(m*float64(time.Minute)) {
			return fmt.Errorf("--max-minutes %g are over", m)
		}
		s.show.start(i, len(s.plan.Cells), id)
		doc, err := s.run(ctx, i)
		s.show.end(doc)
		if err != nil {
			return err
		}
	}
	return nil
}

// outcome sums the record up; cells that were not asked for do not count.
func (s *session) outcome(stop error) error {
	sum, err := Status(s.store.dir)
	if err != nil {
		return err
	}
	if stop == nil && !slices.ContainsFunc(sum.Cells, func(c cellState) bool { return c.State != Done && s.o.wants(c.ID) }) {
		return nil
	}
	if stop != nil {
		return fmt.Errorf("%w (%s): %w", ErrNotDone, sum, stop)
	}
	return fmt.Errorf("%w (%s)", ErrNotDone, sum)
}

// Interrupts turns signals into the two ways to end a sweep: the first closes
// stop, the second cancels the context. Call release when Run has returned.
func Interrupts(parent context.Context, stderr io.Writer) (ctx context.Context, stop <-chan struct{}, release func()) {
	ctx, cancel := context.WithCancel(parent)
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	asked := make(chan struct{})
	go func() {
		select {
		case <-c:
			fmt.Fprintln(stderr, "coldcase: ending after this cell; again to end at once")
			close(asked)
		case <-ctx.Done():
			return
		}
		select {
		case <-c:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, asked, func() { signal.Stop(c); cancel() }
}
