package figure

import (
	"math"
	"strconv"
	"testing"
)

// contrast is the ratio of WCAG 2 between two colours.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	if x < y {
		x, y = y, x
	}
	return (x + 0.05) / (y + 0.05)
}

func luminance(hex string) float64 {
	part := func(i int) float64 {
		n, _ := strconv.ParseUint(hex[i:i+2], 16, 8)
		c := float64(n) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(1) + 0.7152*part(3) + 0.0722*part(5)
}

func TestContrast(t *testing.T) {
	paper := Shade{Light: "#ffffff", Dark: "#101316"}
	stripe := Shade{Light: Stripe.Light(), Dark: "#1a1f25"}
	seen := map[string]Color{}
	for _, s := range Palette {
		if other, ok := seen[s.Light]; ok {
			t.Errorf("%s and %s share a light colour: a dark page could not tell them apart", s.Name, other)
		}
		seen[s.Light] = s.Name
		want := 3.0
		switch s.Name {
		case Grid, Paper, Stripe:
			continue
		case Ink, Muted, Line1, Line2, Line3, Line4, Line5, Line6: // text is set in them
			want = 4.5
		}
		if c := contrast(s.Light, paper.Light); c < want {
			t.Errorf("%s on the light page: %.2f, want %.1f", s.Name, c, want)
		}
		if c := contrast(s.Light, stripe.Light); s.Name == Muted && c < want {
			t.Errorf("%s on a light stripe: %.2f, want %.1f", s.Name, c, want)
		}
		if c := contrast(s.Dark, stripe.Dark); s.Name == Muted && c < want {
			t.Errorf("%s on a dark stripe: %.2f, want %.1f", s.Name, c, want)
		}
		if c := contrast(s.Dark, paper.Dark); c < want {
			t.Errorf("%s on the dark page: %.2f, want %.1f", s.Name, c, want)
		}
	}
}

// TestInside: the numbers in the parts of a bar are set in the colour of the
// paper.
func TestInside(t *testing.T) {
	for _, s := range Palette {
		switch s.Name {
		case Warm, Cold, Part, Other, Open, Good, Bad:
			if c := contrast(s.Light, "#ffffff"); c < 4.5 {
				t.Errorf("paper on %s, light: %.2f, want 4.5", s.Name, c)
			}
			if c := contrast(s.Dark, "#101316"); c < 4.5 {
				t.Errorf("paper on %s, dark: %.2f, want 4.5", s.Name, c)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 1000, "0 200 400 600 800 1,000"}, {0, 0.9, "0 0.2 0.4 0.6 0.8 1"}, {-3, 7, "-4 -2 0 2 4 6 8"}, {5, 5, "0 1 2 3 4 5"},
	} {
		a := ValueAxis("", c.lo, c.hi)
		got := ""
		for i, v := range a.Ticks() {
			if i > 0 {
				got += " "
			}
			got += a.TickLabel(v)
		}
		if got != c.want {
			t.Errorf("ticks of %v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
		if a.Min > c.lo || a.Max < c.hi {
			t.Errorf("axis %v to %v does not hold %v to %v", a.Min, a.Max, c.lo, c.hi)
		}
	}
}

func TestThousands(t *testing.T) {
	for in, want := range map[string]string{"0": "0", "999": "999", "1000": "1,000", "-1234567.5": "-1,234,567.5", "100000": "100,000"} {
		if got := Thousands(in); got != want {
			t.Errorf("Thousands(%s) = %s, want %s", in, got, want)
		}
	}
}
