package join

import (
	"math"
	"strings"

	"coldcase/ingest/capture"
)

// agreement counts the figures in which two results agree to the digits
// printed. ok is false if anything that both state differs: then they are of
// two runs, whatever else agrees.
func agreement(a, b *capture.Result) (n int, ok bool) {
	if differ(a.Completed, b.Completed) || !sameArguments(a, b) {
		return 0, false
	}
	if a.Duration != nil && b.Duration != nil {
		if !sameFigure(durationOf(a), durationOf(b)) {
			return 0, false
		}
		n++
	}
	latencies := 0
	for name, x := range a.Printed {
		y, there := b.Printed[name]
		if !there {
			continue
		}
		if !sameFigure(x, y) {
			return 0, false
		}
		if telling(x, y) {
			n++
			if strings.HasSuffix(name, "_ms") {
				latencies++
			}
		}
	}
	computed := computedFrom(a, b) + computedFrom(b, a)
	n, latencies = n+computed, latencies+computed
	switch {
	case latencies >= 2 && (quotes(a, b) || quotes(b, a)):
		return max(n, sureFigures), true
	case a.Completed == nil || b.Completed == nil:
		return 0, true // nothing was measured in one of them
	case sameClock(a, b):
		return max(n, sureFigures), true
	}
	if latencies == 0 {
		// Rates and totals of one setting repeat; latencies do not.
		n = min(n, sureFigures-1)
	}
	return n, true
}

// quotes tells whether all that a states are figures of b: a part of b's report
// that was kept as a file of its own, or that a document quotes.
func quotes(a, b *capture.Result) bool {
	if a.Completed != nil || b.Completed == nil {
		return false
	}
	for name := range a.Printed {
		if _, there := b.Printed[name]; !there {
			return false
		}
	}
	return true
}

// durationOf gives the duration with the digits that it was printed with: a
// text prints two. Those of records come from clocks that are subtracted, and
// are held to 10 µs.
func durationOf(r *capture.Result) capture.Figure {
	if f, ok := r.Printed["duration"]; ok {
		return f
	}
	digits := 5
	if isText(r) {
		digits = 2
	}
	return capture.Figure{Value: *r.Duration, Digits: digits}
}

// sameClock tells whether two files hold one reading of a clock: durations
// that are equal to the last of many digits.
func sameClock(a, b *capture.Result) bool {
	if a.Duration == nil || b.Duration == nil || *a.Duration != *b.Duration {
		return false
	}
	us := *a.Duration * 1e6
	return us != math.Trunc(us)
}

// sameFigure compares at the coarser of two roundings.
func sameFigure(a, b capture.Figure) bool {
	if math.IsNaN(a.Value) || math.IsNaN(b.Value) {
		return math.IsNaN(a.Value) && math.IsNaN(b.Value)
	}
	if a.Value == b.Value {
		return true
	}
	return math.Abs(a.Value-b.Value) <= tolerance(a, b)
}

func tolerance(a, b capture.Figure) float64 {
	d := max(a.Digits, b.Digits)
	if a.Digits >= 0 && b.Digits >= 0 {
		d = min(a.Digits, b.Digits)
	}
	scale := math.Max(math.Abs(a.Value), math.Abs(b.Value)) * 1e-9
	if d < 0 {
		return scale
	}
	// Two numbers that were both rounded lie up to a whole unit apart only if
	// they were rounded to different digits; half a unit is the bound for one.
	return 0.5*math.Pow(10, -float64(d)) + scale + 1e-12
}

// telling tells figures that hold enough digits to tell runs apart.
func telling(a, b capture.Figure) bool {
	v := math.Min(math.Abs(a.Value), math.Abs(b.Value))
	d := max(a.Digits, b.Digits)
	if a.Digits >= 0 && b.Digits >= 0 {
		d = min(a.Digits, b.Digits)
	}
	if d < 0 {
		return v > 0
	}
	return v*math.Pow(10, float64(d)) >= 100
}

// sameArguments tells whether nothing that both results state about the
// client's settings differs.
func sameArguments(a, b *capture.Result) bool {
	x, y := &a.Workload, &b.Workload
	if a.MaxConcurrency.Known && b.MaxConcurrency.Known && a.MaxConcurrency != b.MaxConcurrency {
		return false
	}
	if !sameRate(a.RequestRate, b.RequestRate) {
		return false
	}
	if x.Dataset != "" && y.Dataset != "" && x.Dataset != y.Dataset {
		return false
	}
	if a.Client != "" && b.Client != "" && a.Client != b.Client && knownClient(a) && knownClient(b) {
		return false
	}
	return !differ(x.Seed, y.Seed) && !differ(x.Prompts, y.Prompts) && !differ(x.InputLen, y.InputLen) &&
		!differ(x.OutputLen, y.OutputLen) && !differ(x.RangeRatio, y.RangeRatio)
}

// knownClient tells results whose reader is sure of the client: a record of the
// engines' own clients names none.
func knownClient(r *capture.Result) bool {
	return r.Kind != capture.SGLangJSONL && r.Kind != capture.VLLMJSON
}

func sameRate(a, b capture.Rate) bool {
	if !a.Known || !b.Known || a == b {
		return true
	}
	return !a.Inf && !b.Inf && !a.Trace && !b.Trace && math.Abs(a.PerSecond-b.PerSecond) <= 0.005
}

// differ tells whether both are known and not equal.
func differ[T comparable](a, b *T) bool { return a != nil && b != nil && *a != *b }
