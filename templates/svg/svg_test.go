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
		if b, ok := p.Place(Label{Own: Site{X: x, Y: y}, Gap: 5, W: 40, H: 14}); ok {
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

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s    string
		max  float64
		n    int
		want string
		ok   bool
	}{
		{"cap 8", 100, 1, "cap 8", true},
		{"cap 32 seed 3", 60, 2, "cap 32|seed 3", true},
		{"cap 32 seed 3 fresh", 60, 2, "", false},
		{"folder/run-a.json", 90, 2, "folder/run-|a.json", true},
		{"onelongword", 40, 3, "", false},
	} {
		lines, ok := Wrap(c.s, 12, c.max, c.n)
		if ok != c.ok || ok && strings.Join(lines, "|") != c.want {
			t.Errorf("Wrap(%q, %v, %d) = %q, %v, want %q, %v", c.s, c.max, c.n, lines, ok, c.want, c.ok)
		}
		for _, l := range lines {
			if ok && TextWidth(l, 12) > c.max {
				t.Errorf("%q is wider than %v", l, c.max)
			}
		}
	}
}

func TestCutMiddle(t *testing.T) {
	const name = "a-long-folder-name/bench-random-c32.jsonl:1"
	got := CutMiddle(name, 12, 150)
	if TextWidth(got, 12) > 150 || !strings.HasPrefix(got, "a-lo") || !strings.HasSuffix(got, "jsonl:1") || !strings.Contains(got, "…") {
		t.Errorf("CutMiddle gave %q", got)
	}
	if got := CutMiddle("cap 8", 12, 150); got != "cap 8" {
		t.Errorf("a short name became %q", got)
	}
}

// TestPlaceIsOwn: a label never stands nearer to another mark than to its own.
func TestPlaceIsOwn(t *testing.T) {
	p := Placer{Within: Box{0, 0, 200, 100}}
	own, other := Site{100, 50, 0}, Site{130, 50, 0}
	p.Take(Box{95, 45, 105, 55})
	p.Take(Box{125, 45, 135, 55})
	b, ok := p.Place(Label{Own: own, Others: []Site{other}, Gap: 8, W: 40, H: 14})
	if !ok {
		t.Fatal("no place although there is room on the left")
	}
	if other.distance(b) < own.distance(b)-1 {
		t.Errorf("the label at %v reads as that of the other mark", b)
	}
	for _, side := range []Side{Above, Below} {
		b, ok := p.Place(Label{Own: own, Side: side, Gap: 8, W: 40, H: 14})
		if !ok || (b.Y1 <= own.Y) != (side == Above) {
			t.Errorf("side %d: %v, %v", side, b, ok)
		}
	}
	// Shut in by marks on all sides, no label is better than a wrong one.
	shut := Placer{Within: Box{0, 0, 200, 100}}
	var ring []Site
	for x := 60.0; x <= 140; x += 10 {
		for y := 10.0; y <= 90; y += 10 {
			if (Site{x, y, 0}) != own {
				ring = append(ring, Site{x, y, 0})
			}
		}
	}
	if b, ok := shut.Place(Label{Own: own, Others: ring, Gap: 8, W: 40, H: 14}); ok {
		t.Errorf("a label at %v among the marks of others", b)
	}
}
