package rules

import (
	"fmt"
	"math"
	"slices"

	"coldcase/ingest/capture"
)

// Rules on requests that failed or came back hollow, and on lengths.

// hiddenFailures (L20) compares completed with asked-for requests.
func hiddenFailures(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if !r.hasResult() {
			return none("arguments without a result")
		}
		asked, done, failed := r.Count.Prompts, r.Count.Completed, failures(r)
		if (asked == nil || done == nil) && failed < 0 {
			return unknown("how many requests were asked for, or completed, is not known")
		}
		missing, n := failed, 0
		if asked != nil && done != nil {
			missing, n = max(failed, *asked-*done), *asked
		} else if done != nil {
			n = *done + max(failed, 0)
		}
		if missing <= 0 {
			return pass("every request completed")
		}
		state := s.severity
		if n > 0 && float64(missing) > s.limit("block_share")*float64(n) {
			state = s.high
		}
		return answer{state: state, text: fmt.Sprintf("%d of %d requests are missing (%s)", missing, n, percent(float64(missing)/math.Max(1, float64(n)))),
			evidence: c.quoteFailures(r), advice: "show error-adjusted figures: percentiles over the successes alone get better as requests fail"}
	})
}

// failures counts the failed requests that the client itself names, -1 if it
// names none.
func failures(r *run) int {
	m := &r.Client.Merged
	if m.Failed != nil {
		return *m.Failed
	}
	if m.Requests == nil || len(m.Requests.Failed) == 0 {
		return -1
	}
	n := 0
	for _, f := range m.Requests.Failed {
		if f {
			n++
		}
	}
	return n
}

func (c *context) quoteFailures(r *run) []capture.Evidence {
	if out := c.quotePrinted(r, "failed", "completed", "successful_requests"); len(out) > 0 {
		return out
	}
	return append(c.quoteArguments(r), c.quoteResult(r)...)
}

// hollowSuccess (L21) looks for successes without a token, from the requests
// where they are listed, else from the summary.
func hollowSuccess(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if !r.hasResult() {
			return none("arguments without a result")
		}
		if n, of, dark, ok := hollow(r); ok {
			switch {
			case n > 0:
				return answer{state: s.severity, text: fmt.Sprintf("%d of %d successes have no output token, no first-token time, or end before it", n, of),
					evidence: c.quoteResult(r), advice: "count them as failures"}
			case dark > 0:
				return unknown(fmt.Sprintf("%d of %d successes have no first-token time in the results: whether they showed a token is not known", dark, of))
			}
			return pass("every success has output tokens and a first-token time")
		}
		median, okMedian := r.Printed("median_ttft_ms")
		e2e, okE2E := r.Printed("median_e2e_latency_ms")
		mean, okMean := r.OutputTokens()
		asked := r.Client.Merged.Workload.OutputLen
		fire := answer{state: s.severity, evidence: c.quoteFigures(r, "median_ttft_ms", "median_e2e_latency_ms"), advice: "look at the requests one by one (--output-details, --save-detailed)"}
		switch {
		case okMedian && median == 0:
			fire.text = "a median first-token time of exactly 0: at least half of the successes never showed a token"
		case okMedian && okE2E && e2e < median:
			fire.text = fmt.Sprintf("a median end-to-end time of %.2f ms below the median first token of %.2f ms", e2e, median)
		case r.Client.Merged.OutputTokens != nil && *r.Client.Merged.OutputTokens == 0 && r.Prompts() > 0:
			fire.text = "no output token in the whole run"
		case okMean && asked != nil && r.FixedLengths() && math.Abs(mean-float64(*asked)) < 1e-9:
			return pass("the total of output tokens is what was asked for")
		default:
			return unknown("no per-request figures, and the summary leaves room for hollow successes")
		}
		return fire
	})
}

// hollow counts successes without output, and those of which the file does not
// tell (dark). ok is false if requests are not listed with what it takes.
func hollow(r *run) (n, of, dark int, ok bool) {
	q := r.Client.Merged.Requests
	if q == nil || len(q.TTFT) == 0 {
		return 0, 0, 0, false
	}
	for i, t := range q.TTFT {
		if i < len(q.Failed) && q.Failed[i] {
			continue
		}
		of++
		noTokens := i < len(q.Output) && q.Output[i] == 0
		early := i < len(q.E2E) && q.E2E[i] > 0 && q.E2E[i] < t
		switch {
		case noTokens || t <= 0 || early:
			n++
		case math.IsNaN(t):
			dark++
		}
	}
	return n, of, dark, of > 0
}

