package sglang

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// samples reads testdata/lines.txt: one sample line of each version and field,
// "ID<tab>line".
func samples(tb testing.TB) (ids []string, lines map[string]string) {
	tb.Helper()
	f, err := os.Open("testdata/lines.txt")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines = map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		id, line, _ := strings.Cut(s.Text(), "\t")
		ids = append(ids, id)
		lines[id] = line
	}
	return ids, lines
}

var classNames = map[Class]string{
	ClassOther: "other", ClassPrefill: "prefill", ClassDecode: "decode", ClassAccess: "access", ClassFlush: "flush",
	ClassRequest: "request", ClassStart: "start", ClassMark: "mark", ClassKnown: "known", ClassFragment: "fragment",
}

// describe prints what an event says.
func describe(mine bool, ev *Event) string {
	var b strings.Builder
	b.WriteString(classNames[ev.Class])
	if !mine {
		b.WriteString(" (not only SGLang's)")
	}
	if ev.Malformed {
		b.WriteString(" malformed")
	}
	if ev.Stamped {
		layout := "2006-01-02 15:04:05.000"
		if ev.Dateless {
			layout = "15:04:05"
		}
		fmt.Fprintf(&b, " at %s", time.UnixMilli(int64(ev.Stamp)).UTC().Format(layout))
	}
	if ev.Rank != capture.NoRank {
		fmt.Fprintf(&b, " rank %+v", ev.Rank)
	}
	switch ev.Class {
	case ClassPrefill, ClassFragment:
		x := ev.Batch
		fmt.Fprintf(&b, " seq %d new %d cached %d running %d queue %d pending %d replay %d usage %.2f hit %.2f speed %.2f graph %d old %v",
			x.NewSeq, x.NewToken, x.Cached, x.Running, x.Queue, x.Pending, x.Replay, x.Usage, x.HitRate, x.Throughput, x.Graph, x.Old)
	case ClassDecode:
		fmt.Fprintf(&b, " running %d queue %d", ev.Decode.Running, ev.Decode.Queue)
	case ClassAccess:
		fmt.Fprintf(&b, " host %s path %d query %v status %d", ev.Access.Host, ev.Access.Path, ev.Access.Query, ev.Access.Status)
	case ClassFlush:
		fmt.Fprintf(&b, " %s", [...]string{"done", "refused", "asked", "timed out"}[ev.Flush])
	case ClassMark:
		fmt.Fprintf(&b, " kind %d n %d", ev.Mark, ev.N)
	case ClassRequest:
		for _, s := range ev.Served {
			fmt.Fprintf(&b, " prompt %d cached %d output %d tries %d health %v", s.Prompt, s.Cached, s.Output, s.Tries, s.Health)
		}
	}
	return b.String()
}

// Every sample line of the server's log, of all versions, against what it says.
// The golden file was checked by hand against the lines.
func TestSampleLines(t *testing.T) {
	ids, lines := samples(t)
	var p Parser
	var ev Event
	var got bytes.Buffer
	for _, id := range ids {
		mine := p.Parse([]byte(lines[id]), &ev)
		fmt.Fprintf(&got, "%s\t%s\n", id, describe(mine, &ev))
	}
	golden(t, "testdata/lines.golden", got.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want +got\n%s", name, diff)
	}
}

func TestMalformed(t *testing.T) {
	const at = "[2026-01-02 08:00:01] "
	tests := []struct {
		line      string
		class     Class
		malformed bool
	}{
		{at + "Prefill batch, #new-seq: 1, #new-token: 5, #cached-token: 7, ", ClassPrefill, false},
		{at + "Prefill batch, #new-seq: 1, #new-token: 5, #cached-token: 7", ClassPrefill, true},
		{at + "Prefill batch, #new-seq: 1, #new-token: 5, #cached-token: 7 ", ClassPrefill, true},
		{at + "Prefill batch, #new-seq: 1, #new-token: 5, ", ClassPrefill, true},
		{at + "Prefill batch, #new-seq: 1, #new-token: x5, #cached-token: 7, ", ClassPrefill, true},
		{at + "Prefill batch, #new-seq: 1, #new-token: 5x, #cached-token: 7, ", ClassPrefill, true},
		{at + "Prefill batch, #new-seq: 1, #new-token: -5, #cached-token: 7, ", ClassPrefill, true},
		{at + "Prefill batch, #new-seq: 1, #new-token: 99999999999, #cached-token: 7, ", ClassPrefill, true},
		{at + "Prefill batch, #new-seq: 1, #new-token: 5, #cached-token-device: 7, ", ClassPrefill, true},
		{at + "Prefill batch", ClassPrefill, true},
		{at + "Prefill batch [12", ClassPrefill, true},
		{at + "Prefill batch size is 4", ClassOther, false},
		{at + "Prefill batches", ClassOther, false},
		{at + "Decode batch, #running-req: 3, #token: 9", ClassDecode, false},
		{at + "Decode batch, #running-req: 3", ClassDecode, true},
		{at + "Decode batch, #token: 9, ", ClassDecode, true},
		{at + `INFO:     127.0.0.1:4 - "POST /generate HTTP/1.1" 200`, ClassAccess, false},
		{at + `INFO:     127.0.0.1:4 - "POST /generate HTTP/1.1" 20`, ClassAccess, true},
		{at + `INFO:     127.0.0.1:4 - "POST /generate HTTP/1.1" `, ClassAccess, true},
		{at + `INFO:     127.0.0.1:4 - "POST /generate HTTP/1.1"`, ClassAccess, true},
		{at + `INFO:     127.0.0.1:4 - "POST /generate HT`, ClassAccess, true},
		{at + `INFO:     127.0.0.1:4 - "POST /gene`, ClassAccess, true},
		{at + `INFO:     127.0.0.1:4 - "POST /generate HTTP/1.1" 2000 OK`, ClassAccess, true},
		{at + `INFO:     127.0.0.1:4 `, ClassOther, false},
		{"atch, #new-seq: 1, #new-token: 5, #cached-token: 7, token usage: 0.01", ClassFragment, true},
		{"en: 512, #cached-token: 7, token usage: 0.01", ClassFragment, true},
		{"12, #cached-token: 7, token usage: 0.01", ClassFragment, true},
		{"cached-token: 7, token usage: 0.01", ClassOther, false},
		{"> [2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 5, #cached-token: 7, ", ClassOther, false},
		{`{"log":"[2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 5, #cached-token: 7, "}`, ClassOther, false},
		{"The line has #new-seq, then #cached-token: 7, and so on", ClassOther, false},
	}
	var p Parser
	var ev Event
	for _, test := range tests {
		p.Parse([]byte(test.line), &ev)
		if ev.Class != test.class || ev.Malformed != test.malformed {
			t.Errorf("%q: %s malformed %v, want %s %v", test.line, classNames[ev.Class], ev.Malformed, classNames[test.class], test.malformed)
		}
	}
}

func FuzzParse(f *testing.F) {
	ids, lines := samples(f)
	for _, id := range ids {
		f.Add(lines[id])
	}
	f.Fuzz(func(t *testing.T, line string) {
		var p Parser
		var ev Event
		p.Parse([]byte(line), &ev)
		if ev.Class == ClassPrefill && !ev.Malformed {
			if b := ev.Batch; b.NewSeq < 0 || b.NewToken < 0 || b.Cached < 0 {
				t.Errorf("%q: a whole line without its counters: %+v", line, b)
			}
		}
	})
}
