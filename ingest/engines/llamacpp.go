package engines

import (
	"bytes"
	"strconv"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// llamaCPP reads the log of llama-server. The line that drops the rest of a
// slot's cache before a prompt says where it cuts: the tokens before that point
// are kept, so they are the cached ones. Its words changed:
//
//	kv cache rm [A, end)                              to mid 2025
//	n_past = A, memory_seq_rm [A, end)                to late 2025
//	cached n_tokens = A, memory_seq_rm [A, end)       2026, a trace level since May
//
// It repeats, with a larger A, for each batch of a long prompt: the first of a
// task counts. "prompt eval time" names the tokens that were computed, without
// the cached ones. The cache belongs to a slot and is not shared.
//
// Answers that a capture holds, one a line, carry the same in "timings".
type llamaCPP struct {
	engineLog
	tasks map[string]*llamaTask
	last  string // task of the latest print_timing line
}

// llamaTask is a request that is being served.
type llamaTask struct {
	line           int
	prompt, cached int32 // -1 unknown
}

// maxTasks bounds the requests that are open at once; a log without its timing
// lines would open one after the other.
const maxTasks = 4096

func newLlamaCPP() format.Machine {
	return &llamaCPP{engineLog: newEngineLog("llama.cpp"), tasks: make(map[string]*llamaTask)}
}

// Line takes the next line.
func (m *llamaCPP) Line(l format.Line) format.Claim {
	line := l.Text
	if bytes.Contains(line, []byte(`"cache_n":`)) && bytes.Contains(line, []byte(`"prompt_n":`)) {
		return m.timings(l)
	}
	if at := bytes.Index(line, []byte("slot ")); at >= 0 && bytes.Contains(line[at:], []byte("| task ")) {
		return m.slot(l, line[at:])
	}
	switch {
	case bytes.Contains(line, []byte("prompt eval time =")):
		return m.promptTime(l, m.last, line)
	case bytes.Contains(line, []byte("log_server_r: ")):
		return m.accessLine(l, line)
	case bytes.Contains(line, []byte("server is listening on ")):
		m.log.Starts = append(m.log.Starts, capture.Start{Line: l.N, Stamp: l.Logger, Ready: l.N,
			Info: capture.ServerInfo{Engine: "llama.cpp", At: capture.Evidence{Line: l.N}}})
		return m.mine(l.N)
	case bytes.HasPrefix(line, []byte("srv  ")), bytes.HasPrefix(line, []byte("slot ")):
		return m.mine(l.N)
	}
	if m.seen && (bytes.HasPrefix(line, []byte("       eval time =")) || bytes.HasPrefix(line, []byte("      total time ="))) {
		return m.mine(l.N)
	}
	return format.NotMine
}

// slot takes a line of one slot: "slot WHERE: id  0 | task 5 | MESSAGE".
func (m *llamaCPP) slot(l format.Line, line []byte) format.Claim {
	_, rest, _ := bytes.Cut(line, []byte("| task "))
	task, message, _ := bytes.Cut(rest, []byte("|"))
	id := string(bytes.TrimSpace(task))
	switch {
	case bytes.Contains(message, []byte("new prompt")):
		if n, whole := promptLength(message); whole {
			m.task(id, l.N).prompt = n
		}
	case bytes.Contains(message, []byte("kv cache rm [")), bytes.Contains(message, []byte("memory_seq_rm [")):
		kept, whole := numberAfter(message, "rm [")
		if !whole {
			return m.damaged(l.N, "request")
		}
		if t := m.task(id, l.N); t.cached < 0 {
			t.cached = kept
		}
	case bytes.Contains(message, []byte("prompt eval time =")):
		return m.promptTime(l, id, message)
	case bytes.Contains(line, []byte("print_timing:")):
		m.last = id
	}
	return m.mine(l.N)
}

// promptLength reads the length of the prompt, whatever its key was called.
func promptLength(message []byte) (n int32, whole bool) {
	if n, whole = numberAfter(message, "n_prompt_tokens ="); whole {
		return n, true
	}
	_, rest, found := bytes.Cut(message, []byte("n_tokens = ")) // may end the line
	v, err := strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 32)
	if !found || err != nil {
		return -1, false
	}
	return int32(v), true
}

