package engines

import (
	"bytes"
	"strconv"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// tgi reads the one line a request of text-generation-inference that names
// cached tokens: "Prefix 496 - Suffix 16". The prompt is the sum of the two.
// Answers and metrics of that engine never name them.
type tgi struct{ engineLog }

func newTGI() format.Machine { return &tgi{newEngineLog("tgi")} }

// Line takes the next line.
func (m *tgi) Line(l format.Line) format.Claim {
	at := bytes.Index(l.Text, []byte("Prefix "))
	if at < 0 || at > 0 && l.Text[at-1] != ' ' && l.Text[at-1] != '"' {
		return format.NotMine
	}
	line := l.Text[at:]
	prefix, whole := numberAfter(line, "Prefix ")
	_, rest, found := bytes.Cut(line, []byte(" - Suffix "))
	if !whole || !found || len(line)-len(rest) > 32 {
		return format.NotMine
	}
	// The second number ends the line. A cut in it would make the prompt shorter,
	// never the cached part wrong.
	rest = bytes.TrimRight(rest, " \r")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	suffix, err := strconv.ParseInt(string(rest[:end]), 10, 32)
	if err != nil {
		return m.damaged(l.N, "request")
	}
	m.addRequest(capture.Served{Line: int32(l.N), Prompt: sum(prefix, int32(suffix)), Cached: prefix, Output: -1, Stamp: l.Logger})
	return m.mine(l.N)
}
