package templates

import (
	"path"
	"regexp"
	"strings"
)

// cell is the name that a sweep gives to the folder of one run.
var cell = regexp.MustCompile(`(?:^|/)\d{3}-c\d+-s\d+-([a-z]+)/`)

// armOf is the sweep arm of a run by its id, "" outside of a sweep.
func armOf(id string) string {
	if m := cell.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return ""
}

// label gives each run the shortest name that no other run has: its cap, its
// cap and seed, these and its arm in a sweep, or a name from its file.
func label(rows []*row) {
	seen := map[string]int{}
	first := 0
	if swept(rows) { // there the arm is what tells most
		first = 2
	}
	for form := first; form < 3; form++ {
		clear(seen)
		for _, r := range rows {
			seen[shortLabel(r, form)]++
		}
		for _, r := range rows {
			if s := shortLabel(r, form); r.Label == "" && s != "" && seen[s] == 1 {
				r.Label = s
			}
		}
	}
	names := shortNames(rows)
	for _, r := range rows {
		switch {
		case r.Label != "":
		case r.Kind == "window":
			r.Label = "window " + r.ID
		case r.MaxConcurrency != nil:
			r.Label = "cap " + capText(r.MaxConcurrency) + " " + names[r.ID]
		default:
			r.Label = names[r.ID]
		}
	}
}

// swept reports whether a sweep's runs are among the rows.
func swept(rows []*row) bool {
	for _, r := range rows {
		if r.Arm != "" {
			return true
		}
	}
	return false
}

// shortLabel is one of the forms of a label, "" if the run lacks what the form
// needs.
func shortLabel(r *row, form int) string {
	if r.Kind == "window" || r.MaxConcurrency == nil {
		return ""
	}
	s := "cap " + capText(r.MaxConcurrency)
	switch {
	case form == 0:
		return s
	case r.Seed == nil:
		return ""
	case form == 1:
		return s + " seed " + optional(r.Seed)
	case r.Arm == "":
		return s + " seed " + optional(r.Seed) + " kit"
	}
	return s + " seed " + optional(r.Seed) + " " + r.Arm
}

// shortNames shortens the ids of runs as far as they stay apart: to the folder
// of a sweep's cell, to the name of the file without its folders, to that name
// without the line.
func shortNames(rows []*row) map[string]string {
	out := map[string]string{}
	for _, shorten := range []func(string) string{cellName, withoutLine, path.Base} {
		seen := map[string]int{}
		for _, r := range rows {
			seen[shorten(r.ID)]++
		}
		for _, r := range rows {
			if s := shorten(r.ID); out[r.ID] == "" && s != "" && seen[s] == 1 {
				out[r.ID] = s
			}
		}
	}
	for _, r := range rows {
		if out[r.ID] == "" {
			out[r.ID] = r.ID
		}
	}
	return out
}

// cellName is the folder of a sweep's cell, "" for other runs.
func cellName(id string) string {
	m := cell.FindString(id)
	return strings.Trim(m, "/")
}

func withoutLine(id string) string {
	base := path.Base(id)
	if i := strings.LastIndexByte(base, ':'); i > 0 {
		return base[:i]
	}
	return base
}
