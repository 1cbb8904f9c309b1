package console

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// reading is one pass over the lines of one file.
type reading struct {
	constructors []func() format.Machine
	active       map[string]int // from the trial
	services     map[string]*service
	order        []*service
	first        string // the first service named; it shares with unnamed lines
	prefix       []byte // that every line carries

	lines     int
	tooLong   []int
	malformed map[capture.Kind][]int
	parts     parts
}

// service is one compose service or pod of the file, or the file itself.
type service struct {
	name     string
	machines []*machine
	active   *machine // the log machine that claimed last
}

// machine is one reader with what it claimed.
type machine struct {
	format.Machine
	kind       capture.Kind
	log        bool
	mine, weak int
	damaged    int
	last       int // line last claimed
}

func newReading(constructors []func() format.Machine, active map[string]int) *reading {
	return &reading{
		constructors: constructors, active: active,
		services: map[string]*service{}, malformed: map[capture.Kind][]int{},
	}
}

// service returns the machines of a name. Lines without a name belong to the
// first service named: a console of one service has both kinds of lines.
func (r *reading) service(name string) *service {
	if name != "" && r.first == "" {
		r.first = name
	}
	if name == r.first {
		name = ""
	}
	if s, ok := r.services[name]; ok {
		return s
	}
	s := &service{name: name}
	for _, c := range r.constructors {
		m := c()
		s.machines = append(s.machines, &machine{Machine: m, kind: m.Kind(), log: isLog(m.Kind())})
	}
	if i, ok := r.active[name]; ok && i >= 0 {
		s.active = s.machines[i]
	}
	r.services[name] = s
	r.order = append(r.order, s)
	return s
}

func isLog(k capture.Kind) bool {
	return k == capture.SGLangServerLog || k == capture.VLLMServerLog || k == capture.EngineLog
}

// physical reads one line of the file and reports whether it was framed.
func (r *reading) physical(n int, b []byte) (framed bool) {
	f := unframe(unprefix(r.prefix, b))
	s := r.service(f.service)
	parts := segments(f.text)
	if parts == nil {
		r.logical(s, format.Line{N: n, Text: f.text, Logger: f.stamp})
		return f.framed
	}
	for _, p := range parts {
		inner := unframe(p)
		r.logical(s, format.Line{N: n, Text: inner.text, Logger: max(f.stamp, inner.stamp)})
	}
	return true
}

// logical offers one line, and once more without a logger's head if nobody
// knows it.
func (r *reading) logical(s *service, l format.Line) {
	if s.offer(r, l) {
		return
	}
	if len(l.Text) > 24 && l.Text[4] == '-' && l.Text[0] >= '0' && l.Text[0] <= '9' {
		if t, rest, ok := loggerPrefix(l.Text); ok {
			s.offer(r, format.Line{N: l.N, Text: rest, Logger: t})
		}
	}
}

// offer gives a line to the machines and reports whether one of them took it.
//
// The log machine that claimed last goes first, and what it takes, even weakly,
// is its own: uvicorn's lines look the same in every server's log. Then come
// the other log machines. The readers of client texts all see each line that no
// log took: the clients print equal headlines, and each of these readers finds
// out from later lines whether a report was its own.
func (s *service) offer(r *reading, l format.Line) bool {
	if s.active != nil && s.claim(r, s.active, l) {
		return true
	}
	for _, m := range s.machines {
		if m.log && m != s.active && s.claim(r, m, l) {
			return true
		}
	}
	taken := false
	for _, m := range s.machines {
		if !m.log && s.claim(r, m, l) {
			taken = true
		}
	}
	return taken
}

// claim lets one machine read the line and notes its answer.
func (s *service) claim(r *reading, m *machine, l format.Line) bool {
	switch m.Line(l) {
	case format.NotMine:
		return false
	case format.Weak:
		m.weak++
		return true
	case format.Malformed:
		m.damaged++
		r.malformed[m.kind] = append(r.malformed[m.kind], l.N)
	default:
		m.mine++
	}
	m.last = l.N
	if m.log {
		s.active = m
	}
	r.parts.claim(m.kind, l.N)
	return true
}

// known reports whether a machine read anything of its kind.
func (m *machine) known() bool { return m.mine+m.damaged > 0 }
