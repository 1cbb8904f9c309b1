package prom

import (
	"bytes"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
)

// lineClass is what one line of an answer is.
type lineClass uint8

const (
	lineBlank  lineClass = iota
	lineNote             // a comment, or OpenMetrics' "# EOF"
	lineType             // "# HELP name ..." or "# TYPE name type"
	lineSample           // name{labels} value
	lineHeader           // the headers that curl -i puts in front
	lineOther            // nothing of the format: malformed
)

// classify names a line, with the metric name of a type or sample line and the
// sample itself. The text must be trimmed.
func classify(line []byte) (lineClass, string, capture.Sample) {
	switch {
	case len(line) == 0:
		return lineBlank, "", capture.Sample{}
	case line[0] == '#':
		if name, ok := typeName(line); ok {
			return lineType, name, capture.Sample{}
		}
		return lineNote, "", capture.Sample{}
	case bytes.HasPrefix(line, []byte("HTTP/")):
		return lineHeader, "", capture.Sample{}
	}
	name, sample, ok := parseSample(line)
	if !ok {
		return lineOther, "", capture.Sample{}
	}
	return lineSample, name, sample
}

// typeName is the metric that a "# HELP" or "# TYPE" line announces.
func typeName(line []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("# "))
	if !ok {
		return "", false
	}
	help, isHelp := bytes.CutPrefix(rest, []byte("HELP "))
	kind, isType := bytes.CutPrefix(rest, []byte("TYPE "))
	if isHelp {
		kind = help
	}
	if !isHelp && !isType {
		return "", false
	}
	name, _, _ := bytes.Cut(kind, []byte(" "))
	if nameLen(name) != len(name) || len(name) == 0 {
		return "", false
	}
	return string(name), true
}

// parseSample reads `name{label="value",...} number [time] [# exemplar]`.
func parseSample(line []byte) (string, capture.Sample, bool) {
	var s capture.Sample
	n := nameLen(line)
	if n == 0 || line[n-1] == ':' { // "Concurrency:   1.99" of a report
		return "", s, false
	}
	name, rest := string(line[:n]), line[n:]
	if len(rest) > 0 && rest[0] == '{' {
		labels, tail, ok := parseLabels(rest[1:])
		if !ok {
			return "", s, false
		}
		s.Labels, rest = labels, tail
	} else if len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return "", s, false
	}
	number, tail, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" "))
	value, ok := parseValue(number)
	if !ok || !validTail(bytes.TrimSpace(tail)) {
		return "", s, false
	}
	s.Value = value
	return name, s, true
}

// nameLen is the length of the metric name at the start of b.
func nameLen(b []byte) int {
	for i, c := range b {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(b)
}

// parseLabels reads the labels after "{" and returns what follows "}".
func parseLabels(b []byte) (map[string]string, []byte, bool) {
	labels := make(map[string]string, 4)
	for {
		b = bytes.TrimLeft(b, " \t,")
		if len(b) == 0 {
			return nil, nil, false
		}
		if b[0] == '}' {
			return labels, b[1:], true
		}
		n := nameLen(b)
		if n == 0 || n+1 >= len(b) || b[n] != '=' || b[n+1] != '"' {
			return nil, nil, false
		}
		name := string(b[:n])
		value, rest, ok := quoted(b[n+2:])
		if !ok || len(rest) == 0 || rest[0] != ',' && rest[0] != '}' {
			return nil, nil, false
		}
		labels[name], b = value, rest
	}
}

// quoted reads a label value up to its closing quote, with the three escapes of
// the format.
func quoted(b []byte) (string, []byte, bool) {
	end := bytes.IndexByte(b, '"')
	if end < 0 {
		return "", nil, false
	}
	if bytes.IndexByte(b[:end], '\\') < 0 {
		return string(b[:end]), b[end+1:], true
	}
	var s strings.Builder
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			return s.String(), b[i+1:], true
		case b[i] == '\\' && i+1 < len(b):
			i++
			if b[i] == 'n' {
				s.WriteByte('\n')
			} else {
				s.WriteByte(b[i])
			}
		default:
			s.WriteByte(b[i])
		}
	}
	return "", nil, false
}

// parseValue reads a number as Prometheus clients print it.
func parseValue(b []byte) (float64, bool) {
	if len(b) == 0 || len(b) > 32 {
		return 0, false
	}
	switch string(b) {
	case "NaN", "nan", "+Inf", "-Inf", "Inf", "inf":
	default:
		for _, c := range b {
			if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
				return 0, false
			}
		}
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v, err == nil
}

// validTail accepts a time stamp, an exemplar, or nothing.
func validTail(b []byte) bool {
	if len(b) == 0 || b[0] == '#' {
		return true
	}
	stamp, rest, _ := bytes.Cut(b, []byte(" "))
	_, ok := parseValue(stamp)
	return ok && (len(rest) == 0 || rest[0] == '#')
}

// looksLikeMetric tells a metric from a word and a number in a table.
func looksLikeMetric(line []byte, name string) bool {
	if bytes.IndexByte(line, '{') > 0 || strings.Contains(name, ":") {
		return true
	}
	for _, suffix := range []string{"_total", "_count", "_sum", "_bucket", "_created", "_seconds", "_bytes"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
