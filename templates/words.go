package templates

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/templates/figure"
)

// unknown is what stands in the place of a number that is not known.
const unknown = "not known"

// count words an interval, as the documents do: 64, 29 or more, 16 to 20. One
// that says nothing is not known, which is not 0.
func count(low int64, high *int64) string {
	return bounds(carryover.Bounds{Low: low, High: high})
}

func bounds(b carryover.Bounds) string {
	if b.High == nil && b.Low == 0 {
		return unknown
	}
	return digits.ReplaceAllStringFunc(b.String(), figure.Thousands)
}

var digits = regexp.MustCompile(`\d+`)

func integer(n int64) string { return figure.Thousands(strconv.FormatInt(n, 10)) }

// atStart words the prompts cached at start with n and grade: "64 of 128 (per
// batch)".
func atStart(r *carryover.Run) string {
	i := r.AtStart
	if i.High == nil && i.Low == 0 {
		return unknown + of(r)
	}
	return count(i.Low, i.High) + of(r) + " (" + grade(i.Grade) + ")"
}

// of is " of 128", or " of 128 sequences" for a window.
func of(r *carryover.Run) string {
	if r.Prompts != nil {
		return " of " + integer(int64(*r.Prompts))
	}
	if r.Kind == "window" && r.Sequences.High != nil {
		return " of " + count(r.Sequences.Low, r.Sequences.High) + " sequences"
	}
	return ""
}

func grade(g carryover.Grade) string {
	switch g {
	case carryover.PerPrompt:
		return "per prompt"
	case carryover.PerBatch:
		return "per batch"
	case carryover.None, "":
		return unknown
	}
	return string(g)
}

// ms prints milliseconds with two decimals, as the clients do; a whole number
// has none.
func ms(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return unknown
	}
	digits := 2
	if v == math.Trunc(v) {
		digits, v = 0, v+0 // no -0
	}
	return figure.Thousands(strconv.FormatFloat(v, 'f', digits, 64))
}

// capText words a concurrency cap.
func capText(c any) string {
	switch c := c.(type) {
	case nil:
		return unknown
	case float64:
		return ms(c)
	default:
		return fmt.Sprint(c)
	}
}

func optional[T int | int64](p *T) string {
	if p == nil {
		return unknown
	}
	return strconv.FormatInt(int64(*p), 10)
}

func text(p *string) string {
	if p == nil || *p == "" {
		return unknown
	}
	return *p
}

// sign puts the sign of a state in front of its word, so that colour is never
// the only mark.
func sign(state string) string {
	switch state {
	case "contaminated", "block", "do-not-publish", "supported":
		return "■ " + words(state)
	case "warn":
		return "▲ " + words(state)
	case "clean", "pass", "publishable", "confirmed":
		return "✓ " + words(state)
	case "unknown", "not-testable", "not-comparable", "incomplete":
		return "? " + words(state)
	}
	return "○ " + words(state)
}

// engine writes an engine's name as its makers do.
func engine(s string) string {
	switch s {
	case "sglang":
		return "SGLang"
	case "vllm":
		return "vLLM"
	case "trt-llm":
		return "TensorRT-LLM"
	}
	return s
}

// compounds are the names whose hyphen belongs to the word.
var compounds = strings.NewReplacer("warm-up-prompt", "warm-up prompt", "in-run-sharing", "in-run sharing")

// words spells the contract's hyphenated words out.
func words(s string) string {
	if s == "warn" {
		return "warning"
	}
	if compound := compounds.Replace(s); compound != s {
		return compound
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "_", " "), "-", " ")
}

// statistic names a printed figure: median_ttft_ms is "median TTFT".
func statistic(name string) string {
	s := strings.TrimSuffix(name, "_ms")
	parts := strings.Split(s, "_")
	for i, p := range parts {
		switch {
		case p == "ttft" || p == "tpot" || p == "itl" || p == "e2e":
			parts[i] = strings.ToUpper(p)
		case len(p) > 1 && p[0] == 'p' && p[1] >= '0' && p[1] <= '9':
			parts[i] = "P" + p[1:]
		}
	}
	return strings.Join(parts, " ")
}

// integerPlain prints a line number: without commas, as editors want it.
func integerPlain(n int) string { return strconv.Itoa(n) }

func join(parts []string) string { return strings.Join(parts, "; ") }

// ttft reports whether a printed figure is about the first token.
func ttft(name string) bool { return strings.Contains(name, "ttft") }

// short names a first-token figure without saying TTFT again.
func short(name string) string {
	return strings.TrimSuffix(statistic(name), " TTFT")
}
