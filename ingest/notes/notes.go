// Package notes reads coldcase.toml, the file in which a person writes what the
// capture's own files do not say: the order of runs, facts of a run, counts that
// a document states, pieces of longer files, tables of results.
//
// Everything in it is stated, never measured. A key that is not known or has a
// wrong type is reported and left out; the rest is used. Out of scope: holding
// what is stated against the files, which is for the join and for analysis.
package notes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/BurntSushi/toml"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// Name is the name that a capture's own notes have.
const Name = "coldcase.toml"

// maxBytes bounds a file that a person writes by hand.
const maxBytes = 4 << 20

// Formats gives the rows for the table of formats.
func Formats() []format.Format {
	return []format.Format{{Kind: capture.ColdcaseNotes, Sniff: sniff, Read: read}}
}

// sniff goes by the name, which the contract fixes: a table of TOML alone could
// be anybody's settings.
func sniff(in *format.Input) int {
	if path.Base(strings.ReplaceAll(in.Path, "!", "/")) == Name {
		return 100
	}
	return 0
}

func read(in *format.Input, out *format.Output) error {
	r, err := in.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxBytes))
	if err != nil {
		return err
	}
	out.File.Kind = capture.ColdcaseNotes
	n, err := ParseInto(out.File, data)
	if err != nil {
		out.File.Read, out.File.Why = capture.ReadNone, err.Error()
		return nil
	}
	out.Notes = append(out.Notes, n)
	return nil
}

// ParseInto reads notes and fills the row of their file: its lines, and what
// was left out.
func ParseInto(row *capture.File, data []byte) (*capture.Notes, error) {
	row.Lines = bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		row.Lines++
	}
	n, problems, err := Parse(row.Path, data)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		row.Read, row.Why = capture.ReadPart, strings.Join(problems, "; ")
	}
	return n, nil
}

// Parse reads notes. Problems are keys that were left out, each with its place;
// the error means that the text is no TOML.
func Parse(file string, data []byte) (n *capture.Notes, problems []string, err error) {
	var tree map[string]any
	if _, err := toml.Decode(string(data), &tree); err != nil {
		var p toml.ParseError
		if errors.As(err, &p) {
			return nil, nil, fmt.Errorf("line %d: %s", p.Position.Line, text.Safe(p.Message))
		}
		return nil, nil, errors.New(text.Safe(err.Error()))
	}
	text.RedactArgs(tree)
	d := &decoder{file: file, lines: tableLines(data)}
	n = d.notes(tree)
	return n, d.problems, nil
}

// tableLines gives the line and its text of each "[[name]]" by name, in order.
func tableLines(data []byte) map[string][]capture.Evidence {
	lines := map[string][]capture.Evidence{}
	multi := "" // the quotes of an open string of several lines
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if multi == "" {
			if name, ok := tableName(line); ok {
				lines[name] = append(lines[name], text.Evidence("", n, bytes.TrimRight(line, "\r\n")))
				continue
			}
		}
		for _, quotes := range []string{`"""`, `'''`} {
			if (multi == "" || multi == quotes) && bytes.Count(line, []byte(quotes))%2 == 1 {
				if multi == "" {
					multi = quotes
				} else {
					multi = ""
				}
				break
			}
		}
	}
	return lines
}

func tableName(line []byte) (string, bool) {
	s := bytes.TrimSpace(line)
	if !bytes.HasPrefix(s, []byte("[[")) {
		return "", false
	}
	end := bytes.Index(s, []byte("]]"))
	if end < 0 {
		return "", false
	}
	return string(bytes.TrimSpace(s[2:end])), true
}
