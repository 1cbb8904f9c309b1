package latency

import (
	"fmt"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// Joined lays the sides of one run beside each other: the count, what the count
// learned, the client's results and the latencies. None of them is nil.
type Joined struct {
	Count  *carryover.Run
	Facts  *carryover.Facts
	Client *capture.Run
	Lat    *Run
}

// Join joins the runs of a count with their latencies, in the order of the
// count. Windows, which have no client side, are left out.
func Join(doc *carryover.Document, runs []*Run) []*Joined {
	if doc == nil {
		return nil
	}
	byID := map[string]*Run{}
	for _, r := range runs {
		byID[r.Run] = r
	}
	var out []*Joined
	for _, d := range doc.Runs {
		if d.Kind != "run" || d.Facts == nil || d.Facts.Run == nil {
			continue
		}
		j := &Joined{Count: d, Facts: d.Facts, Client: d.Facts.Run, Lat: byID[d.ID]}
		if j.Lat == nil {
			j.Lat = &Run{Run: d.ID}
		}
		out = append(out, j)
	}
	return out
}

// RepeatArm reports whether the run belongs to a sweep's arm that repeats a
// seed without a flush, and is warm on purpose.
func (j *Joined) RepeatArm() bool { return repeatArm(j.Count) }

// Prompts is the number of requests that shares are of: those completed, else
// those asked for, 0 if neither is known.
func (j *Joined) Prompts() int {
	switch {
	case j.Count.Completed != nil:
		return *j.Count.Completed
	case j.Count.Prompts != nil:
		return *j.Count.Prompts
	}
	return 0
}

// Printed returns a figure as the client printed it, ok false if it did not or
// if what it printed is no finite number.
func (j *Joined) Printed(name string) (value float64, ok bool) {
	f, ok := j.Client.Merged.Printed[name]
	if !ok || !finite(f.Value) {
		return 0, false
	}
	return f.Value, true
}

// InputTokens is the mean prompt length in tokens as the client states it, by
// its totals or by what it was asked for; 0 if neither is known.
func (j *Joined) InputTokens() float64 {
	m := &j.Client.Merged
	switch {
	case m.InputTokens != nil && *m.InputTokens > 0 && j.Lat.N > 0:
		return float64(*m.InputTokens) / float64(j.Lat.N)
	case m.Workload.InputLen != nil:
		return float64(*m.Workload.InputLen)
	}
	return 0
}

// OutputTokens is the mean number of output tokens per completed request, ok
// false if the results do not tell.
func (j *Joined) OutputTokens() (mean float64, ok bool) {
	m := &j.Client.Merged
	if m.OutputTokens == nil || m.Completed == nil || *m.Completed <= 0 || *m.OutputTokens <= 0 {
		return 0, false
	}
	return float64(*m.OutputTokens) / float64(*m.Completed), true
}

// FixedLengths reports whether the client asked for prompts and outputs of one
// length. The same option means two things: vLLM's range ratio is how far
// lengths may vary (0 = fixed), SGLang's is the shortest over the longest (1 =
// fixed). Without the option lengths are taken as asked.
func (j *Joined) FixedLengths() bool {
	ratio := j.Client.Merged.Workload.RangeRatio
	if ratio == nil {
		return true
	}
	if j.Client.Merged.Client == "vllm bench serve" || j.Client.Merged.Client == "vllm-bench" {
		return *ratio == 0
	}
	return *ratio == 1
}

// ArgumentsKnown reports whether the run prints its own arguments.
func (j *Joined) ArgumentsKnown() bool {
	w := j.Client.Merged.Workload
	return w.Form != "" && !w.Presumed
}

// Ordered reports whether the place of the run among the others is known, and
// not only taken from the order in the capture.
func (j *Joined) Ordered() bool {
	return j.Facts.OrderBy != "" && j.Facts.OrderBy != "capture"
}

// PartOfLog reports whether the run stands on a log of which lines are missing:
// excerpts, or a bound that bit. What such a log does not show is not known.
func (j *Joined) PartOfLog() bool {
	log := j.Facts.Log
	return log != nil && (len(log.Excerpts) > 0 || !log.Complete)
}

// SameCap reports whether two runs have the same known cap.
func SameCap(a, b *Joined) bool {
	return a.Lat.Cap != nil && b.Lat.Cap != nil && *a.Lat.Cap == *b.Lat.Cap
}

// MeasuredEvidence collects the first lines of the witnesses that counted or
// bounded the run's warm prompts, at most three of each.
func (j *Joined) MeasuredEvidence() []capture.Evidence {
	var out []capture.Evidence
	for _, w := range j.Count.Witnesses {
		if Measured(w.Grade) {
			out = append(out, w.Evidence[:min(3, len(w.Evidence))]...)
		}
	}
	return out
}

// Measured reports whether a grade is one that may decide a verdict.
func Measured(g carryover.Grade) bool {
	return g == carryover.PerPrompt || g == carryover.PerBatch || g == carryover.Bounded
}

// Number prints a number of things in the singular or the plural.
func Number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// CountText prints a count with what is not known about it.
func CountText(low int64, high *int64) string {
	switch {
	case high == nil:
		return fmt.Sprintf("at least %d", low)
	case *high == low:
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, *high)
}
