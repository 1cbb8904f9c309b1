package rules

import (
	"fmt"
	"math"
	"strings"

	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// Rules on what was in the cache when a run started.

// sameSeed (L01) fires where a run repeats prompts of an earlier run of the same
// server and nothing is proved to have emptied the cache between.
func sameSeed(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		d := r.Count
		switch {
		case len(r.Facts.SameSeedAs) == 0 && d.Seed == nil && !hashed(r):
			return unknown("no seed and no prompt texts: whether prompts repeat is not known")
		case len(r.Facts.SameSeedAs) == 0:
			return pass("no earlier run of this server sent the same prompts, or the cache was emptied between")
		case d.PrefixCache == "off":
			return pass("prompts repeat, but the prefix cache is off")
		case (d.Flush == "proved" || r.Facts.EmptyAtStart) && leftByFlush(r) == 0:
			return pass("prompts repeat, but the cache was empty: " + emptyBy(r))
		}
		what := "the same prompts"
		if d.Seed != nil {
			what = fmt.Sprintf("seed %d", *d.Seed)
		}
		text := fmt.Sprintf("%s as in %s, same server, no proved flush between", what, joinIDs(r.Facts.SameSeedAs))
		if d.Flush == "proved" {
			text = fmt.Sprintf("%s as in %s, same server, and %d prompts cached at start although a flush between is said to have worked", what, joinIDs(r.Facts.SameSeedAs), leftByFlush(r))
		}
		if r.Client.Merged.Workload.Presumed || c.presumes(r.Facts.SameSeedAs) {
			text += " (arguments presumed for a run that does not print its own)"
		}
		return answer{state: s.severity, text: text, evidence: c.quoteArguments(r), advice: adviceFresh(r)}
	})
}

// leftByFlush is the least number of prompts cached at start that another
// client did not put there: after a flush that worked there are none.
func leftByFlush(r *run) int64 {
	a := r.Count.AtStart
	if !latency.Measured(a.Grade) {
		return 0
	}
	return max(0, a.Low-r.Count.Origins.OtherClient.Low)
}

func hashed(r *run) bool {
	return r.Client.Merged.Requests != nil && len(r.Client.Merged.Requests.TextHash) > 0
}

func (c *context) presumes(ids []string) bool {
	for _, r := range c.runs {
		for _, id := range ids {
			if r.Count.ID == id && r.Client.Merged.Workload.Presumed {
				return true
			}
		}
	}
	return false
}

func emptyBy(r *run) string {
	if r.Facts.EmptyBy != "" {
		return r.Facts.EmptyBy
	}
	return "flush " + r.Count.Flush
}

// adviceFresh says how to start the next run cold, without asking for what the
// kit already did.
func adviceFresh(r *run) string {
	asked := r.Client.Merged.Workload.FlushAsked
	switch {
	case r.Count.Flush == "refused":
		return "the flush was asked for and refused: wait until nothing runs or waits, flush again, and check that the first prefill shows no cached tokens; and use a new seed for each run"
	case asked != nil && *asked:
		return "the client already asks for a flush: prove it by a first prefill without cached tokens, and use a new seed for each run"
	case r.Count.Engine != nil && *r.Count.Engine == "vllm":
		return "use a new seed for each run, and reset the prefix cache before each (POST /reset_prefix_cache, development mode) or restart the server; prove it by the counters"
	}
	return "use a new seed for each run, and flush after the warm-up (--flush-cache, POST /flush_cache) or restart the server; prove it by a first prefill without cached tokens"
}

// cachedAtStart (L02) weighs the share of prompts that were warm.
func cachedAtStart(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		n, a := float64(r.Prompts()), r.Count.AtStart
		if !r.hasResult() {
			return none("arguments without a result")
		}
		if n == 0 {
			return unknown("the number of prompts is not known")
		}
		share := float64(a.Low) / n
		text := fmt.Sprintf("%s of %.0f prompts cached at start (%.1f %% and more, %s)", latency.CountText(a.Low, a.High), n, 100*share, a.Grade)
		if a.High != nil && *a.High == a.Low {
			text = fmt.Sprintf("%d of %.0f prompts cached at start (%.1f %%, %s)", a.Low, n, 100*share, a.Grade)
			if tokens := r.Count.CachedTokens; tokens.Low > 0 {
				text += fmt.Sprintf(", %s cached tokens in all", latency.CountText(tokens.Low, tokens.High))
			}
		}
		fire := answer{text: text, evidence: r.MeasuredEvidence(), advice: adviceFresh(r)}
		switch {
		case !latency.Measured(a.Grade):
			return unknown("no witness counts or bounds the prompts cached at start")
		case share >= s.limit("block_share"):
			fire.state = s.high
		case share >= s.limit("warn_share"):
			fire.state = s.severity
		case a.High != nil && float64(*a.High) < s.limit("warn_share")*n, a.High != nil && *a.High == 0:
			return answer{state: Pass, text: fmt.Sprintf("below %.0f %% of the prompts cached at start", 100*s.limit("warn_share")), evidence: r.MeasuredEvidence()}
		default:
			return unknown(text + ": not bounded tightly enough")
		}
		return fire
	})
}

