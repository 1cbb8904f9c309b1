package engines

import (
	"bytes"

	"coldcase/ingest/format"
)

// maxServe reads the batch lines of MAX:
//
//	Executed CE batch with 4 reqs | Terminated: 0 reqs, Pending: 2 reqs | Input Tokens: 2048/8192 toks | ... | KVCache usage: 3.1% of 4096 blocks, Cache hit rate: 48.4% | All Preemptions: 0 reqs
//
// CE is context encoding, which is prefill. The engine prints at most one line
// in three seconds, so the lines cannot be added up: they are stats.
type maxServe struct{ engineLog }

func newMAX() format.Machine { return &maxServe{newEngineLog("max")} }

// Line takes the next line.
func (m *maxServe) Line(l format.Line) format.Claim {
	at := bytes.Index(l.Text, []byte("Executed "))
	if at < 0 {
		return format.NotMine
	}
	line := l.Text[at+len("Executed "):]
	if !bytes.HasPrefix(line, []byte("CE batch with ")) && !bytes.HasPrefix(line, []byte("TG batch with ")) {
		return format.NotMine
	}
	s := noStat(l.N)
	s.Stamp = l.Logger
	if n, whole := numberAfter(line, "batch with "); whole {
		s.Running = int(n)
	}
	if n, whole := numberAfter(line, "Pending: "); whole {
		s.Waiting = int(n)
	}
	s.KVUsage, _ = percentAfter(line, "KVCache usage: ")
	if bytes.Contains(line, []byte("Cache hit")) {
		rate, whole := percentAfter(line, "Cache hit rate: ")
		if !whole {
			return m.damaged(l.N, "stat")
		}
		s.HitRate = rate
	}
	m.addStat(s)
	return m.mine(l.N)
}
