package console

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/sglang"
)

// readText reads a text with SGLang's machines.
func readText(tb testing.TB, name, text string) *format.Output {
	tb.Helper()
	head := text[:min(len(text), format.HeadSize)]
	in := &format.Input{
		Path: name, Head: []byte(head), Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
	out := &format.Output{File: &capture.File{Path: name}}
	if err := Format(sglang.Machines()...).Read(in, out); err != nil {
		tb.Fatal(err)
	}
	return out
}

func counts(out *format.Output) string {
	b, err := json.Marshal(out.File.Counts)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// sums adds the batches of all logs.
func sums(out *format.Output) (seq, token, cached int) {
	for _, l := range out.Logs {
		for _, b := range l.Batches.All() {
			seq += int(b.NewSeq)
			token += int(b.NewToken)
			cached += int(b.Cached)
		}
	}
	return seq, token, cached
}

// The texts under testdata hold one fault each in a few lines. What they say is
// told line by line in the table.
func TestSmallInputs(t *testing.T) {
	tests := []struct {
		file               string
		kind               capture.Kind
		read               capture.ReadState
		why                string
		counts             string
		seq, token, cached int
	}{
		// The second line is short, its three counters are whole; the third and
		// the fourth have lost one.
		{"01-clipped.log", capture.SGLangServerLog, capture.ReadPart, "2 malformed prefill lines: 3, 4",
			`{"prefill":2,"decode":0,"access":0,"flush":0,"request":0,"other":0,"malformed":2}`, 3, 3, 2057},
		{"02-decode-only.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":0,"decode":3,"access":0,"flush":0,"request":0,"other":0,"malformed":0}`, 0, 0, 0},
		{"03-traces.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":3,"decode":0,"access":0,"flush":0,"request":0,"other":0,"malformed":0}`, 32, 20449, 34},
		{"04-chunks.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":4,"decode":0,"access":0,"flush":0,"request":0,"other":0,"malformed":0}`, 4, 9406, 9404},
		{"05-old-chunks.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":3,"decode":0,"access":0,"flush":0,"request":0,"other":0,"malformed":0}`, 6, 3072, 1467},
		{"06-pages.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":2,"decode":0,"access":0,"flush":0,"request":0,"other":1,"malformed":0}`, 8, 3072, 2560},
		{"07-ranks.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":4,"decode":0,"access":0,"flush":0,"request":0,"other":0,"malformed":0}`, 4, 2400, 600},
		{"08-probes.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":3,"decode":0,"access":3,"flush":0,"request":0,"other":1,"malformed":0}`, 3, 7, 0},
		// A progress bar, a compose name, a logger's head and a wrapped line;
		// the last line is a cut stamp.
		{"09-glued.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":3,"decode":0,"access":0,"flush":0,"request":0,"other":2,"malformed":0}`, 4, 841, 0},
		{"10-refused.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":0,"decode":0,"access":1,"flush":2,"request":0,"other":0,"malformed":0}`, 0, 0, 0},
		{"12-in-run.log", capture.SGLangServerLog, capture.ReadAll, "",
			`{"prefill":3,"decode":0,"access":0,"flush":0,"request":0,"other":1,"malformed":0}`, 5, 1504, 5996},
	}
	for _, test := range tests {
		b, err := os.ReadFile(filepath.Join("testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range variants(string(b)) {
			out := readText(t, test.file, v.text)
			f := out.File
			if f.Kind != test.kind || f.Read != test.read || f.Why != test.why {
				t.Errorf("%s, %s: kind %s read %s why %q", test.file, v.name, f.Kind, f.Read, f.Why)
			}
			if got := counts(out); got != test.counts {
				t.Errorf("%s, %s: counts %s, want %s", test.file, v.name, got, test.counts)
			}
			if s, n, c := sums(out); s != test.seq || n != test.token || c != test.cached {
				t.Errorf("%s, %s: %d sequences, %d new, %d cached; want %d %d %d", test.file, v.name, s, n, c, test.seq, test.token, test.cached)
			}
			if n := strings.Count(strings.TrimRight(string(b), "\n"), "\n") + 1; f.Lines != n {
				t.Errorf("%s, %s: %d lines, want %d", test.file, v.name, f.Lines, n)
			}
		}
	}
}

type variant struct{ name, text string }

// variants are the same text as other collectors hand it on.
func variants(text string) []variant {
	frame := func(front, back string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			b.WriteString(front + strings.TrimRight(line, "\n") + back + "\n")
		}
		return b.String()
	}
	return []variant{
		{"as it is", text},
		{"without the last newline", strings.TrimRight(text, "\n")},
		{"CRLF", strings.ReplaceAll(text, "\n", "\r\n")},
		{"byte order mark", "\xef\xbb\xbf" + text},
		{"compose with colours", frame("\x1b[36mengine-1  | \x1b[0m\x1b[32m", "\x1b[0m")},
		{"kubectl", frame("[pod/engine-0/server] ", "")},
		{"docker -t", frame("2026-03-04T11:20:05.123456789Z ", "")},
		{"compose and docker -t", frame("engine  | 2026-03-04T11:20:05.123456789Z ", "")},
		{"syslog", frame("Nov  9 15:21:27 node1 engine[123]: ", "")},
		{"progress before", frame("\r  0%|          | 0/8 [00:00<?, ?it/s]\r", "")},
	}
}

func TestWrappedLineIsJoined(t *testing.T) {
	b, err := os.ReadFile("testdata/09-glued.log")
	if err != nil {
		t.Fatal(err)
	}
	out := readText(t, "console.log", string(b))
	last := out.Logs[len(out.Logs)-1].Batches.Last()
	if last.Running != 9 || last.Queue != 0 || last.Line != 3 {
		t.Errorf("the continuation was not read: %+v", *last)
	}
	// The time of the logger's head, in a line without a stamp of its own.
	if got := int64(last.Stamp); got != 1783505412015 {
		t.Errorf("stamp %d", got)
	}
}

func TestServicesAreKeptApart(t *testing.T) {
	const line = "| [2026-01-02 08:00:00] Prefill batch, #new-seq: 1, #new-token: %d, #cached-token: 0, token usage: 0.00\n"
	text := strings.Join([]string{
		"Attaching to engine-1, engine-2\n",
		"engine-1  " + strings.ReplaceAll(line, "%d", "7"),
		"engine-2  " + strings.ReplaceAll(line, "%d", "9"),
		"engine-1  " + strings.ReplaceAll(line, "%d", "8"),
	}, "")
	out := readText(t, "compose.log", text)
	if len(out.Logs) != 2 {
		t.Fatalf("%d logs", len(out.Logs))
	}
	for i, want := range []struct {
		service string
		batches int
	}{{"engine-1", 2}, {"engine-2", 1}} {
		if l := out.Logs[i]; l.Service != want.service || l.Batches.Len() != want.batches {
			t.Errorf("log %d: service %q with %d batches", i, l.Service, l.Batches.Len())
		}
	}
}

func TestMixedConsole(t *testing.T) {
	text := `[2026-01-02 08:00:00] The server is fired up and ready to roll!
