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
			for width, picture := range map[float64]string{figure.Wide.Width(): f.SVG(), figure.Narrow.Width(): f.SVGNarrow()} {
				var boxes []svg.Box
				var texts []string
				for _, m := range svgText.FindAllStringSubmatch(picture, -1) {
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
					if box.X0 < 0 || box.X1 > width {
						t.Errorf("%s, %s: %q leaves the picture of %v", name, f.ID, m[5], width)
					}
					boxes, texts = append(boxes, box), append(texts, m[5])
				}
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
				Legend  struct{ Data []struct{ Name string } }
				Graphic struct {
					Elements []struct{ Style struct{ Text string } }
				}
			}
			if err := json.Unmarshal(raw, &option); err != nil {
				t.Fatal(err)
			}
			compare := func(which string, got axis, want figure.Axis) {
				if which == "y" && len(want.Categories) > 0 {
					if got.Type != "category" || strings.Join(got.Data, "|") != strings.Join(want.Categories, "|") {
						t.Errorf("%s, %s: y categories %v, want %v", name, f.ID, got.Data, want.Categories)
					}
				} else if got.Type != "value" || got.Min == nil || got.Max == nil || *got.Min != want.Min || *got.Max != want.Max {
					t.Errorf("%s, %s: %s axis differs", name, f.ID, which)
				}
			}
			compare("x", option.XAxis[0], f.X)
			compare("y", option.YAxis[0], f.Y)
			// What stands in the still picture stands in the interactive one.
			texts := map[string]bool{}
			for _, e := range option.Graphic.Elements {
				texts[e.Style.Text] = true
			}
			for _, d := range option.Legend.Data {
				texts[d.Name] = true
			}
			for _, m := range svgText.FindAllStringSubmatch(f.SVG(), -1) {
				if s := unescape(m[5]); !texts[s] && !tickOf(f.X, s) && !tickOf(f.Y, s) {
					t.Errorf("%s, %s: %q stands in the still picture only", name, f.ID, s)
				}
			}
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

// tickOf reports whether a text is a label of a value axis, which the
// interactive chart writes itself.
func tickOf(a figure.Axis, s string) bool {
	for _, v := range a.Ticks() {
		if len(a.Categories) == 0 && a.TickLabel(v) == s {
			return true
		}
	}
	return false
}

// TestNarrowOptions lays the differences for a narrow sheet over the option and
// looks for every text of the narrow picture.
func TestNarrowOptions(t *testing.T) {
	still, live := 0, 0
	for name, make := range fixtures {
		for _, f := range figuresOf(make()) {
			wide, err := f.Options()
			if err != nil {
				t.Fatal(err)
			}
			narrow, err := f.NarrowOptions()
			if err != nil {
				t.Fatal(err)
			}
			if string(narrow) == "null" {
				still++
				continue
			}
			var option struct {
				Grid    []struct{ Left, Right string }
				Graphic struct {
					Elements []struct{ Style struct{ Text string } }
				}
			}
			if err := json.Unmarshal(narrow, &option); err != nil {
				t.Fatal(err)
			}
			if len(option.Grid) != 1 || atof(option.Grid[0].Left)+atof(option.Grid[0].Right) >= figure.Narrow.Width() {
				t.Errorf("%s, %s: no plot area of its own: %v", name, f.ID, option.Grid)
			}
			live++
			texts := 0
			for _, e := range option.Graphic.Elements {
				if e.Style.Text != "" {
					texts++
					if !strings.Contains(f.SVGNarrow(), ">"+svg.Escape(e.Style.Text)+"<") {
						t.Errorf("%s, %s: %q is not in the narrow picture", name, f.ID, e.Style.Text)
					}
				}
			}
			if texts == 0 {
				t.Errorf("%s, %s: no text", name, f.ID)
			}
			if len(narrow) > len(wide)+2000 {
				t.Errorf("%s, %s: %d bytes differ of %d", name, f.ID, len(narrow), len(wide))
			}
		}
	}
	if still*4 > live {
		t.Errorf("%d narrow charts are interactive, %d are not", live, still)
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
