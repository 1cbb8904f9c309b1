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
	f.evidence = k.predicted.evidence
	return f, true
}
