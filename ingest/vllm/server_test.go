package vllm

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// feed gives the lines of a text to a machine and returns its claims.
func feed(m format.Machine, text string) []format.Claim {
	var claims []format.Claim
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		claims = append(claims, m.Line(format.Line{N: i + 1, Text: []byte(line)}))
	}
	return claims
}

// readLog reads a text as a server log.
func readLog(t *testing.T, text string) (*capture.ServerLog, capture.Counts) {
	t.Helper()
	m := newServerLog()
	feed(m, text)
	out := &format.Output{File: &capture.File{}}
	counts := m.Close("server.log", "", out)
	if len(out.Logs) != 1 {
		t.Fatalf("%d logs, want 1", len(out.Logs))
	}
	return out.Logs[0], counts
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestServerLogSamples reads one line of each shape.
func TestServerLogSamples(t *testing.T) {
	text := readFile(t, "server.log")
	for i, c := range feed(newServerLog(), text) {
		if c != format.Mine {
			t.Errorf("line %d: claim %v, want Mine", i+1, c)
		}
	}
	log, counts := readLog(t, text)
	want := capture.Counts{{Key: "stat", N: 7}, {Key: "iteration", N: 3}, {Key: "access", N: 3}, {Key: "flush", N: 4}, {Key: "request", N: 2}, {Key: "malformed", N: 0}}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	type stat struct {
		line, engine, running, waiting int
		kv, rate                       float64
	}
	var stats []stat
	for _, s := range log.Stats {
		stats = append(stats, stat{s.Line, s.EngineID, s.Running, s.Waiting, s.KVUsage, s.HitRate})
	}
	wantStats := []stat{
		{1, 0, 8, 0, 7, 48.4},
		{2, 1, 4, 2, 3.5, 0},
		{3, -1, 1, 0, 0.1, 33.3},
		{4, -1, 2, 1, 1.2, -1},
		{5, -1, -1, -1, -1, 50},
		{18, 0, 8, 3, 7, 48.4},
		{19, 0, 1, 0, 0.1, -1}, // the window is empty: absent is not 0
	}
	if diff := cmp.Diff(wantStats, stats, cmp.AllowUnexported(stat{})); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	var iterations []capture.Iteration
	for _, it := range log.Iterations.All() {
		it.Stamp = 0
		iterations = append(iterations, *it)
	}
	wantIterations := []capture.Iteration{
		{Line: 6, ContextReqs: 14, ContextTokens: 224, GenReqs: 1, EngineID: -1},
		{Line: 7, Dummy: true, EngineID: 0},
		{Line: 20, ContextReqs: 14, ContextTokens: 224, GenReqs: 1, EngineID: 0},
	}
	if diff := cmp.Diff(wantIterations, iterations); diff != "" {
		t.Errorf("iterations (-want +got):\n%s", diff)
	}
	var kinds []capture.FlushKind
	for _, f := range log.Flushes {
		kinds = append(kinds, f.Kind)
	}
	if diff := cmp.Diff([]capture.FlushKind{capture.FlushAskedOnly, capture.FlushDone, capture.FlushRefused, capture.FlushRefused}, kinds); diff != "" {
		t.Errorf("flushes (-want +got):\n%s", diff)
	}
	if rank := log.Flushes[2].Rank; rank.DP != 1 {
		t.Errorf("the refusal is of rank %+v, want DP 1", rank)
	}
	if got := log.Access.At(1); got.Path != capture.PathFlush || got.Status != 404 {
		t.Errorf("second access %+v", got)
	}
}

// TestEngineSeedIsNotThePromptSeed: the start line's seed is for sampling. No
// field of the settings may carry it.
func TestEngineSeedIsNotThePromptSeed(t *testing.T) {
	log, _ := readLog(t, readFile(t, "server.log"))
	if len(log.Starts) != 1 {
		t.Fatalf("%d starts", len(log.Starts))
	}
	info := log.Starts[0].Info
	if info.Version != "0.99.0" || info.Model != "org/m-0.6b" || info.PrefixCache == nil || !*info.PrefixCache {
		t.Errorf("settings %+v", info)
	}
	if info.PageSize != nil {
		t.Errorf("page size %d, but no line states one", *info.PageSize)
	}
	if info.PoolTokens == nil || *info.PoolTokens != 123456 {
		t.Errorf("pool %v, want 123456", info.PoolTokens)
	}
	if _, has := info.Args["seed"]; has {
		t.Error("the engine's seed was kept as an argument")
	}
}

func TestStatsDamage(t *testing.T) {
	const head = "(APIServer pid=7) INFO 08-09 13:00:10 [loggers.py:236] Engine 000: Avg prompt throughput: 48.0 tokens/s, Avg generation throughput: 90.0 tokens/s, Running: 2 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.1%"
	tests := []struct {
		name, line string
		want       format.Claim
		rate       float64
	}{
		{"whole", head + ", Prefix cache hit rate: 30.0%", format.Mine, 30},
		{"no hit rate", head, format.Mine, -1},
		{"cut in the number", head + ", Prefix cache hit rate: 3", format.Malformed, 0},
		{"cut before the number", head + ", Prefix cache hit rate: ", format.Malformed, 0},
		{"cut in the label", head + ", Prefix cache hi", format.Malformed, 0},
		{"not a number", head + ", Prefix cache hit rate: ##%", format.Malformed, 0},
		{"cut before that part", head[:len(head)-12], format.Mine, -1},
		{"other caches behind", head + ", Prefix cache hit rate: 10.0%, MM cache hit rate: 5", format.Mine, 10},
		{"only another cache", head + ", External prefix cache hit rate: 5.0%", format.Mine, -1},
		{"old engine", "INFO 02-14 09:00:05 metrics.py:471] Prefix cache hit rate: GPU: 50.0", format.Malformed, 0},
		{"Rust front end", "INFO 08-09 13:00:10 [stats.rs:9] Avg prompt tput: 48.0 toks/s, Avg generation tput: 9.0 toks/s, Reqs Running: 2, Waiting: 1, GPU KV cache used: 1.5%, Prefix cache hit rate: 20.0%", format.Mine, 20},
		{"CPU", strings.Replace(head, "GPU", "CPU", 1) + ", Prefix cache hit rate: 30.0%", format.Mine, 30},
	}
	for _, tt := range tests {
		m := newServerLog().(*serverLog)
		if got := m.Line(format.Line{N: 1, Text: []byte(tt.line)}); got != tt.want {
			t.Errorf("%s: claim %v, want %v", tt.name, got, tt.want)
			continue
		}
		if tt.want == format.Malformed {
			if len(m.log.Damaged) != 1 || m.log.Damaged[0].Class != "stat" || len(m.log.Stats) != 0 {
				t.Errorf("%s: damage %+v, stats %+v", tt.name, m.log.Damaged, m.log.Stats)
			}
			continue
		}
		if s := m.log.Stats[0]; s.HitRate != tt.rate {
			t.Errorf("%s: rate %v, want %v", tt.name, s.HitRate, tt.rate)
		}
	}
}

// TestFallingHitRate is a running share: the reader must hand on every line as
// it stands and sum nothing.
func TestFallingHitRate(t *testing.T) {
	log, counts := readLog(t, readFile(t, "falling.log"))
	if counts.Get("stat") != 3 || counts.Get("malformed") != 0 {
		t.Errorf("counts %v", counts)
	}
	var rates []float64
	for _, s := range log.Stats {
		rates = append(rates, s.HitRate)
	}
	if diff := cmp.Diff([]float64{30, 10, 10}, rates); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	if log.Served.Len() != 0 || log.Batches.Len() != 0 {
		t.Error("a stats line became a request")
	}
}

func TestIterationDamage(t *testing.T) {
	log, counts := readLog(t, `(EngineCore pid=180) INFO 10-17 14:23:01 [core.py:400] Iteration(17): 14 context requests, 224 context tokens, 1 generation requests, 1 generation tokens
(EngineCore pid=180) INFO 10-17 14:23:01 [core.py:400] Iteration(18): 14 context requests, 224 con`)
	if counts.Get("iteration") != 1 || counts.Get("malformed") != 0 {
		t.Errorf("counts %v", counts)
	}
	want := []capture.Damage{{Line: 2, Class: "iteration", NewSeq: -1, Stamp: log.Damaged[0].Stamp}}
	if diff := cmp.Diff(want, log.Damaged); diff != "" {
		t.Errorf("damage (-want +got):\n%s", diff)
	}
}

func TestAccess(t *testing.T) {
	tests := []struct {
		line   string
		want   format.Claim
		path   capture.Path
		status int16
		query  bool
	}{
		{`(APIServer pid=1) INFO:     127.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK`, format.Weak, capture.PathCompletions, 200, false},
		{`INFO:     [::1]:5 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error`, format.Weak, capture.PathChat, 500, false},
		{`INFO:     10.0.0.2:5 - "POST /reset_prefix_cache?reset_external=true HTTP/1.1" 200`, format.Weak, capture.PathFlush, 200, true},
		{`INFO:     10.0.0.2:5 - "GET /metrics HTTP/1.1" 200 OK`, format.Weak, capture.PathMetrics, 200, false},
		{`INFO:     10.0.0.2:5 - "POST /tokenize HTTP/1.1" 200 OK`, format.Weak, capture.PathTokenize, 200, false},
		{`INFO:     10.0.0.2:5 - "GET /load HTTP/1.1" 200 OK`, format.Weak, capture.PathLoad, 200, false},
		{`INFO:     10.0.0.2:5 - "POST /proxy/v1/completions HTTP/1.1" 200 OK`, format.Weak, capture.PathCompletions, 200, false},
		{`INFO:     10.0.0.2:5 - "GET /docs HTTP/1.1" 200 OK`, format.Weak, capture.PathOther, 200, false},
		{`INFO:     10.0.0.2:5 - "POST /v1/completions HTTP/1.1" 20`, format.Malformed, 0, 0, false},
		{`INFO:     10.0.0.2:5 - "POST /v1/comple`, format.Malformed, 0, 0, false},
		{`INFO:     10.0.0.2:5 - "POST /v1/completions HTTP/1.1" `, format.Malformed, 0, 0, false},
		{`INFO:     Application startup complete.`, format.Weak, 0, 0, false},
	}
	for _, tt := range tests {
		m := newServerLog().(*serverLog)
		if got := m.Line(format.Line{N: 1, Text: []byte(tt.line)}); got != tt.want {
			t.Errorf("%s: claim %v, want %v", tt.line, got, tt.want)
			continue
		}
		if tt.status == 0 {
			continue
		}
		if a := m.log.Access.Last(); a.Path != tt.path || a.Status != tt.status || a.Query != tt.query || a.N != 1 {
			t.Errorf("%s: %+v", tt.line, a)
		}
	}
}

// TestAccessRuns: lines of one kind without an event between them are one run,
// and a log without a line of vLLM's own is nobody's.
func TestAccessRuns(t *testing.T) {
	const access = `INFO:     127.0.0.1:1 - "POST /v1/completions HTTP/1.1" 200 OK`
	const stats = "INFO 08-09 13:00:10 [loggers.py:236] Engine 000: Avg prompt throughput: 0.0 tokens/s"
	log, counts := readLog(t, strings.Join([]string{access, access, stats, access, strings.Replace(access, "127", "128", 1)}, "\n"))
	var runs [][3]int32
	for _, a := range log.Access.All() {
		runs = append(runs, [3]int32{a.Line, a.To, a.N})
	}
	if diff := cmp.Diff([][3]int32{{1, 2, 2}, {4, 4, 1}, {5, 5, 1}}, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if counts.Get("access") != 4 {
		t.Errorf("counts %v", counts)
	}
	m := newServerLog()
	feed(m, access+"\n"+access)
	out := &format.Output{}
	if c := m.Close("f", "", out); c != nil || len(out.Logs) != 0 {
		t.Errorf("access lines alone made a log: %v", c)
	}
}

// TestYearlessStamps: 12-31 is before 01-01, also with a line that comes late.
func TestYearlessStamps(t *testing.T) {
	var c calendar
	var last capture.Stamp
	for _, s := range []string{"02-29 23:00:00", "03-01 00:00:00", "11-30 10:00:00", "12-31 23:59:59", "01-01 00:00:01", "01-02 00:00:00", "12-31 23:59:00", "01-01 08:00:00"} {
		when, ok := parseClock([]byte(s))
		if !ok {
			t.Fatalf("%s: no time", s)
		}
		at := c.stamp(when)
		if at <= last {
			t.Errorf("%s: %d is not after %d", s, at, last)
		}
		last = at
	}
	c = calendar{}
	stamp := func(s string) capture.Stamp {
		when, _ := parseClock([]byte(s))
		return c.stamp(when)
	}
	stamp("12-31 23:59:58")
	newYear := stamp("01-01 00:00:00")
	if late := stamp("12-31 23:59:59"); newYear-late != 1000 {
		t.Errorf("a late line is %d ms before New Year, want 1000", newYear-late)
	}
	if next := stamp("01-01 00:00:02"); next-newYear != 2000 {
		t.Errorf("the line after it is %d ms after New Year, want 2000", next-newYear)
	}
}

func TestFrame(t *testing.T) {
	tests := []struct{ line, process, level, msg string }{
		{"INFO 10-17 14:23:00 [a.py:1] hello", "", "INFO", "hello"},
		{"INFO 02-14 09:00:05 metrics.py:455] hello", "", "INFO", "hello"},
		{"DEBUG 02-14 09:00:05 [v1/core/sched.py:4] a] b", "", "DEBUG", "a] b"},
		{"(EngineCore_DP0 pid=180) WARNING 10-17 14:23:00 [a.py:1] hello", "EngineCore_DP0", "WARNING", "hello"},
		{"prod-7 (APIServer pid=1) INFO 10-17 14:23:00 [a.py:1] hello", "APIServer", "INFO", "hello"},
		{"(APIServer pid=1) plain", "APIServer", "", "plain"},
		{"no frame 10-17 14:23:00 here", "", "", "no frame 10-17 14:23:00 here"},
		{"INFO 13-45 14:23:00 [a.py:1] hello", "", "", "INFO 13-45 14:23:00 [a.py:1] hello"},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		f := parseFrame([]byte(tt.line))
		if f.process != tt.process || f.level != tt.level || string(f.msg) != tt.msg {
			t.Errorf("%q: %q %q %q", tt.line, f.process, f.level, f.msg)
		}
	}
	for process, want := range map[string]capture.Rank{
		"EngineCore_1": {DP: 1, PP: -1, TP: -1, EP: -1, CP: -1}, "EngineCore": capture.NoRank,
		"Worker_DP0_TP3": {DP: 0, PP: -1, TP: 3, EP: -1, CP: -1}, "Worker_PP1_EP2": {DP: -1, PP: 1, TP: -1, EP: 2, CP: -1},
	} {
		if got := rankOf(process); got != want {
			t.Errorf("rank of %s: %+v", process, got)
		}
	}
}

func TestJSONLog(t *testing.T) {
	log, counts := readLog(t, `{"timestamp": "2026-11-17T14:23:00Z", "level": "INFO", "logger": "vllm.v1.metrics.loggers", "message": "Engine 000: Avg prompt throughput: 3276.8 tokens/s, Running: 8 reqs, Prefix cache hit rate: 48.4%"}
{"asctime": "2026-11-17 14:25:00,250", "levelname": "WARNING", "msg": "Failed to reset prefix cache because some blocks (3) are not freed yet", "processName": "EngineCore_DP1"}`)
	if counts.Get("stat") != 1 || counts.Get("flush") != 1 {
		t.Fatalf("counts %v", counts)
	}
	if s := log.Stats[0]; s.HitRate != 48.4 || s.Stamp != 1794925380000 {
		t.Errorf("stat %+v", s)
	}
	if f := log.Flushes[0]; f.Kind != capture.FlushRefused || f.Rank.DP != 1 || f.Stamp != 1794925500250 {
		t.Errorf("flush %+v", f)
	}
	if _, _, ok := parseJSONLine([]byte(`{"message": "no level", "completed": 3}`)); ok {
		t.Error("a record was taken for a log line")
	}
}

// TestClientLinesAreNotTheServers: since v0.10.2 the clients log in the
// server's frame.
func TestClientLinesAreNotTheServers(t *testing.T) {
	m := newServerLog()
	for _, line := range []string{
		"(MainProcess pid=7273) INFO 11-29 15:48:25 [utils.py:88] Sampling input_len from [512, 512]",
		"(Bench pid=205) INFO 11-17 14:25:01 [sweep.rs:19] reset prefix cache url=http://127.0.0.1:8000/reset_prefix_cache",
		"============ Serving Benchmark Result ============",
		"[2026-03-04 11:20:05] Prefill batch, #new-seq: 2, #new-token: 2, #cached-token: 1402",
		"",
	} {
		if c := m.Line(format.Line{N: 1, Text: []byte(line)}); c != format.NotMine {
			t.Errorf("%q: claim %v", line, c)
		}
	}
}
