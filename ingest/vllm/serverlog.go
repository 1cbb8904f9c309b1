package vllm

import (
	"bytes"

	"coldcase/ingest/access"
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// serverLog reads the log of one vLLM server. There is no line that names the
// cached tokens of a batch: what can be counted are requests (access lines),
// scheduled tokens (iteration lines) and resets; the hit rate of a stats line
// tells only that hits exist in a window of requests.
type serverLog struct {
	log      capture.ServerLog
	calendar calendar
	hosts    map[string]uint16

	seen     bool // a line that only a vLLM server prints
	stopped  bool // the current life has ended
	told     startPart
	logLimit int  // characters of a prompt that request lines keep, 0 all, -1 unknown
	run      bool // the last event was an access line

	stat, iteration, access, flush, request, malformed int
}

// newServerLog returns the machine for one service of one file.
func newServerLog() format.Machine {
	m := &serverLog{hosts: make(map[string]uint16), logLimit: -1}
	m.log.Engine = "vllm"
	m.log.MaxRunning, m.log.MaxQueue = -1, -1
	m.log.Complete = true
	return m
}

// Kind is the kind of the lines.
func (m *serverLog) Kind() capture.Kind { return capture.VLLMServerLog }

// Line takes the next line. Lines that other programs print in the same words
// (uvicorn's) are weak until a line came that only vLLM prints; they are kept
// all the same, in case it comes later.
func (m *serverLog) Line(l format.Line) format.Claim {
	f, at, isJSON := parseJSONLine(l.Text)
	if !isJSON {
		f = parseFrame(l.Text)
		at = m.calendar.stamp(f.when)
	}
	if fromClient(f.process) {
		return format.NotMine
	}
	if l.Logger != 0 {
		at = l.Logger
	}
	claim := m.message(l.N, at, f)
	if claim == format.Mine || claim == format.Malformed {
		m.touch(l.N)
	}
	return claim
}

// message classes a line by what stands behind its frame.
func (m *serverLog) message(n int, at capture.Stamp, f frame) format.Claim {
	if rest, ok := bytes.CutPrefix(f.msg, []byte("INFO:")); ok {
		if a, is := access.Parse(bytes.TrimLeft(rest, " ")); is {
			return m.accessLine(n, at, a)
		}
	}
	engine, msg := engineTag(f.msg)
	switch {
	case isIteration(msg):
		m.iterationLine(n, at, engine, msg)
	case isStats(msg):
		s, whole := parseStats(msg)
		return m.statLine(n, at, engine, s, whole)
	case isV0HitRate(msg) && f.when.known():
		s, whole := parseV0HitRate(msg)
		return m.statLine(n, at, engine, s, whole)
	case m.flushLine(n, at, f.process, msg):
	case f.level != "" && isRequest(msg):
		m.requestLine(n, at, msg)
	case f.level != "" && m.start(n, at, msg):
		m.event()
	default:
		return m.otherLine(n, at, f)
	}
	m.seen = true
	return format.Mine
}

func (m *serverLog) statLine(n int, at capture.Stamp, engine int, s capture.Stat, whole bool) format.Claim {
	m.seen = true
	m.event()
	if !whole {
		return m.damaged(n, at, "stat")
	}
	m.stat++
	s.Line, s.Stamp, s.EngineID = n, at, engine
	m.log.Stats = append(m.log.Stats, s)
	return format.Mine
}

// iterationLine keeps a whole line. A cut one is no malformed line by its
// class, but tokens are then missing from any sum: it is noted as damage.
func (m *serverLog) iterationLine(n int, at capture.Stamp, engine int, msg []byte) {
	m.event()
	it, whole := parseIteration(msg)
	if !whole {
		m.log.Damaged = append(m.log.Damaged, capture.Damage{Line: n, Stamp: at, Class: "iteration", NewSeq: -1})
		return
	}
	m.iteration++
	it.Line, it.Stamp, it.EngineID = int32(n), at, int8(max(min(engine, 127), -1))
	m.log.Iterations.Append(it)
}

func (m *serverLog) accessLine(n int, at capture.Stamp, a access.Line) format.Claim {
	if a.Status < 0 {
		m.event()
		return m.damaged(n, at, "access")
	}
	m.access++
	host, path, status := m.host(string(a.Host)), access.Class(a.Path), int16(a.Status)
	last := m.log.Access.Last()
	if m.run && last != nil && last.Path == path && last.Status == status && last.Host == host && last.Query == a.Query {
		last.To = int32(n)
		last.N++
	} else {
		m.log.Access.Append(capture.Access{Line: int32(n), To: int32(n), N: 1,
			Path: path, Query: a.Query, Status: status, Host: host, Stamp: at})
	}
	m.run = true
	if !m.seen {
		return format.Weak
	}
	return format.Mine
}

// host numbers the addresses of clients.
func (m *serverLog) host(name string) uint16 {
	const most = 1<<16 - 1
	if id, ok := m.hosts[name]; ok {
		return id
	}
	id := len(m.log.Hosts)
	if id >= most {
		return most - 1 // all that come after share the last number
	}
	m.log.Hosts = append(m.log.Hosts, name)
	m.hosts[name] = uint16(id)
	return uint16(id)
}

// flushLine takes the three lines of a reset: the API server's when it is
// asked, and each engine's when it has done it or refused.
func (m *serverLog) flushLine(n int, at capture.Stamp, process string, msg []byte) bool {
	var kind capture.FlushKind
	switch {
	case bytes.HasPrefix(msg, []byte("Resetting prefix cache")):
		kind = capture.FlushAskedOnly
	case bytes.HasPrefix(msg, []byte("Successfully reset prefix cache")):
		kind = capture.FlushDone
	case bytes.HasPrefix(msg, []byte("Failed to reset prefix cache")):
		kind = capture.FlushRefused
	default:
		return false
	}
	m.event()
	m.flush++
	m.log.Flushes = append(m.log.Flushes, capture.Flush{Line: n, Stamp: at, Kind: kind, Rank: rankOf(process)})
	return true
}

func (m *serverLog) requestLine(n int, at capture.Stamp, msg []byte) {
	m.event()
	m.request++
	a, ok := parseRequest(msg, m.logLimit)
	if !ok {
		return
	}
	a.Line, a.Stamp = int32(n), at
	if last := m.log.Asked.Last(); last != nil && last.RID == a.RID {
		merge(last, a)
		return
	}
	m.log.Asked.Append(a)
}

// merge adds the details line of a request to its first line.
func merge(a *capture.Asked, details capture.Asked) {
	if details.Text != 0 || details.IDs != 0 {
		a.Text, a.IDs, a.Tokens, a.Whole = details.Text, details.IDs, details.Tokens, details.Whole
	}
}

// otherLine tells what is left: lines of the server that say nothing about the
// count, and lines that are not the server's.
func (m *serverLog) otherLine(n int, at capture.Stamp, f frame) format.Claim {
	switch {
	case bytes.HasPrefix(f.msg, []byte("INFO:     Application startup complete")):
		m.ready(n, at)
	case bytes.HasPrefix(f.msg, []byte("INFO:     Shutting down")), bytes.HasPrefix(f.msg, []byte("INFO:     Application shutdown complete")):
		m.event()
		m.stopped = true
		m.mark(n, at, capture.MarkStop, 0)
	case bytes.Contains(f.msg, []byte(" is preempted by ")):
		m.mark(n, at, capture.MarkPreempt, 1)
	case f.level == "ERROR" || f.level == "CRITICAL":
		m.mark(n, at, capture.MarkError, 0)
	}
	switch {
	case fromServer(f.process):
		m.seen = true
		return format.Mine
	case f.level != "":
		return m.mineIfSeen()
	case bytes.HasPrefix(f.msg, []byte("INFO:     ")):
		return m.mineIfSeen()
	}
	return format.NotMine
}

// mineIfSeen is the claim on a line that any program with vLLM's logger or with
// uvicorn may print.
func (m *serverLog) mineIfSeen() format.Claim {
	if m.seen {
		return format.Mine
	}
	return format.Weak
}

func (m *serverLog) damaged(n int, at capture.Stamp, class string) format.Claim {
	m.malformed++
	m.log.Damaged = append(m.log.Damaged, capture.Damage{Line: n, Stamp: at, Class: class, NewSeq: -1})
	return format.Malformed
}

func (m *serverLog) mark(n int, at capture.Stamp, kind capture.MarkKind, value int64) {
	m.log.Marks = append(m.log.Marks, capture.Mark{Line: n, Stamp: at, Kind: kind, N: value})
}

// event ends a run of access lines.
func (m *serverLog) event() { m.run = false }

func (m *serverLog) touch(n int) {
	if m.log.Span.Line == 0 {
		m.log.Span.Line = n
	}
	m.log.Span.To = n
}

// Close hands over the log. Without a line that only vLLM prints there is none:
// access lines alone do not say whose they are.
func (m *serverLog) Close(file, service string, out *format.Output) capture.Counts {
	if !m.seen {
		return nil
	}
	m.log.File, m.log.Service, m.log.Span.File = file, service, file
	for i := range m.log.Starts {
		m.log.Starts[i].Info.At.File = file
		m.log.Version = m.log.Starts[i].Info.Version
	}
	out.Logs = append(out.Logs, &m.log)
	var c capture.Counts
	c.Add("stat", m.stat)
	c.Add("iteration", m.iteration)
	c.Add("access", m.access)
	c.Add("flush", m.flush)
	c.Add("request", m.request)
	c.Add("malformed", m.malformed)
	return c
}
