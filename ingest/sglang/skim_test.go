package sglang

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"coldcase/ingest/format"
	"coldcase/ingest/lineends"
	"coldcase/samples/gen"
)

// clean is what package console does to a line with control characters, as far
// as it matters here.
func clean(line []byte, each func([]byte)) bool {
	line = bytes.ReplaceAll(bytes.TrimSuffix(line, []byte("\r")), []byte("\x1b[0m"), nil)
	for part := range bytes.SplitSeq(line, []byte("\r")) {
		each(part)
	}
	return true
}

func nobody([]byte) bool { return false }

// lineByLine reads a text without skimming.
func lineByLine(text []byte) *stretch {
	b := &stretch{sec: newSection()}
	for line := range bytes.Lines(text) {
		b.lines++
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
			clean(line, func(part []byte) { b.sec.line(b.lines, part, 0) })
		}
	}
	return b
}

// told prints what a section found.
func told(b *stretch) string {
	s := b.sec
	return fmt.Sprintf("lines %d\ncounts %v, bad %d, from %d to %d, running %d, queue %d, open %v, request %d\nbatches %+v\naccess %+v %q\nserved %+v\nflushes %+v\nmarks %+v\nstarts %+v\ndamaged %+v",
		b.lines, s.counts, s.bad, s.from, s.to, s.running, s.queue, s.runOpen, s.request,
		s.batches, s.access, s.hosts, s.served, s.flushes, s.marks, s.starts, s.damaged)
}

func holdSkim(t *testing.T, text []byte) {
	t.Helper()
	got := &stretch{sec: newSection(), text: text}
	if err := got.parse(clean, nobody); err != nil {
		t.Fatal(err)
	}
	if want := lineByLine(text); told(got) != told(want) {
		t.Errorf("%q\nskimmed:\n%s\nline by line:\n%s", text, told(got), told(want))
	}
}

// commonLines are those that are skimmed, with others between them.
var commonLines = []string{
	"[2026-01-02 08:00:01] Decode batch, #running-req: 8, #token: 60000, token usage: 0.10, cuda graph: True, gen throughput (token/s): 812.25, #queue-req: 3\n",
	"[2026-01-02 08:00:01] Decode batch, #running-req: 9, #token: 60000, token usage: 0.10, gen throughput (token/s): 812.25, #queue-req: 4, \n",
	"[2026-01-02 08:00:01 TP0] Decode batch, #running-req: 12, #token: 1, token usage: 0.10, #queue-req: 0\n",
	"[2026-01-02 08:00:01 DP1 TP3] Decode batch, #running-req: 7, #token: 1, token usage: 0.10\n",
	"[2026-01-02 08:00:01.250] Decode batch, #running-req: 7, #token: 1, #queue-req: 99\n",
	"[2026-01-02 08:00:01] Decode batch. #running-req: 7, #token: 1, #queue-req: 1\n",
	"[2026-01-02 08:00:01] Decode batch, #running-req: 99999999999, #token: 1, #queue-req: 1\n",
	"[2026-01-02 08:00:01] Decode batch, #running-req: 1, #token: 1, #queue-req: 99999999999\n",
	"[2026-01-02 08:00:01] Decode batch, #running-req: 30\n",
	"[2026-01-02 08:00:01] INFO:     127.0.0.1:40290 - \"POST /generate HTTP/1.1\" 200 OK\n",
	"[2026-01-02 08:00:01] INFO:     127.0.0.1:5 - \"POST /generate HTTP/1.1\" 200 OK\n",
	"[2026-01-02 08:00:01] INFO:     127.0.0.1:40291 - \"POST /generate HTTP/1.1\" 200 OK and more\n",
	"[2026-01-02 08:00:01] INFO:     127.0.0.12:40291 - \"POST /generate HTTP/1.1\" 200 OK\n",
	"[2026-01-02 08:00:01] INFO:     127.0.0.1:40292 - \"POST /flush_cache HTTP/1.1\" 200 OK\n",
	"[2026-01-02 08:00:02] Prefill batch, #new-seq: 1, #new-token: 512, #cached-token: 0, token usage: 0.07, #running-req: 0, #queue-req: 0, \n",
	"[2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 1, #cached-token: 511, token usage: 0.07, #running-req: 0, #queue-req: 0, cuda graph: True\n",
	"[2026-01-02 08:00:01] Cache flushed successfully!\n",
	"[2026-01-02 08:00:01] something else\n",
	"[2026-01-02 08:00:01] Using fallback token IDs\tfor yes/no (1/2)\n",
	"[2026-01-02 08:00:01 TP0] Prefill batch, #new-seq: 2, #new-token: 1024, #cached-token: 7, token usage: 0.07, #running-req: 30, #queue-req: 12, #pending-token: 33, cuda graph: False, input throughput (token/s): 2074.38\n",
	"[2026-01-02 08:00:01.125 DP1 TP0] Prefill batch, #new-seq: 12345678, #new-token: 1234567, #cached-token: 123456789, #running-req: 3, #queue-req: 99999999999\n",
	"[2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 1, #cached-token: 5\n",
	"[2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 64, #cached-token: 0, token usage: 0.\n",
	"07, #running-req: 0, #queue-req: 3\n",
	"[2026-01-02 08:00:01] \n", "[2026-01-02 08:00:01]\n",
	"[2026-01-02 08:00:01] Decode batch, #running-req: 8 of 9, #token: 60000, token usage: 0.10, #queue-req: 3\n",
	"[2026-01-02 08:00:01] Decode batch, #running-req: 88, #token: 60000, token usage: 0.10, #queue-req: x\n",
	"[2026-01-02 08:00:01] Decode batch, #running-req: 88, #token: 60000, token usage: 0.10, queue-req: 7\n",
	"[2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 16, #cached-token: 32, token usage: 0.07125, #running-req: 3, #queue-req: 1\n",
	"[2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 16, #cached-token: 32, token usage: 0.07, #running-req: 3, #queue-req: 1, input throughput (token/s): 7\n",
	"no stamp at all\n", "\n",
}

