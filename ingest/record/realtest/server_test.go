//go:build realservers

package realtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// prefix is where setup.sh has put the servers.
func prefix() string {
	if p := os.Getenv("PREFIX"); p != "" {
		return p
	}
	return "/opt"
}

// server is a real engine in a process group of its own.
type server struct {
	t      *testing.T
	engine string
	args   []string
	env    []string
	port   string
	url    string
	log    string // all lives append to it
	cmd    *exec.Cmd
}

// startTime is the longest that a server may take: a minute on a quiet machine,
// many on one that does other work.
const startTime = 20 * time.Minute

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

func model() string { return filepath.Join(prefix(), "tiny", "tiny-llama") }

func startSGLang(t *testing.T, page int) *server {
	s := &server{t: t, engine: "sglang", port: freePort(t)}
	s.env = []string{"PYTHONPATH=" + filepath.Join(prefix(), "sglang", "stub"), "SGLANG_USE_CPU_ENGINE=1", "SGLANG_CPU_OMP_THREADS_BIND=1", "CUDA_VISIBLE_DEVICES=", "HF_HUB_OFFLINE=1"}
	s.args = []string{filepath.Join(prefix(), "sglang", "venv", "bin", "sglang"), "serve", "--model-path", model(), "--served-model-name", "tiny-llama",
		"--host", "127.0.0.1", "--port", s.port, "--device", "cpu", "--attention-backend", "torch_native", "--sampling-backend", "pytorch",
		"--grammar-backend", "none", "--load-format", "dummy", "--disable-overlap-schedule", "--enable-metrics", "--enable-cache-report",
		"--sleep-on-idle", "--page-size", fmt.Sprint(page), "--max-total-tokens", "65536", "--max-running-requests", "64", "--context-length", "2048"}
	return s.first()
}

func startVLLM(t *testing.T, devMode bool) *server {
	s := &server{t: t, engine: "vllm", port: freePort(t)}
	s.env = []string{"VLLM_CPU_KVCACHE_SPACE=1", "HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1"}
	if devMode {
		s.env = append(s.env, "VLLM_SERVER_DEV_MODE=1")
	}
	s.args = []string{filepath.Join(prefix(), "vllm", "venv", "bin", "vllm"), "serve", model(), "--served-model-name", "tiny-llama",
		"--host", "127.0.0.1", "--port", s.port, "--load-format", "dummy", "--dtype", "bfloat16", "--max-model-len", "2048", "--max-num-seqs", "64",
		"--block-size", "32", "--enforce-eager", "--enable-prompt-tokens-details"}
	return s.first()
}

func (s *server) first() *server {
	s.t.Helper()
	if _, err := os.Stat(s.args[0]); err != nil {
		s.t.Fatalf("%v: run `make real-servers` first", err)
	}
	s.url = "http://127.0.0.1:" + s.port
	s.log = filepath.Join(s.t.TempDir(), "server.log")
	s.start()
	s.t.Cleanup(s.stop)
	return s
}

// start starts a life and waits until it serves.
func (s *server) start() {
	s.t.Helper()
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Env = append(os.Environ(), s.env...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	began := time.Now()
	for time.Since(began) < startTime {
		if s.serves() {
			s.t.Logf("%s serves after %s", s.engine, time.Since(began).Round(time.Second))
			return
		}
		time.Sleep(time.Second)
	}
	text, _ := os.ReadFile(s.log)
	s.t.Fatalf("%s does not serve after %s:\n%s", s.engine, startTime, text[max(0, len(text)-3000):])
}

// serves reports whether a generation works: health answers come earlier.
func (s *server) serves() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/completions", strings.NewReader(`{"model":"tiny-llama","prompt":[7,8,9],"max_tokens":1}`))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && res.StatusCode == http.StatusOK
}

// stop ends the group: the engines have children.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM)
	done := make(chan struct{})
	go func() { s.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
	}
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-done
	s.cmd = nil
}

// metrics scrapes the server into a file.
func (s *server) metrics(file string) {
	s.t.Helper()
	time.Sleep(time.Second) // finished requests are published some moments later
	res, err := http.Get(s.url + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	writeFile(s.t, file, text)
}

// busy keeps long generations running until the returned function is called:
// another client.
func (s *server) busy() (release func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	for i := range 2 {
		go func() {
			defer func() { ended <- struct{}{} }()
			for ctx.Err() == nil {
				body := fmt.Sprintf(`{"model":"tiny-llama","prompt":[%d,8,9],"max_tokens":1500,"ignore_eos":true}`, 100+i)
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/completions", strings.NewReader(body))
				req.Header.Set("Content-Type", "application/json")
				if res, err := http.DefaultClient.Do(req); err == nil {
					io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			}
		}()
	}
	return func() {
		cancel()
		<-ended
		<-ended
	}
}

// after waits until the server has logged a request on a path since now.
func (s *server) after(path string) <-chan struct{} {
	info, err := os.Stat(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for range 600 {
			text, _ := os.ReadFile(s.log)
			if strings.Contains(string(text[min(info.Size(), int64(len(text))):]), "POST "+path) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return seen
}

func writeFile(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// endGroup ends a process group whose leader's id is in a file.
func endGroup(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && pid > 1 {
		syscall.Kill(-pid, syscall.SIGTERM)
		time.Sleep(5 * time.Second)
		syscall.Kill(-pid, syscall.SIGKILL)
	}
}
