package causes

import (
	"fmt"

	"coldcase/analysis/latency"
)

var warmCache = definition{
	name: "warm-cache",
	predicts: []string{
		"prompts cached at start, as many as earlier runs of the same seed on the same server left",
		"two groups of first-token times, the share of the fast one growing with the warm prompts",
		"time per output token unchanged: a hit removes prefill work only",
	},
	refutes: []string{
		"a cache proved empty at the start of the run",
		"no prompt cached at start, by a witness that sees all of them",
	},
	settledBy: "the same caps with a fresh seed each and a flush that is proved by the first prefill; one arm that repeats a seed without a flush should bring the effect back",
	judge:     judgeWarmCache,
}

func judgeWarmCache(v *view) judgement {
	j := judgement{}
	j.runs = v.each(func(r *run) (string, string) {
		d := r.Count
		switch {
		case d.Verdict == "clean":
			return Against, fmt.Sprintf("cached at start: %s (%s)", latency.CountText(d.AtStart.Low, d.AtStart.High), d.AtStart.Grade)
		case d.Verdict != "contaminated":
			if a := d.AtStart; latency.Measured(a.Grade) && (a.High != nil || a.Low > 0) {
				return NotTestable, warmWhy(r) + ": not bounded tightly enough to decide"
			}
			if d.Predicted != nil && d.Predicted.Low > 0 {
				return NotTestable, fmt.Sprintf("%s predicted by the arguments, none measured: a prediction alone decides nothing", latency.CountText(d.Predicted.Low, d.Predicted.High))
			}
			return NotTestable, "no witness bounds the prompts cached at start"
		case d.Origins.OtherClient.Low > 0 && d.Origins.OtherClient.Low >= d.AtStart.Low:
			return Against, fmt.Sprintf("the %d warm prompts came from another client, not from an earlier run", d.AtStart.Low)
		case d.Origins.EarlierRun.Low == 0 && d.Predicted != nil && d.Predicted.High != nil && *d.Predicted.High == 0:
			return NotTestable, warmWhy(r) + ": no run of the capture sent them before; another client did, or a run that the folder does not hold"
		}
		return Supported, warmWhy(r)
	})
	for _, r := range v.supportedRuns(j.runs) {
		j.evidence = append(j.evidence, r.MeasuredEvidence()...)
		j.seen = append(j.seen, fmt.Sprintf("%s: %s", r.Count.ID, warmWhy(r)))
		if text := groupsAgainstHits(r); text != "" {
			j.seen = append(j.seen, text)
		}
	}
	j.explains = warmEffect(v, v.supportedRuns(j.runs))
	j.seen = append(j.seen, notByCache(v, v.supportedRuns(j.runs))...)
	return j
}

func warmWhy(r *run) string {
	d := r.Count
	text := fmt.Sprintf("%s of %d prompts cached at start (%s)", latency.CountText(d.AtStart.Low, d.AtStart.High), r.Prompts(), d.AtStart.Grade)
	if d.Predicted != nil {
		text += fmt.Sprintf(", %s predicted", latency.CountText(d.Predicted.Low, d.Predicted.High))
	}
	return text
}

// groupsAgainstHits says whether the fast requests are the warm ones, which a
// latency shape alone cannot.
func groupsAgainstHits(r *run) string {
	g := r.Lat.Groups
	if len(g) != 2 || g[0].Hits < 0 || g[0].Hits+g[1].Hits == 0 {
		return ""
	}
	text := fmt.Sprintf("%s: of its %d fast requests %d were warm, of its %d slow ones %d",
		r.Count.ID, g[0].N, g[0].Hits, g[1].N, g[1].Hits)
	if g[1].Hits > 0 {
		text += ": warm is not the same as fast here"
	}
	return text
}

// effectLeast is how much more a clean run has to read, relative to the warm
// one, before the warm prompts are said to explain anything.
const effectLeast = 0.05

// notByCache lists the warm runs whose figure the cache does not explain: those
// that read more than a clean run would, and those that read the same.
func notByCache(v *view, warm []*run) []string {
	var out []string
	for _, r := range warm {
		e := effectOf(v, r)
		switch {
		case e == nil || e.explains():
		case e.faster():
			out = append(out, e.Text+": the warm prompts moved this figure little")
		default:
			out = append(out, e.Text+": a warm prompt saves work and makes no first token later, so the cache does not explain this figure")
		}
	}
	return out
}

// faster reports whether an effect goes the way in which a cache works.
func (e *Explains) faster() bool { return *e.FromMS > *e.ToMS }

// explains reports whether it goes that way far enough to be one.
func (e *Explains) explains() bool { return *e.FromMS > *e.ToMS*(1+effectLeast) }

// warmEffect measures what the warm prompts did to the statistic that needs
// explaining, that of the inversion, else the median: against clean runs of the
// same point where the capture has them, else against the queue model's
// prediction, which stays one. The run that makes the inversion is preferred,
// else the one with the largest effect. A run that reads more than a clean one,
// or about the same, is explained by something else.
func warmEffect(v *view, warm []*run) *Explains {
	var best *Explains
	largest := 0.0
	for _, r := range warm {
		e := effectOf(v, r)
		if e == nil || !e.explains() {
			continue
		}
		if v.in.Inversion != nil && v.in.Inversion.MadeBy == r.Count.ID {
			return e
		}
		if ratio := *e.FromMS / *e.ToMS; ratio > largest {
			best, largest = e, ratio
		}
	}
	return best
}

func effectOf(v *view, r *run) *Explains {
	stat := v.statistic()
	read, ok := r.Lat.Figure(stat)
	if !ok || read <= 0 {
		return nil
	}
	from, basis := 0.0, ""
	if clean := v.cleanFigures(r, stat); len(clean) > 0 {
		from, basis = median(clean), latency.Number(len(clean), "clean run")+" of the same point"
	} else if p := r.Lat.Predicted; p != nil {
		from, basis = map[string]float64{"median_ttft_ms": p.Median, "mean_ttft_ms": p.Mean, "p90_ttft_ms": p.P90}[stat], "predicted by the queue model, not measured"
	}
	if from <= 0 {
		return nil
	}
	return &Explains{Runs: []string{r.Count.ID}, FromMS: &from, ToMS: &read,
		Text: fmt.Sprintf("%s: %s %.1f ms, where a clean run reads about %.1f ms (%s)", r.Count.ID, stat, read, from, basis)}
}

// statistic is the figure whose change needs explaining.
func (v *view) statistic() string {
	if inv := v.in.Inversion; inv != nil {
		return inv.Statistic
	}
	return "median_ttft_ms"
}
