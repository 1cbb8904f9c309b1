package templates

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/templates/figure"
	"coldcase/templates/svg"
)

var svgText = regexp.MustCompile(`<text x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)"([^>]*)>([^<]*)</text>`)

// TestLabelsDoNotCollide reads the texts back out of every still picture and
// holds their boxes against each other.
func TestLabelsDoNotCollide(t *testing.T) {
	all := map[string]func() *analysis.Notebook{"hundred": hundredRuns}
	for n, f := range fixtures {
		all[n] = f
	}
	for name, make := range all {
		for _, f := range figuresOf(make()) {
			var boxes []svg.Box
			var texts []string
			for _, m := range svgText.FindAllStringSubmatch(f.SVG(), -1) {
				anchor := "start"
				if a := regexp.MustCompile(`text-anchor="(\w+)"`).FindStringSubmatch(m[4]); a != nil {
					anchor = a[1]
				}
				box := svg.TextBox(atof(m[1]), atof(m[2]), atof(m[3]), anchor, unescape(m[5]))
				for i, b := range boxes {
					if box.Overlaps(b) {
						t.Errorf("%s, %s: %q lies over %q", name, f.ID, m[5], texts[i])
					}
				}
				if box.X0 < 0 || box.X1 > 860 {
					t.Errorf("%s, %s: %q leaves the picture", name, f.ID, m[5])
				}
				boxes, texts = append(boxes, box), append(texts, m[5])
			}
		}
	}
}

func atof(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&").Replace(s)
}

// TestScalesAgree holds the interactive options against the figure value that
// the still picture is drawn from.
func TestScalesAgree(t *testing.T) {
	type axis struct {
		Type     string
		Min, Max *float64
		Data     []string
	}
	for name, make := range fixtures {
		for _, f := range figuresOf(make()) {
			raw, err := f.Options()
			if err != nil {
				t.Fatalf("%s, %s: %v", name, f.ID, err)
			}
			var option struct {
				XAxis, YAxis []axis
				Series       []struct {
					Name, Type, Color string
					Data              []any
				}
			}
			if err := json.Unmarshal(raw, &option); err != nil {
				t.Fatal(err)
			}
			compare := func(which string, got axis, want figure.Axis) {
				if len(want.Categories) > 0 {
					var names []string
					for _, d := range got.Data {
						if d != "" {
							names = append(names, d)
						}
					}
					if got.Type != "category" || strings.Join(names, "|") != strings.Join(want.Categories, "|") {
						t.Errorf("%s, %s: %s categories %v, want %v", name, f.ID, which, names, want.Categories)
					}
				} else if got.Min == nil || got.Max == nil || *got.Min != want.Min || *got.Max != want.Max {
					t.Errorf("%s, %s: %s axis differs", name, f.ID, which)
				}
			}
			compare("x", option.XAxis[0], f.X)
			compare("y", option.YAxis[0], f.Y)
			for i, l := range f.Layers {
				if l.Kind == figure.Dots || l.Kind == figure.Step {
					if len(option.Series[i].Data) != len(l.Points) {
						t.Errorf("%s, %s: series %d has %d points, want %d", name, f.ID, i, len(option.Series[i].Data), len(l.Points))
					}
				}
				if !strings.Contains(f.SVG(), l.Color.Light()) && len(l.Points) > 0 {
					t.Errorf("%s, %s: the still picture lacks colour %s", name, f.ID, l.Color)
				}
			}
			if strings.Contains(string(raw), "function") || strings.Contains(string(raw), "<") {
				t.Errorf("%s, %s: options hold code or markup", name, f.ID)
			}
		}
	}
}

func TestOptionsRefuseNaN(t *testing.T) {
	f := figure.Figure{ID: "x", X: figure.ValueAxis("", 0, 1), Y: figure.ValueAxis("", 0, 1),
		Layers: []figure.Layer{{Kind: figure.Dots, Points: []figure.Point{{X: math.NaN()}}}}}
	if _, err := f.Options(); err == nil {
		t.Error("a NaN became an option")
	}
}

func TestFiguresSayHowToReadThem(t *testing.T) {
	seen := map[string]bool{}
	for name, make := range fixtures {
		for _, f := range figuresOf(make()) {
			seen[strings.TrimRight(f.ID, "0123456789")] = true
			if f.Shows == "" || f.N == "" || f.Read == "" || len(f.Table.Head) == 0 {
				t.Errorf("%s, %s: a chart without its words", name, f.ID)
			}
		}
	}
	for _, id := range []string{"medians", "ecdf", "ecdf-split-", "apart", "index-", "timeline", "origins", "seeds", "causes"} {
		if !seen[id] {
			t.Errorf("no fixture draws %s", id)
		}
	}
}

// TestStairs holds the drawn distribution against its definition.
func TestStairs(t *testing.T) {
	got := stairs([]float64{1, 2, 2, 5}).Points
	want := [][2]float64{{1, 0}, {1, 0.25}, {2, 0.75}, {5, 1}}
	if len(got) != len(want) {
		t.Fatalf("%d points, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].X != w[0] || got[i].Y != w[1] {
			t.Errorf("point %d is %v, want %v", i, got[i], w)
		}
	}
}
