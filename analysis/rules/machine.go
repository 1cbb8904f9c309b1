package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"coldcase/analysis/causes"
	"coldcase/ingest/capture"
)

// Rules on the machine and the process: clocks, decode, drafts, first runs.

// clockNotSeen (L50) fires where no clock sample falls into the run.
func clockNotSeen(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if len(causes.Clocks(c.Capture, r.Count)) > 0 {
			return pass("clock samples were taken during the run")
		}
		text := "no clock, power or throttle samples: the clock is not excluded"
		if len(c.Capture.GPU) > 0 {
			text = "clock samples exist, but none can be joined with the run by time: the clock is not excluded"
		}
		return answer{state: s.severity, text: text, advice: "run nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.max.sm,power.draw,utilization.gpu --format=csv -lms 500 beside the sweep"}
	})
}

// clockLow (L51) fires where a device under load stays below its usual clock.
func clockLow(c *context, s *setting) []answer {
	clocks := causes.LoadClocks(c.Capture)
	if len(clocks) == 0 {
		return c.noSamples()
	}
	var out []answer
	for _, k := range clocks {
		if k.SM < s.limit("clock_share")*k.Max {
			out = append(out, answer{state: s.severity, text: fmt.Sprintf("%s: median SM clock %.0f MHz under load, %s of %.0f MHz%s", k.Device, k.SM, percent(k.SM/k.Max), k.Max, throttles(k)),
				evidence: k.Evidence, advice: "find what holds the clock down, or lock it"})
			continue
		}
		out = append(out, pass("the clock under load is near its maximum"))
	}
	return out
}

func throttles(k causes.Clock) string {
	if len(k.Throttle) == 0 {
		return ""
	}
	return ", throttle reasons " + strings.Join(k.Throttle, ", ")
}

func (c *context) noSamples() []answer {
	if len(c.runs) == 0 {
		return nil
	}
	return []answer{{state: Unknown, runs: c.ids(), text: "no clock samples under load"}}
}

// clockDiffers (L52) compares the clock under load between runs.
func clockDiffers(c *context, s *setting) []answer {
	if len(c.runs) < 2 {
		return nil
	}
	low, high := math.Inf(1), 0.0
	var ids []string
	var evidence []capture.Evidence
	for _, r := range c.runs {
		for _, k := range causes.Clocks(c.Capture, r.Count) {
			low, high = math.Min(low, k.SM), math.Max(high, k.SM)
			ids, evidence = append(ids, r.Count.ID), append(evidence, k.Evidence...)
		}
	}
	switch {
	case len(ids) < 2:
		return c.noSamples()
	case high > low*(1+s.limit("differ_share")):
		return []answer{{state: s.severity, runs: ids, text: fmt.Sprintf("median SM clocks from %.0f to %.0f MHz", low, high), evidence: evidence, advice: "compare runs at one clock"}}
	}
	return []answer{pass("one clock in all runs")}
}

// decodeMoved (L53) notes where the time per output token moved with the first
// token: a cause beside the cache is likelier then, and the cache is not
// cleared by it.
func decodeMoved(c *context, s *setting) []answer {
	inv := c.Inversion
	if inv == nil {
		return nil
	}
	a, b := c.byID(inv.Runs[0]), c.byID(inv.Runs[len(inv.Runs)-1])
	if a == nil || b == nil {
		return nil
	}
	ids := []string{a.Count.ID, b.Count.ID}
	ta, okA := a.Printed("median_tpot_ms")
	tb, okB := b.Printed("median_tpot_ms")
	fa, _ := a.Lat.Figure(inv.Statistic)
	fb, _ := b.Lat.Figure(inv.Statistic)
	if !okA || !okB || ta <= 0 || fa <= 0 {
		return []answer{{state: Unknown, runs: ids, text: "no time per output token beside the first token"}}
	}
	tpot, ttft := math.Abs(tb/ta-1), math.Abs(fb/fa-1)
	if tpot >= s.limit("as_much_share")*ttft && tb < ta {
		return []answer{{state: s.severity, runs: ids, text: fmt.Sprintf("the time per output token fell by %s, the first token by %s", percent(tpot), percent(ttft)),
			evidence: append(c.quoteFigures(a, "median_tpot_ms"), c.quoteFigures(b, "median_tpot_ms")...), advice: "look at clock, pool and configuration as well"}}
	}
	return []answer{pass("the time per output token did not fall with the first token")}
}

