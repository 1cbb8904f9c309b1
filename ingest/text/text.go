// Package text makes strings of a capture safe to keep: control characters and
// bidirectional overrides taken out, secrets redacted, evidence cut. It is
// applied once, at ingest, so that no output can hold what it removes.
//
// It errs on the side of redacting a harmless value of a telling name, and
// leaves numbers and the words that benchmarks are made of alone (tokenizer,
// max_tokens, "#cached-token", "token usage"). It is no scanner for secrets in
// prose: a password without a name beside it and without a known shape stays.
package text

import "coldcase/ingest/capture"

// Evidence builds the quote of a raw line: cleaned, redacted and cut at
// capture.MaxEvidence characters.
func Evidence(file string, line int, raw []byte) capture.Evidence {
	return capture.Evidence{File: file, Line: line, Text: cut(Safe(string(bound(raw))), capture.MaxEvidence)}
}

// Safe is Redact after Clean: what every string of a file goes through before
// it enters the model.
func Safe(s string) string { return Redact(Clean(s)) }

// boundFactor is how much of a line is looked at beyond what a quote keeps:
// removed colour codes must not empty it.
const boundFactor = 16

// bound shortens a line before it is cleaned: records of many MiB stand on one
// line.
func bound(raw []byte) []byte {
	return raw[:min(len(raw), boundFactor*capture.MaxEvidence)]
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