// Lines that two processes wrote into one are both read; what a line quotes is
// not.
func TestGluedLines(t *testing.T) {
	const (
		stamp   = "[2026-01-02 08:00:01] "
		decode  = stamp + "Decode batch, #running-req: 8, #token: 5, gen throughput (token/s): 3.00, #queue-req: 0"
		access  = stamp + "INFO:     127.0.0.1:40290 - \"POST /generate HTTP/1.1\" 200 OK"
		prefill = stamp + "Prefill batch, #new-seq: 1, #new-token: 16, #cached-token: 496, #running-req: 0, #queue-req: 0"
		other   = stamp + "Using fallback token IDs"
		quote   = stamp + "INFO:     a client was told: "
	)
	for _, tt := range []struct {
		line              string
		prefills          int
		decodes, accesses int
	}{
		{decode + prefill, 1, 1, 0},
		{access + prefill, 1, 0, 1},
		{prefill + decode + access, 1, 1, 1},
		{decode + decode + prefill, 1, 2, 0},
		{decode + other, 0, 1, 0},
		{quote + prefill, 0, 0, 0},
		{other + prefill, 0, 0, 0},
		{strings.Repeat("\x00", 5000) + prefill, 1, 0, 0}, // a log that was cut to nothing while it was open
		{"\x00" + decode + access, 0, 1, 1},
	} {
		text := []byte(decode + "\n" + access + "\n" + tt.line + "\n" + strings.Repeat(access+"\n", 4))
		holdSkim(t, text)
		b := &stretch{sec: newSection(), text: text}
		if err := b.parse(clean, nobody); err != nil {
			t.Fatal(err)
		}
		n := b.sec.counts
		if len(b.sec.batches) != tt.prefills || n[ClassDecode] != 1+tt.decodes || n[ClassAccess] != 5+tt.accesses {
			t.Errorf("%q: %d prefill, %d decode, %d access", tt.line, len(b.sec.batches), n[ClassDecode]-1, n[ClassAccess]-5)
		}
		for _, x := range b.sec.batches {
			if x.Cached != 496 {
				t.Errorf("%q: %d cached tokens", tt.line, x.Cached)
			}
		}
	}
}

// Skimming gives what reading line by line gives, whatever stands between the
// common lines and however they are damaged.
func TestSkimEqualsLineByLine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var b strings.Builder
		damage := 2 + r.IntN(12)
		for range 1 + r.IntN(20) {
			line := commonLines[r.IntN(len(commonLines))]
			if r.IntN(damage) == 0 {
				at := r.IntN(len(line))
				line = line[:at] + []string{"", "\r", "\x1b[0m", "7", "[", "#", "\r\r", line[at:]}[r.IntN(8)] + line[min(len(line), at+r.IntN(3)):]
			}
			if r.IntN(6) == 0 {
				line = strings.TrimSuffix(line, "\n") + "\r\n"
			}
			b.WriteString(line)
		}
		holdSkim(t, []byte(b.String()))
		if t.Failed() {
			return
		}
	}
}