// predictedAgainstCounted (L03) compares what the arguments imply with what was
// counted.
func predictedAgainstCounted(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		p, a := r.Count.Predicted, r.Count.AtStart
		switch {
		case p == nil:
			return none("the arguments predict nothing")
		case !latency.Measured(a.Grade):
			return unknown("nothing counted to hold against the prediction")
		}
		slack := s.limit("differ_share") * math.Max(float64(p.Low), float64(a.Low))
		text := fmt.Sprintf("%s predicted, %s counted", latency.CountText(p.Low, p.High), latency.CountText(a.Low, a.High))
		fire := answer{state: s.severity, text: text, evidence: r.MeasuredEvidence()}
		switch {
		case p.High != nil && float64(*p.High)+slack < float64(a.Low):
			fire.advice = "look for another client, or a run that the folder does not hold: only a request puts a prompt into the cache"
			if !r.Ordered() {
				fire.advice = "find out in which order the runs ran (coldcase.toml, [facts] order): the prediction assumes the order of the capture; else " + fire.advice
			}
			return fire
		case a.High != nil && float64(*a.High)+slack < float64(p.Low):
			fire.advice = "look for eviction (the pool's size), page rounding, or a flush or restart that left no line"
			return fire
		}
		if a.High == nil {
			return unknown(text + ": the count has no upper end")
		}
		return pass("the count and the prediction agree")
	})
}

// warmUpReuses (L04) fires where the warm-up sends prompt 1 and nothing empties
// the cache afterwards.
func warmUpReuses(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		w, n := r.Client.Merged.Workload, float64(r.Prompts())
		o := r.Count.Origins.WarmUp
		ready := w.ReadyCheck != nil && *w.ReadyCheck
		switch {
		case r.Count.PrefixCache == "off":
			return pass("the prefix cache is off")
		case o.Low == 0 && o.High != nil && *o.High == 0:
			return pass("no prompt was left by the warm-up")
		case o.Low == 0 && w.Warmups == nil:
			return unknown("whether the client warms up is not known")
		case o.Low == 0 && *w.Warmups == 0 && !ready:
			return pass("no warm-up request")
		case o.Low == 0 && w.FlushAsked != nil && *w.FlushAsked && r.Count.Flush == "proved":
			return pass("the client flushes after its warm-up")
		case o.Low == 0 && r.Count.AtStart.Low > 0:
			return pass("prompt 1 was warm before the warm-up")
		}
		count := math.Max(1, float64(o.Low))
		state := s.severity
		if n > 0 && count/n >= s.limit("warn_share") {
			state = s.high
		}
		return answer{state: state, text: fmt.Sprintf("the warm-up sends prompt 1 and no flush follows: %.0f of %.0f prompts", count, n),
			evidence: c.quoteArguments(r), advice: "warm up with a prompt of its own, or flush after the warm-up"}
	})
}

