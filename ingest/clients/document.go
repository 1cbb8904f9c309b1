package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyjson"
)

// document streams one JSON file: large arrays are taken element by element,
// so that a file of hundreds of MB never stands in memory as a tree. Errors of
// the JSON itself end the reading and are reported in the inventory; they are
// no errors of the reader.
type document struct {
	dec   *jsontext.Decoder
	lines *lineCounter // read from the file
	given *lineCounter // given to dec, behind the filter and its buffer
}

// maxValue bounds one value that is taken as a tree. A request with its raw
// stream is some MB at most; what is larger is not a result file.
const maxValue = 64 << 20

var errTooLarge = errors.New("a value is larger than 64 MiB")

func newDocument(r io.Reader) *document {
	lines := &lineCounter{r: r}
	given := &lineCounter{r: pyjson.NewReader(lines)}
	return &document{
		dec:   jsontext.NewDecoder(given, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		lines: lines,
		given: given,
	}
}

// line is the 1-based line of the next value.
func (d *document) line() int {
	d.dec.PeekKind() // fills the buffer
	unread := d.dec.UnreadBuffer()
	ahead := bytes.Count(unread, []byte("\n"))
	blank := len(unread) - len(bytes.TrimLeft(unread, " \t\r\n,:"))
	return 1 + d.given.n - ahead + bytes.Count(unread[:blank], []byte("\n"))
}

// value takes the next value as a tree.
func (d *document) value() (node, error) {
	raw, err := d.dec.ReadValue()
	if err != nil {
		return node{}, err
	}
	if len(raw) > maxValue {
		return node{}, errTooLarge
	}
	var v any
	if err := json.Unmarshal(raw, &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return node{}, err
	}
	return node{finite(v)}, nil
}

// finite makes "not told" of the numbers that JSON does not have: a mean of
// nothing, the error code of a request that had no error.
func finite(v any) any {
	switch x := v.(type) {
	case string:
		if pyjson.IsNumber(x) {
			return nil
		}
	case map[string]any:
		for k := range x {
			x[k] = finite(x[k])
		}
	case []any:
		for i := range x {
			x[i] = finite(x[i])
		}
	}
	return v
}

// members calls f for each member of the next value, which f must take. A
// value that is no object has no members.
func (d *document) members(f func(name string) error) error {
	if d.dec.PeekKind() != '{' {
		return d.dec.SkipValue()
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return err
	}
	for {
		tok, err := d.dec.ReadToken()
		if err != nil {
			return err
		}
		if tok.Kind() == '}' {
			return nil
		}
		if err := f(tok.String()); err != nil {
			return err
		}
	}
}

// elements calls f for each element of the next value, which f must take. A
// value that is no array has no elements.
func (d *document) elements(f func(i int) error) error {
	if d.dec.PeekKind() != '[' {
		return d.dec.SkipValue()
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; d.dec.PeekKind() != ']'; i++ {
		if err := f(i); err != nil {
			return err
		}
	}
	_, err := d.dec.ReadToken()
	return err
}

// skip passes the next value over.
func (d *document) skip() error { return d.dec.SkipValue() }

// readJSON runs read over a JSON file and fills the file's inventory row.
// Counts has one "records" for each result that read adds; a document that
// breaks off counts as malformed and gives the results read until then.
func readJSON(kind capture.Kind, in *format.Input, out *format.Output, read func(*document) error) error {
	body, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer body.Close()
	before := len(out.Results)
	doc := newDocument(body)
	damage := read(doc)
	if _, err := io.Copy(io.Discard, doc.lines); err != nil && damage == nil {
		damage = err
	}
	if doc.lines.err != nil { // the bytes could not be had
		return fmt.Errorf("%s: %w", in.Path, doc.lines.err)
	}
	tidy(out.Results[before:])
	f := out.File
	f.Kind, f.Read, f.Lines, f.Parts = kind, capture.ReadAll, doc.lines.total(), wholeFile(kind, doc.lines.total())
	f.Counts.Add("records", len(out.Results)-before)
	f.Counts.Add("malformed", 0)
	if damage != nil {
		f.Read, f.Why = capture.ReadPart, fmt.Sprintf("line %d: the document breaks off: %s", doc.lines.total(), reason(damage))
		f.Counts.Add("malformed", 1)
	}
	return nil
}

// reason is a JSON error without its package's prefix and byte offsets.
func reason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "unexpected end"
	}
	if errors.Is(err, errTooLarge) {
		return err.Error()
	}
	return "not valid JSON"
}

// lineCounter counts the lines that pass through it.
type lineCounter struct {
	r    io.Reader
	n    int // newlines so far
	last byte
	any  bool
	err  error
}

func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n > 0 {
		c.n += bytes.Count(p[:n], []byte("\n"))
		c.last, c.any = p[n-1], true
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// total is the number of lines read, an unfinished last one included.
func (c *lineCounter) total() int {
	if c.any && c.last != '\n' {
		return c.n + 1
	}
	return c.n
}

// countLines reads a file for its number of lines alone.
func countLines(in *format.Input) (int, error) {
	body, err := in.Open()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	defer body.Close()
	c := &lineCounter{r: body}
	if _, err := io.Copy(io.Discard, c); err != nil {
		return 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	return c.total(), nil
}
