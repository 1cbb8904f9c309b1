package latency

import (
	"math"
	"slices"
)

// model is a small queue model of a server that prefills before it decodes:
// a closed loop of a fixed number of clients, batches of whole or chunked
// prompts up to a token budget, one decode step for all running requests
// otherwise. It is meant to predict orders and levels, not milliseconds.
type model struct {
	prompts int
	cap     int     // clients, each with one request in flight
	length  float64 // prompt tokens
	output  int     // tokens
	rate    float64 // new tokens/s
	over    float64 // ms, fixed cost of a prefill batch
	chunk   float64 // token budget of a batch, 0 = no limit
	decode  float64 // ms, a decode step
	slope   float64 // ms more per running request
	// second is how many prompts of a wave have arrived when its first prompt,
	// admitted alone, is done; it sets the spacing of arrivals.
	second float64
	// warmCost is the number of new tokens of a warm prompt.
	warmCost float64
	warm     func(prompt int) bool
	// penalty is added to the second batch after the start (a batch of a new
	// size), ms.
	penalty float64
}

// coldWave is the last first-token time of one wave of cold prompts in ms.
func (m *model) coldWave() float64 {
	w := *m
	w.prompts, w.output, w.warm, w.penalty = m.cap, 1, nil, 0
	return slices.Max(w.run())
}

// keepWave sets the rate so that one wave of cold prompts takes as long as one
// was seen to take, in ms, with the fixed cost of its batches in that time: a
// rate read from whole waves would count the cost twice, once for every chunk.
// If the batches alone would take longer, they are taken to cost nothing.
func (m *model) keepWave(wave float64) {
	slowest := float64(m.cap) * m.length / wave * 1000
	m.rate = slowest * 100
	if m.coldWave() > wave {
		m.over = 0
	}
	low, high := slowest/2, slowest*100
	for range 50 {
		m.rate = math.Sqrt(low * high)
		if m.coldWave() > wave {
			low = m.rate
		} else {
			high = m.rate
		}
	}
}

type request struct {
	prompt     int
	sent, left float64 // ms, tokens to prefill
	steps      int     // decode steps to go
}

// run simulates the loop and returns the first-token time of each prompt in ms.
func (m *model) run() []float64 {
	ttft := make([]float64, m.prompts)
	spacing := 0.0
	if m.second > 0 {
		spacing = (m.over + m.length/m.rate*1000) / m.second
	}
	var coming, waiting, running []request
	next := 0
	send := func(at float64) {
		if next >= m.prompts {
			return
		}
		tokens := m.length
		if m.warm != nil && m.warm(next) {
			tokens = m.warmCost
		}
		coming = append(coming, request{prompt: next, sent: at, left: tokens, steps: m.output - 1})
		next++
	}
	for i := 0; i < m.cap; i++ {
		send(float64(i) * spacing)
	}
	now, batches := 0.0, 0
	for len(coming)+len(waiting)+len(running) > 0 {
		for len(coming) > 0 && coming[0].sent <= now+1e-9 {
			waiting = append(waiting, coming[0])
			coming = coming[1:]
		}
		switch {
		case len(waiting) > 0:
			batches++
			var done []request
			waiting, done, now = m.prefill(waiting, now, batches)
			for _, r := range done {
				ttft[r.prompt] = now - r.sent
			}
			running = append(running, done...)
		case len(running) > 0:
			now += m.decode + m.slope*float64(len(running))
			ended := 0
			keep := running[:0]
			for _, r := range running {
				if r.steps--; r.steps > 0 {
					keep = append(keep, r)
					continue
				}
				send(now + float64(ended)*spacing)
				ended++
			}
			running = keep
		default:
			now = coming[0].sent
		}
	}
	return ttft
}

// prefill runs one batch: prompts in order until the budget is used, the last
// one cut where it does not fit.
func (m *model) prefill(waiting []request, now float64, batch int) (rest, done []request, end float64) {
	budget := m.chunk
	if budget <= 0 {
		budget = math.Inf(1)
	}
	tokens := 0.0
	i := 0
	for ; i < len(waiting) && tokens < budget; i++ {
		take := math.Min(waiting[i].left, budget-tokens)
		tokens += take
		waiting[i].left -= take
		if waiting[i].left > 1e-9 {
			break
		}
		done = append(done, waiting[i])
	}
	end = now + m.over + tokens/m.rate*1000
	if batch == 2 {
		end += m.penalty
	}
	return waiting[i:], done, end
}
