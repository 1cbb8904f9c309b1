package record

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"coldcase/ingest/plan"
)

// command is an external client for one cell.
type command struct {
	args    []string // nil: line is for a shell
	line    string   // as a person would type it
	result  string   // file name of the result in the cell's folder
	warmups *int
}

// vllmResult is the result file of vLLM's client.
const vllmResult = "result.json"

// sglangCommand is `sglang.bench_serving` with the plan's arguments. Details
// and the cache report are asked for where the version has them (0.4.7 and
// 0.5.14).
func (s *session) sglangCommand(cell *plan.Cell) command {
	warmups := 1 // the client's default, since 0.4.5
	program := []string{orProgram(s.o.ClientProgram, "python3"), "-m", "sglang.bench_serving"}
	args := s.benchArgs(cell, program, "sglang", s.plan.Workload.Model)
	if w := s.plan.Workload.Warmups; w != nil {
		warmups = *w
		args = append(args, "--warmup-requests", strconv.Itoa(warmups))
	}
	args = append(args, "--output-file", resultFile)
	if s.e.name() != clientSGLang || versionAtLeast(s.facts.version, "0.4.7") {
		args = append(args, "--output-details")
	}
	if s.e.name() == clientSGLang && versionAtLeast(s.facts.version, "0.5.14") {
		args = append(args, "--cache-report")
	}
	return command{args: args, line: shellLine(args), result: resultFile, warmups: &warmups}
}

// vllmCommand is `vllm bench serve` with the plan's arguments.
func (s *session) vllmCommand(cell *plan.Cell) command {
	warmups := 0
	program := []string{orProgram(s.o.ClientProgram, "vllm"), "bench", "serve"}
	args := s.benchArgs(cell, program, "vllm", orProgram(s.plan.Workload.Model, s.facts.model))
	if w := s.plan.Workload.Warmups; w != nil && *w > 0 {
		warmups = *w
		args = append(args, "--num-warmups", strconv.Itoa(warmups))
	}
	args = append(args, "--save-result", "--save-detailed", "--result-dir", ".", "--result-filename", vllmResult)
	return command{args: args, line: shellLine(args), result: vllmResult, warmups: &warmups}
}

// benchArgs are the arguments that both engines' clients call by one name.
// What the plan leaves open is left to the client, but for the backend.
func (s *session) benchArgs(cell *plan.Cell, program []string, backend, model string) []string {
	w := &s.plan.Workload
	args := append(program, "--backend", orProgram(w.Backend, backend))
	args = append(args, s.address()...)
	args = optional(args, "--model", model)
	args = optional(args, "--tokenizer", w.Tokenizer)
	args = optional(args, "--dataset-name", w.Dataset)
	args = optional(args, "--dataset-path", w.DatasetPath)
	args = append(args, "--num-prompts", strconv.Itoa(cell.Prompts))
	args = optionalInt(args, "--random-input-len", w.InputLen)
	args = optionalInt(args, "--random-output-len", w.OutputLen)
	args = optionalFloat(args, "--random-range-ratio", w.RangeRatio)
	args = s.withRate(args)
	args = append(args, w.Arguments...)
	return append(args, "--seed", strconv.FormatInt(cell.Seed, 10), "--max-concurrency", strconv.Itoa(cell.Cap))
}

// templateCommand fills the placeholders of a command template; values are
// quoted for the shell that runs it.
func (s *session) templateCommand(cell *plan.Cell) command {
	u, _ := url.Parse(s.o.Server) // checked with the options
	const result = "result.json"
	line := strings.NewReplacer(
		"{server}", quote(s.o.Server), "{host}", quote(u.Hostname()), "{port}", quote(port(u)),
		"{model}", quote(orProgram(s.plan.Workload.Model, s.facts.model)),
		"{cap}", strconv.Itoa(cell.Cap), "{prompts}", strconv.Itoa(cell.Prompts), "{seed}", strconv.FormatInt(cell.Seed, 10),
		"{input_len}", strconv.Itoa(s.inputLen()), "{output_len}", strconv.Itoa(s.outputLen()),
		"{rate}", quote(fmt.Sprint(s.plan.Workload.RequestRate)), "{out}", result, "{dir}", ".",
	).Replace(s.plan.Client)
	c := command{line: line, result: result}
	if s.o.ClientWarmups >= 0 {
		c.warmups = &s.o.ClientWarmups
	}
	return c
}

// address are the flags that name the server. Both clients take host and port;
// a path or another scheme needs the base URL.
func (s *session) address() []string {
	u, _ := url.Parse(s.o.Server) // checked with the options
	if u.Scheme == "http" && (u.Path == "" || u.Path == "/") {
		return []string{"--host", u.Hostname(), "--port", port(u)}
	}
	return []string{"--base-url", s.o.Server}
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

func (s *session) withRate(args []string) []string {
	if v, ok := s.plan.Workload.RequestRate.(float64); ok {
		return append(args, "--request-rate", strconv.FormatFloat(v, 'g', -1, 64))
	}
	return args
}

func optional(args []string, flag, value string) []string {
	if value == "" {
		return args
	}
	return append(args, flag, value)
}

func optionalInt(args []string, flag string, value *int) []string {
	if value == nil {
		return args
	}
	return append(args, flag, strconv.Itoa(*value))
}

func optionalFloat(args []string, flag string, value *float64) []string {
	if value == nil {
		return args
	}
	return append(args, flag, strconv.FormatFloat(*value, 'f', -1, 64))
}

func orProgram(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// shellLine is a command as a person would type it.
func shellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quote(a)
	}
	return strings.Join(quoted, " ")
}

// quote quotes a word for a POSIX shell where it needs it.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// absolute makes a program path independent of the folder it is started in.
func absolute(program string) string {
	if !strings.ContainsRune(program, filepath.Separator) {
		return program
	}
	if abs, err := filepath.Abs(program); err == nil {
		return abs
	}
	return program
}
