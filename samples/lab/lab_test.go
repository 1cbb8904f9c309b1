package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// bench is a lab in the test process with its log and its truth.
type bench struct {
	t          *testing.T
	url        string
	log, truth *syncBuffer
	stop       func() error
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func start(t *testing.T, cfg Config) *bench {
	t.Helper()
	b := &bench{t: t, log: &syncBuffer{}, truth: &syncBuffer{}}
	cfg.Log, cfg.Truth = b.log, b.truth
	if cfg.Speed == 0 {
		cfg.Speed = 2000
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	b.url = "http://" + l.Addr().String()
	var once sync.Once
	var result error
	b.stop = func() error {
		once.Do(func() { cancel(); result = <-done })
		return result
	}
	t.Cleanup(func() { b.stop() })
	return b
}

func (b *bench) do(method, path, body string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequest(method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err.Error()
	}
	return res.StatusCode, string(text)
}

// ids is a prompt of n tokens that starts at token first.
func ids(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(first + i)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// cached sends a prompt to the engine's own route and returns the cached
// tokens of the answer.
func (b *bench) cached(engine Engine, prompt string) int {
	b.t.Helper()
	if engine == VLLM {
		status, body := b.do("POST", "/v1/completions", `{"prompt":`+prompt+`,"max_tokens":4}`)
		var a struct {
			Usage struct {
				Details *struct {
					Cached int `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			} `json:"usage"`
		}
		if err := json.Unmarshal([]byte(body), &a); err != nil || status != 200 || a.Usage.Details == nil {
			b.t.Fatalf("completions: %d %s", status, body)
		}
		return a.Usage.Details.Cached
	}
	status, body := b.do("POST", "/generate", `{"input_ids":`+prompt+`,"sampling_params":{"max_new_tokens":4}}`)
	var a struct {
		Meta struct {
			Cached *int `json:"cached_tokens"`
		} `json:"meta_info"`
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil || status != 200 || a.Meta.Cached == nil {
		b.t.Fatalf("generate: %d %s", status, body)
	}
	return *a.Meta.Cached
}

func (b *bench) truths() (list []Truth) {
	sc := bufio.NewScanner(strings.NewReader(b.truth.String()))
	for sc.Scan() {
		var v Truth
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			b.t.Fatalf("truth: %v: %s", err, sc.Text())
		}
		list = append(list, v)
	}
	return list
}

// TestReuseRule: a repeated prompt of L tokens finds the most that each engine
// can reuse, and a flush takes it away.
func TestReuseRule(t *testing.T) {
	tests := []struct {
		engine     Engine
		page, n    int
		wantCached int
	}{
		{SGLang, 1, 512, 511},
		{SGLang, 16, 512, 496},
		{SGLang, 64, 500, 448},
		{SGLang, 32, 20, 0},
		{VLLM, 16, 512, 496},
		{VLLM, 16, 513, 512},
		{VLLM, 32, 128, 96},
		{VLLM, 16, 16, 0},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s-page%d-len%d", tt.engine, tt.page, tt.n), func(t *testing.T) {
			b := start(t, Config{Engine: tt.engine, PageSize: tt.page})
			p := ids(1000, tt.n)
			if got := b.cached(tt.engine, p); got != 0 {
				t.Errorf("first time: %d cached, want 0", got)
			}
			if got := b.cached(tt.engine, p); got != tt.wantCached {
				t.Errorf("second time: %d cached, want %d", got, tt.wantCached)
			}
			path := "/flush_cache"
			if tt.engine == VLLM {
				path = "/reset_prefix_cache"
			}
			if status, body := b.do("POST", path, ""); status != 200 {
				t.Fatalf("flush: %d %s", status, body)
			}
			if got := b.cached(tt.engine, p); got != 0 {
				t.Errorf("after the flush: %d cached, want 0", got)
			}
			b.stop()
			var epochs []int
			for _, v := range b.truths() {
				if v.Event == "request" && v.Role != roleServer {
					epochs = append(epochs, v.Epoch)
				}
			}
			if fmt.Sprint(epochs) != "[0 0 1]" {
				t.Errorf("epochs in the truth: %v", epochs)
			}
		})
	}
}

// TestSerialClientSameBytes: with a fixed start, two sessions of a serial
// client write the same log and the same truth.
func TestSerialClientSameBytes(t *testing.T) {
	for _, engine := range []Engine{SGLang, VLLM} {
		session := func() (string, string) {
			b := start(t, Config{Engine: engine, Start: time.Date(2026, 11, 17, 14, 0, 0, 0, time.UTC)})
			for i := range 6 {
				b.cached(engine, ids(1000+100*(i%4), 300))
			}
			b.do("GET", "/v1/models", "")
			b.stop()
			return strings.ReplaceAll(b.log.String(), b.url[strings.LastIndex(b.url, ":")+1:], "PORT"), b.truth.String()
		}
		log1, truth1 := session()
		log2, truth2 := session()
		if log1 != log2 {
			t.Errorf("%s: two logs differ:\n%s\n%s", engine, log1, log2)
		}
		if truth1 != truth2 {
			t.Errorf("%s: two truths differ", engine)
		}
		if !strings.Contains(log1, "/v1/models") {
			t.Errorf("%s: the log has no access line:\n%s", engine, log1)
		}
	}
}

// TestPoolEvicts: a pool that holds two prompts keeps the later ones.
func TestPoolEvicts(t *testing.T) {
	b := start(t, Config{Engine: SGLang, PoolTokens: 700})
	for _, first := range []int{1000, 2000, 3000} {
		b.cached(SGLang, ids(first, 300))
	}
	if got := b.cached(SGLang, ids(3000, 300)); got != 299 {
		t.Errorf("last prompt: %d cached, want 299", got)
	}
	if got := b.cached(SGLang, ids(1000, 300)); got >= 299 {
		t.Errorf("first prompt: %d cached, want it to be evicted at least in part", got)
	}
	if _, text := b.do("GET", "/metrics", ""); !strings.Contains(text, "sglang:evicted_tokens_total") {
		t.Error("metrics show no eviction")
	}
}

// TestChunkedPrefill: a prompt longer than a step takes several, whose lines
// count its tokens once.
func TestChunkedPrefill(t *testing.T) {
	b := start(t, Config{Engine: SGLang, ChunkTokens: 256})
	b.cached(SGLang, ids(1000, 600))
	b.stop()
	want := []string{"#new-token: 256, #cached-token: 0", "#new-token: 256, #cached-token: 0", "#new-token: 88, #cached-token: 0"}
	var got []string
	for _, line := range strings.Split(b.log.String(), "\n") {
		if strings.Contains(line, "Prefill batch") && !strings.Contains(line, "#new-token: 6,") {
			got = append(got, line)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("prefill lines:\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("line %d: %s, want %s", i, got[i], want[i])
		}
	}
	if !strings.Contains(got[0], "#pending-token: 344") || !strings.Contains(got[2], "#pending-token: 0") {
		t.Errorf("pending tokens: %s ... %s", got[0], got[2])
	}
}
