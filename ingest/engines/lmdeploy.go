package engines

import (
	"bytes"
	"strconv"
	"time"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// lmDeploy reads LMDeploy's periodic line, whose frame is close to SGLang's:
//
//	[2026-10-17 14:23:00 DP0] Avg thr (in/out): 512.0 / 64.0 tokens/s, Server (succeeded/failed/routed/waiting): 10 / 0 / 2 / 1, Engine (running/waiting): 2 / 0, KV cache: 7.0%, Prefix cache hit rate: 48.4%,
//
// It names no request; the rate is since the start of the server.
type lmDeploy struct{ engineLog }

func newLMDeploy() format.Machine { return &lmDeploy{newEngineLog("lmdeploy")} }

// Line takes the next line.
func (m *lmDeploy) Line(l format.Line) format.Claim {
	head, line, found := bytes.Cut(l.Text, []byte("] Avg thr (in/out): "))
	if !found || len(head) == 0 || head[0] != '[' {
		return format.NotMine
	}
	s := noStat(l.N)
	s.Stamp, s.EngineID = lmDeployHead(head[1:])
	if l.Logger != 0 {
		s.Stamp = l.Logger
	}
	in, rest, _ := bytes.Cut(line, []byte(" / "))
	s.PromptRate = floatAfter(in, "")
	s.GenRate = floatAfter(rest, "")
	if n, whole := numberAfter(line, "Engine (running/waiting):"); whole {
		s.Running = int(n)
	}
	_, engine, _ := bytes.Cut(line, []byte("Engine (running/waiting):"))
	if n, whole := numberAfter(engine, " / "); whole {
		s.Waiting = int(n)
	}
	s.KVUsage, _ = percentAfter(line, "KV cache: ")
	if bytes.Contains(line, []byte("Prefix cache")) {
		rate, whole := percentAfter(line, "Prefix cache hit rate: ")
		if !whole {
			return m.damaged(l.N, "stat")
		}
		s.HitRate = rate
	}
	m.addStat(s)
	return m.mine(l.N)
}

// lmDeployHead reads "2026-10-17 14:23:00 DP0".
func lmDeployHead(head []byte) (capture.Stamp, int) {
	const layout = "2006-01-02 15:04:05"
	if len(head) < len(layout) {
		return 0, -1
	}
	var stamp capture.Stamp
	if t, err := time.Parse(layout, string(head[:len(layout)])); err == nil {
		stamp = capture.Stamp(t.UnixMilli())
	}
	rank, ok := bytes.CutPrefix(bytes.TrimSpace(head[len(layout):]), []byte("DP"))
	if id, err := strconv.Atoi(string(rank)); ok && err == nil {
		return stamp, id
	}
	return stamp, -1
}
