package sglang

import (
	"slices"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// builder joins sections into one server log.
type builder struct {
	log     capture.ServerLog
	counts  [ClassFragment + 1]int
	bad     int
	hostIDs map[string]uint16
	runOpen bool
	known   bool          // as in section
	days    capture.Stamp // added to dateless times
	last    capture.Stamp // the last dateless time, -1 none
}

func newBuilder() *builder {
	return &builder{
		log:     capture.ServerLog{Engine: "sglang", MaxRunning: -1, MaxQueue: -1, Complete: true},
		hostIDs: map[string]uint16{},
		last:    -1,
	}
}

// add appends a section whose line numbers start behind base.
func (b *builder) add(s *section, base int) {
	shift := b.shift(s)
	from := b.log.Batches.Len()
	b.log.Batches.AppendAll(s.batches)
	for _, x := range b.log.Batches.Range(from, b.log.Batches.Len()) {
		x.Line += int32(base)
		x.Stamp += shift
	}
	b.addAccess(s, base, shift)
	for i := range s.served {
		x := s.served[i]
		x.Line += int32(base)
		x.Stamp += shift
		b.log.Served.Append(x)
	}
	for _, x := range s.flushes {
		x.Line += base
		x.Stamp += shift
		b.log.Flushes = append(b.log.Flushes, x)
	}
	for _, x := range s.damaged {
		x.Line += base
		x.Stamp += shift
		b.log.Damaged = append(b.log.Damaged, x)
	}
	b.addStarts(s, base, shift)
	for i, n := range s.counts {
		b.counts[i] += n
	}
	b.bad += s.bad
	b.known = b.known || s.known
	if s.from > 0 {
		if b.log.Span.Line == 0 {
			b.log.Span.Line = s.from + base
		}
		b.log.Span.To = s.to + base
	}
	b.log.Decodes += s.counts[ClassDecode]
	b.log.MaxRunning = max(b.log.MaxRunning, int(s.running))
	b.log.MaxQueue = max(b.log.MaxQueue, int(s.queue))
}

// shift returns what to add to the times of a section: whole days if its times
// have no date.
func (b *builder) shift(s *section) capture.Stamp {
	if s.first < 0 {
		return 0
	}
	if b.last >= 0 && s.first+b.days < b.last-60_000 {
		b.days += dayMillis
	}
	shift := b.days
	b.last = s.last + shift
	b.days += s.days
	return shift
}

func (b *builder) addAccess(s *section, base int, shift capture.Stamp) {
	hosts := make([]uint16, len(s.hosts))
	for i, h := range s.hosts {
		id, ok := b.hostIDs[h]
		if !ok {
			if len(b.log.Hosts) >= maxHosts {
				id = maxHosts - 1
			} else {
				id = uint16(len(b.log.Hosts))
				b.log.Hosts = append(b.log.Hosts, h)
				b.hostIDs[h] = id
			}
		}
		hosts[i] = id
	}
	from := b.log.Access.Len()
	rest := s.access
	if len(rest) > 0 && b.runOpen && s.opensWith(&rest[0]) {
		x, last := &rest[0], b.log.Access.Last()
		if last.Path == x.Path && last.Status == x.Status && last.Query == x.Query && last.Host == hosts[x.Host] {
			last.To = x.To + int32(base)
			last.N += x.N
			rest = rest[1:]
		}
	}
	b.log.Access.AppendAll(rest)
	for _, x := range b.log.Access.Range(from, b.log.Access.Len()) {
		x.Line += int32(base)
		x.To += int32(base)
		x.Stamp += shift
		x.Host = hosts[x.Host]
	}
	b.runOpen = s.runOpen || b.runOpen && s.events() == 0 && len(s.access) == 0
}

// events counts what ends a run of access lines.
func (s *section) events() int {
	return len(s.batches) + len(s.served) + len(s.flushes) + len(s.marks) + len(s.starts) + len(s.damaged) + s.counts[ClassRequest]
}

// opensWith reports whether no other event of the section stands before the
// access line a.
func (s *section) opensWith(a *capture.Access) bool {
	before := func(line int) bool { return line < int(a.Line) }
	return !(len(s.batches) > 0 && before(int(s.batches[0].Line)) ||
		s.request > 0 && before(s.request) ||
		len(s.flushes) > 0 && before(s.flushes[0].Line) ||
		len(s.marks) > 0 && before(s.marks[0].Line) ||
		len(s.starts) > 0 && before(s.starts[0].line) ||
		len(s.damaged) > 0 && before(s.damaged[0].Line))
}

// addStarts replays the start lines and the marks of a section in file order.
func (b *builder) addStarts(s *section, base int, shift capture.Stamp) {
	i := 0
	for _, m := range s.marks {
		for ; i < len(s.starts) && s.starts[i].line < m.Line; i++ {
			b.start(s.starts[i], base, shift)
		}
		m.Line += base
		m.Stamp += shift
		b.mark(m)
	}
	for ; i < len(s.starts); i++ {
		b.start(s.starts[i], base, shift)
	}
}

func (b *builder) start(l startLine, base int, shift capture.Stamp) {
	b.log.Starts = append(b.log.Starts, capture.Start{
		Line: l.line + base, Stamp: l.stamp + shift, Info: startInfo(l.text, l.line+base),
	})
}

// mark files a mark, and what it says about the server that is starting. A pool
// or ready line after a server that was already ready, or at the start of a
// clipped log, is a start whose first line is not there.
func (b *builder) mark(m markLine) {
	b.log.Marks = append(b.log.Marks, m.Mark)
	switch m.Kind {
	case capture.MarkPool, capture.MarkTree, capture.MarkReady:
	default:
		return
	}
	n := len(b.log.Starts)
	if n == 0 || b.log.Starts[n-1].Ready != 0 {
		info := capture.ServerInfo{Engine: "sglang"}
		info.At.Line = m.Line
		b.log.Starts = append(b.log.Starts, capture.Start{Line: m.Line, Stamp: m.Stamp, Info: info})
		n++
	}
	start := &b.log.Starts[n-1]
	switch m.Kind {
	case capture.MarkPool:
		poolInfo(&start.Info, m.text)
	case capture.MarkTree:
		treeInfo(&start.Info, m.text)
	case capture.MarkReady:
		start.Ready = m.Line
	}
}

// Machine reads one SGLang server log line by line. It is a format.Machine.
type Machine struct {
	sec *section
	b   *builder
}

var _ format.Machine = (*Machine)(nil)

// NewLog returns a machine for one server log.
func NewLog() format.Machine { return &Machine{sec: newSection(), b: newBuilder()} }

// Kind is that of a server log.
func (*Machine) Kind() capture.Kind { return capture.SGLangServerLog }

// sectionEvents is the number of events at which a machine empties its section
// into its log.
const sectionEvents = 4096

// Line reads one line.
func (m *Machine) Line(l format.Line) format.Claim {
	if len(m.sec.batches)+len(m.sec.access)+len(m.sec.served) >= sectionEvents && m.sec.wrapped.kind == ClassOther {
		m.b.add(m.sec, 0)
		m.sec.reset()
	}
	return m.sec.line(l.N, l.Text, l.Logger)
}

// Close appends the log to out. A text in which no line is an SGLang server's
// gives none.
func (m *Machine) Close(file, service string, out *format.Output) capture.Counts {
	m.b.add(m.sec, 0)
	m.sec.reset()
	return m.b.close(file, service, out)
}

func (b *builder) close(file, service string, out *format.Output) capture.Counts {
	log := &b.log
	log.File, log.Service, log.Span.File = file, service, file
	for i := range log.Starts {
		log.Starts[i].Info.At.File = file
	}
	slices.SortStableFunc(log.Damaged, func(x, y capture.Damage) int { return x.Line - y.Line })
	out.Logs = append(out.Logs, log)
	return capture.Counts{
		{Key: "prefill", N: b.counts[ClassPrefill]},
		{Key: "decode", N: b.counts[ClassDecode]},
		{Key: "access", N: b.counts[ClassAccess]},
		{Key: "flush", N: b.counts[ClassFlush]},
		{Key: "request", N: b.counts[ClassRequest]},
		{Key: "malformed", N: b.bad},
	}
}
