package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"coldcase/ingest/plan"
)

// runKit measures with the built-in client as many kits do: the caps in
// ascending order on one server, nothing flushed, nothing proved. What it
// leaves is a capture like any kit's, one record and two readings of the
// counters per run.
func runKit(ctx context.Context, o *Options, stderr io.Writer) error {
	if o.Plan == nil {
		return usage("--as-kit: want the flags of a plan: --caps, --prompts, --seeds")
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return usage("--out: %v", err)
	}
	s := &session{o: o, t: newTarget(o), plan: o.Plan, show: &progress{w: stderr}}
	s.plan.Client = clientBuiltin
	if err := s.connect(ctx); err != nil {
		return err
	}
	cells := slices.DeleteFunc(slices.Clone(s.plan.Cells), func(c plan.Cell) bool { return c.Arm != plan.Fresh })
	slices.SortStableFunc(cells, func(a, b plan.Cell) int { return a.Cap - b.Cap })
	seeds := s.plan.Seeds()
	for _, c := range cells {
		name := fmt.Sprintf("c%d", c.Cap)
		if len(seeds) > 1 {
			name = fmt.Sprintf("c%d-s%d", c.Cap, c.Seed)
		}
		if err := s.kitRun(ctx, &c, filepath.Join(o.Out, name)); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "%s: %d prompts\n", name, c.Prompts)
	}
	return nil
}

// kitRun measures one run; base is the path of its files without their ends.
func (s *session) kitRun(ctx context.Context, c *plan.Cell, base string) error {
	if _, err := os.Stat(base + ".jsonl"); !errors.Is(err, fs.ErrNotExist) {
		return usage("--out: %s.jsonl is there already", base)
	}
	if err := s.keepCounters(ctx, base+".metrics-before.prom"); err != nil {
		return err
	}
	rec, err := s.send(ctx, c)
	if err != nil {
		return err
	}
	if err := s.keepCounters(ctx, base+".metrics-after.prom"); err != nil {
		return err
	}
	return writeFile(base+".jsonl", rec.encode())
}

// keepCounters writes a scrape, if the server has metrics.
func (s *session) keepCounters(ctx context.Context, path string) error {
	c, ok, err := s.counters(ctx)
	if err != nil || !ok {
		return err
	}
	return writeFile(path, c.text)
}
