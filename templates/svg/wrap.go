package svg

import "strings"

// Wrap sets s in at most n lines of at most max units each, broken after a
// space, a slash or a hyphen. ok is false if it does not fit.
func Wrap(s string, size, max float64, n int) (lines []string, ok bool) {
	line := ""
	for _, part := range pieces(s) {
		switch {
		case TextWidth(strings.TrimSpace(part), size) > max:
			return nil, false
		case TextWidth(strings.TrimRight(line+part, " "), size) <= max:
			line += part
		default:
			lines = append(lines, strings.TrimSpace(line))
			line = part
		}
	}
	lines = append(lines, strings.TrimSpace(line))
	return lines, len(lines) <= n
}

// pieces cuts a text where a line may end.
func pieces(s string) []string {
	var out []string
	for s != "" {
		at := strings.IndexAny(s, " /-")
		if at < 0 {
			return append(out, s)
		}
		out = append(out, s[:at+1])
		s = s[at+1:]
	}
	return out
}

// CutMiddle shortens s to at most max units of width and keeps both of its
// ends: names of runs differ at the end as often as at the start.
func CutMiddle(s string, size, max float64) string {
	if TextWidth(s, size) <= max {
		return s
	}
	r := []rune(s)
	for keep := len(r) - 1; keep > 1; keep-- {
		head := keep / 2
		cut := string(r[:head]) + "…" + string(r[len(r)-(keep-head):])
		if TextWidth(cut, size) <= max {
			return cut
		}
	}
	return "…"
}
