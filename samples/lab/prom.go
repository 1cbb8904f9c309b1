package lab

import (
	"math"
	"strconv"
	"strings"
)

// promText writes the Prometheus text format.
type promText struct {
	b strings.Builder
}

// head starts a metric.
func (p *promText) head(name, kind, help string) {
	p.b.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n")
}

// sample writes one line; labels are given ready to print, without braces.
func (p *promText) sample(name, labels string, v float64) {
	p.b.WriteString(name)
	if labels != "" {
		p.b.WriteString("{" + labels + "}")
	}
	p.b.WriteString(" " + promNumber(v) + "\n")
}

// hist writes the samples of a histogram. before and after are the labels in
// front of le and behind it: the client libraries sort labels by name.
func (p *promText) hist(name, before, after string, h *histogram, bounds []float64) {
	join := func(parts ...string) string {
		var kept []string
		for _, s := range parts {
			if s != "" {
				kept = append(kept, s)
			}
		}
		return strings.Join(kept, ",")
	}
	p.sample(name+"_sum", join(before, after), h.sum)
	for _, le := range append(bounds, math.Inf(1)) {
		p.sample(name+"_bucket", join(before, `le="`+promNumber(le)+`"`, after), float64(h.upTo(le)))
	}
	p.sample(name+"_count", join(before, after), float64(h.n))
}

// promNumber prints a float as Python's client library does.
func promNumber(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case v == math.Trunc(v) && math.Abs(v) < 1e6:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case math.Abs(v) >= 1e6:
		s := strconv.FormatFloat(v, 'e', -1, 64)
		return s
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

var (
	timeBounds   = []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400}
	sglTokens    = []float64{100, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 12500, 15000, 17500, 20000, 22500, 25000, 27500, 30000, 35000, 40000, 60000, 80000, 100000, 200000, 300000, 400000, 600000, 800000, 1e6, 1.1e6}
	sglITLBounds = []float64{0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8}
	vllmTokens   = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000}
	vllmTTFT     = []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	vllmLong     = []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	vllmITL      = []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
)