benchmark_args=Namespace(backend='sglang', dataset_name='random', num_prompts=2, seed=7, max_concurrency=1, request_rate=inf, flush_cache=False, warmup_requests=1)
[2026-01-02 08:00:01] Prefill batch, #new-seq: 1, #new-token: 7, #cached-token: 0, token usage: 0.00
============ Serving Benchmark Result ============
Backend:                                 sglang    
Successful requests:                     2         
==================================================
[2026-01-02 08:00:09] INFO:     Shutting down
`
	out := readText(t, "console.txt", text)
	want := []capture.Part{
		{Kind: capture.SGLangServerLog, Line: 1, To: 1}, {Kind: capture.SGLangBenchText, Line: 2, To: 2},
		{Kind: capture.SGLangServerLog, Line: 3, To: 4}, {Kind: capture.SGLangBenchText, Line: 5, To: 7},
		{Kind: capture.SGLangServerLog, Line: 8, To: 8},
	}
	if len(out.File.Parts) != len(want) {
		t.Fatalf("parts %v", out.File.Parts)
	}
	for i, p := range out.File.Parts {
		if p != want[i] {
			t.Errorf("part %d: %v, want %v", i, p, want[i])
		}
	}
	if len(out.Results) != 1 || *out.Results[0].Completed != 2 || *out.Results[0].Workload.Seed != 7 {
		t.Errorf("results %+v", out.Results)
	}
	if len(out.Logs) != 1 || out.Logs[0].Batches.Len() != 1 {
		t.Errorf("logs %+v", out.Logs)
	}
}

func TestNothingKnown(t *testing.T) {
	out := readText(t, "notes.txt", "some words\nand more\n")
	if f := out.File; f.Kind != capture.UnknownKind || f.Read != capture.ReadNone || f.Why == "" || f.Lines != 2 {
		t.Errorf("%+v", f)
	}
}

func TestOverlongLine(t *testing.T) {
	long := strings.Repeat("x", MaxLine+1)
	text := "[2026-01-02 08:00:00] The server is fired up and ready to roll!\n" + long + "\n[2026-01-02 08:00:01] Cache flushed successfully!\n"
	out := readText(t, "server.log", text)
	f := out.File
	if f.Lines != 3 || f.Read != capture.ReadPart || !strings.Contains(f.Why, "over-long") || !strings.HasSuffix(f.Why, ": 2") {
		t.Errorf("%+v", f)
	}
	if l := out.Logs[0]; l.Complete || len(l.Flushes) != 1 || l.Flushes[0].Line != 3 {
		t.Errorf("complete %v flushes %v", l.Complete, l.Flushes)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"01-clipped.log", "09-glued.log"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for _, v := range variants(string(b)) {
			f.Add([]byte(v.text))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		out := readText(t, "x", string(b))
		lines := bytes.Count(b, []byte("\n"))
		if len(b) > 0 && b[len(b)-1] != '\n' {
			lines++
		}
		if out.File.Lines != lines {
			t.Errorf("%d lines of %d", out.File.Lines, lines)
		}
		for _, p := range out.File.Parts {
			if p.Line < 1 || p.To < p.Line || p.To > lines {
				t.Errorf("part %v of %d lines", p, lines)
			}
		}
	})
}

// A report of SGLang's client that has lost most of its rows is still one; a
// report with the arguments of vLLM's client is not SGLang's.
func TestSmallReports(t *testing.T) {
	tests := []struct {
		file    string
		results int
	}{{"06-client.txt", 1}, {"11-client.txt", 0}}
	for _, test := range tests {
		b, err := os.ReadFile(filepath.Join("testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range variants(string(b)) {
			out := readText(t, test.file, v.text)
			if len(out.Results) != test.results {
				t.Errorf("%s, %s: %d results", test.file, v.name, len(out.Results))
				continue
			}
			for _, r := range out.Results {
				if *r.Completed != 4 || *r.InputTokens != 2660 || r.Workload.Seed != nil || r.Span.Line != 1 || r.Span.To != 5 {
					t.Errorf("%s, %s: %+v", test.file, v.name, r)
				}
			}
		}
	}
}
