package rules

import (
	"fmt"
	"math"

	"coldcase/analysis/causes"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// Rules on the load: what was in flight, what the client could not do, what
// else ran.

// inFlight is the mean number of requests in flight: printed, else by Little's
// law from the requests, their mean time and the duration.
func inFlight(r *run) (mean float64, ok bool) {
	if v, printed := r.Printed("concurrency"); printed && v > 0 {
		return v, true
	}
	return littles(r)
}

// quoteInFlight quotes what inFlight rests on.
func (c *context) quoteInFlight(r *run) []capture.Evidence {
	if out := c.quotePrinted(r, "concurrency"); len(out) > 0 {
		return out
	}
	return c.quoteFigures(r, "duration", "mean_e2e_latency_ms")
}

// littles is the mean number in flight by Little's law.
func littles(r *run) (mean float64, ok bool) {
	e2e, okE2E := r.Printed("mean_e2e_latency_ms")
	d := r.Client.Merged.Duration
	if !okE2E || d == nil || !(*d > 0) || r.Prompts() == 0 {
		return 0, false
	}
	return float64(r.Prompts()) * e2e / 1000 / *d, true
}

// littlesLaw (L22) holds the printed concurrency against throughput times mean
// time.
func littlesLaw(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		printed, okPrinted := r.Printed("concurrency")
		law, okLaw := littles(r)
		if !okPrinted || !okLaw || printed <= 0 {
			return unknown("no printed concurrency, duration or mean end-to-end time to compare")
		}
		if off := math.Abs(law/printed - 1); off > s.limit("differ_share") {
			return answer{state: s.severity, text: fmt.Sprintf("concurrency printed as %.2f, throughput times mean time is %.2f", printed, law),
				evidence: c.quoteFigures(r, "concurrency", "mean_e2e_latency_ms"), advice: "find which of the three numbers is over other requests"}
		}
		return pass("the printed concurrency follows from throughput and mean time")
	})
}

// capNotReached (L23) fires where fewer requests were in flight than the cap.
func capNotReached(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if r.Lat.Cap == nil {
			return none("no cap")
		}
		mean, ok := inFlight(r)
		if !ok {
			return unknown("the mean number of requests in flight is not known")
		}
		if mean < s.limit("reached_share")*float64(*r.Lat.Cap) {
			return answer{state: s.severity, text: fmt.Sprintf("%.1f requests in flight on average at a cap of %d: %d prompts are %.1f waves", mean, *r.Lat.Cap, r.Prompts(), float64(r.Prompts())/float64(*r.Lat.Cap)),
				evidence: c.quoteInFlight(r), advice: "print the measured number beside the setting; run longer, or with more client processes"}
		}
		return pass("the cap is reached")
	})
}

// clientQueue (L24) fires where a cap meets a finite rate: the wait for a slot
// is then no part of the times.
func clientQueue(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		rate := r.Client.Merged.RequestRate
		limit := r.Client.Merged.MaxConcurrency
		switch {
		case !rate.Known || !limit.Known:
			return unknown("the request rate or the cap is not known")
		case limit.Unlimited || rate.Inf:
			return pass("no cap under a finite rate")
		}
		return answer{state: s.severity, text: fmt.Sprintf("a cap of %d under a finite request rate: the wait for a slot is not in the times", limit.N),
			evidence: c.quoteArguments(r), advice: "call it a closed-loop figure, or add the schedule delay"}
	})
}

// clientSaturated (L25) fires where the client fell behind its own schedule.
func clientSaturated(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		m := &r.Client.Merged
		if m.RequestRate.Known && m.RequestRate.Inf {
			return none("no schedule to fall behind: requests are sent as slots free up")
		}
		if m.MaxConcurrency.Known && !m.MaxConcurrency.Unlimited {
			return none("the cap holds requests back by design")
		}
		delay := math.NaN()
		if m.Requests != nil {
			delay = 1000 * latency.Median(m.Requests.Queue)
		}
		achieved, okRate := r.Printed("request_throughput")
		asked := m.RequestRate.PerSecond
		switch {
		case delay > s.limit("delay_ms"):
			return answer{state: s.severity, text: fmt.Sprintf("half of the requests were sent more than %.1f ms late", delay), evidence: c.quoteResult(r), advice: "use more client processes"}
		case okRate && asked > 0 && achieved < s.limit("achieved_share")*asked && !drains(r, asked):
			return answer{state: s.severity, text: fmt.Sprintf("%.2f requests/s achieved, %.2f asked for", achieved, asked), evidence: c.quoteFigures(r, "request_throughput"), advice: "use more client processes, or lower the rate"}
		case math.IsNaN(delay) && (!okRate || asked <= 0):
			return unknown("no schedule delays, and no achieved rate beside an asked one")
		}
		return pass("the client kept its schedule")
	})
}

