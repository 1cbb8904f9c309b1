package sglang

import (
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// block is one result block of a text report.
type block struct {
	line, to  int
	confirmed bool // a label that only SGLang's clients print was seen
	foreign   bool // a label that they never print was seen
	excerpt   bool // the block starts behind its headline
	sectioned bool // a latency section was opened
	inSection int  // labels read in latency sections
	section   string
	result    capture.Result
	prompt    *int64 // Cache Hit Details
	cached    *int64
	cachedAt  []byte
	cachedN   int
	rows      int
}

func newBlock(line int) *block {
	return &block{line: line, to: line, result: capture.Result{
		Kind: capture.SGLangBenchText, Client: pythonClient, Printed: map[string]capture.Figure{},
	}}
}

// row reads one line of the block. It reports Malformed for a row whose value
// is missing or cut.
func (b *block) row(n int, line []byte) format.Claim {
	if title, ok := heading(line, '-'); ok && title != "" {
		b.section, b.to = title, n
		b.sectioned = b.sectioned || latencySection(title)
		return b.claim()
	}
	label, value, ok := row(line)
	if !ok {
		return format.NotMine
	}
	if otherLabels[label] {
		b.foreign = true
		return format.NotMine
	}
	known := b.label(n, label, value, line)
	if known == format.NotMine {
		return known
	}
	b.to = n
	b.rows++
	if latencySection(b.section) && known == format.Mine {
		b.inSection++
	}
	if ownLabels[label] || b.section == "Cache Hit Details" {
		b.confirmed = true
	}
	if known == format.Malformed && b.isReport() {
		return known
	}
	return b.claim()
}

func (b *block) claim() format.Claim {
	if b.isReport() && !b.foreign {
		return format.Mine
	}
	return format.Weak
}

func (b *block) label(n int, label, value string, line []byte) format.Claim {
	if !sections[b.section] {
		return format.Mine // of a steady-state block, say: labels repeat there
	}
	r := &b.result
	switch label {
	case "Backend":
		r.Backend, r.Engine = value, engineOf(value)
		return mineIf(value != "")
	case "Protocol":
		r.Client = rustClient
		return mineIf(value != "")
	case "Traffic request rate":
		r.RequestRate = textRate(value)
		return mineIf(r.RequestRate.Known)
	case "Max request concurrency", "Max reqeuest concurrency":
		r.MaxConcurrency = textCap(value)
		return mineIf(r.MaxConcurrency.Known)
	}
	if b.section == "Cache Hit Details" {
		return b.cacheRow(n, label, value, line)
	}
	key, cents := latencyKey(label), true
	if key == "" {
		key = labels[label]
		cents = strings.HasSuffix(label, "/s)") || strings.HasSuffix(label, "(s)") || label == "Concurrency" || label == "Accept length"
	}
	if key == "" {
		if b.section == "Goodput" {
			return format.Mine
		}
		return format.NotMine
	}
	if value == "nan" || value == "N/A" {
		return format.Mine
	}
	f, ok := figure(value, n, cents)
	if !ok {
		return format.Malformed
	}
	if _, twice := r.Printed[key]; !twice {
		r.Printed[key] = f
		b.typed(key, f.Value)
	}
	return format.Mine
}

// typed copies the figures that have a field of their own.
func (b *block) typed(key string, v float64) {
	switch key {
	case "completed":
		n := int(v)
		b.result.Completed = &n
	case "duration":
		b.result.Duration = &v
	case "total_input_tokens":
		n := int64(v)
		b.result.InputTokens = &n
	case "total_output_tokens":
		n := int64(v)
		b.result.OutputTokens = &n
	}
}

// cacheRow reads the block of --cache-report (0.5.14 and later). Its indented
// labels appear twice, as counts and as percentages, and are not needed.
func (b *block) cacheRow(n int, label, value string, line []byte) format.Claim {
	switch label {
	case "Total prompt tokens", "Total cached tokens":
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return format.Malformed
		}
		if label == "Total prompt tokens" {
			b.prompt = &v
		} else {
			b.cached, b.cachedAt, b.cachedN = &v, append([]byte(nil), line...), n
		}
		return format.Mine
	case "Cache hit rate":
		if f, ok := figure(strings.TrimSuffix(value, "%"), n, false); ok {
			b.result.Printed["cache_hit_rate_pct"] = f
		}
		return format.Mine
	}
	return mineIf(strings.HasPrefix(label, "  "))
}

func mineIf(ok bool) format.Claim {
	if ok {
		return format.Mine
	}
	return format.Malformed
}

// finish completes the result when the file is known.
func (b *block) finish(file string) *capture.Result {
	r := &b.result
	r.Span = capture.Span{File: file, Line: b.line, To: b.to}
	if b.prompt != nil && b.cached != nil {
		r.CacheTotals = &capture.CacheTotals{
			PromptTokens: *b.prompt, CachedTokens: *b.cached,
			Reported: reported(r.Backend, *b.cached),
			At:       text.Evidence(file, b.cachedN, b.cachedAt),
		}
	}
	return r
}

// reported tells whether a total of cached tokens can be believed when it is
// zero: with backend "sglang" the client reads meta_info, which every server
// fills; on the OpenAI routes a server that sends nothing counts as zero.
func reported(backend string, cached int64) bool {
	return cached > 0 || backend == "sglang" || backend == "sglang-native"
}

// engineOf names the server's engine by the client's backend.
func engineOf(backend string) string {
	for _, e := range []struct{ prefix, engine string }{
		{"sglang", "sglang"}, {"vllm", "vllm"}, {"lmdeploy", "lmdeploy"}, {"trt", "trt-llm"}, {"gserver", ""},
	} {
		if strings.HasPrefix(backend, e.prefix) {
			return e.engine
		}
	}
	return ""
}

func textRate(value string) capture.Rate {
	switch value {
	case "inf", "Infinity":
		return capture.Rate{Known: true, Inf: true}
	case "trace":
		return capture.Rate{Known: true, Trace: true}
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil && f >= 0 {
		return capture.Rate{Known: true, PerSecond: f}
	}
	return capture.Rate{}
}

func textCap(value string) capture.Cap {
	switch value {
	case "not set", "None":
		return capture.Cap{Known: true, Unlimited: true}
	}
	if n, err := strconv.Atoi(value); err == nil && n > 0 {
		return capture.Cap{Known: true, N: n}
	}
	return capture.Cap{}
}
