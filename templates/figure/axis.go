package figure

import (
	"math"
	"strconv"
	"strings"
)

// ValueAxis returns an axis that holds lo to hi with round ticks. It starts at
// zero if lo is not negative: lengths on it can then be compared.
func ValueAxis(label string, lo, hi float64) Axis {
	if lo > 0 {
		lo = 0
	}
	if hi <= lo {
		hi = lo + 1
	}
	step := niceStep((hi - lo) / 5)
	return Axis{Label: label, Min: math.Floor(lo/step) * step, Max: math.Ceil(hi/step-1e-9) * step, Step: step}
}

// ExactAxis is a value axis that ends at hi, round or not.
func ExactAxis(label string, lo, hi float64) Axis {
	a := ValueAxis(label, lo, hi)
	a.Max = max(hi, a.Min+1)
	return a
}

// CategoryAxis returns an axis of names.
func CategoryAxis(label string, names []string) Axis {
	return Axis{Label: label, Categories: names, Min: -0.5, Max: float64(len(names)) - 0.5, Step: 1}
}

// niceStep returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is
// at least raw.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// Ticks returns the positions of the ticks.
func (a Axis) Ticks() []float64 {
	var ticks []float64
	if len(a.Categories) > 0 {
		for i := range a.Categories {
			ticks = append(ticks, float64(i))
		}
		return ticks
	}
	n := int(math.Floor((a.Max-a.Min)/a.Step + 1e-9))
	for i := 0; i <= n; i++ {
		ticks = append(ticks, a.Min+float64(i)*a.Step)
	}
	return ticks
}

// TickLabel formats a tick: its category, or its value with thousands set apart
// and no more decimals than it needs, as ECharts does.
func (a Axis) TickLabel(v float64) string {
	if len(a.Categories) > 0 {
		return a.Categories[int(v)]
	}
	digits := 0
	for s := a.Step; digits < 6 && math.Abs(s-math.Round(s)) > 1e-9; digits++ {
		s *= 10
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return Thousands(s)
}

// Thousands sets commas into the whole part of a decimal number.
func Thousands(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole
}
