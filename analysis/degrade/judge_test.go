package degrade

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"coldcase/analysis/carryover"
)

// judgement is what a count is worth beside the truth.
type judgement struct {
	faults []string
	// decided runs have the true verdict; of counts those with a known one.
	decided, of                   int
	falseClean, falseContaminated int
}

func (j *judgement) fault(format string, args ...any) {
	j.faults = append(j.faults, fmt.Sprintf(format, args...))
}

// bounds is an interval with infinity for "no upper bound".
type bounds struct{ low, high float64 }

func span(low int64, high *int64) bounds {
	if high == nil {
		return bounds{float64(low), math.Inf(1)}
	}
	return bounds{float64(low), float64(*high)}
}

func (b bounds) holds(n int64) bool { return b.low <= float64(n) && float64(n) <= b.high }

func (b bounds) is(n int64) bool { return b.low == float64(n) && b.high == float64(n) }

func (b bounds) String() string { return fmt.Sprintf("[%v, %v]", b.low, b.high) }

// judge holds a count document against the truth of a variant.
func judge(v *variant, doc *carryover.Document) *judgement {
	j := &judgement{}
	for _, t := range v.truth.Runs {
		if t.Verdict != "" {
			j.of++
		}
	}
	var runs, windows []*carryover.Run
	for _, r := range doc.Runs {
		switch {
		case r.Kind != "run":
			windows = append(windows, r)
		default:
			if len(r.Source) == 0 {
				j.fault("%s cites no file", r.ID)
			}
			runs = append(runs, r)
		}
	}
	matched, extra := match(v, runs)
	if v.whole && len(runs) != len(v.truth.Runs) {
		j.fault("%d runs, the truth has %d", len(runs), len(v.truth.Runs))
	}
	for i := range v.truth.Runs {
		if matched[i] != nil {
			j.run(v, &v.truth.Runs[i], matched[i])
		}
	}
	for _, r := range extra {
		j.extra(v, r)
	}
	for _, w := range windows {
		if w.Verdict == "contaminated" && !anyHit(v.truth) {
			j.falseContaminated++
			j.fault("%s: FALSE CONTAMINATED (nothing was warm)", w.ID)
		}
	}
	return j
}

// match finds the run of the document for each run of the truth: in order for a
// whole capture, by the files that it cites for a degraded one.
func match(v *variant, runs []*carryover.Run) (matched []*carryover.Run, extra []*carryover.Run) {
	matched = make([]*carryover.Run, len(v.truth.Runs))
	if v.whole && len(runs) == len(matched) {
		copy(matched, runs)
		return matched, nil
	}
	taken := map[*carryover.Run]bool{}
	for i := range v.truth.Runs {
		for _, r := range runs {
			if !taken[r] && cites(v, r, &v.truth.Runs[i]) {
				matched[i], taken[r] = r, true
				break
			}
		}
	}
	for _, r := range runs {
		if !taken[r] {
			extra = append(extra, r)
		}
	}
	return matched, extra
}

// cites reports whether a run rests on a file, or a line of a file, of the
// truth's run.
func cites(v *variant, r *carryover.Run, t *trueRun) bool {
	for _, s := range r.Source {
		file := s.File
		if old, ok := v.names[file]; ok {
			file = old
		}
		for _, f := range t.Files {
			if f == file || f == fmt.Sprintf("%s:%d", file, s.Line) || strings.HasSuffix(f, "/") && strings.HasPrefix(file, f) {
				return true
			}
		}
	}
	return false
}

// run judges one run that the truth knows.
func (j *judgement) run(v *variant, t *trueRun, r *carryover.Run) {
	if r.Seed != nil && t.Seed != nil && *r.Seed != *t.Seed {
		j.fault("%s: seed %d, it was %d", t.Run, *r.Seed, *t.Seed)
	}
	if !t.judged() {
		return
	}
	exact := v.whole && (v.truth.Exact == nil || *v.truth.Exact)
	if v.whole && r.Prompts != nil && *r.Prompts != t.Prompts {
		j.fault("%s: %d prompts, it had %d", t.Run, *r.Prompts, t.Prompts)
	}
	printed := t.SeedInCapture == nil || *t.SeedInCapture
	if exact && v.truth.Engine == "sglang" && t.Seed != nil && printed && r.Seed == nil {
		j.fault("%s: no seed, the capture prints %d", t.Run, *t.Seed)
	}
	for _, c := range []struct {
		name string
		got  bounds
		want *int64
	}{
		{"at start", span(r.AtStart.Low, r.AtStart.High), t.WarmAtStart},
		{"cached tokens", span(r.CachedTokens.Low, r.CachedTokens.High), t.CachedTokens},
		{"cached", span(r.Cached.Low, r.Cached.High), t.FullAtStart},
		{"partly cached", span(r.PartlyCached.Low, r.PartlyCached.High), t.PartialAtStart},
	} {
		switch {
		case c.want == nil:
		case !c.got.holds(*c.want):
			j.fault("%s: %s %v does not hold %d", t.Run, c.name, c.got, *c.want)
		case exact && !c.got.is(*c.want):
			j.fault("%s: %s %v, exactly %d expected", t.Run, c.name, c.got, *c.want)
		}
	}
	j.verdict(exact, t, r)
	j.origins(exact, t, r)
	if r.Verdict == t.Verdict {
		j.decided++
	}
}

