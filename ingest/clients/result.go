package clients

import (
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"coldcase/ingest/capture"
	"coldcase/ingest/text"
)

// nearestRank is the quantile rule of clients that print an observed value.
const nearestRank = "nearest-rank"

// Units in which clients print times, as factors to seconds and to ms.
const (
	milli = 1e-3
	nano  = 1e-9
	toMS  = 1e3
)

// exact is capture.Figure's mark for full precision.
const exact = -1

// newResult starts a result for the record at line.
func newResult(file string, line int, kind capture.Kind, client string) *capture.Result {
	return &capture.Result{
		Span: capture.Span{File: file, Line: line}, Kind: kind, Client: client,
		Printed: map[string]capture.Figure{},
	}
}

// figure keeps a printed number under its record name, times unit, with the
// number of decimals that it was rounded to. A number that is not told is not
// kept.
func figure(r *capture.Result, name string, n node, unit float64, digits int) {
	if f, ok := n.num(); ok {
		r.Printed[name] = capture.Figure{Value: f * unit, Line: r.Span.Line, Digits: digits}
	}
}

// statistic names of the record and the keys that clients print them under.
type statKeys map[string]string

// figures keeps the statistics of one latency under the record's names, such
// as mean_ttft_ms.
func figures(r *capture.Result, metric string, stats node, keys statKeys, unit float64) {
	for name, key := range keys {
		figure(r, name+"_"+metric+"_ms", stats.at(key), unit, exact)
	}
}

// tidy makes the texts that were taken out of a file safe to keep.
func tidy(rs []*capture.Result) {
	for _, r := range rs {
		w := &r.Workload
		for _, s := range []*string{
			&r.ClientVersion, &r.Engine, &r.EngineVersion, &r.Backend, &r.Model, &r.Label, &r.Group,
			&w.Dataset, &w.DatasetPath, &w.Tokenizer, &w.Target,
		} {
			*s = text.Safe(*s)
		}
	}
}

// quote builds the evidence of a record whose line is long: a short text that
// names what was read, redacted as every text of a capture.
func quote(file string, line int, what string) capture.Evidence {
	return text.Evidence(file, line, []byte(what))
}

// arguments keeps a client's printed arguments, redacted.
func arguments(r *capture.Result, from capture.Evidence, form string, args map[string]any) {
	text.RedactArgs(args)
	r.Workload.From, r.Workload.Form, r.Workload.Args = from, form, args
}

// noWarmUp states that a client sends nothing but its prompts: its settings are
// known and ask for no warm-up, and the client has no test request of its own.
func noWarmUp(w *capture.Workload, from string) {
	w.Warmups, w.WarmupsFrom, w.ReadyCheck = ptr(0), from, ptr(false)
}

// cap of n concurrent requests; n nil leaves it unknown.
func capOf(n *int) capture.Cap {
	if n == nil || *n <= 0 {
		return capture.Cap{}
	}
	return capture.Cap{Known: true, N: *n}
}

// rateOf is a finite request rate.
func rateOf(n node) capture.Rate {
	f, ok := n.num()
	if !ok || f <= 0 {
		return capture.Rate{}
	}
	return capture.Rate{Known: true, PerSecond: f}
}

// seconds keeps a duration.
func seconds(n node) *float64 {
	f, ok := n.num()
	if !ok || f < 0 {
		return nil
	}
	return &f
}

// epoch reads a time of an ISO text as Unix seconds; a text without a zone is
// read as if it were UTC, as the stamps of logs are.
func epoch(s string) float64 {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999", "2006-01-02 15:04:05,999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.UnixNano()) * nano
		}
	}
	return 0
}

// promptHash identifies a prompt text within a capture; never 0 for a text.
func promptHash(prompt string) uint64 {
	if prompt == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(prompt))
	return max(h.Sum64(), 1)
}

// request is one request of a result while it is read. Times are seconds and
// -1 where the file does not tell, as are tokens.
type request struct {
	order  float64 // place in the prompt list, or the start where it is all there is
	ttft   float64
	e2e    float64
	start  float64
	tpot   float64
	chunks int32
	input  int32
	output int32
	cached int32
	failed bool
	mute   bool // the answer is kept, and holds no usage
	lost   bool // the record is damaged or not in the file
	hash   uint64
	line   int32
}

