package command

import (
	"path"
	"strings"

	"coldcase/ingest/capture"
)

// program is what a statement runs, and the words behind its name.
type program struct {
	kind   capture.CommandKind
	client string // of a client, as in Result.Client
	engine string // of a server
	args   []string
	env    []string // NAME=value words in front
}

// modules are the Python modules that are clients or servers.
var modules = map[string]program{
	"sglang.bench_serving":               {kind: capture.CommandClient, client: "sglang.bench_serving"},
	"sglang.benchmark.serving":           {kind: capture.CommandClient, client: "sglang.bench_serving"},
	"sglang.benchmark.rust_client":       {kind: capture.CommandClient, client: "sglang.rust"},
	"sglang.launch_server":               {kind: capture.CommandServer, engine: "sglang"},
	"vllm.entrypoints.openai.api_server": {kind: capture.CommandServer, engine: "vllm"},
	"vllm.entrypoints.api_server":        {kind: capture.CommandServer, engine: "vllm"},
}

// scripts are programs by the name of their file.
var scripts = map[string]program{
	"bench_serving.py":         {kind: capture.CommandClient, client: "sglang.bench_serving"},
	"benchmark_serving.py":     {kind: capture.CommandClient, client: "vllm bench serve"},
	"inference-perf":           {kind: capture.CommandClient, client: "inference-perf"},
	"token_benchmark_ray.py":   {kind: capture.CommandClient, client: "llmperf"},
	"vllm-bench":               {kind: capture.CommandClient, client: "vllm-bench"},
	"llama-server":             {kind: capture.CommandServer, engine: "llama.cpp"},
	"trtllm-serve":             {kind: capture.CommandServer, engine: "trt-llm"},
	"text-generation-launcher": {kind: capture.CommandServer, engine: "tgi"},
}

// subcommands are programs by their name and the words behind it.
var subcommands = []struct {
	words []string
	program
}{
	{[]string{"vllm", "bench", "serve"}, program{kind: capture.CommandClient, client: "vllm bench serve"}},
	{[]string{"vllm", "serve"}, program{kind: capture.CommandServer, engine: "vllm"}},
	{[]string{"sglang", "serve"}, program{kind: capture.CommandServer, engine: "sglang"}},
	{[]string{"guidellm", "run"}, program{kind: capture.CommandClient, client: "guidellm"}},
	{[]string{"guidellm", "benchmark", "run"}, program{kind: capture.CommandClient, client: "guidellm"}},
	{[]string{"guidellm", "benchmark"}, program{kind: capture.CommandClient, client: "guidellm"}},
	{[]string{"aiperf", "profile"}, program{kind: capture.CommandClient, client: "aiperf"}},
	{[]string{"genai-perf", "profile"}, program{kind: capture.CommandClient, client: "genai-perf"}},
	{[]string{"genai-bench", "benchmark"}, program{kind: capture.CommandClient, client: "genai-bench"}},
	{[]string{"evalscope", "perf"}, program{kind: capture.CommandClient, client: "evalscope"}},
}

// onlyNames are programs whose arguments may name another without running it.
var onlyNames = map[string]bool{
	"echo": true, "printf": true, "pkill": true, "pgrep": true, "grep": true, "git": true, "pip": true, "which": true, "ps": true,
	"export": true, "alias": true, "cat": true, "sed": true, "awk": true, "man": true,
}

// recognise finds the program among the words of a statement. Wrappers in
// front (env, time, docker run, srun, a virtual environment) need no list: the
// first words that name a known program count.
func recognise(words []string) program {
	if len(words) > 0 && onlyNames[path.Base(words[0])] {
		return program{}
	}
	for i, w := range words {
		p, n := programAt(words[i:])
		if p.kind == "" {
			if i > 0 && strings.ContainsAny(w, " \n") {
				// A whole command in one word: bash -c '...'.
				for _, s := range split([]byte(w)) {
					if inner := recognise(s.words); inner.kind != "" {
						return inner
					}
				}
			}
			continue
		}
		p.args = words[i+n:]
		for _, e := range words[:i] {
			if isAssignment(e) {
				p.env = append(p.env, e)
			}
		}
		if p.client == "sglang.bench_serving" && contains(p.args, "--rust-client") {
			p.client = "sglang.rust"
		}
		return p
	}
	return program{}
}

// programAt tells whether the words start with a known program, and how many
// of them name it.
func programAt(words []string) (p program, n int) {
	name := path.Base(words[0])
	if words[0] == "-m" && len(words) > 1 {
		if p, ok := modules[words[1]]; ok {
			return p, 2
		}
	}
	if p, ok := scripts[name]; ok {
		return p, 1
	}
	if strings.HasPrefix(words[0], "vllm/vllm-openai") { // the image starts the server
		return program{kind: capture.CommandServer, engine: "vllm"}, 1
	}
	for _, s := range subcommands {
		if name == s.words[0] && len(words) >= len(s.words) && equal(words[1:len(s.words)], s.words[1:]) {
			return s.program, len(s.words)
		}
	}
	if name == "curl" || name == "wget" || name == "http" || name == "xh" {
		return requestOf(words), 1
	}
	return program{}, 0
}

// requestOf tells what a command line HTTP client asks of a server.
func requestOf(words []string) program {
	for _, w := range words[1:] {
		_, p := splitURL(w)
		switch p {
		case "/flush_cache", "/reset_prefix_cache", "/clear_kv_blocks":
			return program{kind: capture.CommandFlush}
		case "/metrics":
			return program{kind: capture.CommandScrape}
		}
	}
	return program{}
}

// splitURL gives the host:port and the path of a URL, with or without its
// scheme; the host is empty if a variable stands for it.
func splitURL(s string) (host, path string) {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	i := strings.IndexByte(s, '/')
	if i < 0 {
		return "", ""
	}
	host, path = s[:i], s[i:]
	if j := strings.IndexAny(path, "?#"); j >= 0 {
		path = path[:j]
	}
	if strings.ContainsAny(host, "$` ") {
		host = ""
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return host, path
}

// isAssignment tells NAME=value words.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}
