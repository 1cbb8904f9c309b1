package svg

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

func TestNumberHasNoNegativeZero(t *testing.T) {
	for v, want := range map[float64]string{-0.01: "0", math.Copysign(0, -1): "0", 1.26: "1.3", -2: "-2", 10: "10"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestPictureClosesWhatItOpens(t *testing.T) {
	p := New("a", 10, 10, "title <1>", "desc & more")
	p.Open("g")
	p.Text(1, 2, 12, "middle", `"x" <y>`)
	got := p.String()
	for _, want := range []string{`role="img"`, "<title", "title &lt;1&gt;", "</g></svg>", "&#34;x&#34; &lt;y&gt;"} {
		if !strings.Contains(got, want) {
			t.Errorf("picture lacks %q: %s", want, got)
		}
	}
	if strings.Contains(got, "style=") {
		t.Error("picture holds an inline style")
	}
}

func TestPlacerKeepsLabelsApart(t *testing.T) {
	p := Placer{Within: Box{0, 0, 200, 200}}
	var boxes []Box
	for i := range 60 {
		x, y := float64(i*37%200), float64(i*53%200)
		if b, ok := p.Place(Site{x, y}, nil, 5, 40, 14); ok {
			for _, o := range boxes {
				if b.Overlaps(o) {
					t.Fatalf("label %d at %v lies over %v", i, b, o)
				}
			}
			if !b.Inside(p.Within) {
				t.Fatalf("label %d at %v leaves the plot", i, b)
			}
			boxes = append(boxes, b)
		}
	}
	if len(boxes) < 10 || len(boxes) == 60 {
		t.Errorf("%d labels placed; want some, and some without room", len(boxes))
	}
}

func TestCrosses(t *testing.T) {
	box := Box{10, 10, 20, 20}
	for _, c := range []struct {
		s    Segment
		want bool
	}{
		{Segment{0, 15, 30, 15}, true}, {Segment{0, 0, 30, 30}, true}, {Segment{12, 12, 13, 13}, true},
		{Segment{0, 5, 30, 5}, false}, {Segment{0, 15, 9, 15}, false}, {Segment{0, 25, 5, 0}, false},
	} {
		if got := c.s.crosses(box); got != c.want {
			t.Errorf("%v crosses: %v, want %v", c.s, got, c.want)
		}
	}
}

// FuzzEscape: any text in a picture is well-formed XML and comes back as it was
// but for what XML cannot hold.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "<script>", "a&b", `"'`, "\x00\x1b", "\xff", "\uFFFE"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := New("a", 1, 1, s, s)
		p.Text(0, 0, 10, "start", s, A("class", s))
		d := xml.NewDecoder(strings.NewReader(p.String()))
		names := 0
		for {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			if _, ok := tok.(xml.StartElement); ok {
				names++
			}
		}
		if names != 4 {
			t.Fatalf("%q makes %d elements, want 4", s, names)
		}
	})
}
