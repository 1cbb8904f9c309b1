package sglang

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyjson"
	"coldcase/ingest/text"
)

// record reads one result object of bench_serving from a stream of tokens.
// Texts and the arrays of inter-token latencies, which are nearly all of its
// bytes, are reduced while they pass.
type record struct {
	res    capture.Result
	raw    []byte // the start of the line
	args   map[string]any
	known  map[string]bool
	detail details
}

func newRecord(file string, line int, start []byte) *record {
	return &record{
		res: capture.Result{
			Span: capture.Span{File: file, Line: line}, Kind: capture.SGLangJSONL,
			Client: pythonClient, Printed: map[string]capture.Figure{},
		},
		raw: start, args: map[string]any{}, known: map[string]bool{},
	}
}

// oldNames are the keys of 0.2.0 to 0.2.11, and of a branch that was never
// released, under the names that came to stay. The old latencies were in
// milliseconds although their names do not say so.
var oldNames = map[string]string{
	"total_input": "total_input_tokens", "total_output": "total_output_tokens",
	"total_output_retokenized": "total_output_tokens_retokenized",
	"mean_e2e_latency":         "mean_e2e_latency_ms", "median_e2e_latency": "median_e2e_latency_ms",
	"median_ttft": "median_ttft_ms", "median_itl": "median_itl_ms",
	"output_token_throughput": "output_throughput", "benchmark_duration": "duration",
}

// read reads the object and the end of its text. On an error the record holds
// what was read before it.
func (r *record) read(dec *jsontext.Decoder) error {
	t, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '{' {
		return errors.New("not an object")
	}
	for {
		t, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if t.Kind() == '}' {
			return nil
		}
		name := t.String()
		if err := r.value(dec, name); err != nil {
			return err
		}
		r.known[name] = true
	}
}

func (r *record) value(dec *jsontext.Decoder, name string) error {
	switch dec.PeekKind() {
	case '[':
		return r.detail.array(dec, name)
	case '{':
		return r.object(dec, name)
	}
	t, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch t.Kind() {
	case '"':
		r.text(name, t.String())
	case '0':
		f, err := t.Float()
		if err != nil {
			return nil // beyond the range of a float: no figure
		}
		r.number(name, f)
	case 'n':
		r.null(name)
	case 't', 'f':
		r.args[name] = t.Bool()
		if name == "flushed_cache" {
			b := t.Bool()
			r.res.Workload.FlushAsked = &b
		}
	}
	return nil
}

func (r *record) text(name, s string) {
	switch name {
	case "backend":
		r.res.Backend, r.res.Engine = s, engineOf(s)
	case "dataset_name":
		r.res.Workload.Dataset = s
	case "tag":
		r.res.Label = s
	case "protocol":
		r.res.Client = rustClient
	case "client":
		if s == ownClient {
			r.res.Client = ownClient
		}
	case "request_rate":
		r.res.RequestRate = textRate(s)
	case "model", "model_name":
		r.res.Model = s
	}
	// A quoted NaN is a mean of nothing: not a figure. Infinity is none either.
	if _, isNumber := pyjson.Float(s); !isNumber {
		r.args[name] = s
	}
}

func (r *record) null(name string) {
	if name == "max_concurrency" {
		r.res.MaxConcurrency = capture.Cap{Known: true, Unlimited: true}
	}
}

func (r *record) number(name string, v float64) {
	if newer := oldNames[name]; newer != "" {
		name = newer
	}
	r.args[name] = v
	if r.res.Client == ownClient && ownNumbers[name] {
		return
	}
	n := int(v)
	tokens := int64(v)
	switch name {
	case "request_rate":
		r.res.RequestRate = floatRate(v)
		return
	case "max_concurrency":
		r.res.MaxConcurrency = argCap(v)
		return
	case "sharegpt_output_len", "random_input_len", "random_output_len", "random_range_ratio":
		return
	case "completed":
		r.res.Completed = &n
	case "duration":
		r.res.Duration = &v
	case "total_input_tokens":
		r.res.InputTokens = &tokens
	case "total_output_tokens":
		r.res.OutputTokens = &tokens
	}
	r.res.Printed[name] = capture.Figure{Value: v, Line: r.res.Span.Line, Digits: -1}
}

// maxInfo bounds a server_info object; real ones are near 100 KiB.
const maxInfo = 8 << 20

func (r *record) object(dec *jsontext.Decoder, name string) error {
	switch name {
	case "server_info", "cache_report":
	default:
		return dec.SkipValue()
	}
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var m map[string]any
	if len(v) > maxInfo || json.Unmarshal(v, &m) != nil {
		return nil
	}
	if name == "server_info" {
		r.res.Server = serverInfo(m)
		return nil
	}
	prompt, cached := floatOf(m, "total_prompt_tokens"), floatOf(m, "total_cached_tokens")
	if prompt != nil && cached != nil {
		r.res.CacheTotals = &capture.CacheTotals{PromptTokens: int64(*prompt), CachedTokens: int64(*cached)}
	}
	return nil
}

// finish returns the result, nil if the object is no record of a run. Of a
// record that is cut the summary may be whole; arrays that were cut are not
// taken, since the missing ends would look like missing requests.
func (r *record) finish(whole bool) *capture.Result {
	res := &r.res
	if r.known["concurrency_ratio"] || res.Backend == "" || res.Completed == nil && res.Duration == nil {
		return nil
	}
	at := text.Evidence(res.Span.File, res.Span.Line, r.raw)
	w := &res.Workload
	w.Form, w.From, w.Args = "record", at, r.args
	text.RedactArgs(w.Args)
	switch {
	case strings.HasPrefix(w.Dataset, "random") || w.Dataset == "image":
		w.InputLen, w.OutputLen = intOf(r.args, "random_input_len"), intOf(r.args, "random_output_len")
		w.RangeRatio = floatOf(r.args, "random_range_ratio")
	case w.Dataset != "generated-shared-prefix":
		w.OutputLen = intOf(r.args, "sharegpt_output_len")
	}
	if res.Server != nil {
		res.Server.At = at
		res.EngineVersion = res.Server.Version
		res.Model = res.Server.Model
		if res.Engine == "" {
			res.Engine = res.Server.Engine
		}
	}
	if n := intOf(r.args, "total_cached_tokens"); n != nil && res.CacheTotals == nil && res.InputTokens != nil {
		res.CacheTotals = &capture.CacheTotals{PromptTokens: *res.InputTokens, CachedTokens: int64(*n)}
	}
	if c := res.CacheTotals; c != nil {
		c.At = at
		c.Reported = reported(res.Backend, c.CachedTokens)
	}
	if whole {
		r.requests()
	}
	if res.Client == ownClient {
		r.own()
	}
	return res
}

// requests fills the per-request figures from the detail arrays.
func (r *record) requests() {
	q := r.detail.requests(r.res.Backend)
	if q == nil {
		return
	}
	res := &r.res
	res.Requests = q
	var planned int64
	for _, n := range q.Input {
		planned += int64(n)
	}
	// From 0.5.21 the client copies the server's prompt_tokens into input_lens
	// while the total stays its own plan; where both agree it does not matter.
	total := res.InputTokens
	failed := 0
	for _, bad := range q.Failed {
		if bad {
			failed++
		}
	}
	q.InputByServer = total != nil && *total > 0 && failed == 0 && planned != *total
	if q.Failed != nil {
		res.Failed = &failed
	}
	// A conversation is one prompt and several elements; the client then
	// counts no input tokens.
	if total == nil || *total > 0 || q.N == 0 {
		n := q.N
		res.Workload.Prompts = &n
	}
}
