package rules

import (
	"fmt"
	"math"
	"strings"

	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// Rules on what prompts share, on the cache's settings and on its counters.

// declaresSharing reports whether the workload says that its prompts share
// prefixes: then hits inside the run are what was asked for.
func declaresSharing(r *run) bool {
	w := r.Client.Merged.Workload
	return w.Groups != nil || w.SystemLen != nil || w.PrefixLen != nil && *w.PrefixLen > 0 ||
		strings.Contains(w.Dataset, "prefix") || strings.Contains(w.Dataset, "multi-turn") || strings.Contains(w.Dataset, "shared")
}

// fewDistinct (L07) counts distinct prompts where the texts are known, and
// falls back on the hits that repeated prompts would make.
func fewDistinct(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if declaresSharing(r) {
			return none("the workload declares that prompts share")
		}
		if share, n, ok := distinct(r); ok {
			fire := answer{text: fmt.Sprintf("%.0f of %d prompts are distinct (%s)", share*float64(n), n, percent(share)), evidence: c.quoteResult(r),
				advice: "send prompts that differ, or declare the repetition"}
			switch {
			case share < s.limit("block_share"):
				fire.state = s.high
			case share < s.limit("warn_share"):
				fire.state = s.severity
			default:
				return pass("the prompt texts differ")
			}
			return fire
		}
		in, n := r.Count.Origins.InRun, float64(r.Prompts())
		if r.Count.PrefixCache == "on" && in.High != nil && float64(*in.High) < (1-s.limit("warn_share"))*n+1 {
			return pass("with the prefix cache on, no repeated prompt was a hit")
		}
		return unknown("no prompt texts, and nothing bounds the repeats inside the run")
	})
}

// distinct returns the share of distinct prompt texts.
func distinct(r *run) (share float64, n int, ok bool) {
	if !hashed(r) {
		return 0, 0, false
	}
	seen := map[uint64]bool{}
	for _, h := range r.Client.Merged.Requests.TextHash {
		if h != 0 {
			seen[h] = true
			n++
		}
	}
	if n == 0 {
		return 0, 0, false
	}
	return float64(len(seen)) / float64(n), n, true
}

// undeclaredSharing (L08) looks for hits inside a run whose prompts should have
// nothing in common.
func undeclaredSharing(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		in, n := r.Count.Origins.InRun, float64(r.Prompts())
		switch {
		case declaresSharing(r):
			return none("the workload declares that prompts share")
		case r.Count.PrefixCache == "off":
			return pass("the prefix cache is off")
		case n > 0 && float64(in.Low) > s.limit("warn_share")*n:
			return answer{state: s.severity, text: fmt.Sprintf("%s of %.0f prompts hit a prefix of the same run, which declares none", latency.CountText(in.Low, in.High), n),
				evidence: c.quoteMeasured(r), advice: "report hits inside the run apart, or use prompts that share nothing"}
		case n > 0 && in.High != nil && float64(*in.High) <= s.limit("warn_share")*n:
			return pass("prompts of a run do not hit each other")
		}
		return unknown("nothing bounds what the prompts of a run share")
	})
}

// lengthBlind (L09) fires where the median stays flat over much longer prompts.
func lengthBlind(c *context, s *setting) []answer {
	var out []answer
	asked := false
	for i, a := range c.runs {
		for _, b := range c.runs[i+1:] {
			la, lb := a.InputTokens(), b.InputTokens()
			if !latency.SameCap(a.Joined, b.Joined) || la <= 0 || lb <= 0 || math.Max(la/lb, lb/la) < s.limit("length_ratio") {
				continue
			}
			asked = true
			ma, okA := a.Lat.Figure("median_ttft_ms")
			mb, okB := b.Lat.Figure("median_ttft_ms")
			if !okA || !okB || ma <= 0 || mb <= 0 {
				out = append(out, answer{state: Unknown, runs: []string{a.Count.ID, b.Count.ID}, text: "lengths differ, and a median is missing"})
				continue
			}
			if math.Max(ma/mb, mb/ma)-1 < s.limit("flat_share") {
				out = append(out, answer{state: s.severity, runs: []string{a.Count.ID, b.Count.ID},
					text:     fmt.Sprintf("prompts of %.0f and %.0f tokens, medians of %.1f and %.1f ms: the length does not show", la, lb, ma, mb),
					evidence: append(c.quoteFigures(a, "median_ttft_ms"), c.quoteFigures(b, "median_ttft_ms")...),
					advice:   "check that the prompts reach the server at their length, and that they are not cached"})
			}
		}
	}
	if asked && len(out) == 0 {
		out = append(out, pass("longer prompts take longer"))
	}
	return out
}

