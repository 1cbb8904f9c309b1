package templates

import "coldcase/analysis/carryover"

// proves says in words what the lines of one witness prove of a run and what
// they leave open. It reads the count; it adds nothing to it.
func proves(r *row, w *carryover.Witness) pairBlock {
	var b pairBlock
	graded := " (" + grade(w.Grade) + ")."
	n := of(r.Run)
	switch {
	case w.High != nil && *w.High == 0:
		b.Proves = append(b.Proves, "No prompt"+n+" was cached at start"+graded)
	case w.High != nil && *w.High == w.Low:
		b.Proves = append(b.Proves, "Exactly "+integer(w.Low)+n+" were cached at start"+graded)
	case w.Low > 0:
		b.Proves = append(b.Proves, count(w.Low, w.High)+n+" were cached at start"+graded)
	case w.High != nil:
		b.Proves = append(b.Proves, "At most "+integer(*w.High)+n+" were cached at start"+graded)
	default:
		b.Proves = append(b.Proves, "Nothing about the start of this run.")
	}
	if r.Flush == "proved" {
		b.Proves = append(b.Proves, "With the rest of the capture: the cache was emptied before the run.")
	}
	switch o := r.Origins; {
	case o.EarlierRun.Low > 0:
		b.Proves = append(b.Proves, "With the rest of the capture: an earlier run had left "+count(o.EarlierRun.Low, o.EarlierRun.High)+" of them there.")
	case o.OtherClient.Low > 0:
		b.Proves = append(b.Proves, "With the rest of the capture: another client had left "+count(o.OtherClient.Low, o.OtherClient.High)+" of them there.")
	}
	b.Not = notProved(r, w)
	return b
}

func notProved(r *row, w *carryover.Witness) []string {
	var out []string
	if w.High == nil {
		if w.Low > 0 {
			out = append(out, "How many more there were: the capture does not hold every line of the run.")
		} else {
			out = append(out, "That the run was clean: what is not known is not zero.")
		}
	}
	if w.Low > 0 && r.Origins.EarlierRun.Low == 0 && r.Origins.OtherClient.Low == 0 {
		out = append(out, "Who put them there.")
	}
	if w.Low > 0 {
		return append(out, "What the run would have read without them: only running it again tells.")
	}
	return append(out, "That the machine, the clock or the load were the same as in other runs.")
}
