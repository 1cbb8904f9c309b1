package vllm

import (
	"regexp"
	"strings"
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// slowFrame is the frame as one expression, to hold the parser against.
var slowFrame = regexp.MustCompile(`^(?s)(.{0,194}?)(INFO|WARNING|ERROR|DEBUG|CRITICAL) +((?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]) (?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60))`)

// FuzzFrame holds the frame parser against the slow one.
func FuzzFrame(f *testing.F) {
	for _, line := range strings.Split(sampleLines, "\n") {
		f.Add(line)
	}
	f.Add("INFO 10-17 14:23:00")
	f.Add("x INFO  10-17 14:23:00 WARNING 10-18 14:23:00 [a:1] m")
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) > maxPrefix {
			return // the bounds of the two differ by the blanks before the time
		}
		got := parseFrame([]byte(line))
		want := slowFrame.FindStringSubmatch(line)
		if (want != nil) != got.when.known() {
			t.Fatalf("%q: time %v, slow parser %q", line, got.when, want)
		}
		if want != nil && got.level != want[2] {
			t.Fatalf("%q: level %q, slow parser %q", line, got.level, want[2])
		}
		if !strings.HasSuffix(line, string(got.msg)) {
			t.Fatalf("%q: message %q is not its end", line, got.msg)
		}
	})
}

const sampleLines = `(APIServer pid=101) INFO 10-17 14:23:10 [loggers.py:271] Engine 001: Avg prompt throughput: 1638.4 tokens/s, Prefix cache hit rate: 0.0%
INFO 02-14 09:00:05 metrics.py:471] Prefix cache hit rate: GPU: 50.00%, CPU: 0.00%
(EngineCore pid=180) INFO 10-17 14:23:01 [core.py:400] Iteration(17): 14 context requests, 224 context tokens, 1 generation requests
(EngineCore_DP1 pid=181) WARNING 10-17 14:25:00 [block_pool.py:775] Failed to reset prefix cache because some blocks (3) are not freed yet
INFO:     127.0.0.1:53220 - "POST /reset_prefix_cache HTTP/1.1" 404 Not Found
INFO 07-01 08:00:00 [logger.py:43] Received request cmpl-bench-1-2-0: prompt: 'one', params: S(n=1), prompt_token_ids: [11, 12]
(EngineCore pid=2) INFO 11-29 15:20:40 [core.py:133] Initializing a V1 LLM engine (v0.32.0) with config: model='/m', enable_prefix_caching=False
(APIServer pid=1) INFO 11-29 15:20:19 [utils.py:286] non-default args: {'model': '/m/tiny', 'block_size': 32}
{"level":"INFO","message":"Engine 000: Avg prompt throughput: 1.0 tokens/s","time":"2026-01-01T00:00:00Z"}`

// FuzzServerLog checks what must hold for any text: each line has one claim,
// each counted line one class, and malformed lines are named.
func FuzzServerLog(f *testing.F) {
	f.Add(sampleLines)
	f.Add(strings.Join([]string{bannerLine, modelLine, argsLine, configLine, poolLine, devLine, readyLine, stopLine}, "\n"))
	f.Fuzz(func(t *testing.T, text string) {
		m := newServerLog()
		malformed := 0
		for _, c := range feed(m, text) {
			if c == format.Malformed {
				malformed++
			}
		}
		out := &format.Output{}
		counts := m.Close("f", "", out)
		if len(out.Logs) == 0 {
			return
		}
		log := out.Logs[0]
		lines := strings.Count(text, "\n") + 1
		total := 0
		for _, c := range counts {
			total += c.N
		}
		if total > lines || counts.Get("malformed") != malformed {
			t.Fatalf("%d of %d lines classed, %d claimed malformed: %v", total, lines, malformed, counts)
		}
		if counts.Get("stat") != len(log.Stats) || counts.Get("iteration") != log.Iterations.Len() || counts.Get("flush") != len(log.Flushes) {
			t.Fatalf("counts %v do not fit the log", counts)
		}
		for _, s := range log.Stats {
			if s.HitRate < -1 || s.Line < 1 || s.Line > lines {
				t.Fatalf("stat %+v", s)
			}
		}
	})
}

// FuzzBenchText checks that runs stay in their text and in order.
func FuzzBenchText(f *testing.F) {
	f.Add("Namespace(backend='vllm', num_prompts=1, seed=2)\n" + report)
	f.Add(report + report)
	f.Add("Namespace(a=(1,\n2)\n" + report)
	f.Add("benchmark_args=Namespace(flush_cache=True)\n" + report)
	f.Fuzz(func(t *testing.T, text string) {
		m := newBenchText()
		feed(m, text)
		out := &format.Output{}
		counts := m.Close("f", "", out)
		lines, last := strings.Count(text, "\n")+1, 0
		for _, r := range out.Results {
			if r.Span.Line <= last || r.Span.Line > lines || r.Span.To > lines || r.Span.To != 0 && r.Span.To < r.Span.Line {
				t.Fatalf("span %+v after line %d of %d", r.Span, last, lines)
			}
			last = max(r.Span.Line, r.Span.To)
			for name, f := range r.Printed {
				if !r.Span.Contains(f.Line) {
					t.Fatalf("%s stands on line %d, outside of %+v", name, f.Line, r.Span)
				}
			}
		}
		if len(out.Results) > 0 && counts == nil {
			t.Fatal("runs without counts")
		}
	})
}

// FuzzRecords checks that any bytes give records on lines of the file, with
// arrays of one length.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{detailed, script, rust, plain + "\n" + detailed[:300], strings.ReplaceAll(plain, ",", ",\n"), "[]", "{", "\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := &format.Output{File: &capture.File{}}
		if err := readRecords(input("f", text), out); err != nil {
			t.Fatal(err)
		}
		file := out.File
		if file.Read == capture.ReadNone {
			return
		}
		lines := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			lines++
		}
		if file.Lines != lines {
			t.Fatalf("%d lines, want %d", file.Lines, lines)
		}
		if (file.Counts.Get("malformed") > 0) != (file.Read == capture.ReadPart) {
			t.Fatalf("%+v", file)
		}
		for _, r := range out.Results {
			if r.Span.Line < 1 || r.Span.Line > lines || r.Completed == nil {
				t.Fatalf("%+v", r)
			}
			if q := r.Requests; q != nil && q.TTFT != nil && len(q.TTFT) != q.N {
				t.Fatalf("%d of %d", len(q.TTFT), q.N)
			}
		}
	})
}
