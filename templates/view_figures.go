package templates

import (
	"strings"

	"coldcase/templates/figure"
	"coldcase/templates/mdx"
)

// Figure places a chart by its id; nothing if the capture does not carry it.
func (v *view) Figure(id string) mdx.Safe {
	for _, f := range v.Figures {
		if f.ID == id {
			return v.placeFigure(f)
		}
	}
	return ""
}

// FiguresOf places all charts whose ids start with a prefix.
func (v *view) FiguresOf(prefix string) mdx.Safe {
	var out []string
	for _, f := range v.Figures {
		if strings.HasPrefix(f.ID, prefix) {
			out = append(out, string(v.placeFigure(f)))
		}
	}
	return mdx.Safe(strings.Join(out, "\n\n"))
}

// Has reports whether the notebook carries a chart.
func (v *view) Has(id string) bool {
	for _, f := range v.Figures {
		if f.ID == id {
			return true
		}
	}
	return false
}

// LeadFigure places the one chart below the verdict: the first of a list that
// the capture carries.
func (v *view) LeadFigure() mdx.Safe {
	if id := v.lead(); id != "" {
		return v.Figure(id)
	}
	return ""
}

// lead is the id of the chart below the verdict, "" if there is none.
func (v *view) lead() string {
	first := []string{"medians", "origins", "timeline", "ecdf", "seeds", "apart"}
	if len(v.Runs()) == 1 {
		first = []string{"origins", "timeline", "ecdf", "medians", "apart"}
	}
	for _, id := range first {
		if v.Has(id) {
			return id
		}
	}
	return ""
}

// NotLead places a chart unless it is the one below the verdict.
func (v *view) NotLead(id string) mdx.Safe {
	if id == v.lead() {
		return ""
	}
	return v.Figure(id)
}

func (v *view) placeFigure(f *figure.Figure) mdx.Safe {
	for _, d := range v.drawn {
		if d == f { // a chart stands once in a report
			return mdx.Safe("See [the chart above](#figure-" + f.ID + ").")
		}
	}
	if v.Opts.Mode == Publish && f.Height == 0 && len(f.Y.Categories) == 0 {
		f.Height = 150 // one or two pages: as wide as the page, and not smaller in print
	}
	v.drawn = append(v.drawn, f)
	return v.place(figureBlock{Figure: f, Pictures: v.Pictures, Short: v.Opts.Mode == Publish})
}
