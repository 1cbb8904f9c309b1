package causes

import (
	"fmt"
	"strings"

	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// ratesApart is the factor between the prefill rates of two runs from which
// they no longer are one server on one workload.
const ratesApart = 2.0

// Unexplained lists what is left over once the causes have spoken: sentences
// with their evidence, empty only if nothing is left.
func Unexplained(in Input, causes []*Cause, leading *string) []LeftOver {
	v := newView(in)
	out := []LeftOver{}
	out = append(out, standing(v)...)
	out = append(out, slowWarmWaves(v)...)
	out = append(out, rateAgreement(v)...)
	out = append(out, confirmationClash(v)...)
	out = append(out, flushIsNotFresh(v)...)
	out = append(out, countGaps(v)...)
	if in.Inversion != nil && leading == nil {
		out = append(out, LeftOver{Text: in.Inversion.Text + "; none of the causes that could be tested accounts for it", Evidence: inversionEvidence(v)})
	}
	return out
}

// standing says what a clash leaves untouched, before the clash itself: the
// count, and which run's figure makes the inversion.
func standing(v *view) []LeftOver {
	inv := v.in.Inversion
	if inv == nil || len(Clashes(v.in)) == 0 {
		return nil
	}
	text := "the count of warm prompts stands whatever the confirmation reads"
	if inv.MadeBy != "" {
		text += fmt.Sprintf("; the inversion (%s) is made by %s, whose figure is farthest from what a clean run is predicted to read", inv.Text, inv.MadeBy)
	}
	var evidence []capture.Evidence
	for _, r := range v.runs {
		if r.Count.Verdict == "contaminated" {
			evidence = append(evidence, r.MeasuredEvidence()...)
		}
	}
	return []LeftOver{{text, evidence}}
}

// slowWarmWaves lists first waves that were slow although warm: which work made
// them slow is rarely in a capture.
func slowWarmWaves(v *view) []LeftOver {
	var out []LeftOver
	for _, r := range v.runs {
		text := ""
		wave, _ := slowWaveOf(r)
		switch a := r.Lat.Apart; {
		case a != nil && a.SlowFirstWave && a.Warm > a.Groups[0].N:
			g := a.Groups[len(a.Groups)-1]
			text = fmt.Sprintf("%s: its first wave of %d took about %.0f ms, more than the cold waves after it, although %d of its prompts were warm (%d in all by the %s, %d of them among the fast)",
				r.Count.ID, g.N, g.High, a.Warm-a.Groups[0].N, a.Warm, a.WarmBy, a.Groups[0].N)
		case wave >= 0 && r.Lat.Waves[wave].Hits > 0:
			w := r.Lat.Waves[wave]
			text = fmt.Sprintf("%s: wave %d took %.0f ms (median) although %s", r.Count.ID, wave+1, w.Median, warmOf(w.Hits, w.N))
		default:
			continue
		}
		out = append(out, LeftOver{text + "; " + untold(r), v.figureEvidence(r, "median_ttft_ms", "p90_ttft_ms", "p99_ttft_ms")})
	}
	return out
}

// untold says that a slow wave is not explained, and what would tell.
func untold(r *run) string {
	const work = "what the server did in that time (kernels compiled or tuned, graphs captured)"
	if _, _, _, ok := r.spanOf(); ok && !r.PartOfLog() {
		return work + " is not in its log: run the same point once more on that server, flushed and with a fresh seed, and see whether the wave is slow again"
	}
	return work + " is not told: record its log from the start"
}

// warmOf words how many prompts of a wave were warm.
func warmOf(hits, n int) string {
	switch {
	case hits == n:
		return fmt.Sprintf("all of its %d prompts were warm", n)
	case hits == 1:
		return fmt.Sprintf("1 of its %d prompts was warm", n)
	}
	return fmt.Sprintf("%d of its %d prompts were warm", hits, n)
}

// rateAgreement reports prefill rates that disagree, or the one rate that makes
// a clash a contradiction.
func rateAgreement(v *view) []LeftOver {
	low, high, spread := latency.Agreement(v.in.Latency)
	if spread == 0 {
		return nil
	}
	var evidence []capture.Evidence
	for _, r := range v.runs {
		if r.Lat.PrefillRate != nil && r.Lat.Cap != nil && *r.Lat.Cap >= 4 {
			evidence = append(evidence, v.figureEvidence(r, "median_ttft_ms", "p95_ttft_ms")...)
		}
	}
	switch {
	case spread > ratesApart:
		return []LeftOver{{fmt.Sprintf("the runs imply between %.0f and %.0f new tokens/s: more than one rate for one server and one workload", low, high), evidence}}
	case len(Clashes(v.in)) > 0:
		return []LeftOver{{fmt.Sprintf("the runs of the kit agree on one prefill rate, %.0f to %.0f new tokens/s, by their cold prompts alone", low, high), evidence}}
	}
	return nil
}

// confirmationClash puts the contradictions of the confirmation into words,
// with the candidates and what would tell them apart.
func confirmationClash(v *view) []LeftOver {
	clashes := Clashes(v.in)
	if len(clashes) == 0 {
		return nil
	}
	var parts []string
	var evidence []capture.Evidence
	for _, c := range clashes {
		parts = append(parts, c.Text)
		evidence = append(evidence, c.At...)
	}
	out := []LeftOver{{"the confirmation cannot have sent the kit's prompts under the kit's conditions: " + strings.Join(parts, "; ") +
		". It may still show that load does not make the first token faster, but its milliseconds and the kit's are not comparable", evidence}}
	stated := false
	for _, c := range clashes {
		stated = stated || v.byID(c.Label) == nil
	}
	text := "candidates: a range ratio that lets lengths vary (waves then lose their lockstep), other prompt lengths, another chunk size, another state of the server"
	if stated {
		text += "; the capture holds no arguments, token totals or log of the confirmation, so none of them can be told from it. Record for each run: its arguments, the total of input tokens, the server's settings, and the log lines of its time"
	}
	return append(out, LeftOver{text, nil})
}

// flushIsNotFresh reads tables of one load run several times: what a repeat
// gains, and whether a run after a flush equals a fresh one.
func flushIsNotFresh(v *view) []LeftOver {
	if v.in.Capture == nil {
		return nil
	}
	var out []LeftOver
	seen := map[string]bool{}
	points := v.in.Capture.Notes.Points
	for _, p := range points {
		key := p.Label + "|" + p.Engine + "|" + p.Model
		if p.Step == "" || seen[key] {
			continue
		}
		seen[key] = true
		var fresh, repeat, after *capture.Points
		for i := range points {
			q := &points[i]
			if q.Label+"|"+q.Engine+"|"+q.Model != key || q.MedianTTFT == nil || *q.MedianTTFT <= 0 {
				continue
			}
			switch step := strings.ToLower(q.Step); {
			case strings.Contains(step, "fresh") && fresh == nil:
				fresh = q
			case strings.Contains(step, "after a flush"), strings.Contains(step, "after flush"), strings.HasPrefix(step, "flushed"):
				after = q
			case strings.Contains(step, "repeat") && repeat == nil:
				repeat = q
			}
		}
		if fresh == nil || after == nil {
			continue
		}
		text := fmt.Sprintf("%s (%s %s, stated): after a flush the same load reads %.4g ms where the fresh run read %.4g (%+.0f %%): emptying the cache is not the same as a fresh server, and one run each gives no range",
			p.Label, p.Engine, p.Model, *after.MedianTTFT, *fresh.MedianTTFT, 100*(*after.MedianTTFT / *fresh.MedianTTFT - 1))
		evidence := []capture.Evidence{fresh.At, after.At}
		if repeat != nil {
			text += fmt.Sprintf("; a repeat without a flush reads %.4g ms, %.1f times less than fresh: the size of the effect on that model and machine, not on this one",
				*repeat.MedianTTFT, *fresh.MedianTTFT / *repeat.MedianTTFT)
			evidence = append(evidence, repeat.At)
		}
		out = append(out, LeftOver{text, evidence})
	}
	return out
}

// countGaps lists counts that differ from what was predicted or claimed, and
// printed figures that the per-request times do not give.
func countGaps(v *view) []LeftOver {
	var out []LeftOver
	for _, r := range v.runs {
		d := r.Count
		if why := predictionGap(r); why != "" {
			out = append(out, LeftOver{fmt.Sprintf("%s: %s prompts predicted to be warm by the arguments, %s counted; %s",
				d.ID, latency.CountText(d.Predicted.Low, d.Predicted.High), latency.CountText(d.AtStart.Low, d.AtStart.High), why), r.MeasuredEvidence()})
		}
		for _, c := range d.Claims {
			n := int64(c.Prompts)
			if outside(n, &n, d.AtStart.Low, d.AtStart.High) {
				out = append(out, LeftOver{fmt.Sprintf("%s: %d warm prompts are claimed, %s counted", d.ID, c.Prompts, latency.CountText(d.AtStart.Low, d.AtStart.High)), []capture.Evidence{c.Evidence}})
			}
		}
		for _, m := range r.Lat.Mismatch {
			out = append(out, LeftOver{d.ID + ": " + m, v.figureEvidence(r, strings.SplitN(m, ":", 2)[0])})
		}
	}
	return out
}

// predictionGap says what would make a count differ from its prediction, "" if
// it does not or if another client accounts for it. Only what takes prompts out
// of a cache makes fewer of them, and only a request makes more. Where the order
// of the runs is not known, another order than the one assumed may do either.
func predictionGap(r *run) string {
	d := r.Count
	p, a := d.Predicted, d.AtStart
	switch {
	case p == nil || !outside(p.Low, p.High, a.Low, a.High):
		return ""
	case a.High != nil && *a.High < p.Low:
		if !r.Ordered() {
			return "another order of the runs than the one assumed, eviction, a flush or a restart that left no line would each do it"
		}
		return "eviction, a flush or a restart that left no line would each do it"
	case d.Origins.OtherClient.Low > 0 && a.Low-d.Origins.OtherClient.Low <= *p.High:
		return ""
	}
	if !r.Ordered() {
		return "the runs ran in another order than the one assumed, or another client or a run that the capture does not hold sent them"
	}
	return "another client, or a run that the capture does not hold, must have sent them"
}

// outside reports whether two intervals have no number in common.
func outside(low int64, high *int64, otherLow int64, otherHigh *int64) bool {
	return high != nil && *high < otherLow || otherHigh != nil && low > *otherHigh
}

func inversionEvidence(v *view) []capture.Evidence {
	var out []capture.Evidence
	for _, id := range v.in.Inversion.Runs {
		if r := v.byID(id); r != nil {
			out = append(out, v.figureOrResult(r, v.in.Inversion.Statistic)...)
		}
	}
	return out
}
