package timeline

import (
	"fmt"
	"sort"

	"coldcase/ingest/capture"
)

// Life is one server process on a log: from a start line to the next one or
// the end of the log.
type Life struct {
	From, To int // lines; From is 1 for a log that begins in the middle of a life
	// Started is true if the log holds the start: the cache was empty then.
	Started bool
	Ready   int // line at which it serves, 0 unknown
	Info    capture.ServerInfo
}

// chunk is the chunked prefill size in tokens, 0 if it is not known or off.
func (l *Life) chunk() int32 {
	if l.Info.ChunkedSize == nil || *l.Info.ChunkedSize <= 0 {
		return 0
	}
	return int32(*l.Info.ChunkedSize)
}

// port is the port that the life's start line names, "" if it names none.
func (l *Life) port() string {
	if v, ok := l.Info.Args["port"]; ok && v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// lives lists the server lives of a log, at least one.
func lives(log *capture.ServerLog) []*Life {
	end := log.Span.To
	if end == 0 {
		end = 1 << 30
	}
	var out []*Life
	if len(log.Starts) == 0 || firstEvent(log) < log.Starts[0].Line {
		out = append(out, &Life{From: log.Span.Line, To: end})
	}
	for i := range log.Starts {
		s := &log.Starts[i]
		if n := len(out); n > 0 {
			out[n-1].To = s.Line - 1
		}
		out = append(out, &Life{From: s.Line, To: end, Started: true, Ready: s.Ready, Info: s.Info})
	}
	return out
}

// firstEvent is the line of the first prefill, access or flush line.
func firstEvent(log *capture.ServerLog) int {
	first := 1 << 30
	if log.Batches.Len() > 0 {
		first = min(first, int(log.Batches.At(0).Line))
	}
	if log.Access.Len() > 0 {
		first = min(first, int(log.Access.At(0).Line))
	}
	if len(log.Flushes) > 0 {
		first = min(first, log.Flushes[0].Line)
	}
	return first
}

func lifeAt(ls []*Life, line int) *Life { return ls[lifeIndex(ls, line)] }

// lifeIndex is the life in which a line stands; lives are in order of lines.
func lifeIndex(ls []*Life, line int) int {
	return max(0, sort.Search(len(ls), func(i int) bool { return ls[i].From > line })-1)
}
