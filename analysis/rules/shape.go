package rules

import (
	"fmt"
	"math"
	"strings"

	"coldcase/analysis/latency"
)

// Rules on the shape of first-token times.

// twoGroups (L40) fires where one median cannot stand for the run.
func twoGroups(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if !r.hasResult() {
			return none("arguments without a result")
		}
		mean, okMean := r.Lat.Figure("mean_ttft_ms")
		median, okMedian := r.Lat.Figure("median_ttft_ms")
		if !okMean || !okMedian || median <= 0 {
			return unknown("no mean and median above 0 to compare")
		}
		limit := s.limit("mean_median_ratio")
		ratio := mean / median
		fire := answer{state: s.severity, evidence: c.quoteFigures(r, "mean_ttft_ms", "median_ttft_ms"), advice: "show the distribution; do not summarise it by one median"}
		g := r.Lat.Groups
		switch {
		case len(r.Lat.TTFT) > 0 && len(g) == 2 && math.Min(g[0].Share, g[1].Share) >= s.limit("group_share") && g[1].Low/g[0].High >= s.limit("group_ratio"):
			fire.text = fmt.Sprintf("%d requests up to %.0f ms and %d from %.0f ms, nothing between", g[0].N, g[0].High, g[1].N, g[1].Low)
		case ratio >= limit || ratio <= 1/limit:
			fire.text = fmt.Sprintf("mean over median is %.2f", ratio)
		case r.Lat.Apart != nil:
			fire.text = fmt.Sprintf("the printed summary needs %d groups", len(g))
		case len(r.Lat.TTFT) == 0:
			return unknown("mean and median agree, and without per-request times groups cannot be excluded")
		default:
			return pass("no two groups stand apart")
		}
		return fire
	})
}

// knifeEdge (L41) fires where the border between the groups lies near the
// median's rank.
func knifeEdge(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if !r.hasResult() {
			return none("arguments without a result")
		}
		share, what := fastShare(r)
		if what == "" {
			return unknown("neither groups nor a number of warm prompts are known")
		}
		if share >= s.limit("low_share") && share <= s.limit("high_share") {
			return answer{state: s.severity, text: fmt.Sprintf("%s: a few requests more or less move the median from one group to the other", what),
				evidence: c.quoteFigures(r, "median_ttft_ms"), advice: "quote both groups and their sizes"}
		}
		return pass("the median is not at the border of two groups")
	})
}

// fastShare is the share of the fast group: the warm prompts where they are
// known, else the group itself.
func fastShare(r *run) (share float64, what string) {
	n := float64(r.Prompts())
	a, p := r.Count.AtStart, r.Count.Predicted
	switch {
	case n > 0 && a.High != nil && *a.High == a.Low:
		return float64(a.Low) / n, fmt.Sprintf("%d of %.0f prompts were warm", a.Low, n)
	case len(r.Lat.Groups) > 0:
		g := r.Lat.Groups[0]
		return g.Share, fmt.Sprintf("%d of %d requests are fast (%s)", g.N, r.Lat.N, g.By)
	case n > 0 && p != nil && p.High != nil && *p.High == p.Low:
		return float64(p.Low) / n, fmt.Sprintf("%d of %.0f prompts are predicted to be warm", p.Low, n)
	case len(r.Lat.TTFT) > 0:
		return 1, "one group"
	}
	return 0, ""
}

// plateau (L42) notes tails that are one prefill batch.
func plateau(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if r.Lat.Cap != nil && *r.Lat.Cap == 1 {
			return none("one request at a time: no prefill batch holds two")
		}
		if len(r.Lat.Plateaus) == 0 {
			for _, p := range []string{"p90_ttft_ms", "p95_ttft_ms"} {
				if _, ok := r.Lat.Figure(p); !ok {
					return unknown("fewer than two tail percentiles")
				}
			}
			return pass("the tail percentiles differ")
		}
		p := r.Lat.Plateaus[0]
		return answer{state: s.severity, text: fmt.Sprintf("%s to %s lie within 2 %% at %.0f ms: at least %s of %s", strings.ToUpper(p.From), strings.ToUpper(p.To), p.Value, latency.Number(p.Requests, "request"), batchText(r, p)),
			evidence: c.quoteFigures(r, p.From+"_ttft_ms", p.To+"_ttft_ms"), advice: "the batch, not the request, was sampled: do not read the tail as so many requests"}
	})
}

// batchText says of how many prefill batches a plateau is: no batch holds more
// requests than the cap lets in.
func batchText(r *run, p latency.Plateau) string {
	if r.Lat.Cap != nil && p.Requests > *r.Lat.Cap {
		return fmt.Sprintf("%d or more prefill batches of one time", (p.Requests+*r.Lat.Cap-1) / *r.Lat.Cap)
	}
	return "one prefill batch"
}

