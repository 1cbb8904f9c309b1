package join

import (
	"math"
	"path"

	"coldcase/ingest/capture"
)

// stated fills, from the notes, what the files of a run do not say. Notes never
// overrule a file: a contradiction stays in Notes for analysis to show.
func stated(c *capture.Capture) {
	for _, r := range c.Runs {
		for _, s := range r.Spans {
			if facts := factsOf(c.Notes.Runs, s.File); facts != nil {
				fillStated(&r.Merged, facts)
				break
			}
		}
		if c.Notes.Engine != "" {
			fill(&r.Merged.Engine, c.Notes.Engine)
		}
	}
}

// factsOf finds the facts of a file, by its path or by the name alone.
func factsOf(runs map[string]map[string]any, file string) map[string]any {
	if f, ok := runs[file]; ok {
		return f
	}
	return runs[path.Base(file)]
}

func fillStated(m *capture.Result, facts map[string]any) {
	w := &m.Workload
	fill(&m.Client, word(facts["client"]))
	fill(&m.ClientVersion, word(facts["client_version"]))
	fill(&w.Dataset, word(facts["dataset"]))
	fill(&w.Prompts, whole(facts["prompts"]))
	fill(&w.InputLen, whole(facts["input_len"]))
	fill(&w.OutputLen, whole(facts["output_len"]))
	fill(&w.PrefixLen, whole(facts["prefix_len"]))
	fill(&w.Warmups, whole(facts["warmups"]))
	if n, ok := facts["seed"].(int64); ok {
		fill(&w.Seed, &n)
	}
	if f, ok := real(facts["range_ratio"]); ok {
		fill(&w.RangeRatio, &f)
	}
	if n := whole(facts["max_concurrency"]); n != nil && !m.MaxConcurrency.Known {
		m.MaxConcurrency = capture.Cap{Known: true, N: *n}
	} else if word(facts["max_concurrency"]) == "unlimited" && !m.MaxConcurrency.Known {
		m.MaxConcurrency = capture.Cap{Known: true, Unlimited: true}
	}
	if !m.RequestRate.Known {
		m.RequestRate = rate(facts["request_rate"])
	}
}

func rate(v any) capture.Rate {
	f, ok := real(v)
	switch {
	case word(v) == "trace":
		return capture.Rate{Known: true, Trace: true}
	case word(v) == "inf" || ok && math.IsInf(f, 1):
		return capture.Rate{Known: true, Inf: true}
	case ok:
		return capture.Rate{Known: true, PerSecond: f}
	}
	return capture.Rate{}
}

func word(v any) string {
	s, _ := v.(string)
	return s
}

func whole(v any) *int {
	n, ok := v.(int64)
	if !ok || n < 0 || n > math.MaxInt32 {
		return nil
	}
	i := int(n)
	return &i
}

func real(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
