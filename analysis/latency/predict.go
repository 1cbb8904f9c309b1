package latency

import (
	"fmt"
	"math"
	"slices"

	"coldcase/analysis/carryover"
)

// Defaults of the queue model, used where the capture shows no better value and
// listed as such among the parameters.
const (
	defaultOverhead = 15.0 // ms a batch
	defaultDecode   = 12.0 // ms a step
	defaultSlope    = 0.35 // ms per running request
	defaultChunk    = 8192 // tokens, SGLang's chunked prefill size on large GPUs
	slowWave        = 2.5  // first wave to later waves, from which it counts as slow
)

// predict fits the queue model on one run, with the warm prompts it had, and
// runs it again with none. Nil where the run is not a closed loop, where its
// warm prompts are not known, or where there were none.
func predict(s *summary, d *carryover.Run, r *Run) *CleanGuess {
	rate := r.LogRate
	if rate == nil {
		rate = r.PrefillRate
	}
	if rate == nil || rate.TokensPerS <= 0 || s.warm <= 0 || s.cap < 2 || s.cap >= s.n || s.length <= 0 || !closedLoop(d) {
		return nil
	}
	m := baseModel(s, d, r, rate.TokensPerS)
	seconds, from := secondBatches(d.Facts, s.cap)
	m.second = seconds[0]
	if from == fromLog {
		m.second = Mean(seconds)
	}
	slow := firstWaveSlow(s, r)
	var target Figure // what the run must give back in the model
	var fitted string
	if rate.wave > 0 {
		m.keepWave(rate.wave)
		target, fitted = Figure{Name: "kept_wave_ms", Value: rate.wave}, "the time of a cold wave kept, fixed cost of a batch assumed"
	} else {
		mean := fitTarget(s, r, slow)
		target, fitted = Figure{Name: "fitted_mean_ms", Value: mean}, m.fit(mean, slow)
	}
	if slow {
		m.penalty = math.Max(0, firstWaveTime(s, r)-Quantile(Sorted(m.run()[:s.cap]), 0.5))
	}
	clean := *m
	clean.warm = nil
	times := Sorted(clean.run())
	out := &CleanGuess{Median: Quantile(times, 0.5), Mean: Mean(times), P90: Quantile(times, 0.9)}
	out.MedianLow, out.MedianHigh = out.Median, out.Median
	for _, k := range seconds {
		alt := clean
		alt.second = k
		v := Median(alt.run())
		out.MedianLow, out.MedianHigh = math.Min(out.MedianLow, v), math.Max(out.MedianHigh, v)
	}
	out.Parameters = m.parameters(s, target)
	out.Note = fmt.Sprintf("a prediction of a queue model, not a measurement: prefill first, closed loop of %d, rate from %s, second batch of a wave from %s, warm prompts from the %s; %s",
		s.cap, rate.By, from, s.warmBy, fitted)
	if d.Facts.Server.ChunkedSize == nil {
		out.Note += fmt.Sprintf("; chunk size not stated, %d assumed", defaultChunk)
	}
	return out
}

// closedLoop reports whether requests are sent as soon as a slot is free.
func closedLoop(d *carryover.Run) bool {
	if d.Facts == nil || d.Facts.Run == nil {
		return false
	}
	rate := d.Facts.Run.Merged.RequestRate
	return !rate.Known || rate.Inf
}

func baseModel(s *summary, d *carryover.Run, r *Run, rate float64) *model {
	m := &model{prompts: s.n, cap: s.cap, length: s.length, rate: rate, over: defaultOverhead,
		chunk: float64(s.chunk), decode: defaultDecode, slope: defaultSlope, warmCost: 1, output: 128}
	if tpot, ok := r.Figure("median_tpot_ms"); ok && tpot > 0 {
		m.decode, m.slope = tpot, 0
	}
	merged := &d.Facts.Run.Merged
	if merged.OutputTokens != nil && s.n > 0 {
		m.output = max(1, int(*merged.OutputTokens)/s.n)
	} else if merged.Workload.OutputLen != nil {
		m.output = max(1, *merged.Workload.OutputLen)
	}
	if d.PageSize != nil {
		m.warmCost = float64(*d.PageSize)
	}
	hits := r.Hits
	m.warm = func(prompt int) bool {
		if prompt < len(hits) {
			return hits[prompt] >= hitOrBetter
		}
		return prompt < s.warm // those an earlier, shorter run left are the first
	}
	return m
}

