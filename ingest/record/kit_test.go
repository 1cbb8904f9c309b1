package record

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"coldcase/analysis/confirm"
	"coldcase/samples/lab"
)

// TestAsKit: measured as a careless kit, the second cap finds the prompts of
// the first in the cache, by the record and by the counters, and nothing is
// overwritten.
func TestAsKit(t *testing.T) {
	for _, e := range engines {
		ts := startLab(t, lab.Config{Engine: e, PageSize: 16})
		plan, err := confirm.NewPlan(confirm.Options{Caps: []int{2, 4}, Prompts: []int{8, 20}, Seeds: []int64{7}, InputLen: 64, OutputLen: 4, RangeRatio: 1})
		if err != nil {
			t.Fatal(err)
		}
		o := quick(t, ts, plan)
		o.AsKit, o.Yes = true, false
		if err := Run(context.Background(), o, io.Discard); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int{"c2": 0, "c4": 8} {
			b, err := os.ReadFile(filepath.Join(o.Out, name+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			var r clientRecord
			if err := json.Unmarshal(b, &r); err != nil {
				t.Fatal(err)
			}
			hits := 0
			for i, n := range r.CachedTokens {
				if *n == 48 { // floor(63/16) pages
					hits++
					if i >= 8 {
						t.Errorf("%s %s: prompt %d is warm", e, name, i)
					}
				}
			}
			if hits != want {
				t.Errorf("%s %s: %d warm prompts, want %d", e, name, hits, want)
			}
			for _, end := range []string{".metrics-before.prom", ".metrics-after.prom"} {
				if _, err := os.Stat(filepath.Join(o.Out, name+end)); err != nil {
					t.Error(err)
				}
			}
		}
		if err := Run(context.Background(), o, io.Discard); !errors.Is(err, ErrUsage) {
			t.Errorf("a second kit over the first: %v, want a usage error", err)
		}
	}
}
