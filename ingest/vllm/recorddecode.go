package vllm

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/pyjson"
)

// record is one result object as it was read: scalars by key, and the arrays
// of one number a request.
type record struct {
	scalars   map[string]any // string, float64, int64, bool or nil
	completed *int

	inputs, outputs []int32
	ttfts           []float64 // s
	latencies       []float64 // s
	queues          []float64 // s waited for a slot in the client
	starts          []float64
	failed          []bool
	gaps            []gaps // of itls
}

// gaps is what is kept of one request's inter-token latencies.
type gaps struct {
	n   int32
	sum float64 // s
	max float64 // s
}

// maxText bounds the strings that are kept, in bytes.
const maxText = 4 << 10

// decodeRecord reads one object. The record is nil if there is none; with an
// error it holds what stood before the damage.
func decodeRecord(r io.Reader) (*record, error) {
	d := newDecoder(r)
	open, err := d.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if open.Kind() != '{' {
		return nil, fmt.Errorf("a record begins with %q", open.Kind())
	}
	rec := &record{scalars: make(map[string]any)}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return rec, unexpectedEnd(err)
		}
		if err := rec.field(d, name.String()); err != nil {
			return rec, unexpectedEnd(err)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return rec, unexpectedEnd(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return rec, errors.New("text behind the record")
	}
	return rec, nil
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// field reads the value of one key.
func (rec *record) field(d *jsontext.Decoder, name string) error {
	if d.PeekKind() == '[' {
		return rec.array(d, name)
	}
	if d.PeekKind() == '{' {
		return d.SkipValue()
	}
	v, err := scalar(d)
	if err != nil {
		return err
	}
	if s, ok := v.(string); ok && len(s) > maxText {
		end := maxText
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		v = s[:end]
	}
	rec.scalars[name] = v
	if name == "completed" {
		rec.completed = intArg(rec.scalars, name)
	}
	return nil
}

// array reads the arrays that are known, without keeping any text: answers are
// skipped, errors are kept as whether there was one.
func (rec *record) array(d *jsontext.Decoder, name string) error {
	switch name {
	case "input_lens":
		return each(d, func() error { return appendInt(d, &rec.inputs) })
	case "output_lens":
		return each(d, func() error { return appendInt(d, &rec.outputs) })
	case "ttfts":
		return each(d, func() error { return appendFloat(d, &rec.ttfts) })
	case "latencies":
		return each(d, func() error { return appendFloat(d, &rec.latencies) })
	case "queue_times":
		return each(d, func() error { return appendFloat(d, &rec.queues) })
	case "start_times":
		return each(d, func() error { return appendFloat(d, &rec.starts) })
	case "errors":
		return each(d, func() error {
			v, err := scalar(d)
			s, isText := v.(string)
			rec.failed = append(rec.failed, isText && s != "")
			return err
		})
	case "itls":
		return each(d, func() error {
			g, err := readGaps(d)
			rec.gaps = append(rec.gaps, g)
			return err
		})
	}
	return d.SkipValue()
}

// each calls f before every element of the array that comes next.
func each(d *jsontext.Decoder, f func() error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := f(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func readGaps(d *jsontext.Decoder) (gaps, error) {
	var g gaps
	if d.PeekKind() != '[' {
		return g, d.SkipValue()
	}
	err := each(d, func() error {
		f, err := number(d)
		if err != nil {
			return err
		}
		g.n++
		g.sum += f
		g.max = math.Max(g.max, f)
		return nil
	})
	return g, err
}

// appendInt appends -1 for what is no count.
func appendInt(d *jsontext.Decoder, list *[]int32) error {
	f, err := number(d)
	if err != nil {
		return err
	}
	if !(f >= 0 && f <= math.MaxInt32) {
		f = -1
	}
	*list = append(*list, int32(f))
	return nil
}

func appendFloat(d *jsontext.Decoder, list *[]float64) error {
	f, err := number(d)
	if err != nil {
		return err
	}
	*list = append(*list, f)
	return nil
}

// number reads an element of an array of numbers: NaN for what is none.
func number(d *jsontext.Decoder) (float64, error) {
	if d.PeekKind() != '0' {
		v, err := scalar(d)
		if f, ok := pyjson.Float(v); ok {
			return f, err
		}
		return math.NaN(), err
	}
	t, err := d.ReadToken()
	if err != nil {
		return 0, err
	}
	return t.Float()
}

// scalar reads a value that is no container; a container is skipped and nil.
func scalar(d *jsontext.Decoder) (any, error) {
	if k := d.PeekKind(); k == '[' || k == '{' {
		return nil, d.SkipValue()
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case 't', 'f':
		return t.Bool(), nil
	case '"':
		return t.String(), nil
	case '0':
		if n, err := strconv.ParseInt(t.String(), 10, 64); err == nil {
			return n, nil
		}
		return t.Float()
	}
	return nil, nil
}
