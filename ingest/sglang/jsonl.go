package sglang

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyjson"
)

// records is the format of bench_serving's --output-file: one JSON object a
// line, appended by every run, of whatever version and client.
var records = format.Format{Kind: capture.SGLangJSONL, Sniff: sniffRecords, Read: readRecords}

// sniffRecords looks for the keys with which a record starts. The details
// follow at its end, so a head that stops inside the first line is enough.
func sniffRecords(in *format.Input) int {
	head := bytes.TrimPrefix(in.Head, []byte("\xef\xbb\xbf"))
	best := 0
	for n := 0; n < 8 && len(head) > 0; n++ {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		head = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] != '{' && line[0] != '[' {
			return best
		}
		if line[0] == '[' || len(line) == 1 {
			// A document that somebody has reformatted.
			return max(best, recordKeys(bytes.TrimLeft(in.Head, "[ \t\r\n\xef\xbb\xbf")))
		}
		best = max(best, recordKeys(line))
	}
	return best
}

// recordKeys says how much the first keys of an object look like a record's.
func recordKeys(b []byte) int {
	dec := newDecoder(pyjson.NewReader(bytes.NewReader(b)))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return 0
	}
	seen := map[string]bool{}
	for {
		t, err := dec.ReadToken()
		if err != nil || t.Kind() == '}' {
			break
		}
		seen[t.String()] = true
		if dec.SkipValue() != nil {
			break
		}
	}
	switch {
	case seen["model_id"] || seen["tokenizer_id"] || seen["concurrency_ratio"]:
		return 0
	case seen["backend"] && seen["dataset_name"] && seen["request_rate"]:
		return 95
	case seen["backend"] && (seen["total_input_tokens"] || seen["median_ttft_ms"]) && seen["completed"]:
		return 75
	}
	return 0
}

// readRecords reads all records of a file. A line that is no record is passed
// over (the steady-state tool may append to the same file); one that is cut in
// the middle is malformed.
func readRecords(in *format.Input, out *format.Output) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	lines := newLineReader(f)
	var bad []int
	for lines.next() {
		switch first := bytes.TrimSpace(lines.start); {
		case len(first) == 0:
			continue
		case len(out.Results) == 0 && len(bad) == 0 && (first[0] == '[' || string(first) == "{"):
			return readDocument(in, out)
		}
		r := newRecord(in.Path, lines.n, lines.start)
		err := r.read(newDecoder(pyjson.NewReader(lines)))
		if err != nil {
			bad = append(bad, lines.n)
		}
		if res := r.finish(err == nil); res != nil {
			out.Results = append(out.Results, res)
		}
	}
	if lines.err != nil {
		return lines.err
	}
	summary(out, lines.n, bad)
	return nil
}

// maxDocument bounds a file that somebody has reformatted, in bytes.
const maxDocument = 64 << 20

// readDocument reads records that are not one a line: indented, or elements of
// an array.
func readDocument(in *format.Input, out *format.Output) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, maxDocument))
	if err != nil {
		return err
	}
	doc = pyjson.Quote(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")))
	lineAt := func(offset int64) int { return 1 + bytes.Count(doc[:offset], []byte("\n")) }
	dec := newDecoder(bytes.NewReader(doc))
	var bad []int
	for {
		kind := dec.PeekKind()
		offset := dec.InputOffset()
		for offset < int64(len(doc)) && bytes.IndexByte([]byte(" \t\r\n,"), doc[offset]) >= 0 {
			offset++
		}
		at := lineAt(offset)
		if kind != '{' {
			// The brackets of an array, or a value that is no record.
			if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				bad = append(bad, at)
				break
			}
			continue
		}
		start := doc[offset:]
		r := newRecord(in.Path, at, start[:min(len(start), evidenceBytes)])
		err := r.read(dec)
		if err != nil {
			bad = append(bad, at)
		}
		if res := r.finish(err == nil); res != nil {
			out.Results = append(out.Results, res)
		}
		if err != nil {
			break
		}
	}
	lines := bytes.Count(doc, []byte("\n"))
	if len(doc) > 0 && doc[len(doc)-1] != '\n' {
		lines++
	}
	summary(out, lines, bad)
	return nil
}

// newDecoder reads what Python writes: a text that was cut between two tokens
// may end in half a surrogate pair, and a key may stand twice.
func newDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// summary fills the row of the inventory.
func summary(out *format.Output, lines int, bad []int) {
	f := out.File
	f.Kind, f.Read, f.Lines = capture.SGLangJSONL, capture.ReadAll, lines
	f.Counts = capture.Counts{{Key: "records", N: len(out.Results)}, {Key: "malformed", N: len(bad)}}
	if len(bad) > 0 {
		f.Read = capture.ReadPart
		f.Why = fmt.Sprintf("%d malformed records: %s", len(bad), lineList(bad))
	}
	if len(out.Results) == 0 && len(bad) == 0 {
		f.Kind, f.Read, f.Why = capture.UnknownKind, capture.ReadNone, "no benchmark record"
	}
}

// lineList prints line numbers, at most twenty of them.
func lineList(lines []int) string {
	const most = 20
	var b strings.Builder
	for i, n := range lines {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(lines)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", n)
	}
	return b.String()
}

// lineReader hands out one line after the other as a stream, so that a line of
// any length takes no memory.
type lineReader struct {
	r     *bufio.Reader
	n     int    // of the current line, 1-based
	start []byte // the first bytes of the line, for its evidence
	ended bool   // the newline was read
	eof   bool
	err   error
}

const evidenceBytes = 4 << 10

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next moves to the next line; the current one must have been read or skipped.
func (l *lineReader) next() bool {
	if l.err != nil || l.eof {
		return false
	}
	if l.n > 0 {
		if err := l.skip(); err != nil {
			return false
		}
	} else if bom, _ := l.r.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		l.r.Discard(3)
	}
	head, err := l.r.Peek(1)
	if len(head) == 0 {
		l.eof = true
		if !errors.Is(err, io.EOF) {
			l.err = err
		}
		return false
	}
	l.n++
	l.ended = false
	head, _ = l.r.Peek(evidenceBytes)
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	l.start = append(l.start[:0], head...)
	return true
}

// Read implements io.Reader over the current line.
func (l *lineReader) Read(p []byte) (int, error) {
	if l.ended {
		return 0, io.EOF
	}
	if l.r.Buffered() == 0 {
		if _, err := l.r.Peek(1); err != nil {
			l.ended = true
			if !errors.Is(err, io.EOF) {
				l.err = err
			}
			return 0, err
		}
	}
	b, _ := l.r.Peek(min(l.r.Buffered(), len(p)))
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		copy(p, b[:i])
		l.r.Discard(i + 1)
		l.ended = true
		if i == 0 {
			return 0, io.EOF
		}
		return i, nil
	}
	copy(p, b)
	l.r.Discard(len(b))
	return len(b), nil
}

// skip moves to the end of the line.
func (l *lineReader) skip() error {
	for !l.ended {
		_, err := l.r.ReadSlice('\n')
		switch {
		case err == nil || errors.Is(err, io.EOF):
			l.ended = true
		case !errors.Is(err, bufio.ErrBufferFull):
			l.err = err
			return err
		}
	}
	return nil
}
