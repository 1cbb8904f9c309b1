package analysis

import (
	"fmt"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// deciding are the arguments that decide which prompts a run sends and whether
// the cache was emptied before, in the order in which they are shown. The
// names are those of the clients.
var deciding = []string{
	"dataset_name", "dataset", "seed", "random_seed", "num_prompts", "random_input_len", "random_range_ratio",
	"random_prefix_len", "max_concurrency", "warmup_requests", "num_warmups", "flush_cache", "gsp_num_groups", "gsp_prompts_per_group",
}

// arguments quotes, for each run whose arguments the capture holds, those that
// decide.
func arguments(c *capture.Capture, d *carryover.Document) []Arguments {
	out := []Arguments{}
	for _, r := range runsOf(d) {
		if r.Facts == nil || r.Facts.Run == nil {
			continue
		}
		w := &r.Facts.Run.Merged.Workload
		if w.From.File == "" {
			continue
		}
		a := Arguments{Run: r.ID, At: w.From, Presumed: w.Presumed, Values: []Argument{}}
		if w.Presumed {
			a.Note = "presumed: this run shares the arguments of " + strings.Join(r.Facts.Run.PresumedFrom, ", ") + ", whose name follows the same pattern"
		}
		gsp := strings.HasPrefix(w.Dataset, "generated-shared-prefix")
		for _, name := range deciding {
			v, ok := w.Args[name]
			if !ok || strings.HasPrefix(name, "gsp_") && !gsp || strings.HasPrefix(name, "random_") && gsp {
				continue
			}
			a.Values = append(a.Values, Argument{Name: name, Value: pythonValue(v)})
		}
		out = append(out, a)
	}
	return out
}

// pythonValue prints a value as the clients' own line does.
func pythonValue(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		if x {
			return "True"
		}
		return "False"
	case string:
		return "'" + x + "'"
	case float64:
		if x == float64(int64(x)) {
			return fmt.Sprintf("%.1f", x)
		}
	}
	return fmt.Sprint(v)
}