func (c *context) byID(id string) *run {
	i := slices.IndexFunc(c.runs, func(r *run) bool { return r.Count.ID == id })
	if i < 0 {
		return nil
	}
	return c.runs[i]
}

// acceptLength (L56) compares accept lengths of speculative decoding.
func acceptLength(c *context, s *setting) []answer {
	low, high := math.Inf(1), 0.0
	var ids []string
	var evidence []capture.Evidence
	for _, r := range c.runs {
		if v, ok := r.Printed("accept_length"); ok && v > 0 {
			low, high = math.Min(low, v), math.Max(high, v)
			ids, evidence = append(ids, r.Count.ID), append(evidence, c.quoteFigures(r, "accept_length")...)
		}
	}
	switch {
	case len(ids) < 2:
		return nil
	case high > low*(1+s.limit("differ_share")):
		return []answer{{state: s.severity, runs: ids, text: fmt.Sprintf("accept lengths from %.2f to %.2f: drafts depend on content", low, high), evidence: evidence, advice: "compare runs of one content"}}
	}
	return []answer{pass("one accept length in all runs")}
}

// firstOfProcess (L57) fires where a run met a server that had not been warmed,
// or where its latencies show first batches of a new size.
func firstOfProcess(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if why := c.causeWhy("first-run", r.Count.ID); why != "" {
			return answer{state: s.severity, text: why, evidence: c.quoteFigures(r, "p90_ttft_ms", "p99_ttft_ms"), advice: "warm the server at each cap before the first run, with prompts of its own"}
		}
		w := r.Client.Merged.Workload.Warmups
		switch {
		case r.Facts.Life < 0:
			return unknown("whether the run is the first after the server's start is not known")
		case !r.Facts.FirstOfLife:
			return pass("other requests came before the run")
		case w == nil:
			return unknown("the first run after the start, and whether it warmed up is not known")
		case *w == 0:
			return answer{state: s.severity, text: "the first run after the server's start, without a warm-up", evidence: c.quoteArguments(r), advice: "warm the server first, with prompts of its own"}
		}
		return pass("the first run after the start warmed up")
	})
}

// causeWhy returns what a cause says of a run that it is supported in.
func (c *context) causeWhy(name, id string) string {
	for _, k := range c.Causes {
		if k.Name != name {
			continue
		}
		for _, r := range k.Runs {
			if r.Run == id && r.State == causes.Supported {
				return r.Why
			}
		}
	}
	return ""
}

// idleGap (L58) notes a long idle time before one run and not before others.
func idleGap(c *context, s *setting) []answer {
	limit := s.limit("gap_min") * 60e3
	type gap struct {
		r  *run
		ms float64
	}
	var gaps []gap
	placed := 0
	for _, r := range c.runs {
		_, _, _, ok := placeOf(r)
		if !ok {
			continue
		}
		placed++
		if r.Facts.FirstBatch == 0 {
			continue
		}
		log := r.Facts.Log
		from, to := log.Batches.At(r.Facts.FirstBatch-1).Stamp, log.Batches.At(r.Facts.FirstBatch).Stamp
		if from > 0 && to >= from {
			gaps = append(gaps, gap{r, float64(to - from)})
		}
	}
	var out []answer
	for _, g := range gaps {
		if g.ms > limit && len(gaps) > 1 {
			out = append(out, answer{state: s.severity, runs: []string{g.r.Count.ID}, text: fmt.Sprintf("%.0f minutes idle before the run", g.ms/60e3), evidence: c.logQuote(g.r), advice: "keep the pauses alike: clocks and caches cool down"})
		}
	}
	switch {
	case len(out) > 0 && len(out) < len(gaps):
		return out
	case placed == 0 && len(c.runs) > 0:
		return []answer{{state: Unknown, runs: c.ids(), text: "no run has a place on a log with times"}}
	case placed == 0:
		return nil
	}
	return []answer{pass("no run alone comes after a long pause")}
}

// logQuote quotes the first line of the run's place on its log.
func (c *context) logQuote(r *run) []capture.Evidence {
	if log, first, _, ok := placeOf(r); ok {
		return []capture.Evidence{c.Capture.Quote(log.File, first)}
	}
	return nil
}
