package templates

import (
	"strings"

	"coldcase/templates/mdx"
)

// Answer folds an answer of the teaching form: closed if answers are hidden,
// open if they are shown.
func (v *view) Answer(summary string) mdx.Safe {
	if v.Opts.Answers == Shown {
		return mdx.OpenSummary(summary)
	}
	return mdx.Summary(summary)
}

// Teacher reports whether the teacher's view is wanted.
func (v *view) Teacher() bool { return v.Opts.Answers == Shown }

// Commit places the choice of a cause.
func (v *view) Commit(id, question string) mdx.Safe {
	var options []string
	for _, c := range v.Causes {
		options = append(options, words(c.Name)+": "+explanation(c.Name))
	}
	if len(options) == 0 {
		options = []string{"a warm cache", "another workload", "the machine", "noise"}
	}
	return v.place(choiceBlock{ID: id, Question: question, Options: append(options, "something else", "no cause needed: the runs are sound")})
}

// Keep places keep-or-change after a piece of evidence.
func (v *view) Keep(id string) mdx.Safe {
	return v.place(choiceBlock{ID: id, Question: "Does your cause survive this evidence?", Options: []string{"keep it", "change it", "cannot tell yet"}})
}

// CountIt places the field for the reader's own count.
func (v *view) CountIt() mdx.Safe {
	e := v.Exercise
	return v.place(countBlock{Question: "Of the prompts on these lines, how many were full hits?", Low: e.FullHits.Low, High: e.FullHits.High})
}

// Surprise is what the case asks about, from the reader's own capture.
func (v *view) Surprise() string {
	switch {
	case v.Inversion != nil:
		return strings.TrimSuffix(inversionFact(v.Notebook), ".")
	case v.OnlyWindows():
		return "A server's log, and no word of who sent these requests."
	case v.OneRun():
		return "One run, one number, and somebody who wants to publish it."
	case v.All("clean"):
		return "A sweep that looks as it should. Is it sound, or does it only look so?"
	}
	return "Several runs on one server. May their figures stand beside each other?"
}
