package carryover

// clientArguments is the prediction: what seed, dataset, lengths, numbers of
// prompts, the order of runs, flushes, restarts and the pool imply. It stands
// beside the count and never narrows it.
func clientArguments(k *runCase) (finding, bool) {
	if k.predicted == nil {
		return finding{}, false
	}
	f := silent("client-arguments", k.predicted.note)
	f.grade = Predicted
	f.atStart, f.tokens = k.predicted.prompts, k.predicted.tokens
	f.note = nonEmpty(f.note, "no run of the capture sent these prompts before")
	f.evidence = k.predicted.evidence
	if len(f.evidence) == 0 && len(k.run.Spans) > 0 {
		f.evidence = append(f.evidence, k.quote(k.run.Spans[0].File, k.run.Spans[0].Line))
	}
	return f, true
}
