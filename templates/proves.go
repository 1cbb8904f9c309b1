package templates

import "coldcase/analysis/carryover"

// proves says in words what the measured witness of a run proves and what it
// leaves open. It reads the count; it adds nothing to it.
func proves(r *row) pairBlock {
	var b pairBlock
	i := r.Run.AtStart
	graded := " (" + grade(i.Grade) + ")"
	switch {
	case i.High != nil && *i.High == i.Low && i.Low == 0:
		b.Proves = append(b.Proves, "No prompt"+of(r.Run)+" was cached at start"+graded+".")
	case i.High != nil && *i.High == i.Low:
		b.Proves = append(b.Proves, "Exactly "+integer(i.Low)+of(r.Run)+" were cached at start"+graded+".")
	case i.Low > 0:
		b.Proves = append(b.Proves, count(i.Low, i.High)+of(r.Run)+" were cached at start"+graded+".")
	case i.High != nil:
		b.Proves = append(b.Proves, "At most "+integer(*i.High)+of(r.Run)+" were cached at start"+graded+".")
	default:
		b.Proves = append(b.Proves, "Nothing about this run: no line of the capture measures it.")
	}
	if o := r.Origins.EarlierRun; o.Low > 0 {
		b.Proves = append(b.Proves, "An earlier run had left "+count(o.Low, o.High)+" of them there.")
	}
	if o := r.Origins.OtherClient; o.Low > 0 {
		b.Proves = append(b.Proves, "Another client had left "+count(o.Low, o.High)+" of them there.")
	}
	if r.Flush == "proved" {
		b.Proves = append(b.Proves, "The cache was emptied before the run.")
	}
	b.Not = notProved(r, i)
	return b
}

func notProved(r *row, i carryover.Interval) []string {
	var out []string
	if i.High == nil {
		if i.Low > 0 {
			out = append(out, "How many more there were: the capture does not hold every line of the run.")
		} else {
			out = append(out, "That the run was clean: what is not known is not zero.")
		}
	}
	if i.Low > 0 && r.Origins.EarlierRun.Low == 0 && r.Origins.OtherClient.Low == 0 {
		out = append(out, "Who put them there.")
	}
	if i.Low > 0 {
		out = append(out, "What the run would have read without them: only running it again tells.")
	} else {
		out = append(out, "That the machine, the clock or the load were the same as in other runs.")
	}
	return out
}
