package sglang

import (
	"bytes"
	"time"
	"unicode"

	"coldcase/ingest/capture"
)

const dayMillis = 24 * 60 * 60 * 1000

// stampLen is the length of "2026-11-29 15:21:27".
const stampLen = 19

// stamps turns the bracket in front of a line into a time. Most lines of a busy
// log share their second with the line before, so the last date and time are
// kept.
type stamps struct {
	text  [stampLen]byte
	value capture.Stamp
}

// bracket reads "[2026-11-29 15:21:27 DP0 TP0] ", "[14:23:07 TP0] " or
// "[gpu=0] " at the start of b. It returns the length of the bracket with the
// blank behind it, 0 if b does not start with one of them.
//
// Versions: "[gpu_id=n]" to 0.2.6, "[gpu=n]" to 0.2.13, "[HH:MM:SS TPn]" to
// 0.3.3, dated from 0.3.4, milliseconds with SGLANG_LOG_MS from 0.5.6.
func (s *stamps) bracket(b []byte, ev *Event) int {
	ev.Stamped, ev.Dateless = false, false
	ev.Stamp = 0
	ev.Rank = capture.NoRank
	if len(b) < 7 || b[0] != '[' {
		return 0
	}
	rest := 0
	switch {
	case len(b) > stampLen+1 && b[5] == '-' && b[14] == ':':
		t, ok := s.dated(b[1 : 1+stampLen])
		if !ok {
			return 0
		}
		ev.Stamped, ev.Stamp = true, t
		rest = 1 + stampLen
	case len(b) > 9 && b[3] == ':' && b[6] == ':':
		t, ok := clock(b[1:9])
		if !ok {
			return 0
		}
		ev.Stamped, ev.Dateless, ev.Stamp = true, true, t
		rest = 9
	case bytes.HasPrefix(b, []byte("[gpu=")) || bytes.HasPrefix(b, []byte("[gpu_id=")):
		rest = bytes.IndexByte(b, '=') + 1
		n, end := digits(b, rest)
		if end == rest || end >= len(b) || b[end] != ']' {
			return 0
		}
		ev.Rank.TP = rank8(n)
		return skipBlank(b, end+1)
	default:
		return 0
	}
	return s.tail(b, rest, ev)
}

// tail reads milliseconds and rank parts up to the closing bracket.
func (s *stamps) tail(b []byte, i int, ev *Event) int {
	if i < len(b) && b[i] == ']' {
		return skipBlank(b, i+1)
	}
	if i+3 < len(b) && (b[i] == '.' || b[i] == ',') {
		n, end := digits(b, i+1)
		if end != i+4 {
			return 0
		}
		ev.Stamp += capture.Stamp(n)
		i = end
	}
	for i < len(b) && b[i] == ' ' {
		end := i + 1
		for end < len(b) && (b[end] >= 'A' && b[end] <= 'Z' || b[end] == '_') {
			end++
		}
		n, stop := digits(b, end)
		if end == i+1 || stop == end {
			return 0 // "[2026-01-01 10:00:00 +0000]" is another program's
		}
		setRank(&ev.Rank, b[i+1:end], n)
		i = stop
	}
	if i >= len(b) || b[i] != ']' {
		return 0
	}
	return skipBlank(b, i+1)
}

func setRank(r *capture.Rank, name []byte, n int64) {
	v := rank8(n)
	switch string(name) {
	case "DP":
		r.DP = v
	case "PP":
		r.PP = v
	case "TP":
		r.TP = v
	case "EP":
		r.EP = v
	case "CP", "ATTN_CP":
		r.CP = v
	}
}

func rank8(n int64) int8 {
	if n > 127 {
		return 127
	}
	return int8(n)
}

func skipBlank(b []byte, i int) int {
	if i < len(b) && b[i] == ' ' {
		return i + 1
	}
	return i
}

// dated parses "2026-11-29 15:21:27".
func (s *stamps) dated(b []byte) (capture.Stamp, bool) {
	if string(s.text[:]) == string(b[:stampLen]) {
		return s.value, true
	}
	if b[4] != '-' || b[7] != '-' || b[10] != ' ' && b[10] != 'T' {
		return 0, false
	}
	year, ok1 := number(b[0:4])
	month, ok2 := number(b[5:7])
	day, ok3 := number(b[8:10])
	t, ok4 := clock(b[11:stampLen])
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	copy(s.text[:], b)
	s.value = capture.Stamp(date.UnixMilli()) + t
	return s.value, true
}

// advance takes the second of a line in whose minute the last date and time are.
// It reports false if there is no such line at the start of b, or if its second
// is the one that is known.
func (s *stamps) advance(b []byte) bool {
	const minute = stampLen - 2 // "2026-11-29 15:21:"
	if len(b) < stampLen+2 || b[0] != '[' || string(b[1:1+minute]) != string(s.text[:minute]) {
		return false
	}
	sec, ok := number(b[1+minute : 1+stampLen])
	last, known := number(s.text[minute:])
	if !ok || !known || sec > 60 || sec == last {
		return false
	}
	copy(s.text[minute:], b[1+minute:])
	s.value += capture.Stamp(sec-last) * 1000
	return true
}

// clock parses "15:21:27" into milliseconds since midnight.
func clock(b []byte) (capture.Stamp, bool) {
	if b[2] != ':' || b[5] != ':' {
		return 0, false
	}
	h, ok1 := number(b[0:2])
	m, ok2 := number(b[3:5])
	sec, ok3 := number(b[6:8])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || sec > 60 {
		return 0, false
	}
	return capture.Stamp(((h*60+m)*60 + sec) * 1000), true
}

// number parses a field that is all digits.
func number(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// digits parses the digits from b[i] on and returns the offset behind them. A
// number too large for the log's counters is capped, and still moves the
// offset.
func digits(b []byte, i int) (int64, int) {
	var n int64
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		if n < 1<<53 {
			n = n*10 + int64(b[i]-'0')
		}
		i++
	}
	return n, i
}

// findStamp returns the offset of the first SGLang time bracket of a line that
// does not start with one, -1 if there is none or if what stands in front of it
// is nothing that is glued to log lines: blanks, the zeros of a hole in the file,
// a progress bar, a wrapper such as Ray's "(SGLangEngine pid=4242) ". A line that
// quotes a log line, in a document or a JSON string, is not a log line.
func findStamp(b []byte) int {
	for i := 1; i < len(b); i++ {
		next := bytes.IndexByte(b[i:], '[')
		if next < 0 {
			return -1
		}
		i += next
		if stampAt(b[i:]) {
			if glue(b[:i]) {
				return i
			}
			return -1
		}
	}
	return -1
}

// stampAt reports whether b looks like the start of a time bracket.
func stampAt(b []byte) bool {
	if len(b) > stampLen+1 && b[5] == '-' && b[8] == '-' && b[14] == ':' && b[17] == ':' {
		return true
	}
	return len(b) > 9 && b[3] == ':' && b[6] == ':' && (b[9] == ' ' || b[9] == ']')
}

func glue(b []byte) bool {
	if len(bytes.TrimFunc(b, func(r rune) bool { return r == 0 || unicode.IsSpace(r) })) == 0 {
		return true
	}
	for _, mark := range []string{"it/s", "s/it", "%|", "pid="} {
		if bytes.Contains(b, []byte(mark)) {
			return b[0] != '{'
		}
	}
	return false
}