// drains reports whether the time for the last answers explains that the
// achieved rate, taken over the whole duration, is below the asked one.
func drains(r *run, asked float64) bool {
	d, e2e := r.Client.Merged.Duration, 0.0
	if v, ok := r.Printed("mean_e2e_latency_ms"); ok {
		e2e = v / 1000
	}
	return d != nil && float64(r.Prompts())/asked+2*e2e >= *d
}

// impossiblePeak (L26) fires where a peak is below its average.
func impossiblePeak(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		peak, okPeak := r.Printed("max_output_tokens_per_s")
		mean, okMean := r.Printed("output_throughput")
		if !okPeak || !okMean {
			return unknown("no peak beside an average throughput")
		}
		if peak < mean {
			return answer{state: s.severity, text: fmt.Sprintf("a peak of %.1f output tokens/s below the average of %.1f", peak, mean),
				evidence: c.quoteFigures(r, "max_output_tokens_per_s", "output_throughput"), advice: "do not quote the peak: it counts chunks, not tokens"}
		}
		return pass("the peak is above the average")
	})
}

// chunkNotToken (L27) fires where gaps between chunks are not gaps between
// tokens.
func chunkNotToken(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if accept, ok := r.Printed("accept_length"); ok && accept > 1+s.limit("differ_share") {
			return answer{state: s.severity, text: fmt.Sprintf("accept length %.2f: a chunk holds several tokens", accept), evidence: c.quoteFigures(r, "accept_length"), advice: "use the time per output token, not the gap between chunks"}
		}
		q := r.Client.Merged.Requests
		if q == nil || len(q.Chunks) == 0 || len(q.Output) != len(q.Chunks) {
			return unknown("no gaps beside output tokens")
		}
		gaps, tokens := 0.0, 0.0
		for i, g := range q.Chunks {
			if g >= 0 && q.Output[i] > 0 {
				gaps, tokens = gaps+float64(g), tokens+float64(q.Output[i]-1)
			}
		}
		if tokens > 0 && math.Abs(gaps/tokens-1) > s.limit("differ_share") {
			return answer{state: s.severity, text: fmt.Sprintf("%.0f gaps for %.0f tokens after the first", gaps, tokens), evidence: c.quoteResult(r), advice: "use the time per output token, not the gap between chunks"}
		}
		return pass("one gap a token")
	})
}

// durationOverhead (L31) fires where the duration holds more than the requests.
func durationOverhead(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		q, d := r.Client.Merged.Requests, r.Client.Merged.Duration
		if q == nil || d == nil || !(*d > 0) || len(q.Start) == 0 || len(q.E2E) != len(q.Start) {
			return unknown("no start and end of the requests beside the duration")
		}
		first, last, missing := extent(q.Start, q.E2E)
		if missing == len(q.Start) {
			return unknown("no request has both a start and an end")
		}
		// A request without times can only widen the span, never narrow it.
		if over := (*d - (last - first)) / *d; over > s.limit("over_share") {
			if missing > 0 {
				return unknown(fmt.Sprintf("%d of %d requests have no start or no end: how much of the duration is theirs is not known", missing, len(q.Start)))
			}
			return answer{state: s.severity, text: fmt.Sprintf("the duration of %.2f s is %s longer than from the first request to the last answer: throughputs are too low by that", *d, percent(over)),
				evidence: c.quoteFigures(r, "duration"), advice: "time the requests alone"}
		}
		return pass("the duration is that of the requests")
	})
}