func (m *llamaCPP) task(id string, line int) *llamaTask {
	t := m.tasks[id]
	if t == nil {
		if len(m.tasks) >= maxTasks {
			clear(m.tasks)
		}
		t = &llamaTask{line: line, prompt: -1, cached: -1}
		m.tasks[id] = t
	}
	return t
}

// promptTime ends the prompt of a task: "prompt eval time = F ms / N tokens".
func (m *llamaCPP) promptTime(l format.Line, id string, message []byte) format.Claim {
	computed, whole := numberAfter(message, " ms /")
	if !whole {
		return m.damaged(l.N, "request")
	}
	row := capture.Served{Line: int32(l.N), Prompt: -1, Cached: -1, Output: -1, Stamp: l.Logger}
	if t := m.tasks[id]; t != nil {
		row.Cached, row.Prompt = t.cached, t.prompt
	}
	switch {
	case row.Prompt < 0 && row.Cached >= 0:
		row.Prompt = sum(row.Cached, computed)
	case row.Cached < 0 && row.Prompt >= computed:
		row.Cached = row.Prompt - computed
	}
	delete(m.tasks, id)
	m.addRequest(row)
	return m.mine(l.N)
}

// timings reads an answer: cache_n + prompt_n is the length of the prompt.
func (m *llamaCPP) timings(l format.Line) format.Claim {
	cached, ok := numberAfter(l.Text, `"cache_n":`)
	computed, ok2 := numberAfter(l.Text, `"prompt_n":`)
	if !ok || !ok2 {
		return m.damaged(l.N, "request")
	}
	output, _ := numberAfter(l.Text, `"predicted_n":`)
	m.addRequest(capture.Served{Line: int32(l.N), Prompt: sum(cached, computed), Cached: cached, Output: output, Stamp: l.Logger})
	return m.mine(l.N)
}

// accessLine reads "... request: POST /v1/completions 127.0.0.1 200".
func (m *llamaCPP) accessLine(l format.Line, line []byte) format.Claim {
	_, rest, found := bytes.Cut(line, []byte("request: "))
	fields := bytes.Fields(rest)
	if !found || len(fields) < 2 {
		return m.mine(l.N)
	}
	if len(fields) < 4 || len(fields[3]) != 3 {
		return m.damaged(l.N, "access")
	}
	status, err := strconv.Atoi(string(fields[3]))
	if err != nil {
		return m.damaged(l.N, "access")
	}
	m.access++
	m.log.Access.Append(capture.Access{Line: int32(l.N), To: int32(l.N), N: 1, Path: llamaPath(string(fields[1])),
		Status: int16(status), Host: m.host(string(fields[2])), Stamp: l.Logger})
	return m.mine(l.N)
}

// maxHosts is how many addresses are told apart.
const maxHosts = 1 << 12

func (m *llamaCPP) host(name string) uint16 {
	for i, h := range m.log.Hosts {
		if h == name || i == maxHosts {
			return uint16(i)
		}
	}
	m.log.Hosts = append(m.log.Hosts, name)
	return uint16(len(m.log.Hosts) - 1)
}

func llamaPath(path string) capture.Path {
	switch path {
	case "/completion", "/completions":
		return capture.PathGenerate
	case "/v1/completions":
		return capture.PathCompletions
	case "/chat/completions", "/v1/chat/completions":
		return capture.PathChat
	case "/v1/models", "/models":
		return capture.PathModels
	case "/props":
		return capture.PathServerInfo
	case "/metrics":
		return capture.PathMetrics
	case "/health", "/v1/health":
		return capture.PathHealth
	case "/tokenize":
		return capture.PathTokenize
	}
	return capture.PathOther
}
