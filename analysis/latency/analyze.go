package latency

import (
	"fmt"
	"math"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// Analyze reads the latencies of every run of the count, in its order, and says
// whether a statistic moves against the load. Windows have no latencies of
// their own and are left out.
func Analyze(c *capture.Capture, doc *carryover.Document) ([]*Run, *Inversion) {
	out := []*Run{}
	if doc == nil {
		return out, nil
	}
	for _, d := range doc.Runs {
		if d.Facts != nil && d.Facts.Run != nil {
			out = append(out, analyzeRun(c, d))
		}
	}
	return out, findInversion(doc, out)
}

func analyzeRun(c *capture.Capture, d *carryover.Run) *Run {
	cr := d.Facts.Run
	r := &Run{Run: d.ID, Warnings: []string{}, Groups: []Group{}, Waves: []Wave{}, Plateaus: []Plateau{}}
	if n := cr.Merged.MaxConcurrency; n.Known && !n.Unlimited && n.N > 0 {
		r.Cap = &n.N
	}
	r.TTFT = requestTTFT(cr)
	r.Hits = hitClasses(d.Facts.HitByPrompt, len(r.TTFT))
	r.N = sampleSize(cr, r.TTFT)
	r.Printed, r.Computed = printed(c, cr), computed(r.TTFT, cr.Merged.Quantiles)
	r.Mismatch = mismatches(cr, r.Computed)
	r.Allowed = allowed(r.N)
	if r.Cap == nil || *r.Cap > 1 { // one request at a time fills no batch
		r.Plateaus = plateaus(r.Figure, r.N)
	}

	s := newSummary(d, r)
	if len(Sorted(r.TTFT)) > 0 {
		r.Groups = requestGroups(r.TTFT, r.Hits)
		inOrder := cr.Merged.Requests.InOrder
		if r.Cap != nil && *r.Cap > 1 && inOrder && closedLoop(d) {
			r.Waves = waves(r.TTFT, r.Hits, *r.Cap)
			r.PrefillRate = waveRate(r.TTFT, r.Hits, *r.Cap, s.length)
		}
	} else if r.Cap != nil {
		r.Apart = apart(s)
	}
	if r.Apart != nil {
		r.Groups = r.Apart.Groups
	}
	if r.PrefillRate == nil && r.Cap != nil {
		// Per-request times without hits: the summary still tells the rate.
		r.PrefillRate = apartRate(s, apart(s))
	}
	r.LogRate = logRate(c, d.Facts)
	r.SitsIn = sitsIn(r)
	r.Predicted = predict(s, d, r)
	r.Warnings = append(r.Warnings, warnings(cr, r)...)
	return r
}

// hitClasses lays the hit classes beside the times, nil unless there is one for
// each prompt.
func hitClasses(hits []carryover.Hit, n int) []uint8 {
	if n == 0 || len(hits) != n {
		return nil
	}
	out := make([]uint8, n)
	for i, h := range hits {
		out[i] = uint8(h)
	}
	return out
}

// sampleSize is the number of requests that the printed figures are over.
func sampleSize(r *capture.Run, ttft []float64) int {
	if n := len(Sorted(ttft)); n > 0 {
		return n
	}
	if r.Merged.Completed != nil {
		return *r.Merged.Completed
	}
	// A text that was cut, or stated facts: how many were sent is the best
	// there is, and the rule for hidden failures says that it is not the same.
	if r.Merged.Workload.Prompts != nil {
		return *r.Merged.Workload.Prompts
	}
	return 0
}

// newSummary collects what the arithmetic on summaries needs. Lengths are the
// client's totals over the completed requests, else what was asked for.
func newSummary(d *carryover.Run, r *Run) *summary {
	m := &d.Facts.Run.Merged
	s := &summary{n: r.N, chunk: defaultChunk}
	if r.Cap != nil {
		s.cap = *r.Cap
	}
	if size := d.Facts.Server.ChunkedSize; size != nil {
		s.chunk = *size
	}
	switch {
	case m.InputTokens != nil && r.N > 0 && *m.InputTokens > 0:
		s.length = float64(*m.InputTokens) / float64(r.N)
	case m.Workload.InputLen != nil:
		s.length = float64(*m.Workload.InputLen)
	}
	s.warm, s.warmBy = warmCount(d, r.N)
	s.mean, _ = r.Figure("mean_ttft_ms")
	s.median, _ = r.Figure("median_ttft_ms")
	s.p90, _ = r.Figure("p90_ttft_ms")
	for _, name := range []string{"p95_ttft_ms", "p99_ttft_ms", "p90_ttft_ms"} {
		if v, ok := r.Figure(name); ok {
			s.tail = v
			break
		}
	}
	s.tailPlateau = len(r.Plateaus) > 0
	s.readMarks(m)
	return s
}

// warnings are what a reader has to know before using the figures.
func warnings(c *capture.Run, r *Run) []string {
	var out []string
	if r.N == 0 {
		out = append(out, "the number of completed requests is not known: no percentile can be judged")
	}
	if v, ok := r.Figure("median_ttft_ms"); ok && v == 0 {
		out = append(out, "a median of exactly 0 ms: half of the requests never showed a first token; no group can be read from it")
	}
	if len(r.TTFT) == 0 && r.Apart == nil && r.N > 0 {
		out = append(out, "no per-request times, and the summary cannot be taken apart: the shape of the distribution is not known")
	}
	if len(r.TTFT) > 0 && r.Hits == nil {
		out = append(out, "no per-prompt count of cached tokens: groups of latencies cannot be held against hits")
	}
	if c.Merged.Requests != nil && !c.Merged.Requests.InOrder {
		out = append(out, "the file lists requests in another order than the prompts: no waves")
	}
	if g := r.Groups; len(g) == 2 && g[0].Hits >= 0 && g[0].Hits+g[1].Hits > 0 {
		out = append(out, agreement(g))
	}
	if ratio := c.Merged.Workload.RangeRatio; ratio != nil && *ratio != 1 && len(r.Waves) > 0 && len(r.Waves) < r.N {
		out = append(out, fmt.Sprintf("range ratio %g: lengths vary and waves drift apart; the cut into waves is by prompt order only", *ratio))
	}
	for _, m := range r.Mismatch {
		out = append(out, "printed and computed differ: "+m)
	}
	return out
}

// agreement says whether the fast requests are the warm ones.
func agreement(g []Group) string {
	right := g[0].Hits + g[1].N - g[1].Hits
	share := float64(right) / float64(g[0].N+g[1].N)
	text := fmt.Sprintf("of the %d fast requests %d were warm, of the %d slow ones %d", g[0].N, g[0].Hits, g[1].N, g[1].Hits)
	if math.Min(share, 1-share) > 0.2 || g[1].Hits > g[0].Hits {
		return text + ": the groups are not made by the cache alone"
	}
	return text
}
