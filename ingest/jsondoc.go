package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"coldcase/ingest/format"
)

// maxDocument bounds how far a text that begins as a JSON document is followed,
// in bytes.
const maxDocument = 64 << 20

// unreadDocument is the reason not to read a text line by line if it is one JSON
// document that no reader claims, "" if it is not: a notebook, or somebody's own
// summary, may quote lines of a report or a log as strings, and those are no
// report and no log of their own.
func unreadDocument(in *format.Input) string {
	head := bytes.TrimLeft(in.Head, " \t\r\n\xef\xbb\xbf")
	if len(head) == 0 || head[0] != '{' && (head[0] != '[' || !opensArray(head[1:])) {
		return ""
	}
	r, err := in.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	d := json.NewDecoder(io.LimitReader(skipBOM(r), maxDocument))
	depth := 0
	for first := true; ; first = false {
		t, err := d.Token()
		if err != nil {
			return ""
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if !first && depth == 0 {
			break
		}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return ""
	}
	if bytes.Contains(head, []byte(`"nbformat"`)) || bytes.Contains(head, []byte(`"cell_type"`)) {
		return "a notebook: what its cells printed is not read"
	}
	return "one JSON document of no known kind"
}

// opensArray tells an array from the time of a log line.
func opensArray(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && bytes.IndexByte([]byte(`{["`), rest[0]) >= 0
}

func skipBOM(r io.Reader) io.Reader {
	head := make([]byte, 3)
	n, _ := io.ReadFull(r, head)
	return io.MultiReader(bytes.NewReader(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))), r)
}
