package vllm

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
)

// setter puts the value of a report line into a result. It reports whether the
// value could be read.
type setter func(r *capture.Result, line int, value string) bool

// labels are the lines of the report that are not latencies, with the two
// spellings of one of them.
var labels = map[string]setter{
	"Successful requests":                  func(r *capture.Result, _ int, v string) bool { return setInt(&r.Completed, v) },
	"Failed requests":                      func(r *capture.Result, _ int, v string) bool { return setInt(&r.Failed, v) },
	"Maximum request concurrency":          func(r *capture.Result, _ int, v string) bool { return setCap(r, v) },
	"Request rate configured (RPS)":        setRate,
	"Benchmark duration (s)":               setDuration,
	"Total input tokens":                   func(r *capture.Result, _ int, v string) bool { return setInt64(&r.InputTokens, v) },
	"Total generated tokens":               func(r *capture.Result, _ int, v string) bool { return setInt64(&r.OutputTokens, v) },
	"Request throughput (req/s)":           printed("request_throughput"),
	"Request goodput (req/s)":              printed("request_goodput"),
	"Input token throughput (tok/s)":       printed("input_throughput"),
	"Output token throughput (tok/s)":      printed("output_throughput"),
	"Total Token throughput (tok/s)":       printed("total_throughput"),
	"Total token throughput (tok/s)":       printed("total_throughput"),
	"Peak output token throughput (tok/s)": printed("max_output_tokens_per_s"),
	"Peak concurrent requests":             printed("max_concurrent_requests"),
}

// latencyNames are the names of latencies on report lines and in records, with
// those that SGLang's record has for them.
var latencyNames = map[string]string{
	"TTFT": "ttft", "TPOT": "tpot", "ITL": "itl", "E2EL": "e2e_latency",
	"Client Queue Time": "client_queue_time", "E2EL incl. Client Queue": "e2el_including_client_queue",
}

// setterFor finds what a label means; ok is false for a label of another block.
func setterFor(label string) (setter, bool) {
	if s, ok := labels[label]; ok {
		return s, true
	}
	name, ok := strings.CutSuffix(label, " (ms)")
	if !ok {
		return nil, false
	}
	stat, metric, ok := strings.Cut(name, " ")
	if !ok || latencyNames[metric] == "" {
		return nil, false
	}
	stat = strings.ToLower(stat)
	switch {
	case stat == "mean", stat == "median", stat == "std", stat == "min", stat == "max":
	case len(stat) > 1 && stat[0] == 'p' && strings.Trim(stat[1:], "0123456789.") == "":
	default:
		return nil, false
	}
	return printed(stat + "_" + latencyNames[metric] + "_ms"), true
}

// splitLabel takes a report line apart at the last colon of its label; labels
// are padded with blanks to 40 columns.
func splitLabel(line []byte) (label, value string, ok bool) {
	at := bytes.IndexByte(line, ':')
	if at <= 0 {
		return "", "", false
	}
	return string(bytes.TrimSpace(line[:at])), string(bytes.TrimSpace(line[at+1:])), true
}

func printed(name string) setter {
	return func(r *capture.Result, line int, value string) bool {
		f, ok := figure(value)
		if !ok {
			return false
		}
		f.Line = line
		r.Printed[name] = f
		return true
	}
}

func figure(s string) (capture.Figure, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return capture.Figure{}, false
	}
	digits := 0
	if at := strings.IndexByte(s, '.'); at >= 0 {
		digits = len(s) - at - 1
	}
	return capture.Figure{Value: v, Digits: digits}, true
}

func setInt(field **int, s string) bool {
	n, err := strconv.Atoi(s)
	if err != nil {
		return false
	}
	*field = &n
	return true
}

func setInt64(field **int64, s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return false
	}
	*field = &n
	return true
}

func setDuration(r *capture.Result, line int, s string) bool {
	if !printed("duration")(r, line, s) {
		return false
	}
	d := r.Printed["duration"].Value
	r.Duration = &d
	return true
}

func setCap(r *capture.Result, s string) bool {
	if s == "None" || s == "unlimited" {
		r.MaxConcurrency = capture.Cap{Known: true, Unlimited: true}
		return true
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return false
	}
	r.MaxConcurrency = capture.Cap{Known: true, N: n}
	return true
}

func setRate(r *capture.Result, _ int, s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) {
		return false
	}
	r.RequestRate = rateFrom(&f)
	return true
}
