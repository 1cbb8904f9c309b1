package join

import (
	"path"
	"strings"
	"unicode"
)

const (
	before = "before"
	after  = "after"
)

// roles are the words by which people name the two scrapes of a run.
var roles = map[string]string{
	"before": before, "pre": before, "start": before, "begin": before,
	"after": after, "post": after, "end": after,
}

// kindWords are words of file names that say what kind of file it is and not which
// run it belongs to.
var kindWords = map[string]bool{
	"metrics": true, "metric": true, "prom": true, "prometheus": true, "scrape": true, "bench": true, "benchmark": true, "result": true,
	"results": true, "report": true, "stdout": true, "stderr": true, "output": true, "log": true, "client": true, "text": true, "records": true,
}

// scrapeName gives what is left of a scrape's name, and its role; "" if the
// name holds none or both.
func scrapeName(file string) (name, role string) {
	var rest []string
	for _, w := range words(file) {
		r := roles[w]
		switch {
		case r == "":
			if !kindWords[w] {
				rest = append(rest, w)
			}
		case role == "":
			role = r
		case role != r:
			return "", ""
		}
	}
	return strings.Join(rest, "-"), role
}

// runName gives what is left of the name of a run's file.
func runName(file string) string {
	var rest []string
	for _, w := range words(file) {
		if !kindWords[w] {
			rest = append(rest, w)
		}
	}
	return strings.Join(rest, "-")
}

// words splits the last element of a path, without its endings, at everything
// that is no letter or digit.
func words(file string) []string {
	base := strings.ToLower(path.Base(trimPacking(file)))
	base = strings.TrimSuffix(base, path.Ext(base))
	return strings.FieldsFunc(base, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
