package causes

import (
	"fmt"
	"math"

	"coldcase/ingest/capture"
)

// wrongWay is the share of the kit's figure that a fresh run has to stay above:
// warm prompts can only have made the kit faster.
const wrongWay = 0.85

// Clash is a confirmation that cannot have sent the kit's prompts: its fresh
// figure is below the contaminated one, or below what the kit's own prefill
// rate allows.
type Clash struct {
	Cap     int
	Kit     string  // run of the kit
	KitMS   float64 // its median first token
	Label   string  // run id or label of the confirmation
	FreshMS float64 // its median first token; of a range the upper end
	// FloorMS is the least median that fresh prompts of the kit's length can
	// have at this cap and rate: half of a wave waits for half of its tokens.
	FloorMS float64
	Rate    float64 // new tokens/s
	Below   bool    // fresh below the kit's own figure
	Text    string
	At      []capture.Evidence
}

// Compared says whether there is anything to hold against the kit.
func Compared(in Input) bool {
	v := newView(in)
	for _, r := range v.kit() {
		if _, ok := r.Lat.Figure("median_ttft_ms"); ok && len(v.freshOf(r)) > 0 {
			return true
		}
	}
	return false
}

// Clashes holds every confirmation in the capture against the kit's runs: the
// stated points, the fresh arm of a sweep, and clean runs at the same point.
func Clashes(in Input) []Clash {
	v := newView(in)
	var out []Clash
	for _, r := range v.kit() {
		for _, f := range v.freshOf(r) {
			if c, ok := v.clash(r, f); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// fresh is one figure measured or stated with fresh prompts.
type fresh struct {
	label        string
	median, high float64
	stated       bool
	at           []capture.Evidence
}

// kit lists the runs that had warm prompts, by count, prediction or claim.
func (v *view) kit() []*run {
	var out []*run
	for _, r := range v.runs {
		d := r.Count
		warm := d.Verdict == "contaminated" || len(d.Claims) > 0 || d.Verdict == "unknown" && d.Predicted != nil && d.Predicted.Low > 0
		if warm && r.Lat.Cap != nil && *r.Lat.Cap > 1 && r.Client.Cell == nil {
			out = append(out, r)
		}
	}
	return out
}

func (v *view) freshOf(r *run) []fresh {
	var out []fresh
	for _, o := range v.runs {
		if o == r || o.Count.Verdict != "clean" || o.Lat.Cap == nil || *o.Lat.Cap != *r.Lat.Cap {
			continue
		}
		if len(DiffWorkload(r.Count, o.Count)) > 0 && o.Client.Cell == nil {
			continue
		}
		if m, ok := o.Lat.Figure("median_ttft_ms"); ok && m > 0 {
			out = append(out, fresh{label: o.Count.ID, median: m, high: m, at: v.figureEvidence(o, "median_ttft_ms")})
		}
	}
	if v.in.Capture == nil {
		return out
	}
	for _, p := range v.in.Capture.Notes.Points {
		if p.Cap == nil || *p.Cap != *r.Lat.Cap || p.MedianTTFT == nil || p.Step != "" {
			continue
		}
		f := fresh{label: p.Label, median: *p.MedianTTFT, high: *p.MedianTTFT, stated: true, at: []capture.Evidence{p.At}}
		if p.High != nil {
			f.high = *p.High
		}
		out = append(out, f)
	}
	return out
}

// clash decides whether one fresh figure contradicts the kit's run.
func (v *view) clash(r *run, f fresh) (Clash, bool) {
	kit, ok := r.Lat.Figure("median_ttft_ms")
	if !ok || kit <= 0 {
		return Clash{}, false
	}
	c := Clash{Cap: *r.Lat.Cap, Kit: r.Count.ID, KitMS: kit, Label: f.label, FreshMS: f.high,
		At: append(v.figureEvidence(r, "median_ttft_ms"), f.at...)}
	c.Below = f.high < wrongWay*kit
	if length, rate := v.lengthAndRate(r); length > 0 && rate > 0 && f.stated {
		c.Rate = rate
		c.FloorMS = 0.5 * float64(c.Cap) * length / rate * 1000
	}
	impossible := c.FloorMS > 0 && f.high < wrongWay*c.FloorMS
	if !c.Below && !impossible {
		return c, false
	}
	c.Text = fmt.Sprintf("cap %d: median first token %.2f ms in %s", c.Cap, f.median, f.label)
	if f.high != f.median {
		c.Text += fmt.Sprintf(" (at most %.2f)", f.high)
	}
	if c.Below {
		c.Text += fmt.Sprintf(", less than the %.2f ms of %s, although warm prompts can only have made that run faster", kit, r.Count.ID)
	}
	if impossible {
		c.Text += fmt.Sprintf("; at %.0f new tokens/s no queue serves fresh prompts of the kit's length with a median below about %.0f ms", c.Rate, c.FloorMS)
	}
	return c, true
}

// lengthAndRate gives the prompt length of a run and the highest prefill rate
// that any run of the kit implies, which is the kindest to the confirmation.
func (v *view) lengthAndRate(r *run) (length, rate float64) {
	for _, o := range v.kit() {
		if o.Lat.PrefillRate != nil && len(DiffWorkload(r.Count, o.Count)) == 0 {
			rate = math.Max(rate, o.Lat.PrefillRate.TokensPerS)
		}
	}
	return r.InputTokens(), rate
}

// Unreadable reports whether a confirmation is stated for a cap at which the
// capture's own run has no figure to hold it against.
func Unreadable(in Input) bool {
	v := newView(in)
	if in.Capture == nil {
		return false
	}
	for _, p := range in.Capture.Notes.Points {
		if p.Cap == nil || p.Step != "" {
			continue
		}
		for _, r := range v.runs {
			if _, ok := r.Lat.Figure("median_ttft_ms"); r.Lat.Cap != nil && *r.Lat.Cap == *p.Cap && !ok {
				return true
			}
		}
	}
	return false
}
