package latency

import (
	"math"
	"testing"
)

// A prompt of 1,536 tokens takes three batches of 512: its first token comes
// after the third, and the next prompt waits for all of them.
func TestModelCutsPromptsIntoChunks(t *testing.T) {
	m := model{prompts: 3, cap: 3, length: 1536, output: 1, rate: 10240, over: 10, chunk: 512}
	for i, got := range m.run() {
		if want := float64(i+1) * 3 * (10 + 50); math.Abs(got-want) > 1e-6 {
			t.Errorf("prompt %d: first token after %.1f ms, want %.1f", i+1, got, want)
		}
	}
	m.chunk = 0
	for i, got := range m.run() {
		if want := 10 + 3*150.0; math.Abs(got-want) > 1e-6 {
			t.Errorf("without chunks, prompt %d: %.1f ms, want %.1f", i+1, got, want)
		}
	}
}

// A warm prompt costs its batch, not its tokens.
func TestModelServesWarmPrompts(t *testing.T) {
	m := model{prompts: 2, cap: 2, length: 1000, output: 1, rate: 1000, over: 10, warmCost: 1, warm: func(int) bool { return true }}
	for i, got := range m.run() {
		if want := 10 + 2.0; math.Abs(got-want) > 1e-6 {
			t.Errorf("warm prompt %d: %.1f ms, want %.1f", i+1, got, want)
		}
	}
}

// However the fixed cost of a batch is chosen, a cold wave takes as long as it
// was seen to take.
func TestKeepWave(t *testing.T) {
	for _, chunk := range []float64{0, 512, 2048, 8192} {
		for _, over := range []float64{0, 5, 15, 40} {
			for _, second := range []float64{0, 2, 7} {
				m := model{cap: 8, length: 1536, output: 64, rate: 1, over: over, chunk: chunk, second: second}
				m.keepWave(1123)
				if got := m.coldWave(); math.Abs(got-1123) > 1 {
					t.Errorf("chunk %v, %v ms a batch, second batch of %v: a cold wave takes %.1f ms, want 1123 (rate %.0f, cost %v)", chunk, over, second, got, m.rate, m.over)
				}
			}
		}
	}
}

// Batches that alone would take longer than the wave did are taken to cost
// nothing.
func TestKeepWaveTooShort(t *testing.T) {
	m := model{cap: 8, length: 1536, output: 64, rate: 1, over: 100, chunk: 512}
	m.keepWave(1123)
	if got := m.coldWave(); m.over != 0 || math.Abs(got-1123) > 1 {
		t.Errorf("24 batches of 100 ms in 1,123 ms: cost %v, a cold wave takes %.1f ms", m.over, got)
	}
}
