package sglang

import (
	"bytes"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// section is what a stretch of consecutive lines of one server log says. A log
// is read as one section after the other, or as several at once by as many
// goroutines; a builder joins them in order. Line numbers and dateless times of
// a section are relative to its start.
//
// A section has to start at a line that is no continuation of the line before.
type section struct {
	parser Parser
	ev     Event

	batches []capture.Batch
	access  []capture.Access
	hosts   []string // of this section; Access.Host indexes it
	served  []capture.Served
	flushes []capture.Flush
	marks   []markLine
	starts  []startLine
	damaged []capture.Damage

	counts  [ClassFragment + 1]int
	bad     int
	request int // line of the first request line, 0 none
	from    int // first and last line that is this log's, 0 none
	to      int
	known   bool // some line is one that only SGLang writes
	running int32
	queue   int32

	first   capture.Stamp // of the dateless times, as printed; -1 none
	last    capture.Stamp // the same, with whole days added
	days    capture.Stamp
	runOpen bool // no other event since the last access line
	wrapped wrap // the prefill or start line that the next line may continue
	host    []byte
	hostID  uint16
}

// markLine is a mark with its text where later lines need it.
type markLine struct {
	capture.Mark
	text []byte
}

// startLine is a server_args= line with its continuations.
type startLine struct {
	line  int
	stamp capture.Stamp
	text  []byte
}

// wrap remembers a line that the next one may continue.
type wrap struct {
	kind Class // ClassPrefill, ClassStart or ClassOther for none
	n    int
	text []byte // of a damaged prefill line
}

func newSection() *section {
	s := &section{}
	s.reset()
	return s
}

// reset empties the section and keeps its memory.
func (s *section) reset() {
	*s = section{
		parser: s.parser, ev: s.ev,
		batches: s.batches[:0], access: s.access[:0], hosts: s.hosts[:0], served: s.served[:0],
		flushes: s.flushes[:0], marks: s.marks[:0], starts: s.starts[:0], damaged: s.damaged[:0],
		running: -1, queue: -1, first: -1, host: s.host[:0],
	}
}

// line reads one line and says whose it is.
func (s *section) line(n int, b []byte, logger capture.Stamp) format.Claim {
	ev := &s.ev
	mine := s.parser.Parse(b, ev)
	if !ev.Stamped && s.wrapped.kind != ClassOther {
		if ev.Class == ClassOther || ev.Class == ClassFragment {
			if s.continuation(b) {
				return format.Mine
			}
		}
	}
	s.wrapped.kind = ClassOther
	switch {
	case ev.Dateless:
		ev.Stamp = s.roll(ev.Stamp)
	case !ev.Stamped:
		ev.Stamp = logger
	}
	claim := s.take(n, b, ev)
	if !mine && claim == format.Mine {
		claim = format.NotMine
		if ev.Stamped {
			claim = format.Weak
		}
	}
	if claim != format.NotMine {
		s.claimed(n)
	}
	s.known = s.known || claim == format.Mine || claim == format.Malformed
	for ev.Rest != nil {
		rest := ev.Rest
		s.parser.Parse(rest, ev)
		if ev.Dateless {
			ev.Stamp = s.roll(ev.Stamp)
		}
		s.take(n, rest, ev)
	}
	return claim
}

// claimed notes that a line is this log's.
func (s *section) claimed(n int) {
	s.to = n
	if s.from == 0 {
		s.from = n
	}
}

// roll adds the days that have passed to a time without a date. A clock that
// runs back by more than a minute has passed midnight; processes that write to
// one log swap lines by less.
func (s *section) roll(t capture.Stamp) capture.Stamp {
	if s.first < 0 {
		s.first = t
	} else if t+s.days < s.last-60_000 {
		s.days += dayMillis
	}
	s.last = t + s.days
	return s.last
}

// take files one parsed line.
func (s *section) take(n int, b []byte, ev *Event) format.Claim {
	if ev.Malformed {
		s.damage(n, b, ev)
		return format.Malformed
	}
	s.counts[ev.Class]++
	if ev.Class != ClassAccess && ev.Class != ClassDecode && ev.Class != ClassOther && ev.Class != ClassKnown {
		s.runOpen = false
	}
	switch ev.Class {
	case ClassPrefill:
		ev.Batch.Line, ev.Batch.Stamp = int32(n), ev.Stamp
		s.batches = append(s.batches, ev.Batch)
		s.wrapped = wrap{kind: ClassPrefill, n: n}
	case ClassDecode:
		s.running = max(s.running, ev.Decode.Running)
		s.queue = max(s.queue, ev.Decode.Queue)
	case ClassAccess:
		s.addAccess(n, ev)
		if !ev.Stamped {
			return format.Weak
		}
	case ClassFlush:
		s.flushes = append(s.flushes, capture.Flush{Line: n, Stamp: ev.Stamp, Kind: ev.Flush, Rank: ev.Rank})
	case ClassRequest:
		if s.request == 0 {
			s.request = n
		}
		for _, r := range ev.Served {
			r.Line, r.Stamp = int32(n), ev.Stamp
			s.served = append(s.served, r)
		}
	case ClassStart:
		s.starts = append(s.starts, startLine{line: n, stamp: ev.Stamp, text: bytes.Clone(ev.Message)})
		s.wrapped = wrap{kind: ClassStart, n: n}
	case ClassMark:
		m := markLine{Mark: capture.Mark{Line: n, Stamp: ev.Stamp, Kind: ev.Mark, N: ev.N}}
		if ev.Mark == capture.MarkTree || ev.Mark == capture.MarkPool {
			m.text = bytes.Clone(ev.Message)
		}
		s.marks = append(s.marks, m)
		if !ev.Stamped && ev.Mark == capture.MarkStop {
			return format.Weak
		}
	case ClassKnown:
		if !ev.Stamped {
			return format.Weak
		}
	}
	return format.Mine
}

var damageClass = map[Class]string{
	ClassPrefill: "prefill", ClassFragment: "prefill", ClassDecode: "decode", ClassAccess: "access",
}

func (s *section) damage(n int, b []byte, ev *Event) {
	s.bad++
	s.runOpen = false
	d := capture.Damage{Line: n, Stamp: ev.Stamp, Class: damageClass[ev.Class], NewSeq: -1}
	if ev.Class == ClassPrefill || ev.Class == ClassFragment {
		d.NewSeq = int(ev.Batch.NewSeq)
	}
	s.damaged = append(s.damaged, d)
	if ev.Class == ClassPrefill && len(b) < maxWrapped {
		s.wrapped = wrap{kind: ClassPrefill, n: n, text: bytes.Clone(b)}
	}
}

// addAccess adds an access line, to the run of equal ones before it if there is
// one.
func (s *section) addAccess(n int, ev *Event) {
	a := &ev.Access
	host := s.hostIndex(a.Host)
	if s.runOpen {
		last := &s.access[len(s.access)-1]
		if last.Path == a.Path && last.Status == a.Status && last.Query == a.Query && last.Host == host {
			last.To = int32(n)
			last.N++
			return
		}
	}
	s.access = append(s.access, capture.Access{
		Line: int32(n), To: int32(n), N: 1, Path: a.Path, Query: a.Query, Status: a.Status, Host: host, Stamp: ev.Stamp,
	})
	s.runOpen = true
}

func (s *section) hostIndex(host []byte) uint16 {
	if len(s.hosts) > 0 && bytes.Equal(host, s.host) {
		return s.hostID
	}
	s.host = append(s.host[:0], host...)
	for i, h := range s.hosts {
		if h == string(host) {
			s.hostID = uint16(i)
			return s.hostID
		}
	}
	if len(s.hosts) >= maxHosts {
		s.hostID = maxHosts - 1
		return s.hostID
	}
	s.hosts = append(s.hosts, string(host))
	s.hostID = uint16(len(s.hosts) - 1)
	return s.hostID
}

// maxHosts bounds the table of client addresses; a log with more of them is
// behind a proxy that invents them, and the last entry stands for the rest.
const maxHosts = 1 << 12

// continuation joins a line without a stamp to the wrapped line before it. It
// reports whether the line was one.
func (s *section) continuation(b []byte) bool {
	switch s.wrapped.kind {
	case ClassStart:
		last := &s.starts[len(s.starts)-1]
		if closed(last.text) || len(last.text)+len(b) > maxWrapped {
			return false
		}
		last.text = append(last.text, b...)
		return true
	case ClassPrefill:
		return s.continueBatch(b)
	}
	return false
}

// continueBatch adds the keys of a continuation to the last batch, or completes
// a damaged batch by it.
func (s *section) continueBatch(b []byte) bool {
	trimmed := bytes.TrimLeft(b, " \t")
	if len(trimmed) == 0 {
		return false
	}
	var ev Event
	if s.wrapped.text == nil {
		if !batchTail(trimmed) {
			return false
		}
		ev.Rank = capture.NoRank
		counters(trimmed, &ev)
		last := &s.batches[len(s.batches)-1]
		fill(&last.Running, ev.Batch.Running)
		fill(&last.Queue, ev.Batch.Queue)
		fill(&last.Pending, ev.Batch.Pending)
		fill(&last.Replay, ev.Batch.Replay)
		if last.Usage < 0 {
			last.Usage = ev.Batch.Usage
		}
		if last.Throughput < 0 {
			last.Throughput = ev.Batch.Throughput
		}
		if last.Graph < 0 {
			last.Graph = ev.Batch.Graph
		}
		return true
	}
	for _, join := range []string{"", " "} {
		whole := append(append(bytes.Clone(s.wrapped.text), join...), trimmed...)
		var p Parser
		if p.Parse(whole, &ev); ev.Class == ClassPrefill && !ev.Malformed && ev.Rest == nil && ev.Batch.Queue+ev.Batch.Running > -2 {
			d := s.damaged[len(s.damaged)-1]
			s.damaged = s.damaged[:len(s.damaged)-1]
			s.bad--
			ev.Batch.Line, ev.Batch.Stamp = int32(s.wrapped.n), d.Stamp
			s.batches = append(s.batches, ev.Batch)
			s.counts[ClassPrefill]++
			s.wrapped.text = nil
			return true
		}
	}
	return false
}

func fill(to *int32, v int32) {
	if *to < 0 {
		*to = v
	}
}

// batchTail reports whether b can continue a prefill line: it starts inside the
// list of keys.
func batchTail(b []byte) bool {
	for _, key := range []string{"#running-req: ", "#queue-req: ", "token usage: ", "graph: ", "input throughput "} {
		if bytes.Contains(b, []byte(key)) {
			return true
		}
	}
	return false
}

// closed reports whether the value of a start line is complete, by its last
// byte.
func closed(b []byte) bool {
	b = bytes.TrimRight(b, " \t\r")
	return len(b) > 0 && (b[len(b)-1] == ')' || b[len(b)-1] == '}')
}

// maxWrapped bounds a line that is joined from its pieces, in bytes.
const maxWrapped = 256 << 10