// fromLog says that the batches of a wave were read, not assumed.
const fromLog = "the log"

// secondBatches gives the number of prompts in the batch that follows the first
// prompt of a cold wave, from the log where the run has a place there. Without
// one the model assumes that the rest of the wave has arrived, and tries a
// quarter and a half of it for the range.
func secondBatches(f *carryover.Facts, limit int) ([]float64, string) {
	var out []float64
	if f.Log != nil {
		alone := false
		for _, b := range f.Log.Batches.Range(f.FirstBatch, f.LastBatch) {
			if alone && b.Running == 1 && b.NewToken >= largeBatch {
				out = append(out, float64(b.NewSeq))
			}
			alone = b.NewSeq == 1 && b.Running == 0
		}
	}
	if len(out) > 0 {
		return out, fromLog
	}
	rest := float64(limit - 1)
	return []float64{rest, math.Max(1, rest/4), math.Max(1, rest/2)}, "assumption (a quarter to all of the wave)"
}

// firstWaveSlow reports whether the first wave stands apart from the others.
func firstWaveSlow(s *summary, r *Run) bool {
	if len(r.Waves) < 3 {
		return r.Apart != nil && r.Apart.SlowFirstWave
	}
	var later []float64
	for _, w := range r.Waves[1:] {
		later = append(later, w.Median)
	}
	return r.Waves[0].Median > slowWave*slices.Max(later)
}

func firstWaveTime(s *summary, r *Run) float64 {
	if len(r.Waves) > 0 {
		return r.Waves[0].Median
	}
	return s.tail
}

// fitTarget is the mean that the model has to meet: that of the run, without
// the first wave where that one is slow for a reason of its own.
func fitTarget(s *summary, r *Run, slow bool) float64 {
	if !slow {
		return s.mean
	}
	if len(r.TTFT) > s.cap {
		return Mean(Sorted(r.TTFT[s.cap:]))
	}
	return (float64(s.n)*s.mean - float64(s.cap)*s.tail) / float64(s.n-s.cap)
}

// fit sets the fixed cost of a batch so that the run with its warm prompts gets
// the mean it printed. Where even a cost of nothing is too slow, the rate is
// raised instead.
func (m *model) fit(target float64, skipFirst bool) string {
	mean := func() float64 {
		t := m.run()
		if skipFirst {
			t = t[m.cap:]
		}
		return Mean(t)
	}
	m.over = 0
	if mean() > target {
		low, high := m.rate, m.rate*100
		for range 40 {
			m.rate = math.Sqrt(low * high)
			if mean() > target {
				low = m.rate
			} else {
				high = m.rate
			}
		}
		return "rate fitted to the run's mean, no fixed cost of a batch"
	}
	low, high := 0.0, target
	for range 40 {
		m.over = (low + high) / 2
		if mean() < target {
			low = m.over
		} else {
			high = m.over
		}
	}
	return "fixed cost of a batch fitted to the run's mean"
}

func (m *model) parameters(s *summary, target Figure) []Figure {
	return []Figure{
		{Name: "prompts", Value: float64(m.prompts)},
		{Name: "cap", Value: float64(m.cap)},
		{Name: "prompt_tokens", Value: m.length},
		{Name: "output_tokens", Value: float64(m.output)},
		{Name: "prefill_tokens_per_s", Value: m.rate},
		{Name: "batch_overhead_ms", Value: m.over},
		{Name: "chunk_tokens", Value: m.chunk},
		{Name: "decode_step_ms", Value: m.decode},
		{Name: "decode_step_per_request_ms", Value: m.slope},
		{Name: "second_batch_prompts", Value: m.second},
		{Name: "warm_prompts", Value: float64(s.warm)},
		{Name: "warm_prompt_new_tokens", Value: m.warmCost},
		{Name: "first_wave_penalty_ms", Value: m.penalty},
		target,
	}
}