// The same over a busy log, with brackets, hosts and line ends of several kinds.
func TestSkimBusyLog(t *testing.T) {
	var b bytes.Buffer
	if _, err := gen.Log(&b, 1<<20, 7); err != nil {
		t.Fatal(err)
	}
	log := b.String()
	for name, change := range map[string]func(n int, line string) string{
		"as it is": func(_ int, line string) string { return line },
		"one rank": func(_ int, line string) string { return strings.Replace(line, "] ", " TP0] ", 1) },
		"two ranks": func(n int, line string) string {
			return strings.Replace(line, "] ", fmt.Sprintf(" DP%d TP0] ", n%2), 1)
		},
		"milliseconds":     func(n int, line string) string { return strings.Replace(line, "] ", fmt.Sprintf(".%03d] ", n%1000), 1) },
		"carriage returns": func(_ int, line string) string { return line + "\r" },
		"another host":     func(_ int, line string) string { return strings.Replace(line, "127.0.0.1", "2001:db8:0:12::4242:1", 1) },
		"a long host": func(_ int, line string) string {
			return strings.Replace(line, "127.0.0.1", strings.Repeat("h", 50), 1)
		},
		"two hosts": func(n int, line string) string {
			return strings.Replace(line, "127.0.0.1", fmt.Sprintf("10.0.0.%d", n%2), 1)
		},
		"a short path": func(n int, line string) string { return strings.Replace(line, "POST /generate", "GET /", 1) },
		"a long path": func(n int, line string) string {
			return strings.Replace(line, "/generate", "/v1/"+strings.Repeat("long/", 12)+"completions", 1)
		},
		"no port": func(_ int, line string) string { return strings.Replace(line, ":3", " ", 1) },
		"long ports": func(n int, line string) string {
			return strings.Replace(line, "127.0.0.1:", "127.0.0.1:"+strings.Repeat("0", n%9), 1)
		},
		"old keys": func(_ int, line string) string {
			return strings.Replace(line, ", #pending-token: 0, cuda graph: False", "", 1)
		},
		"no rate": func(_ int, line string) string { return strings.Split(line, ", input throughput")[0] },
		"long counts": func(n int, line string) string {
			return strings.Replace(line, "-req: ", "-req: "+strings.Repeat("1", n%11), 1)
		},
		"clock runs back": func(n int, line string) string {
			return line[:15] + fmt.Sprintf("%02d:%02d", n/900%60, n/37%61) + line[20:]
		},
		"a bracket in it": func(n int, line string) string {
			if n%7 == 0 {
				return strings.Replace(line, "token", "[token", 1)
			}
			return line
		},
		"glued": func(n int, line string) string {
			if n%11 == 0 {
				return line + commonLines[n%len(commonLines)]
			}
			return line
		},
	} {
		t.Run(name, func(t *testing.T) {
			var changed strings.Builder
			n := 0
			for line := range strings.Lines(log) {
				changed.WriteString(change(n, strings.TrimSuffix(line, "\n")) + "\n")
				n++
			}
			text := []byte(changed.String())
			got, want := &stretch{sec: newSection(), text: text}, lineByLine(text)
			if err := got.parse(clean, nobody); err != nil {
				t.Fatal(err)
			}
			g, w := told(got), told(want)
			for i := range min(len(g), len(w)) {
				if g[i] != w[i] {
					t.Fatalf("skimmed:\n%s\nline by line:\n%s", g[max(0, i-200):min(len(g), i+200)], w[max(0, i-200):min(len(w), i+200)])
				}
			}
			if len(g) != len(w) || len(want.sec.batches) < 300 {
				t.Fatalf("%d bytes told, want %d; %d batches", len(g), len(w), len(want.sec.batches))
			}
		})
	}
}

// FuzzSkim holds the same over any text.
func FuzzSkim(f *testing.F) {
	f.Add([]byte(strings.Join(commonLines, "")))
	f.Add([]byte(commonLines[0] + commonLines[0][:90] + "\r" + commonLines[14]))
	f.Add([]byte(commonLines[9] + commonLines[10]))
	f.Fuzz(holdSkim)
}

// The common lines are skimmed, not only read right.
func TestSkimTakes(t *testing.T) {
	s := newSection()
	first := commonLines[9]
	if c := s.line(1, []byte(strings.TrimSuffix(first, "\n")), 0); c != format.Mine {
		t.Fatalf("claim %v", c)
	}
	for i, want := range map[int]bool{
		0: true, 1: true, 2: true, 3: true, 4: true, 5: false, 6: false, 7: true, 8: false,
		9: true, 10: true, 11: false, 12: false, 13: false,
		14: false, 15: true, 16: false, 17: false, 18: false, 19: true, 20: false, 21: false,
	} {
		text := commonLines[i] + first + first + first
		var x lineends.Index
		x.Find([]byte(text))
		if n := s.skim(2, &lines{text: []byte(text), ends: x.Ends, strays: x.Strays}, &sheaf{}); (n > 0) != want {
			t.Errorf("%q: %d lines skimmed", commonLines[i], n)
		}
	}
}
