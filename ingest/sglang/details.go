package sglang

import (
	"errors"
	"io"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
)

// details are the arrays of --output-details, one element a request in prompt
// order.
type details struct {
	ttft, e2e, maxITL     []float64
	chunks                []int32
	input, output, cached []int32
	failed                []bool
	breakdown             bool // some cached_tokens_details is an object
	own                   ownDetails
}

func (d *details) array(dec *jsontext.Decoder, name string) error {
	var each func(dec *jsontext.Decoder) error
	switch name {
	case "input_lens":
		each = intInto(&d.input)
	case "output_lens":
		each = intInto(&d.output)
	case "cached_tokens":
		each = intInto(&d.cached)
	case "ttfts":
		each = func(dec *jsontext.Decoder) error {
			f, err := readFloat(dec)
			d.ttft = append(d.ttft, f)
			return err
		}
	case "itls":
		each = d.gaps
	case "errors":
		each = func(dec *jsontext.Decoder) error {
			t, err := dec.ReadToken()
			d.failed = append(d.failed, err == nil && t.Kind() == '"' && t.String() != "")
			return err
		}
	case "cached_tokens_details":
		each = func(dec *jsontext.Decoder) error {
			d.breakdown = d.breakdown || dec.PeekKind() == '{'
			return dec.SkipValue()
		}
	default:
		var ok bool
		if each, ok = d.own.array(name); !ok {
			return dec.SkipValue()
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if err := each(dec); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func intInto(list *[]int32) func(*jsontext.Decoder) error {
	return func(dec *jsontext.Decoder) error {
		f, err := readFloat(dec)
		n := int32(-1)
		if f >= 0 && f <= math.MaxInt32 {
			n = int32(f)
		}
		*list = append(*list, n)
		return err
	}
}

// readFloat reads a number; null, NaN and anything else are NaN.
func readFloat(dec *jsontext.Decoder) (float64, error) {
	if k := dec.PeekKind(); k == '[' || k == '{' {
		return math.NaN(), dec.SkipValue()
	}
	t, err := dec.ReadToken()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return math.NaN(), err
	}
	if t.Kind() != '0' {
		return math.NaN(), nil
	}
	f, err := t.Float()
	if err != nil {
		return math.NaN(), nil // beyond the range of a float
	}
	return f, nil
}

// gaps reduces the inter-token latencies of one request, in seconds.
func (d *details) gaps(dec *jsontext.Decoder) error {
	sum, most, n := 0.0, 0.0, int32(0)
	if dec.PeekKind() != '[' {
		if err := dec.SkipValue(); err != nil {
			return err
		}
	} else {
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		for dec.PeekKind() != ']' {
			f, err := readFloat(dec)
			if err != nil {
				return err
			}
			sum += f
			most = max(most, f)
			n++
		}
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
	}
	d.e2e = append(d.e2e, sum)
	d.maxITL = append(d.maxITL, most)
	d.chunks = append(d.chunks, n)
	return nil
}

// requests turns the arrays into per-request figures, nil if there are none.
// Arrays of another length than the rest belong to another layout and are left
// out.
func (d *details) requests(backend string) *capture.Requests {
	n := max(len(d.ttft), len(d.input))
	if n == 0 {
		return nil
	}
	q := &capture.Requests{N: n, InOrder: true}
	fits := func(k int) bool { return k == n }
	if fits(len(d.ttft)) {
		q.TTFT = d.ttft
	}
	if fits(len(d.input)) {
		q.Input = d.input
	}
	if fits(len(d.output)) {
		q.Output = d.output
	}
	if fits(len(d.failed)) {
		q.Failed = d.failed
	}
	if fits(len(d.cached)) && d.believable(backend) {
		q.Cached = d.cached
		for i := range q.Cached {
			if q.Failed != nil && q.Failed[i] {
				q.Cached[i] = -1
			}
		}
	}
	if fits(len(d.e2e)) {
		q.MaxITL, q.Chunks = d.maxITL, d.chunks
		d.totals(q)
	}
	return q
}

// believable tells whether the cached tokens were named by the server: on the
// OpenAI routes an array of zeros without one breakdown is what a server that
// reports nothing gives.
func (d *details) believable(backend string) bool {
	sum := int64(0)
	for _, c := range d.cached {
		sum += int64(c)
	}
	return d.breakdown || reported(backend, sum)
}

// totals derives the time of the whole request and the mean time per output
// token from the first token and the gaps, as the client does.
func (d *details) totals(q *capture.Requests) {
	if q.TTFT == nil {
		return
	}
	q.E2E = d.e2e
	for i := range q.E2E {
		q.E2E[i] += q.TTFT[i]
	}
	if q.Output == nil {
		return
	}
	q.TPOT = make([]float64, q.N)
	for i := range q.TPOT {
		q.TPOT[i] = math.NaN()
		if q.Output[i] > 1 {
			q.TPOT[i] = (q.E2E[i] - q.TTFT[i]) / float64(q.Output[i]-1)
		}
	}
}
