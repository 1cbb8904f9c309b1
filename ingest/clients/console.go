package clients

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// maxLine bounds one line of a console; a longer one is passed over.
const maxLine = 1 << 20

// console reads a client's printed output line by line. Progress bars and
// colours are off the lines before they come.
type console interface {
	line(n int, s string)
	// results ends the text and returns the runs that it prints.
	results(file string) []*capture.Result
}

// consoleFormat builds the reader of a client's console. A text that also
// holds server log lines is left to the readers of mixed texts.
func consoleFormat(kind capture.Kind, sniff func(*format.Input) int, open func(kind capture.Kind) console) format.Format {
	return format.Format{
		Kind: kind,
		Sniff: func(in *format.Input) int {
			if o := opens(in.Head); o == '{' || o == '<' || hasAny(in.Head, "Prefill batch", "Prefix cache hit rate:") {
				return 0
			}
			return sniff(in)
		},
		Read: func(in *format.Input, out *format.Output) error { return readConsole(kind, in, out, open(kind)) },
	}
}

func readConsole(kind capture.Kind, in *format.Input, out *format.Output, c console) error {
	body, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer body.Close()
	lines := &lineCounter{r: body}
	r, n, long := bufio.NewReaderSize(lines, maxLine), 0, 0
	for {
		raw, err := r.ReadSlice('\n')
		if len(raw) > 0 {
			n++
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			long++
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
		} else if len(raw) > 0 {
			c.line(n, plain(string(raw)))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.Path, err)
		}
	}
	found := c.results(in.Path)
	tidy(found)
	out.Results = append(out.Results, found...)
	f := out.File
	f.Kind, f.Read, f.Lines, f.Parts = kind, capture.ReadAll, n, wholeFile(kind, n)
	f.Counts.Add("reports", len(found))
	f.Counts.Add("malformed", long)
	if long > 0 {
		f.Read, f.Why = capture.ReadPart, fmt.Sprintf("%d lines are longer than 1 MiB", long)
	}
	return nil
}

// plain keeps what stands after the last carriage return of a line, which is
// what a terminal would have left of a progress bar, without colours.
func plain(s string) string {
	s = strings.TrimRight(s, "\r\n")
	return strings.TrimRight(text.Clean(s[strings.LastIndexByte(s, '\r')+1:]), " ")
}

// cells splits a row of a drawn table (│ a │ b │, | a | b |), nil if the line
// is no row.
func cells(s string) []string {
	s = strings.TrimSpace(s)
	for _, bar := range []string{"│", "┃", "|"} {
		rest, ok := strings.CutPrefix(s, bar)
		if !ok {
			continue
		}
		rest = strings.NewReplacer("┃", bar, "│", bar).Replace(rest)
		row := strings.Split(strings.TrimSuffix(rest, bar), bar)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		return row
	}
	return nil
}

// number takes a printed number out of a cell: thousands commas, a confidence
// half-width ("41.0 ± 7.7") and marks ("73.1*", "50%") come off. digits is the
// number of decimals printed.
func number(cell string) (n node, digits int) {
	cell, _, _ = strings.Cut(cell, "±")
	cell = strings.TrimRight(strings.TrimSpace(strings.ReplaceAll(cell, ",", "")), "*%s ")
	if _, ok := (node{cell}).num(); !ok {
		return node{}, 0
	}
	if i := strings.IndexByte(cell, '.'); i >= 0 {
		digits = len(cell) - i - 1
	}
	return node{cell}, digits
}

// printed keeps a number of a table under its record name, in ms. A figure that
// was rounded to more than a ms ("0.1" s) is left out: it would contradict the
// exact one of another file.
func printed(r *capture.Result, name, cell string, unit float64, line int) {
	n, digits := number(cell)
	f, ok := n.num()
	if !ok {
		return
	}
	for u := unit; u >= 10; u /= 10 {
		digits--
	}
	if digits < 0 {
		return
	}
	r.Printed[name] = capture.Figure{Value: f * unit, Line: line, Digits: digits}
}

// readTable runs read over a CSV file and fills the file's inventory row.
func readTable(kind capture.Kind, in *format.Input, out *format.Output, read func(*csv.Reader) error) error {
	body, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer body.Close()
	lines := &lineCounter{r: body}
	rows := csv.NewReader(lines)
	rows.FieldsPerRecord, rows.LazyQuotes = -1, true
	before := len(out.Results)
	damage := read(rows)
	if _, err := io.Copy(io.Discard, lines); err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	tidy(out.Results[before:])
	f := out.File
	f.Kind, f.Read, f.Lines, f.Parts = kind, capture.ReadAll, lines.total(), wholeFile(kind, lines.total())
	f.Counts.Add("records", len(out.Results)-before)
	f.Counts.Add("malformed", 0)
	if damage != nil {
		f.Read, f.Why = capture.ReadPart, "the table breaks off"
		f.Counts.Add("malformed", 1)
	}
	return nil
}
