package templates

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// speaker words what analysis wrote. Analysis names runs by id, figures by
// their record name and grades by their key, and starts its remarks in lower
// case, because they also stand in JSON and on terminals. All of them pass
// through here, and only here, on their way into a report.
type speaker struct {
	rows   []*row
	ids    *regexp.Regexp // nil without runs
	labels map[string]string
	most   int // remarks of one kind that are said one by one
}

func newSpeaker(rows []*row, most int) speaker {
	s := speaker{rows: rows, most: most, labels: map[string]string{}}
	var ids []string
	for _, r := range rows {
		s.labels[r.ID] = r.Label
		if r.ID != "" {
			ids = append(ids, r.ID)
		}
	}
	s.ids = anyOf(ids)
	return s
}

// anyOf matches the longest of several texts, nil if there are none.
func anyOf(texts []string) *regexp.Regexp {
	if len(texts) == 0 {
		return nil
	}
	sorted := append([]string(nil), texts...)
	sort.Slice(sorted, func(a, b int) bool {
		if len(sorted[a]) != len(sorted[b]) {
			return len(sorted[a]) > len(sorted[b])
		}
		return sorted[a] < sorted[b]
	})
	for i, t := range sorted {
		sorted[i] = regexp.QuoteMeta(t)
	}
	return regexp.MustCompile(strings.Join(sorted, "|"))
}

var (
	figureName = regexp.MustCompile(`\b(?:mean|median|std|max|min|p\d+)_(?:ttft|tpot|itl|e2e_latency)_ms\b`)
	gradeName  = regexp.MustCompile(`\bper-(prompt|batch)\b`)
)

// Say speaks of runs by their labels, of figures and grades by their names.
func (s speaker) Say(text string) string {
	text = figureName.ReplaceAllStringFunc(strings.TrimSpace(text), statistic)
	text = gradeName.ReplaceAllString(text, "per $1")
	if s.ids == nil {
		return text
	}
	var b strings.Builder
	at := 0
	for _, m := range s.ids.FindAllStringIndex(text, -1) {
		if !standsAlone(text, m) {
			continue
		}
		b.WriteString(text[at:m[0]])
		b.WriteString(s.labels[text[m[0]:m[1]]])
		at = m[1]
	}
	b.WriteString(text[at:])
	return b.String()
}

// standsAlone reports whether a match is no part of a longer name: line 1 is
// not line 12, and a.jsonl is not data.jsonl.
func standsAlone(text string, m []int) bool {
	if m[1] < len(text) && text[m[1]] >= '0' && text[m[1]] <= '9' {
		return false
	}
	if m[0] == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:m[0]])
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
}

// Label names a run by its id.
func (s speaker) Label(id string) string {
	if l, ok := s.labels[id]; ok {
		return l
	}
	return id
}

// Labels names several runs.
func (s speaker) Labels(ids []string) string {
	var out []string
	for _, id := range ids {
		out = append(out, s.Label(id))
	}
	return strings.Join(out, ", ")
}

// Sentence says a remark with a capital in front and a full stop behind.
func (s speaker) Sentence(text string) string { return sentence(s.Say(text)) }

// sentence gives a text its capital and its full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(s)
	if first, _, _ := strings.Cut(s, " "); !strings.ContainsAny(strings.TrimRight(first, ":."), "./:_") { // a name stays as it is written
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?:") {
		s += "."
	}
	return s
}

// unpresumed takes off the word that the report puts in front itself.
func unpresumed(note string) string {
	return strings.TrimPrefix(strings.TrimSpace(note), "presumed: ")
}

// explanation says a cause as somebody would who believes in it.
func explanation(cause string) string {
	switch cause {
	case "scheduler":
		return "the scheduler batches better under load"
	case "warm-cache":
		return "prompts were in the prefix cache before the run"
	case "warm-up-prompt":
		return "the warm-up had sent a prompt of the measured set"
	case "in-run-sharing":
		return "prompts of one run share their beginnings"
	case "opening-wave":
		return "the first requests, all sent at once, wait longest, and weigh more at one cap than at another"
	case "first-run":
		return "the server's first batches of a size were slow, as when kernels are compiled, tuned or captured"
	case "thinned-mean":
		return "a few slow requests weigh less in a larger run, so its mean falls"
	case "clock-or-power":
		return "the GPU changed its clock or met a power limit"
	case "pool-pressure":
		return "the token pool was full: eviction, retraction, chunks"
	case "other-traffic":
		return "another client used the server"
	case "different-workload":
		return "the runs did not send the same workload"
	case "output-length":
		return "the outputs differ in length"
	case "client-limit":
		return "the client could not keep up"
	case "noise":
		return "chance: runs of one point differ that much"
	}
	return words(cause)
}