// untold is a request of which nothing is known.
func untold() request {
	return request{ttft: -1, e2e: -1, start: -1, tpot: -1, chunks: -1, input: -1, output: -1, cached: -1}
}

// answered reports whether anything of a successful answer is known. It is not
// of a request whose record is damaged or was left out of the file.
func (r *request) answered() bool {
	return !r.failed && !r.lost && (r.ttft >= 0 || r.e2e >= 0 || r.input >= 0 || r.output >= 0)
}

// zeroes makes 0 of the cached tokens that answers do not name, if another
// answer of the run names a number: the server reports them, and vLLM before
// June 2026 (pull request 44383) and SGLang leave a zero out. Where one answer
// names a zero the server leaves none out, and absent stays not told.
func zeroes(rs []request) {
	named, zero := false, false
	for _, r := range rs {
		named, zero = named || r.cached >= 0, zero || r.cached == 0
	}
	if !named || zero {
		return
	}
	for i := range rs {
		if r := &rs[i]; r.cached < 0 && r.answered() && !r.mute {
			r.cached = 0
		}
	}
}

// collect makes the columns of the requests; a column that no request tells
// is nil. Times that one request does not tell are NaN in it.
func collect(rs []request) *capture.Requests {
	if len(rs) == 0 {
		return nil
	}
	zeroes(rs)
	q := &capture.Requests{N: len(rs)}
	q.TTFT = times(rs, func(r *request) float64 { return r.ttft })
	q.E2E = times(rs, func(r *request) float64 { return r.e2e })
	q.Start = times(rs, func(r *request) float64 { return r.start })
	q.TPOT = times(rs, func(r *request) float64 { return r.tpot })
	q.Chunks = column(rs, -1, func(r *request) int32 { return r.chunks })
	q.Input = column(rs, -1, func(r *request) int32 { return r.input })
	q.Output = column(rs, -1, func(r *request) int32 { return r.output })
	q.Cached = column(rs, -1, func(r *request) int32 { return r.cached })
	q.Failed = column(rs, false, func(r *request) bool { return r.failed })
	q.TextHash = column(rs, 0, func(r *request) uint64 { return r.hash })
	q.Line = column(rs, 0, func(r *request) int32 { return r.line })
	return q
}

func column[T comparable](rs []request, absent T, get func(*request) T) []T {
	col, told := make([]T, len(rs)), false
	for i := range rs {
		col[i] = get(&rs[i])
		told = told || col[i] != absent
	}
	if !told {
		return nil
	}
	return col
}

// times is a column of seconds.
func times(rs []request, get func(*request) float64) []float64 {
	col := column(rs, -1, get)
	for i, v := range col {
		if v < 0 {
			col[i] = math.NaN()
		}
	}
	return col
}

// tally counts the requests that were answered and sums their tokens; a sum
// is nil if one of them is not told.
func tally(rs []request) (done, failed int, input, output *int64) {
	input, output = new(int64), new(int64)
	for i := range rs {
		if rs[i].failed {
			failed++
			continue
		}
		done++
		input, output = plus(input, rs[i].input), plus(output, rs[i].output)
	}
	if done == 0 {
		return done, failed, nil, nil
	}
	return done, failed, input, output
}

func plus(sum *int64, n int32) *int64 {
	if sum == nil || n < 0 {
		return nil
	}
	*sum += int64(n)
	return sum
}

// asTokens rounds a printed total of tokens.
func asTokens(n node) *int64 {
	f, ok := n.num()
	if !ok || f < 0 || f > 1<<53 {
		return nil
	}
	i := int64(math.Round(f))
	return &i
}

// ptr returns a pointer to a copy of v.
func ptr[T any](v T) *T { return &v }

// cacheTotals keeps a printed total of cached tokens.
func cacheTotals(r *capture.Result, cached node, reported bool, name string) *capture.CacheTotals {
	c := asTokens(cached)
	if c == nil {
		return nil
	}
	t := &capture.CacheTotals{CachedTokens: *c, Reported: reported,
		At: quote(r.Span.File, r.Span.Line, fmt.Sprintf("%s: %d", name, *c))}
	if r.InputTokens != nil {
		t.PromptTokens = *r.InputTokens
	}
	return t
}

func firstText(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