// flushBeforeWarmUp (L05) fires where the cache was emptied before a warm-up
// that sends prompts of the workload.
func flushBeforeWarmUp(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		w := r.Client.Merged.Workload
		if w.FlushAsked != nil && *w.FlushAsked {
			return pass("the client itself flushes, after its warm-up")
		}
		if w.Warmups != nil && *w.Warmups == 0 {
			return none("no warm-up request")
		}
		if r.Facts.Log == nil || r.Facts.LastBatch <= r.Facts.FirstBatch {
			if r.Count.Flush == "none" {
				return none("no flush took place")
			}
			return unknown("the run has no certain place on a log: the order of flush and warm-up is not known")
		}
		first, before := c.firstLine(r), 0
		if r.Facts.FirstBatch > 0 {
			before = int(r.Facts.Log.Batches.At(r.Facts.FirstBatch - 1).Line)
		}
		for _, f := range r.Facts.Log.Flushes {
			if f.Kind == capture.FlushDone && f.Line > before && f.Line < first {
				return answer{state: s.severity, text: "the cache was emptied before the run's warm-up, which then sent prompt 1 again",
					evidence: []capture.Evidence{c.Capture.Quote(r.Facts.Log.File, f.Line)}, advice: "flush between warm-up and run, as the client does when it is told to flush itself"}
			}
		}
		return none("no flush before the run's warm-up")
	})
}

// firstLine is the line of the run's first batch on its log.
func (c *context) firstLine(r *run) int {
	return int(r.Facts.Log.Batches.At(r.Facts.FirstBatch).Line)
}

// flushNotProved (L06) fires where a flush was asked for and nothing shows that
// it happened, or something shows that it did not.
func flushNotProved(c *context, s *setting) []answer {
	out := c.perRun(func(r *run) answer {
		asked := r.Client.Merged.Workload.FlushAsked
		wanted := asked != nil && *asked
		fire := answer{state: s.severity, evidence: c.flushEvidence(r), advice: "wait for an idle server, flush with a timeout, and accept the flush only when the first prefill shows no cached tokens"}
		switch f := r.Count.Flush; {
		case f == "refused":
			fire.text = "the flush was refused by the server or by one of its ranks"
		case f == "proved" && leftByFlush(r) > 0:
			fire.text = fmt.Sprintf("the flush is said to have worked, and %d prompts were cached at start", leftByFlush(r))
			fire.evidence = append(fire.evidence, r.MeasuredEvidence()...)
			fire.advice = "look for a rank or an outer tier of the cache that the flush does not reach, or for requests after it; else restart the server, and accept a flush only when the first prefill shows no cached tokens"
		case f == "proved" && r.Count.AtStart.Low > 0:
			return pass(fmt.Sprintf("the flush is proved: the %d prompts cached at start are another client's, sent after it", r.Count.AtStart.Low))
		case f == "proved":
			return pass("the flush is proved")
		case f == "claimed":
			fire.text = "a flush was asked for, and nothing proves that it happened"
		case wanted:
			fire.text = "the client was told to flush, and no line shows that the server did"
		case asked == nil && f == "unknown":
			return unknown("whether a flush was asked for is not known")
		default:
			return none("no flush was asked for")
		}
		return fire
	})
	for _, a := range c.Capture.Answers {
		if a.Status >= 400 || a.Success != nil && !*a.Success {
			out = append(out, answer{state: s.severity, text: fmt.Sprintf("%s holds a refusal (status %d)", a.File, a.Status), evidence: []capture.Evidence{a.At},
				advice: "a kit has to stop when its flush is refused"})
		}
	}
	return out
}

// flushEvidence quotes what bears on the run's flush: the client's remarks on
// it, and the server's lines from the end of the run before to the run's own.
// Between the two may be batches of another client.
func (c *context) flushEvidence(r *run) []capture.Evidence {
	var out []capture.Evidence
	for _, res := range r.Client.Results {
		for _, n := range res.Notes {
			if text := strings.ToLower(n.Text); strings.Contains(text, "flush") || strings.Contains(text, "reset") {
				out = append(out, n)
			}
		}
	}
	if r.Facts.Log != nil && r.Facts.LastBatch > r.Facts.FirstBatch {
		before, last := c.runBefore(r), int(r.Facts.Log.Batches.At(r.Facts.LastBatch-1).Line)
		for _, f := range r.Facts.Log.Flushes {
			if f.Line > before && f.Line < last {
				out = append(out, c.Capture.Quote(r.Facts.Log.File, f.Line))
			}
		}
	}
	if len(out) == 0 {
		out = c.quoteArguments(r)
	}
	return out
}

// runBefore is the last line of the run before on the same log, 0 if there is
// none.
func (c *context) runBefore(r *run) int {
	line := 0
	for _, o := range c.runs {
		if log, _, last, ok := placeOf(o); ok && log == r.Facts.Log && o.Facts.LastBatch <= r.Facts.FirstBatch {
			line = max(line, last)
		}
	}
	return line
}