// cacheNotStated (L10) fires where the capture does not say whether the prefix
// cache is on.
func cacheNotStated(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if r.Count.PrefixCache == "on" || r.Count.PrefixCache == "off" {
			return pass("the state of the prefix cache is stated")
		}
		return answer{state: s.severity, text: "neither the server's command nor its settings say whether the prefix cache is on",
			advice: "keep the server's start lines or its /server_info answer in the folder"}
	})
}

// poolTooSmall (L11) fires where the prompts of one run do not fit the pool:
// later ones push out earlier ones, and carry-over is uneven.
func poolTooSmall(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		pool, n, length := r.Facts.Server.PoolTokens, float64(r.Prompts()), r.InputTokens()
		if pool == nil || *pool <= 0 || n == 0 || length == 0 {
			return unknown("the size of the token pool, the prompts or their length are not known")
		}
		need := n * length
		if out, ok := r.OutputTokens(); ok {
			need += n * out
		}
		if need > float64(*pool) {
			return answer{state: s.severity, text: fmt.Sprintf("the run's %.0f tokens do not fit the pool of %d: its first prompts may be gone at its end", need, *pool),
				evidence: evidenceOf(r.Facts.Server.At), advice: "expect fewer warm prompts than the arguments predict"}
		}
		return pass("the prompts of a run fit the pool")
	})
}

func evidenceOf(e capture.Evidence) []capture.Evidence {
	if e.File == "" {
		return nil
	}
	return []capture.Evidence{e}
}

// counterReset (L12) fires where counters fall, or the server starts, inside a
// run: differences of counters then say nothing.
func counterReset(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if log, first, last, ok := placeOf(r); ok {
			for _, st := range log.Starts {
				if st.Line > first && st.Line < last {
					return answer{state: s.severity, text: "the server started inside the run", evidence: []capture.Evidence{c.Capture.Quote(log.File, st.Line)}}
				}
			}
		}
		before, after := r.Client.Before, r.Client.After
		if before == nil || after == nil {
			return unknown("no metrics before and after the run: whether its counters fell is not known")
		}
		compared := 0
		for _, name := range sortedNames(before.Series) {
			if !isCounter(name) {
				continue
			}
			a, _ := before.Sum(name)
			b, ok := after.Sum(name)
			switch {
			case !ok:
				return answer{state: s.severity, text: name + " is in the scrape before the run and not in the one after it",
					evidence: []capture.Evidence{c.Capture.Quote(before.File, before.Line(name))},
					advice:   "scrape the same server process before and after the run"}
			case b < a:
				return answer{state: s.severity, text: fmt.Sprintf("%s falls from %g to %g", name, a, b),
					evidence: []capture.Evidence{c.Capture.Quote(before.File, before.Line(name)), c.Capture.Quote(after.File, after.Line(name))},
					advice:   "scrape the same server process before and after the run"}
			case a <= b:
				compared++
			}
		}
		if compared == 0 {
			return unknown("the metrics before and after the run have no counter in common")
		}
		return pass("no counter falls")
	})
}

func isCounter(name string) bool {
	return strings.HasSuffix(name, "_total") || strings.HasSuffix(name, "_count") || strings.HasSuffix(name, "_sum")
}

// placeOf returns the lines of the run's batches on its log, ok false if it has
// no certain place there.
func placeOf(r *run) (log *capture.ServerLog, first, last int, ok bool) {
	f := r.Facts
	if f.Log == nil || f.LastBatch <= f.FirstBatch || f.LastBatch > f.Log.Batches.Len() {
		return nil, 0, 0, false
	}
	return f.Log, int(f.Log.Batches.At(f.FirstBatch).Line), int(f.Log.Batches.At(f.LastBatch - 1).Line), true
}
