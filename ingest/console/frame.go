package console

import (
	"bytes"
	"time"

	"coldcase/ingest/capture"
)

// frame is what stood around the text of a line.
type frame struct {
	service string // compose service or pod, "" none
	text    []byte
	stamp   capture.Stamp // of a collector or logger prefix, 0 none
	framed  bool
}

// unframe takes off what a terminal or a collector put around a line: byte
// order mark, carriage return, colours, the name of a compose service or a pod,
// the collector's time, syslog's head.
func unframe(b []byte) frame {
	b = bytes.TrimSuffix(b, []byte("\r"))
	f := frame{text: b}
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		f.text = b[3:]
	}
	if bytes.IndexByte(b, 0x1b) >= 0 {
		f.text, f.framed = stripANSI(f.text), true
	}
	for range maxFrames {
		if len(f.text) == 0 || f.text[0] == '[' && !named(f.text) || !f.takeOff() {
			break // the plain line of a log
		}
		f.framed = true
	}
	return f
}

// maxFrames bounds how many collectors may have handed a line on.
const maxFrames = 5

// takeOff removes the outermost frame and reports whether there was one. Of
// several names the outermost is the service; another one is taken off only in
// front of a log line, since a bar also stands in tables.
func (f *frame) takeOff() bool {
	if name, rest, ok := composeName(f.text); ok && (f.service == "" || len(rest) > 0 && rest[0] == '[') {
		f.text = rest
		f.named(name)
		return true
	}
	if name, rest, ok := podName(f.text); ok {
		f.text = rest
		f.named(name)
		return true
	}
	if name, rest, ok := taskName(f.text); ok {
		f.text = rest
		f.named(name)
		return true
	}
	if rest, ok := syslogHead(f.text); ok {
		f.text = rest
		return true
	}
	if t, rest, ok := collectorTime(f.text); ok {
		f.text, f.stamp = streamed(rest), t
		return true
	}
	if rest, ok := lineNumber(f.text); ok {
		f.text = rest
		return true
	}
	return false
}

func (f *frame) named(name string) {
	if f.service == "" {
		f.service = name
	}
}

// stripANSI removes escape sequences of the CSI and OSC kinds.
func stripANSI(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		if b[i] != 0x1b {
			out = append(out, b[i])
			i++
			continue
		}
		i = skipEscape(b, i)
	}
	return out
}

func skipEscape(b []byte, i int) int {
	i++
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '[':
		for i++; i < len(b) && (b[i] < 0x40 || b[i] > 0x7e); i++ {
		}
	case ']':
		for i++; i < len(b) && b[i] != 0x07 && b[i] != 0x1b; i++ {
		}
		if i < len(b) && b[i] == 0x1b {
			i++
		}
	}
	return i + 1
}

// maxName bounds the name of a service, as Docker does.
const maxName = 63

// composeName reads "engine-1  | text". Names are padded to one width.
func composeName(b []byte) (name string, rest []byte, ok bool) {
	i := 0
	for i < len(b) && i <= maxName && isNameByte(b[i]) {
		i++
	}
	if i == 0 || i > maxName || i >= len(b) || b[i] != ' ' {
		return "", nil, false
	}
	name = string(b[:i])
	for i < len(b) && b[i] == ' ' {
		i++
	}
	if i >= len(b) || b[i] != '|' {
		return "", nil, false
	}
	i++
	if i == len(b) {
		return name, nil, true
	}
	if b[i] != ' ' {
		return "", nil, false
	}
	return name, b[i+1:], true
}

