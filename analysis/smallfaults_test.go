package analysis_test

import (
	"fmt"
	"slices"

	"coldcase/analysis"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

func probes(s small) {
	s.lines("server.log", "prefill", 3)
	s.lines("server.log", "access", 3)
	s.lines("server.log", "malformed", 0)
	for _, r := range s.nb.Count.Runs {
		if r.Kind != "window" {
			s.Errorf("%s is a %s: nobody ran a benchmark", r.ID, r.Kind)
		}
		s.verdict(r, "unknown")
		s.interval("cached", r.Cached, 0, 0)
	}
	if s.nb.Verdict.State != analysis.VerdictUnknown {
		s.Errorf("verdict %s of a capture without a run", s.nb.Verdict.State)
	}
}

func glued(s small) {
	s.lines("console.log", "prefill", 3)
	s.lines("console.log", "other", 2)
	w := s.only()
	s.interval("sequences", w.Sequences, 4, 4)
	s.interval("cached tokens", w.CachedTokens, 0, 0)
	fresh := 0
	var first capture.Stamp
	for i, b := range s.c.Logs[0].Batches.All() {
		fresh += int(b.NewToken)
		if i == 0 {
			first = b.Stamp
		}
	}
	if fresh != 841 {
		s.Errorf("%d new tokens, want 841", fresh)
	}
	if first == 0 {
		s.Error("the stamp behind the progress bar was not read")
	}
	s.verdict(w, "clean", "unknown")
}

func oneRankRefused(s small) {
	s.lines("server.log", "flush", 2)
	s.lines("server.log", "access", 1)
	for _, r := range s.nb.Count.Runs {
		if r.Flush != "refused" && r.Flush != "unknown" {
			s.Errorf("%s: flush %s", r.ID, r.Flush)
		}
	}
	s.noPass("L06")
}

func resetFailed(s small) {
	refused := 0
	for _, f := range s.c.Logs[0].Flushes {
		switch f.Kind {
		case capture.FlushRefused:
			refused++
		case capture.FlushDone:
			s.Errorf("line %d is a reset that was done", f.Line)
		}
	}
	if refused != 1 {
		s.Errorf("%d refusals, want 1", refused)
	}
	s.noPass("L06")
}

func zeroMedian(s small) {
	r := s.only()
	if r.Seed == nil || *r.Seed != 3 || r.Prompts == nil || *r.Prompts != 400 || r.Completed == nil || *r.Completed != 371 {
		s.Errorf("seed %v, prompts %v, completed %v, want 3, 400 and 371", r.Seed, r.Prompts, r.Completed)
	}
	if r.MaxConcurrency != "unlimited" || r.RequestRate != "inf" {
		s.Errorf("cap %v, rate %v, want unlimited and inf", r.MaxConcurrency, r.RequestRate)
	}
	for _, rule := range []string{"L20", "L21"} {
		if got := states(s.nb, rule); !slices.ContainsFunc(got, func(state string) bool { return state == rules.Block || state == rules.Warn }) {
			s.Errorf("%s is %v, want it to fire", rule, got)
		}
	}
	if got := states(s.nb, "L40"); slices.Contains(got, rules.Block) {
		s.Errorf("L40 is %v: a median of zero is no fast, cached half", got)
	}
	s.interval("cached", r.Cached, 0, unbounded)
	s.verdict(r, "unknown")
}

func fallingRate(s small) {
	v := s.of("vllm.log")
	s.verdict(v, "unknown")
	s.interval("cached", v.Cached, 0, unbounded)
	if v.CachedTokens.Low < 1 || v.CachedTokens.High != nil {
		s.Errorf("cached tokens %s: a rate above 0 says that there were some, and no more", ends(v.CachedTokens.Low, v.CachedTokens.High))
	}
	w := s.of("sglang.log")
	s.interval("cached tokens", w.CachedTokens, 5996, 5996)
	if w.Cached.Low != 0 || w.AtStart.Low != 0 {
		s.Errorf("at least %d cached, %d at start: the server had just started", w.Cached.Low, w.AtStart.Low)
	}
	if hits := w.Origins.InRun.Low + w.Origins.Unknown.Low; hits != 4 {
		s.Errorf("%d hits in in_run and unknown, want 4", hits)
	}
	s.verdict(w, "unknown", "clean")
}

// ends prints an interval as the documents do.
func ends(low int64, high *int64) string {
	if high == nil {
		return fmt.Sprintf("[%d, null]", low)
	}
	return fmt.Sprintf("[%d, %d]", low, *high)
}
