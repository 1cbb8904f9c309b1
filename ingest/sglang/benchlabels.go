package sglang

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
)

// labels maps what a text report prints to the names of the record.
var labels = map[string]string{
	"Successful requests":                  "completed",
	"Benchmark duration (s)":               "duration",
	"Total input tokens":                   "total_input_tokens",
	"Total input text tokens":              "total_input_text_tokens",
	"Total input vision tokens":            "total_input_vision_tokens",
	"Total generated tokens":               "total_output_tokens",
	"Total generated tokens (retokenized)": "total_output_tokens_retokenized",
	"Request throughput (req/s)":           "request_throughput",
	"Input token throughput (tok/s)":       "input_throughput",
	"Output token throughput (tok/s)":      "output_throughput",
	"Peak output token throughput (tok/s)": "max_output_tokens_per_s",
	"Peak concurrent requests":             "max_concurrent_requests",
	"Total token throughput (tok/s)":       "total_throughput",
	"Concurrency":                          "concurrency",
	"Accept length":                        "accept_length",
}

// ownLabels are printed by SGLang's clients and by no other client that prints
// the same header; otherLabels are never printed by SGLang's.
var (
	ownLabels = map[string]bool{
		"Backend": true, "Protocol": true, "Traffic request rate": true,
		"Max request concurrency": true, "Max reqeuest concurrency": true,
		"Total generated tokens (retokenized)": true, "Input token throughput (tok/s)": true,
		"Concurrency": true, "Total input text tokens": true, "Max ITL (ms)": true,
		"Mean E2E Latency (ms)": true, "Median E2E Latency (ms)": true,
	}
	otherLabels = map[string]bool{
		"Failed requests": true, "Maximum request concurrency": true, "Request rate configured (RPS)": true,
		"Mean E2EL (ms)": true, "Median E2EL (ms)": true, "P99 E2EL (ms)": true,
		"Request goodput (req/s)": false, // both print it
	}
)

// sections that are read; rows under any other heading repeat labels of the
// main block and are passed over.
var sections = map[string]bool{
	"": true, "End-to-End Latency": true, "Time to First Token": true,
	"Time per Output Token (excl. 1st token)": true, "Inter-Token Latency": true,
	"Inter-token Latency": true, "Cache Hit Details": true, "Goodput": true,
}

var latencyNames = map[string]string{
	"E2E Latency (ms)": "e2e_latency_ms", "TTFT (ms)": "ttft_ms", "TPOT (ms)": "tpot_ms", "ITL (ms)": "itl_ms",
}

// latencyKey turns "P90 TTFT (ms)" into "p90_ttft_ms", "" if the label is none.
func latencyKey(label string) string {
	stat, metric, ok := strings.Cut(label, " ")
	if !ok {
		return ""
	}
	name := latencyNames[metric]
	if name == "" {
		return ""
	}
	switch stat {
	case "Mean", "Median", "Std", "Max":
		return strings.ToLower(stat) + "_" + name
	}
	if len(stat) > 1 && stat[0] == 'P' {
		if _, err := strconv.ParseFloat(stat[1:], 64); err == nil {
			return "p" + stat[1:] + "_" + name
		}
	}
	return ""
}

// maxLabel bounds the length of a label.
const maxLabel = 60

// row splits "label:   value" of a report. The label keeps its leading blanks.
func row(b []byte) (label, value string, ok bool) {
	i := bytes.IndexByte(b, ':')
	if i <= 0 || i > maxLabel {
		return "", "", false
	}
	return string(b[:i]), strings.TrimSpace(string(b[i+1:])), true
}

// heading returns the title of a line that is filled with c on both sides, or
// "" with ok for a line of c alone.
func heading(b []byte, c byte) (title string, ok bool) {
	b = bytes.TrimSpace(b)
	if len(b) < 20 || b[0] != c || b[len(b)-1] != c {
		return "", false
	}
	return strings.TrimSpace(string(bytes.Trim(b, string(c)))), true
}

// figure reads a printed number, with its decimals. A number of the kind that
// prints two decimals and shows fewer was cut.
func figure(value string, line int, cents bool) (capture.Figure, bool) {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return capture.Figure{}, false
	}
	digits := 0
	if dot := strings.IndexByte(value, '.'); dot >= 0 {
		digits = len(value) - dot - 1
	}
	if cents && digits != 2 {
		return capture.Figure{}, false
	}
	return capture.Figure{Value: f, Line: line, Digits: digits}, true
}