// verdict judges the verdict of a run, and whether it follows from the run's
// own interval and witnesses.
func (j *judgement) verdict(exact bool, t *trueRun, r *carryover.Run) {
	warm := fmt.Sprintf("%d of %d warm", *t.WarmAtStart, t.Prompts)
	if r.Verdict == "clean" && t.Verdict != "clean" {
		j.falseClean++
		j.fault("%s: FALSE CLEAN (%s)", t.Run, warm)
	}
	if r.Verdict == "contaminated" && t.Verdict != "contaminated" {
		j.falseContaminated++
		j.fault("%s: FALSE CONTAMINATED (%s)", t.Run, warm)
	}
	one := 0.01 * float64(t.Prompts)
	at := span(r.AtStart.Low, r.AtStart.High)
	if r.Verdict == "clean" && at.high >= one {
		j.fault("%s: clean over at start %v", t.Run, at)
	}
	if r.Verdict == "contaminated" && at.low < max(1, one) {
		j.fault("%s: contaminated over at start %v", t.Run, at)
	}
	if r.Verdict != "unknown" && !measured(r) {
		j.fault("%s: %s without a measured witness", t.Run, r.Verdict)
	}
	if exact && r.Verdict != t.Verdict {
		j.fault("%s: verdict %s, %s expected", t.Run, r.Verdict, t.Verdict)
	}
}

func measured(r *carryover.Run) bool {
	for _, w := range r.Witnesses {
		switch w.Grade {
		case carryover.PerPrompt, carryover.PerBatch, carryover.Bounded:
			return true
		}
	}
	return false
}

// origins judges where the hits are said to come from. What a document leaves
// in unknown may belong to any of the others.
func (j *judgement) origins(exact bool, t *trueRun, r *carryover.Run) {
	if u := t.ByOrigin["unknown"]; u != nil && *u > 0 {
		return
	}
	spare := span(r.Origins.Unknown.Low, r.Origins.Unknown.High).high
	for _, o := range []struct {
		name string
		got  carryover.Bounds
	}{
		{"earlier_run", r.Origins.EarlierRun},
		{"warm_up", r.Origins.WarmUp},
		{"in_run", r.Origins.InRun},
		{"other_client", r.Origins.OtherClient},
	} {
		want := t.ByOrigin[o.name]
		got := span(o.got.Low, o.got.High)
		switch {
		case want == nil:
		case exact && !got.is(*want):
			j.fault("%s: origin %s %v, exactly %d expected", t.Run, o.name, got, *want)
		case !(bounds{got.low, got.high + spare}).holds(*want):
			j.fault("%s: origin %s %v (+%v unknown) does not hold %d", t.Run, o.name, got, spare, *want)
		}
	}
}

// extra judges a run of the document that no run of the truth claims: it may
// be the rest of one that was taken already, and must say nothing else.
func (j *judgement) extra(v *variant, r *carryover.Run) {
	if r.Verdict == "unknown" {
		return
	}
	known, agrees, allWarm := false, true, true
	for i := range v.truth.Runs {
		t := &v.truth.Runs[i]
		allWarm = allWarm && t.Verdict == "contaminated"
		if cites(v, r, t) {
			known = true
			agrees = agrees && (t.Verdict == "" || t.Verdict == r.Verdict)
		}
	}
	if !known || !agrees {
		j.fault("%s: %s, on a run that the truth does not have so", r.ID, r.Verdict)
	}
	if r.Verdict == "contaminated" && !anyHit(v.truth) {
		j.falseContaminated++
		j.fault("%s: FALSE CONTAMINATED (nothing was warm)", r.ID)
	}
	if r.Verdict == "clean" && allWarm {
		j.falseClean++
		j.fault("%s: FALSE CLEAN (every run was warm)", r.ID)
	}
}

func anyHit(t truth) bool {
	for _, r := range t.Runs {
		for _, n := range []*int64{r.Full, r.Partial, r.WarmAtStart} {
			if n != nil && *n > 0 {
				return true
			}
		}
		if slices.ContainsFunc(r.WarmUpCached, func(n int64) bool { return n > 0 }) {
			return true
		}
	}
	return false
}
