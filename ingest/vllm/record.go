package vllm

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

// Formats returns the format of the clients' result files.
func Formats() []format.Format {
	return []format.Format{{Kind: capture.VLLMJSON, Sniff: sniffRecord, Read: readRecords}}
}

// maxNamed is how many malformed records an inventory row names.
const maxNamed = 20

// sniffRecord goes by the keys at the start of a file. Both eras have
// "model_id"; the text after it may be cut anywhere.
func sniffRecord(in *format.Input) int {
	head := bytes.TrimLeft(in.Head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return 0
	}
	if skipReason(in) != "" {
		return 90
	}
	has := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	switch {
	case head[0] == '[' || !has("date") || !has("model_id"):
		return 0
	case has("tokenizer_id") && (has("endpoint_type") || has("backend")):
		return 90
	case has("num_prompts") && has("request_rate"):
		return 80
	}
	return 0
}

// skipReason says why a file that belongs to the client's tools holds no runs
// of its own, "" if it may.
func skipReason(in *format.Input) string {
	head := bytes.TrimLeft(in.Head, " \t\r\n")
	base := in.Path[strings.LastIndexAny(in.Path, "/!")+1:]
	has := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	switch {
	case len(head) == 0:
	case head[0] == '[' && has("run_number") && has("model_id"):
		return "the sweep tool's summary: it repeats the files of its runs"
	case head[0] == '[' && has("benchmark") && has("extra_info") && has("metric"):
		return "the PyTorch benchmark form of a result: it repeats the result beside it"
	case head[0] == '{' && has("run_number") && has("error_type") && has("serve_overrides"):
		return "the sweep tool's note of a run that failed: it holds no result"
	case base == "warmup.json" && has("model_id"):
		return "the sweep tool's warm-up run: prompts of the same seed, before a reset, not measured"
	}
	return ""
}

// readRecords reads a result file: one object, or one a line. A record that
// ends in the middle still says that a run took place.
func readRecords(in *format.Input, out *format.Output) error {
	f := out.File
	f.Kind, f.Read = capture.VLLMJSON, capture.ReadAll
	if why := skipReason(in); why != "" {
		f.Read, f.Why = capture.ReadNone, why
		return nil
	}
	r, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer r.Close()
	lines := newLineReader(r, !onOneLine(in.Head))
	var bad []int
	records := 0
	for lines.next() {
		at := lines.line
		rec, err := decodeRecord(pyjson.NewReader(lines))
		if rest := lines.drain(); err == nil && rest != nil {
			err = rest
		}
		if rec == nil && err == nil {
			continue // a blank line
		}
		if err != nil {
			bad = append(bad, at)
		} else {
			records++
		}
		if rec == nil || rec.completed == nil {
			continue
		}
		res := rec.result(in.Path, at)
		if err != nil {
			res.Requests = nil // the arrays may end at different prompts
		}
		out.Results = append(out.Results, res)
	}
	f.Lines = lines.count
	f.Counts.Add("records", records)
	f.Counts.Add("malformed", len(bad))
	if len(bad) > 0 {
		f.Read = capture.ReadPart
		f.Why = badRecords(bad)
	}
	if lines.err != nil {
		f.Read = capture.ReadPart
		f.Why = strings.TrimPrefix(f.Why+"; "+fmt.Sprintf("reading stopped at line %d: %v", lines.count, lines.err), "; ")
	}
	return nil
}

// onOneLine reports whether the first record fits on a line. Sweep files are
// indented, so their first line is a lone brace.
func onOneLine(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	return len(bytes.TrimSpace(line)) > 1
}

func badRecords(lines []int) string {
	var b strings.Builder
	noun := "records"
	if len(lines) == 1 {
		noun = "record"
	}
	fmt.Fprintf(&b, "%d malformed %s, line", len(lines), noun)
	for i, n := range lines {
		if i == maxNamed {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %d", n)
	}
	return b.String()
}

// lineReader hands out a file line by line as readers that end at the newline,
// so that a record of any length streams and a broken one does not reach into
// the next. With whole set, all of the file is one such line.
type lineReader struct {
	r     *bufio.Reader
	whole bool
	line  int // of the current record, 1-based
	count int // lines seen
	ended bool
	open  bool // inside of a line
	last  byte // the byte before, to count a last line without a newline
	err   error
}

func newLineReader(r io.Reader, whole bool) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), whole: whole, last: '\n'}
}

// next moves to the next line; false at the end of the file.
func (l *lineReader) next() bool {
	if l.ended {
		return false
	}
	if _, err := l.r.Peek(1); err != nil {
		l.stop(err)
		return false
	}
	l.line = l.count + 1
	l.open = true
	return true
}

// Read implements io.Reader for the current line.
func (l *lineReader) Read(p []byte) (int, error) {
	if !l.open {
		return 0, io.EOF
	}
	if _, err := l.r.Peek(1); err != nil {
		l.stop(err)
		return 0, io.EOF
	}
	b, _ := l.r.Peek(min(len(p), l.r.Buffered()))
	end := -1
	if !l.whole {
		end = bytes.IndexByte(b, '\n')
	}
	if end >= 0 {
		b = b[:end+1]
		l.open = false
	}
	n := copy(p, b)
	l.count += bytes.Count(b, []byte("\n"))
	l.last = b[n-1]
	if _, err := l.r.Discard(n); err != nil {
		l.stop(err)
	}
	return n, nil
}

func (l *lineReader) stop(err error) {
	if !l.ended && l.last != '\n' {
		l.count++
	}
	l.ended, l.open = true, false
	if !errors.Is(err, io.EOF) {
		l.err = err
	}
}

// drain skips what is left of the current line. It gives an error if that is
// more than blanks: something stands behind the record.
func (l *lineReader) drain() error {
	var buf [4096]byte
	for l.open {
		n, err := l.Read(buf[:])
		if err != nil {
			break
		}
		if len(bytes.TrimSpace(buf[:n])) > 0 {
			for l.open {
				if _, err := l.Read(buf[:]); err != nil {
					break
				}
			}
			return errors.New("text behind the record")
		}
	}
	return nil
}

// newDecoder is a decoder for what Python writes; metadata may repeat a key.
func newDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
