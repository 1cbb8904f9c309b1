package sglang

import (
	"bytes"
	"time"

	"coldcase/ingest/capture"
)

// Parser parses the lines of one server log. It holds no more than the last
// time it parsed, so that several of them can share the blocks of one file.
type Parser struct {
	stamps stamps
}

// Parse reads one line, without its newline, into ev and reports whether the
// line has a shape that only SGLang writes. Wrapper prefixes that stand on
// every line are taken off by the caller; what is glued in front of single
// lines is found here.
func (p *Parser) Parse(line []byte, ev *Event) bool {
	ev.Class, ev.Malformed, ev.Rest = ClassOther, false, nil
	n := p.stamps.bracket(line, ev)
	if n == 0 && len(line) > 0 {
		if line[0] >= '0' && line[0] <= '9' && p.tracing(line, ev) {
			return true
		}
		if at := findStamp(line); at > 0 {
			line = line[at:]
			n = p.stamps.bracket(line, ev)
		}
	}
	ev.Message = line[n:]
	message(ev)
	if ev.Class == ClassOther && n == 0 {
		fragment(ev)
	}
	return ev.Class != ClassOther
}

// message classifies the line behind its stamp.
func message(ev *Event) {
	m := ev.Message
	if len(m) < 6 {
		return
	}
	switch m[0] {
	case 'D':
		if hasPrefix(m, "Decode batch") {
			decode(m[len("Decode batch"):], ev)
			return
		}
	case 'I':
		if hasPrefix(m, "INFO: ") {
			info(bytes.TrimLeft(m[len("INFO: "):], " "), ev)
			return
		}
	case 'P':
		if hasPrefix(m, "Prefill batch") {
			prefill(m[len("Prefill batch"):], ev)
			return
		}
	}
	rare(m, ev)
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

// headed checks what stands between "Prefill batch" and its counters:
//
//	". " to 0.5.3.post3, ", " from 0.5.4.post1, " [iteration], " in 0.5.4 and
//	with SGLANG_LOG_FORWARD_ITERS, "(mixed #running-req: 7). " to 0.3.5.
//
// It returns the offset of the counters, -1 if the line is another sentence
// that starts with the same words.
func headed(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '.', ',':
		return skipBlank(b, 1)
	case '(':
		return closing(b, ')')
	case ' ':
		if len(b) == 1 || b[1] == '[' {
			return closing(b, ']')
		}
	}
	return -1
}

// closing returns the offset behind a bracket and its full stop or comma, the
// end of b if the line is cut inside the bracket.
func closing(b []byte, end byte) int {
	i := bytes.IndexByte(b, end)
	if i < 0 {
		return len(b)
	}
	if i+1 < len(b) && (b[i+1] == ',' || b[i+1] == '.') {
		return skipBlank(b, i+2)
	}
	return i + 1
}

// fragment recognises the tail of a prefill line whose head is lost, as at the
// start of a log that was cut: what it cached belongs to no batch.
func fragment(ev *Event) {
	m := ev.Message
	if !bytes.Contains(m, []byte("#cached-token: ")) && !bytes.Contains(m, []byte("#new-token: ")) {
		return
	}
	start := bytes.IndexByte(m, '#')
	if !beheaded(m[:start]) {
		return
	}
	ev.Class, ev.Malformed = ClassFragment, true
	counters(m[start:], ev)
}

// beheaded reports whether b can be what is left in front of a counter when the
// start of a prefill line is cut off: the end of its opening words, or of the
// counter before, such as "en: 512, ".
func beheaded(b []byte) bool {
	if i := bytes.Index(b, []byte(": ")); i >= 0 && len(bytes.Trim(b[:i], "abcdefghijklmnopqrstuvwxyz-")) == 0 {
		b = b[i+2:]
	}
	b = bytes.TrimLeft(b, "0123456789.%")
	return bytes.HasSuffix([]byte("Prefill batch, "), b) || bytes.HasSuffix([]byte("Prefill batch. "), b)
}

// tracing reads a line of the Rust front end in the default layout of its
// tracing library: RFC 3339 time, level, module, message.
func (p *Parser) tracing(line []byte, ev *Event) bool {
	if len(line) < 32 || line[10] != 'T' {
		return false
	}
	at := bytes.Index(line, []byte(" sglang_"))
	if at < 0 || at > 48 {
		return false
	}
	end := bytes.Index(line[at:], []byte(": "))
	if end < 0 {
		return false
	}
	zone := bytes.IndexByte(line, ' ')
	t, err := time.Parse(time.RFC3339Nano, string(line[:zone]))
	if err != nil {
		return false
	}
	ev.Stamped, ev.Dateless, ev.Stamp = true, false, capture.Stamp(t.UnixMilli())
	ev.Rank = capture.NoRank
	ev.Message = line[at+end+2:]
	ev.Class = ClassKnown
	accessLine(ev.Message, ev)
	return true
}
