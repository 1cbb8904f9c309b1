package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"coldcase/ingest/format"
)

// An envelope is put around every line of a log by what collected it: a JSON
// object a line (Docker, Loki, cloud loggers), or the box of a terminal. It is
// taken off only if every line fits; the lines keep their numbers.
type envelope struct {
	name string
	// open gives the line inside, without its end; ok is false if the line is
	// no such envelope.
	open func(line []byte) (inner []byte, ok bool)
}

var envelopes = []envelope{
	{"JSON lines", openJSON},
	{"a box", openBox},
}

// maxEnvelope bounds a line in an envelope, in bytes.
const maxEnvelope = 16 << 20

// unwrap gives the text inside the envelope that the first lines show, nil if
// they show none. A line of the rest that does not fit is the reason not to
// read the file.
func unwrap(in *format.Input) (*format.Input, string) {
	for _, e := range envelopes {
		if !e.opens(in.Head) {
			continue
		}
		bad, err := e.firstMisfit(in)
		switch {
		case err != nil:
			return nil, err.Error()
		case bad > 0:
			return nil, fmt.Sprintf("%s around every line but line %d: not taken off", e.name, bad)
		}
		return e.unwrapped(in)
	}
	return nil, ""
}

// opens tells whether the text starts in the envelope: its first line fits, and
// its second fits as well or begins alike, damaged as it may be.
func (e envelope) opens(head []byte) bool {
	var first []byte
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		_, fits := e.open(line)
		if first != nil {
			return fits || line[0] == first[0]
		}
		if !fits {
			return false
		}
		first = line
	}
	return first != nil
}

// firstMisfit gives the first line that is not in the envelope, 0 if all are.
func (e envelope) firstMisfit(in *format.Input) (int, error) {
	r, err := in.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	s := e.scanner(r)
	for n := 1; s.Scan(); n++ {
		if line := bytes.TrimSpace(s.Bytes()); len(line) > 0 {
			if _, ok := e.open(line); !ok {
				return n, nil
			}
		}
	}
	return 0, tooLong(s.Err())
}

func (e envelope) scanner(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxEnvelope)
	return s
}

func tooLong(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("a line of more than %d bytes in an envelope: not taken off", maxEnvelope)
	}
	return err
}

// unwrapped gives the input as it was before the envelope.
func (e envelope) unwrapped(in *format.Input) (*format.Input, string) {
	out := &format.Input{Path: in.Path, Size: -1, Capture: in.Capture}
	out.Open = func() (io.ReadCloser, error) {
		r, err := in.Open()
		if err != nil {
			return nil, err
		}
		return &opened{e: e, r: r, s: e.scanner(r)}, nil
	}
	r, err := out.Open()
	if err != nil {
		return nil, err.Error()
	}
	defer r.Close()
	head := make([]byte, format.HeadSize)
	n, _ := io.ReadFull(r, head)
	out.Head = head[:n]
	return out, ""
}

// opened reads the lines inside of an envelope.
type opened struct {
	e    envelope
	r    io.ReadCloser
	s    *bufio.Scanner
	rest []byte
}

func (o *opened) Read(p []byte) (int, error) {
	for len(o.rest) == 0 {
		if !o.s.Scan() {
			if err := o.s.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		inner, _ := o.e.open(bytes.TrimSpace(o.s.Bytes()))
		o.rest = append(append(o.rest[:0], inner...), '\n')
	}
	n := copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

func (o *opened) Close() error { return o.r.Close() }

// messageKeys are the keys under which collectors keep the line, in the order
// in which they are looked for.
var messageKeys = []string{"log", "message", "msg", "line", "textPayload", "MESSAGE", "Message", "body", "text"}

// otherKeys are keys of which a collector's object has at least one beside the
// line: what only holds a text is somebody's data.
var otherKeys = []string{"stream", "time", "timestamp", "ts", "@timestamp", "level", "severity", "labels", "kubernetes", "tag", "source",
	"insertId", "logName", "resource", "container_name", "container_id", "host", "hostname", "_HOSTNAME", "__REALTIME_TIMESTAMP", "date", "logger", "pod", "app"}

// openJSON takes the line out of one JSON object. Line ends inside become
// blanks, so that one object stays one line.
func openJSON(line []byte) ([]byte, bool) {
	if len(line) < 2 || line[0] != '{' {
		return nil, false
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(line, &o) != nil {
		return nil, false
	}
	collected := false
	for _, k := range otherKeys {
		if _, ok := o[k]; ok {
			collected = true
			break
		}
	}
	if !collected {
		return nil, false
	}
	for _, k := range messageKeys {
		var s string
		if raw, ok := o[k]; ok && json.Unmarshal(raw, &s) == nil {
			s = strings.TrimRight(s, "\r\n")
			return []byte(strings.NewReplacer("\r\n", " ", "\n", " ").Replace(s)), true
		}
	}
	return nil, false
}

// openBox takes a line out of the frame that a terminal program drew around
// its text: "│ text │" with borders of corners and dashes above and below.
func openBox(line []byte) ([]byte, bool) {
	s := string(line)
	switch first, last := firstRune(s), lastRune(s); {
	case strings.ContainsRune("╭╰┌└├╔╚╠┏┗┣", first) && strings.ContainsRune("╮╯┐┘┤╗╝╣┓┛┫", last):
		return nil, true
	case strings.ContainsRune("│║┃", first) && strings.ContainsRune("│║┃", last) && len(s) > 2*len("│"):
		inner := s[len(string(first)) : len(s)-len(string(last))]
		return []byte(strings.TrimRight(strings.TrimPrefix(inner, " "), " ")), true
	}
	return nil, false
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func lastRune(s string) rune {
	r := []rune(s[max(0, len(s)-4):])
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1]
}