// extent is the time from the first start to the last end, and the number of
// requests that lack one of them.
func extent(start, length []float64) (first, last float64, missing int) {
	first, last = math.Inf(1), math.Inf(-1)
	for i, t := range start {
		end := t + length[i]
		if math.IsNaN(end) || math.IsInf(end, 0) {
			missing++
			continue
		}
		first, last = math.Min(first, t), math.Max(last, end)
	}
	return first, last, missing
}

// openArrival (L32) notes bursts: everything sent at once.
func openArrival(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		rate, limit := r.Client.Merged.RequestRate, r.Client.Merged.MaxConcurrency
		switch {
		case limit.Known && !limit.Unlimited, rate.Known && !rate.Inf:
			return pass("the load is bounded by a cap or a rate")
		case !rate.Known || !limit.Known:
			return unknown("the request rate or the cap is not known")
		}
		return answer{state: s.severity, text: "no rate and no cap: everything is sent at once, and the first-token time is mostly the server's queue",
			evidence: c.quoteArguments(r), advice: `call it a burst, not a load`}
	})
}

// overSaturated (L33) fires where first-token times rise over an open-loop run.
func overSaturated(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if limit := r.Client.Merged.MaxConcurrency; limit.Known && !limit.Unlimited {
			return none("a cap bounds what is in flight")
		}
		q := r.Client.Merged.Requests
		if q == nil || len(q.Start) == 0 || len(q.Start) != len(r.Lat.TTFT) {
			return unknown("no start times beside the first-token times")
		}
		starts, ttft := pairs(q.Start, r.Lat.TTFT) // s and ms
		if len(starts) < trendLeast {
			return unknown(fmt.Sprintf("%d requests with a start and a first-token time: too few for a trend", len(starts)))
		}
		slope, low, span := trend(starts, ttft)
		rise := slope * span
		if low > 0 && rise > s.limit("rise_share")*latency.Median(ttft) {
			return answer{state: s.severity, text: fmt.Sprintf("first-token times rise by %.0f ms over the run: no steady state", rise), evidence: c.quoteResult(r), advice: "lower the rate, or report the run as saturated"}
		}
		if missing := len(q.Start) - len(starts); missing > 0 {
			return unknown(fmt.Sprintf("no rise among %d requests, but %d more have no first-token time: those that never came may be the slow ones", len(starts), missing))
		}
		return pass("no rise of first-token times over the run")
	})
}

// trendLeast is the least number of points to which a line with an interval
// can be fitted.
const trendLeast = 3

// pairs keeps the places at which both values are known.
func pairs(x, y []float64) (keptX, keptY []float64) {
	for i := range x {
		if sum := x[i] + y[i]; !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			keptX, keptY = append(keptX, x[i]), append(keptY, y[i])
		}
	}
	return keptX, keptY
}

// trend fits a line and returns its slope, the lower end of a two-sigma
// interval of it, and the width of x.
func trend(x, y []float64) (slope, low, span float64) {
	n := float64(len(x))
	if n < trendLeast {
		return 0, 0, 0
	}
	mx, my := latency.Mean(x), latency.Mean(y)
	sxx, sxy := 0.0, 0.0
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	if sxx == 0 {
		return 0, 0, 0
	}
	slope = sxy / sxx
	rest := 0.0
	for i := range x {
		e := y[i] - my - slope*(x[i]-mx)
		rest += e * e
	}
	s := latency.Sorted(x)
	return slope, slope - 2*math.Sqrt(rest/(n-2)/sxx), s[len(s)-1] - s[0]
}

// otherTraffic (L34) fires where the server served more than the run sent.
func otherTraffic(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		other := r.Count.Origins.OtherClient.Low
		switch {
		case r.Facts.Foreign > 0:
			return answer{state: s.severity, text: latency.Number(r.Facts.Foreign, "request") + " in the run's time beyond its own", evidence: causes.TrafficEvidence(c.Capture, r.Joined), advice: "measure on a server of your own, idle before each run"}
		case other > 0:
			return answer{state: s.severity, text: fmt.Sprintf("%d prompts were cached by another client", other), evidence: causes.TrafficEvidence(c.Capture, r.Joined), advice: "measure on a server of your own, idle before each run"}
		case r.PartOfLog():
			return unknown("the log holds a part of the run's time only")
		case r.Facts.Foreign == 0:
			return pass("every request of the run's time is its own or a health check")
		}
		return unknown("the requests of the run's time cannot be counted")
	})
}