// shortOutputs (L28) compares mean outputs with what was asked for, and with
// each other.
func shortOutputs(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		mean, ok := r.OutputTokens()
		if !r.hasResult() {
			return none("arguments without a result")
		}
		if !ok {
			return unknown("no output tokens in the results")
		}
		advice := "ignore the end-of-sequence token, or report the lengths beside the latencies"
		if asked := r.Client.Merged.Workload.OutputLen; asked != nil && *asked > 0 && r.FixedLengths() && math.Abs(mean/float64(*asked)-1) > s.limit("asked_share") {
			return answer{state: s.severity, text: fmt.Sprintf("mean output %.1f tokens, %d asked for", mean, *asked), evidence: c.quoteResult(r), advice: advice}
		}
		for _, o := range c.runs {
			other, ok := o.OutputTokens()
			if ok && o != r && math.Abs(mean/other-1) > s.limit("between_share") {
				return answer{state: s.severity, text: fmt.Sprintf("mean output %.1f tokens, %.1f in %s", mean, other, o.Count.ID),
					evidence: append(c.quoteResult(r), c.quoteResult(o)...), advice: advice}
			}
		}
		return pass("outputs are as long as asked for, in every run")
	})
}

// promptLength (L29) compares the prompt tokens that the server counted with
// those that the client planned.
func promptLength(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		got, from, evidence, ok := c.serverTokens(r)
		want := r.InputTokens()
		if asked := r.Client.Merged.Workload.InputLen; asked != nil && r.FixedLengths() && !declaresSharing(r) {
			want = float64(*asked)
		}
		if !ok || want <= 0 {
			return unknown("no server-side count of prompt tokens, or no target length")
		}
		off := math.Abs(got/want - 1)
		fire := answer{text: fmt.Sprintf("%.1f prompt tokens on the server (%s), %.1f meant (%s apart)", got, from, want, percent(off)), evidence: evidence,
			advice: "send token ids, or report the server's lengths"}
		switch {
		case off > s.limit("block_share"):
			fire.state = s.high
		case off > s.limit("warn_share"):
			fire.state = s.severity
		default:
			return pass("prompts have the length that was meant")
		}
		return fire
	})
}

// serverTokens is the mean prompt length as the server counts it: by its usage
// per request, else by the prefill lines of the run.
func (c *context) serverTokens(r *run) (mean float64, from string, evidence []capture.Evidence, ok bool) {
	if q := r.Client.Merged.Requests; q != nil && q.InputByServer && len(q.Input) > 0 {
		sum, n := 0.0, 0
		for _, v := range q.Input {
			if v > 0 {
				sum, n = sum+float64(v), n+1
			}
		}
		if n > 0 {
			return sum / float64(n), "usage per request", c.quoteResult(r), true
		}
	}
	log, first, _, placed := placeOf(r)
	seq := r.Count.Sequences
	if !placed || !log.Complete || seq.High == nil || *seq.High != seq.Low || seq.Low == 0 || slices.ContainsFunc(log.Damaged, func(d capture.Damage) bool { return d.Class == "prefill" }) {
		return 0, "", nil, false
	}
	page := r.Facts.Server.PageSize
	if page == nil || *page != 1 {
		return 0, "", nil, false // new tokens are rounded up to pages
	}
	sum := 0.0
	for _, b := range log.Batches.Range(r.Facts.FirstBatch, r.Facts.LastBatch) {
		if b.Old {
			return 0, "", nil, false // old lines count an earlier chunk as cached
		}
		sum += float64(b.NewToken) + float64(b.Cached)
	}
	return sum / float64(seq.Low), "prefill lines", []capture.Evidence{c.Capture.Quote(log.File, first)}, true
}

// tokenClash (L30) compares generated with retokenized output tokens.
func tokenClash(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		again, ok := r.Printed("total_output_tokens_retokenized")
		total := r.Client.Merged.OutputTokens
		if !ok || total == nil || *total == 0 {
			return unknown("no retokenized total beside the generated one")
		}
		if off := math.Abs(again/float64(*total) - 1); off > s.limit("differ_share") {
			return answer{state: s.severity, text: fmt.Sprintf("%d output tokens generated, %.0f after retokenizing (%s apart)", *total, again, percent(off)),
				evidence: c.quoteFigures(r, "total_output_tokens_retokenized"), advice: "say which count the throughput is of"}
		}
		return pass("generated and retokenized totals agree")
	})
}
