package templates

import (
	"strings"

	"coldcase/analysis/causes"
)

// remark is a text and the runs of which it is said.
type remark struct {
	text string
	runs []string
}

// addRemark adds runs to what is said already, or a remark of its own.
func addRemark(said []remark, text string, runs []string) []remark {
	for i := range said {
		if said[i].text == text {
			said[i].runs = append(said[i].runs, runs...)
			return said
		}
	}
	return append(said, remark{text, append([]string(nil), runs...)})
}

// remarks says several remarks as one sentence, each with its runs where it is
// not of all of them and does not name them itself.
func (s speaker) remarks(said []remark) string {
	var out []string
	for i, r := range said {
		if i == s.most {
			out = append(out, "more of them in the notebook's JSON")
			break
		}
		text := s.Say(r.text)
		if len(r.runs) > 0 && !s.everyRun(r.runs) && !strings.Contains(text, s.Label(r.runs[0])) {
			text = s.someRuns(r.runs) + ": " + text
		}
		out = append(out, text)
	}
	return sentence(strings.Join(out, "; "))
}

// maxNamed bounds the runs that are named in one remark.
const maxNamed = 4

// someRuns names runs, as a group where they are one.
func (s speaker) someRuns(ids []string) string {
	all := runsOrWindows(s.rows)
	for _, group := range []struct {
		name string
		has  func(*row) bool
	}{
		{"the kit's runs", func(r *row) bool { return r.Arm == "" }},
		{"the fresh runs", func(r *row) bool { return r.Arm == "fresh" }},
		{"all but the repeat runs", func(r *row) bool { return r.Arm != "repeat" }},
	} {
		if len(ids) > 1 && swept(all) && sameRuns(all, group.has, ids) {
			return group.name
		}
	}
	if len(ids) > maxNamed {
		return s.Labels(ids[:maxNamed]) + " and others"
	}
	return s.Labels(ids)
}

func (s speaker) everyRun(ids []string) bool {
	return sameRuns(runsOrWindows(s.rows), func(*row) bool { return true }, ids)
}

// sameRuns reports whether ids are exactly the rows of a group.
func sameRuns(rows []*row, in func(*row) bool, ids []string) bool {
	at := map[string]bool{}
	for _, id := range ids {
		at[id] = true
	}
	for _, r := range rows {
		if at[r.ID] != in(r) {
			return false
		}
	}
	return true
}

// Seen says what a cause rests on: what it saw, or what it says of the runs
// that gave it its state.
func (s speaker) Seen(c *causes.Cause) string {
	if len(c.Seen) > 0 {
		var out []string
		for _, text := range c.Seen {
			out = append(out, s.Say(text))
		}
		return sentence(strings.Join(out, "; "))
	}
	return s.remarks(whyOf(c))
}

// SeenAgainst says what speaks against a cause in single runs, where it cannot
// be tested in others and so stays open.
func (s speaker) SeenAgainst(c *causes.Cause) string {
	if c.State != causes.NotTestable {
		return ""
	}
	return s.remarks(whyIn(c, causes.Against))
}

func whyOf(c *causes.Cause) []remark { return whyIn(c, c.State) }

// whyIn collects what a cause says of the runs in which it has a state.
func whyIn(c *causes.Cause, state string) []remark {
	var said []remark
	for _, r := range c.Runs {
		if r.State == state && r.Why != "" {
			said = addRemark(said, r.Why, []string{r.Run})
		}
	}
	return said
}

// Sentences says a list as sentences.
func (s speaker) Sentences(list []string) string {
	var out []string
	for _, text := range list {
		out = append(out, s.Sentence(text))
	}
	return strings.Join(out, " ")
}