// lockstep (L43) notes closed loops whose requests end together.
func lockstep(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		m := &r.Client.Merged
		switch {
		case !m.MaxConcurrency.Known || !m.RequestRate.Known:
			return unknown("the cap or the request rate is not known")
		case r.Lat.Cap == nil || *r.Lat.Cap < 2 || !m.RequestRate.Inf:
			return pass("not a closed loop of several clients")
		case m.Workload.OutputLen == nil:
			return unknown("the output length is not known")
		case !r.FixedLengths():
			return pass("lengths vary, so requests do not end together")
		}
		return answer{state: s.severity, text: fmt.Sprintf("%d clients in a closed loop with outputs of one length: requests start in waves of %d", *r.Lat.Cap, *r.Lat.Cap),
			evidence: c.quoteArguments(r), advice: "vary the lengths, or read first-token times by wave"}
	})
}

// serialCorrelation (L44) prints how many independent requests there are.
func serialCorrelation(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		v := latency.Sorted(r.Lat.TTFT)
		q := r.Client.Merged.Requests
		if len(v) < 10 || q == nil || !q.InOrder {
			return unknown("no list of times in order")
		}
		rho := lagOne(r.Lat.TTFT)
		if rho > s.limit("rho") {
			return answer{state: s.severity, text: fmt.Sprintf("neighbours are alike (lag-1 correlation %.2f): %d requests are worth about %.0f", rho, len(v), float64(len(v))*(1-rho)/(1+rho)),
				evidence: c.quoteResult(r), advice: "take runs, not requests, as the unit"}
		}
		return pass("neighbours are not alike")
	})
}

// lagOne is the lag-1 autocorrelation of the finite values.
func lagOne(v []float64) float64 {
	var x []float64
	for _, t := range v {
		if !math.IsNaN(t) {
			x = append(x, t)
		}
	}
	m := latency.Mean(x)
	num, den := 0.0, 0.0
	for i := range x {
		den += (x[i] - m) * (x[i] - m)
		if i > 0 {
			num += (x[i] - m) * (x[i-1] - m)
		}
	}
	if den == 0 {
		return 0
	}
	return num / den
}

// openingWave (L45) fires where the first C requests are slower than the rest.
func openingWave(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if r.Lat.Cap == nil || *r.Lat.Cap < 2 {
			return none("no waves without a cap of two and more")
		}
		w := r.Lat.Waves
		if len(w) < 2 {
			return unknown("no per-request times by wave")
		}
		rest := latency.Median(r.Lat.TTFT[w[1].First:])
		if w[0].First > 0 || !(rest > 0) {
			return unknown("no first-token time in the first wave, or none above 0 after it")
		}
		if w[0].Median > s.limit("first_wave_ratio")*rest {
			return answer{state: s.severity, text: fmt.Sprintf("the first %d requests have a median first token of %.1f ms, the rest %.1f ms", w[0].N, w[0].Median, rest), evidence: c.quoteResult(r), advice: "show both"}
		}
		return pass("the first wave is like the rest")
	})
}

// tailRatio (L48) weighs P99 over the median.
func tailRatio(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		p99, ok := r.Lat.Figure("p99_ttft_ms")
		median, okMedian := r.Lat.Figure("median_ttft_ms")
		if !ok || !okMedian || median <= 0 {
			return unknown("no P99 beside a median above 0")
		}
		a := answer{text: fmt.Sprintf("P99 is %.1f times the median", p99/median), evidence: c.quoteFigures(r, "p99_ttft_ms", "median_ttft_ms"), advice: "show the distribution"}
		switch ratio := p99 / median; {
		case ratio > s.limit("warn_ratio"):
			a.state = s.high
		case ratio > s.limit("info_ratio"):
			a.state = s.severity
		default:
			return pass("the tail is near the median")
		}
		return a
	})
}

// meanOnly (L49) fires where a mean stands without a median.
func meanOnly(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		_, mean := r.Printed("mean_ttft_ms")
		_, median := r.Printed("median_ttft_ms")
		if mean && !median && len(r.Lat.TTFT) == 0 {
			return answer{state: s.severity, text: "a mean first token without a median or a distribution", evidence: c.quoteFigures(r, "mean_ttft_ms"), advice: "print the median beside it"}
		}
		if !mean && !median && len(r.Lat.TTFT) == 0 {
			return none("no first-token figures")
		}
		return pass("a median stands beside the mean")
	})
}
