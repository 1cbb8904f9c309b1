package timeline

import (
	"testing"

	"coldcase/ingest/capture"
)

func TestWarmups(t *testing.T) {
	n := func(i int) *int { return &i }
	yes, no := true, false
	for _, c := range []struct {
		what      string
		client    string
		w         capture.Workload
		low, high int
	}{
		{"told", "sglang.bench_serving", capture.Workload{Warmups: n(1)}, 1, 1},
		{"told, and a ready check", "vllm bench serve", capture.Workload{Warmups: n(2), ReadyCheck: &yes}, 3, 3},
		{"told, and no ready check", "vllm bench serve", capture.Workload{Warmups: n(0), ReadyCheck: &no}, 0, 0},
		{"not told", "sglang.bench_serving", capture.Workload{}, 0, maxUnknownWarmups},
		{"a client that starts cold", "aiperf", capture.Workload{}, 0, 0},
		{"a client of no known name", "", capture.Workload{}, 0, maxUnknownWarmups},
	} {
		r := &capture.Run{}
		r.Merged.Client, r.Merged.Workload = c.client, c.w
		if low, high := Warmups(r); low != c.low || high != c.high {
			t.Errorf("%s: %d to %d, want %d to %d", c.what, low, high, c.low, c.high)
		}
	}
}

// EvalScope sends one request to test its connection unless it is told not to.
func TestExtras(t *testing.T) {
	n := func(i int) *int { return &i }
	for _, c := range []struct {
		client string
		told   *int
		want   int
	}{{"evalscope", nil, 1}, {"evalscope", n(0), 0}, {"evalscope", n(1), 1}, {"aiperf", nil, 0}, {"", nil, 0}} {
		r := &capture.Run{}
		r.Merged.Client, r.Merged.Workload.ExtraRequests = c.client, c.told
		if got := Extras(r); got != c.want {
			t.Errorf("%q: %d, want %d", c.client, got, c.want)
		}
	}
}