func isNameByte(c byte) bool {
	return c == '-' || c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// podName reads "[pod/name/container] text" of kubectl logs --prefix.
func podName(b []byte) (name string, rest []byte, ok bool) {
	if !bytes.HasPrefix(b, []byte("[pod/")) {
		return "", nil, false
	}
	end := bytes.Index(b, []byte("] "))
	if end < 0 || end > 4*maxName {
		return "", nil, false
	}
	return string(b[len("[pod/"):end]), b[end+2:], true
}

// collectorTime reads the RFC 3339 time that docker logs -t and kubectl logs
// --timestamps put in front. A Rust program's own log starts with the same kind
// of time and goes on with its level and module; that one stays.
func collectorTime(b []byte) (capture.Stamp, []byte, bool) {
	if len(b) < 20 || b[4] != '-' || b[10] != 'T' || b[13] != ':' {
		return 0, b, false
	}
	end := bytes.IndexByte(b, ' ')
	if end < 0 || end > 40 {
		return 0, b, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(b[:end]))
	if err != nil {
		if t, err = time.Parse("2006-01-02T15:04:05.999999999-0700", string(b[:end])); err != nil {
			return 0, b, false
		}
	}
	rest := b[end+1:]
	if word := bytes.TrimLeft(rest, " "); isLevel(word) && bytes.Contains(word[:min(len(word), 80)], []byte("::")) {
		return 0, b, false
	}
	return capture.Stamp(t.UnixMilli()), rest, true
}

func isLevel(b []byte) bool {
	for _, l := range []string{"INFO ", "WARN ", "ERROR ", "DEBUG ", "TRACE "} {
		if bytes.HasPrefix(b, []byte(l)) {
			return true
		}
	}
	return false
}

// syslogHead reads "Nov 29 15:21:27 host program[123]: text". Its time has no
// year and is not used.
func syslogHead(b []byte) ([]byte, bool) {
	if len(b) < 24 || b[3] != ' ' || b[6] != ' ' || b[9] != ':' || b[12] != ':' || b[15] != ' ' {
		return nil, false
	}
	if _, err := time.Parse("Jan _2 15:04:05", string(b[:15])); err != nil {
		return nil, false
	}
	if rest, ok := hostAndProgram(b[16:]); ok {
		return rest, true
	}
	if b[16] == '[' { // ts writes the time alone
		return b[16:], true
	}
	return nil, false
}

// hostAndProgram reads "host program[123]: text".
func hostAndProgram(b []byte) ([]byte, bool) {
	host := bytes.IndexByte(b, ' ')
	if host <= 0 {
		return nil, false
	}
	end := bytes.Index(b[host:], []byte(": "))
	if end <= 1 || bytes.IndexByte(b[host+1:host+end], ' ') >= 0 {
		return nil, false
	}
	return b[host+end+2:], true
}

// loggerPrefix takes off the head that Python's logging puts in front of a
// message when somebody configured it anew:
//
//	2026-07-08 10:10:12,015 [INFO] sglang.srt.managers.x: message
//	2026-07-08 10:10:12,015 - sglang.srt.managers.x - INFO - message
//
// It is tried only on lines that nobody knows with it.
func loggerPrefix(b []byte) (capture.Stamp, []byte, bool) {
	const width = len("2026-07-08 10:10:12,015")
	if len(b) < width+4 || b[4] != '-' || b[10] != ' ' || b[19] != ',' && b[19] != '.' {
		return 0, nil, false
	}
	stamp := bytes.Replace(b[:width], []byte(","), []byte("."), 1)
	t, err := time.Parse("2006-01-02 15:04:05.000", string(stamp))
	if err != nil {
		return 0, nil, false
	}
	rest := bytes.TrimLeft(b[width:], " ")
	var sep string
	switch rest[0] {
	case '[':
		sep = ": "
	case '-':
		sep = " - "
		rest = bytes.TrimLeft(rest[1:], " ")
		if i := bytes.Index(rest, []byte(sep)); i >= 0 { // the logger's name; its level follows
			rest = rest[i+len(sep):]
		}
	default:
		sep = " "
	}
	i := bytes.Index(rest, []byte(sep))
	if i < 0 || i > 120 {
		return 0, nil, false
	}
	return capture.Stamp(t.UnixMilli()), rest[i+len(sep):], true
}

// segments splits a line at carriage returns and drops what is overwritten
// progress: bars of tqdm. What is left are lines that a terminal showed one
// over the other.
func segments(b []byte) [][]byte {
	if bytes.IndexByte(b, '\r') < 0 {
		return nil
	}
	parts := bytes.Split(b, []byte("\r"))
	kept := parts[:0]
	for _, p := range parts {
		if len(bytes.TrimSpace(p)) > 0 && !onlyBar(p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// onlyBar reports whether a segment is a progress bar and nothing behind it.
func onlyBar(b []byte) bool {
	b = bytes.TrimSpace(b)
	return bytes.Contains(b, []byte("%|")) && len(b) > 0 && b[len(b)-1] == ']'
}
