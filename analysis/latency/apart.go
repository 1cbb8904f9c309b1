package latency

import (
	"fmt"
	"math"
	"sort"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// summary is what a printed latency block and the arguments give to arithmetic.
type summary struct {
	n, cap      int
	mean        float64 // ms
	median      float64
	p90, tail   float64 // tail is P95, else P99, else P90
	length      float64 // prompt tokens
	chunk       int     // chunked prefill size in tokens, 0 off
	warm        int     // prompts cached at start, -1 not known
	warmBy      string
	tailPlateau bool // P90 or P95 to P99 lie on one batch
	// marks are the other percentiles that were printed: none is used to solve
	// for a level, and a hypothesis has to meet each of them.
	marks    []mark
	least    float64 // ms, the printed minimum, 0 if none
	quantile func(sorted []float64, q float64) float64
}

// mark is one printed percentile.
type mark struct{ q, value float64 }

// markNames are the percentiles that hold a hypothesis to its shape.
var markNames = []struct {
	name string
	q    float64
}{{"p10_ttft_ms", 0.10}, {"p25_ttft_ms", 0.25}, {"p75_ttft_ms", 0.75}, {"p90_ttft_ms", 0.90}}

// readMarks takes the printed percentiles over, with the rule of the client
// that printed them.
func (s *summary) readMarks(m *capture.Result) {
	s.quantile = quantileBy(m.Quantiles)
	for _, p := range markNames {
		if f, ok := m.Printed[p.name]; ok && finite(f.Value) && f.Value > 0 {
			s.marks = append(s.marks, mark{p.q, f.Value})
		}
	}
	if f, ok := m.Printed["min_ttft_ms"]; ok && finite(f.Value) {
		s.least = f.Value
	}
}

// Tolerances of the arithmetic. A hypothesis whose misses stay below goodFit is
// kept if it is simpler; above poorFit none is believed.
const (
	goodFit = 0.10
	poorFit = 0.25
	// slowLeast is how far above the cold level a first wave must lie to count
	// as slow.
	slowLeast = 1.4
	// fastGuess is the first-token time of a warm prompt as a share of the
	// median, where the summary does not show it. Half or twice that moves the
	// cold level by a few per cent; the text gives by how much.
	fastGuess = 1.0 / 7
)

// warmCount says how many prompts were warm, from the best source there is:
// a count whose ends nearly agree, the prediction, a claim, the count's low.
func warmCount(d *carryover.Run, n int) (warm int, by string) {
	a := d.AtStart
	switch {
	case a.High != nil && float64(*a.High-a.Low) <= 0.02*float64(n):
		return int(a.Low), "count"
	case d.Predicted != nil && d.Predicted.High != nil && *d.Predicted.High == d.Predicted.Low:
		return int(d.Predicted.Low), "prediction"
	case len(d.Claims) > 0:
		return d.Claims[0].Prompts, "claim"
	case a.Low > 0:
		return int(a.Low), "count (low end)"
	}
	return -1, ""
}

// hypothesis is one way in which a summary could have come about: f prompts
// fast, optionally a first wave of the cap at the tail's level, the rest cold.
// The batches of a cold wave come one after another, so their times are spread
// evenly up to that of the last.
type hypothesis struct {
	fast  int
	slow  int     // requests of a slow first wave, 0 or the cap
	level float64 // ms, last batch of a cold wave, from the mean
	miss  float64 // worst relative miss of the figures that were not used
}

// waveBatches is the number of prefill batches that a cold wave falls into.
func (s *summary) waveBatches() int {
	if s.chunk <= 0 || s.length <= 0 {
		return 1
	}
	return max(1, int(math.Ceil(float64(s.cap)*s.length/float64(s.chunk))))
}

// try solves a hypothesis for the cold level by the mean, and holds the median
// and the tail against it.
func (s *summary) try(fast, slow int, tfast float64) (hypothesis, bool) {
	h := hypothesis{fast: fast, slow: slow}
	cold := s.n - fast - slow
	if cold < groupLeast || fast < 0 {
		return h, false
	}
	b := float64(s.waveBatches())
	rest := float64(s.n)*s.mean - float64(slow)*s.tail - float64(fast)*tfast
	h.level = rest / (float64(cold) * (b + 1) / (2 * b))
	if h.level <= tfast || slow > 0 && h.level*slowLeast > s.tail {
		return h, false
	}
	values := s.expand(h, tfast)
	if !s.onEdge(h, 0.5) {
		h.miss = math.Abs(Quantile(values, 0.5)-s.median) / s.median
	} else if s.median < tfast || s.median > s.tail {
		h.miss = 1
	}
	h.miss = math.Max(h.miss, math.Abs(Quantile(values, 0.95)-s.tail)/s.tail)
	h.miss = math.Max(h.miss, s.missMarks(h, values))
	return h, true
}

// missMarks is the worst relative miss of the printed percentiles and, where a
// hypothesis has no fast requests, of the minimum: one far below the first cold
// batch is a request that the hypothesis does not have. Ranks at a border say
// nothing: one request more or less moves them to the other side.
func (s *summary) missMarks(h hypothesis, values []float64) float64 {
	worst := 0.0
	for _, m := range s.marks {
		if !s.atBorder(h, m.q) {
			worst = math.Max(worst, math.Abs(s.quantile(values, m.q)-m.value)/m.value)
		}
	}
	if first := h.level / float64(s.waveBatches()); h.fast == 0 && s.least > 0 && s.least*slowLeast < first {
		worst = math.Max(worst, 1-s.least/first)
	}
	return worst
}

// atBorder reports whether the rank of quantile q lies within one request of
// the border of a group.
func (s *summary) atBorder(h hypothesis, q float64) bool {
	slowFrom := float64(s.n-h.slow) - 0.5
	return s.onEdge(h, q) || h.slow > 0 && math.Abs(q*float64(s.n-1)-slowFrom) < 1
}

// expand lists the sorted first-token times of a hypothesis.
func (s *summary) expand(h hypothesis, tfast float64) []float64 {
	out := make([]float64, 0, s.n)
	for range h.fast {
		out = append(out, tfast)
	}
	b, cold := s.waveBatches(), s.n-h.fast-h.slow
	for i := range cold {
		k := i*b/cold + 1
		out = append(out, h.level*float64(k)/float64(b))
	}
	for range h.slow {
		out = append(out, s.tail)
	}
	sort.Float64s(out)
	return out
}

// fastTime is the first-token time of a fast request, ms: the printed minimum,
// which none of them can be below, else a guess. guessed says which.
func (s *summary) fastTime() (ms float64, guessed bool) {
	if guess := s.median * fastGuess; s.least <= guess {
		return guess, true
	}
	return s.least, false
}

// onEdge reports whether the rank of quantile q lies within one request of the
// border between the fast group and the others.
func (s *summary) onEdge(h hypothesis, q float64) bool {
	return h.fast > 0 && math.Abs(q*float64(s.n-1)-(float64(h.fast)-0.5)) < 1
}

// solve picks the hypothesis that fits best. Without a slow first wave comes
// first: a slow one is believed only where the simpler reading misses.
func (s *summary) solve() (hypothesis, bool) {
	tfast, _ := s.fastTime()
	var plain, slow hypothesis
	plainOK, slowOK := false, false
	keep := func(best *hypothesis, ok *bool, h hypothesis, good bool) {
		if good && (!*ok || h.miss < best.miss) {
			*best, *ok = h, true
		}
	}
	for _, f := range s.fastCounts(0) {
		h, good := s.try(f, 0, tfast)
		keep(&plain, &plainOK, h, good)
	}
	if s.tailPlateau && float64(s.cap) >= 0.05*float64(s.n) && s.cap < s.n {
		for _, f := range s.fastCounts(s.cap) {
			h, good := s.try(f, s.cap, tfast)
			keep(&slow, &slowOK, h, good)
		}
	}
	switch {
	case plainOK && plain.miss <= goodFit, plainOK && !slowOK:
		return plain, plain.miss <= poorFit
	case slowOK && (!plainOK || slow.miss < plain.miss):
		return slow, slow.miss <= poorFit
	}
	return plain, plainOK && plain.miss <= poorFit
}

// fastCounts lists the sizes that the fast group may have. Prompts that an
// earlier, shorter run left are the first ones, so a slow first wave takes its
// share of them.
func (s *summary) fastCounts(slow int) []int {
	if s.warm >= 0 {
		if slow > 0 && s.warm > 0 {
			return []int{max(0, s.warm-slow), s.warm}
		}
		return []int{s.warm}
	}
	var out []int
	for f := 0; f <= s.n*3/4; f += s.cap {
		out = append(out, f)
	}
	return out
}

// apart takes a printed summary apart, nil if it cannot be or if nothing but
// one group is needed.
func apart(s *summary) *Apart {
	if s.n < 2*groupLeast || s.cap < 2 || s.cap >= s.n || s.median <= 0 || s.tail <= 0 || s.mean <= 0 {
		return nil
	}
	h, ok := s.solve()
	if !ok || h.fast == 0 && h.slow == 0 {
		return nil
	}
	tfast, _ := s.fastTime()
	out := &Apart{Warm: s.warm, WarmBy: s.warmBy, SlowFirstWave: h.slow > 0, coldLevel: h.level, batches: s.waveBatches()}
	add := func(name string, n int, level float64) {
		if n > 0 {
			out.Groups = append(out.Groups, Group{Name: name, N: n, Share: float64(n) / float64(s.n),
				Low: level, High: level, Median: level, Hits: -1, By: "summary"})
		}
	}
	add("fast", h.fast, tfast)
	b, cold := s.waveBatches(), s.n-h.fast-h.slow
	for k := 1; k <= b; k++ {
		name := "cold"
		if b > 1 {
			name = fmt.Sprintf("cold, batch %d of %d", k, b)
		}
		add(name, cold*k/b-cold*(k-1)/b, h.level*float64(k)/float64(b))
	}
	add("slow first wave", h.slow, s.tail)
	out.MeanBack = Mean(s.expand(h, tfast))
	out.Text = s.describe(h, tfast)
	return out
}

// describe puts the arithmetic into words, with the part of it that is a guess.
func (s *summary) describe(h hypothesis, tfast float64) []string {
	cold := s.n - h.fast - h.slow
	text := []string{fmt.Sprintf("%d × mean %.2f ms = %.0f ms: %d requests at about %.0f ms, %d cold ones up to %.0f ms%s",
		s.n, s.mean, float64(s.n)*s.mean, h.fast, tfast, cold, h.level, slowText(h, s.tail))}
	switch _, guessed := s.fastTime(); {
	case h.fast > 0 && !guessed:
		text = append(text, fmt.Sprintf("the fast requests are taken at the printed minimum of %.2f ms: none of them was faster", tfast))
	case h.fast > 0:
		half, okHalf := s.try(h.fast, h.slow, tfast/2)
		twice, okTwice := s.try(h.fast, h.slow, tfast*2)
		if okHalf && okTwice {
			text = append(text, fmt.Sprintf("the %.0f ms of the fast requests are a guess (a seventh of the median); at half or twice that the cold level is %.0f or %.0f ms",
				tfast, half.level, twice.level))
		}
	}
	switch {
	case s.onEdge(h, 0.5):
		text = append(text, fmt.Sprintf("the median %.2f ms lies on the edge between the fast and the cold requests: one request more or less moves it from one group to the other", s.median))
	case 0.5*float64(s.n-1) > float64(h.fast):
		text = append(text, fmt.Sprintf("the median %.2f ms is that of a cold request: warm prompts did not make it", s.median))
	default:
		text = append(text, fmt.Sprintf("the median %.2f ms is that of a fast request", s.median))
	}
	if h.slow > 0 && s.warm > h.fast {
		text = append(text, fmt.Sprintf("of the %d warm prompts (%s) %d must lie in the first wave, which is the slow one: slow although it is warm, as first batches after a start are",
			s.warm, s.warmBy, s.warm-h.fast))
	}
	return append(text, fmt.Sprintf("the figures not used to solve for the levels are met within %.1f %%", 100*h.miss))
}

func slowText(h hypothesis, tail float64) string {
	if h.slow == 0 {
		return ""
	}
	return fmt.Sprintf(", and a first wave of %d at %.0f ms", h.slow, tail)
}
