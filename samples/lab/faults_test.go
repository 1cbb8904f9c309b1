package lab

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestFaults: each fault shows what it says, and the truth shows what it did.
func TestFaults(t *testing.T) {
	p := ids(1000, 128)
	flush := func(b *bench, e Engine) (int, string) {
		if e == VLLM {
			return b.do("POST", "/reset_prefix_cache", "")
		}
		return b.do("POST", "/flush_cache", "")
	}
	said := func(e Engine, status int, body string) bool {
		return status == 200 && (e == SGLang || strings.Contains(body, "true"))
	}
	for _, e := range []Engine{SGLang, VLLM} {
		t.Run(string(e)+"/refuse-flush", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultRefuseFlush}})
			b.cached(e, p)
			if status, body := flush(b, e); said(e, status, body) {
				t.Errorf("flush answered %d %s", status, body)
			}
			if b.cached(e, p) == 0 {
				t.Error("the cache is gone")
			}
		})
		t.Run(string(e)+"/flush-lies", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultFlushLies}})
			b.cached(e, p)
			if status, body := flush(b, e); !said(e, status, body) {
				t.Errorf("flush answered %d %s", status, body)
			}
			if b.cached(e, p) == 0 {
				t.Error("the cache is gone")
			}
		})
		t.Run(string(e)+"/slow-idle", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultSlowIdle}, Speed: 20})
			b.cached(e, p)
			if status, body := flush(b, e); said(e, status, body) {
				t.Errorf("flush at once answered %d %s", status, body)
			}
			time.Sleep(120 * time.Millisecond)
			if status, body := flush(b, e); !said(e, status, body) {
				t.Errorf("flush after the wait answered %d %s", status, body)
			}
		})
		t.Run(string(e)+"/errors", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultErrors}})
			bad := 0
			for range faultEvery {
				if status, _ := b.do("POST", "/v1/completions", `{"prompt":"a b c","max_tokens":2}`); status == 500 {
					bad++
				}
			}
			if bad != 1 {
				t.Errorf("%d of %d requests failed, want 1", bad, faultEvery)
			}
		})
		t.Run(string(e)+"/drop", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultDrop}})
			cut := 0
			for range faultEvery {
				if _, body := b.do("POST", "/v1/completions", `{"prompt":"a b c","max_tokens":8,"stream":true}`); !strings.Contains(body, "[DONE]") {
					cut++
				}
			}
			if cut != 1 {
				t.Errorf("%d of %d streams were cut, want 1", cut, faultEvery)
			}
		})
		t.Run(string(e)+"/die", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultDie}, DieAfter: 3})
			for range 5 {
				b.do("POST", "/v1/completions", `{"prompt":"a b c","max_tokens":2}`)
			}
			if err := b.stop(); !errors.Is(err, ErrDied) {
				t.Errorf("Serve returned %v, want ErrDied", err)
			}
		})
		t.Run(string(e)+"/evict", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultEvict}})
			b.cached(e, p)
			if got := b.cached(e, p); got == 0 || got >= 96 {
				t.Errorf("%d cached, want about half", got)
			}
		})
		t.Run(string(e)+"/no-report", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultNoReport}})
			b.do("POST", "/v1/completions", `{"prompt":`+p+`,"max_tokens":2}`)
			_, body := b.do("POST", "/v1/completions", `{"prompt":`+p+`,"max_tokens":2}`)
			_, text := b.do("GET", "/metrics", "")
			for _, s := range []string{"cached_tokens\"", "cached_tokens_total", "prefix_cache_hits", "uncached_prompt", "kv_computed"} {
				if strings.Contains(body+text, s) {
					t.Errorf("%s is reported", s)
				}
			}
		})
		t.Run(string(e)+"/ranks", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultRanks}})
			for range 4 {
				b.cached(e, p) // two sends to each rank
			}
			if status, body := flush(b, e); !said(e, status, body) {
				t.Errorf("flush answered %d %s", status, body)
			}
			got := []int{b.cached(e, p), b.cached(e, p)}
			if got[0] != 0 || got[1] == 0 {
				t.Errorf("after the flush: %v cached, want rank 0 cold and rank 1 warm", got)
			}
		})
		t.Run(string(e)+"/traffic", func(t *testing.T) {
			b := start(t, Config{Engine: e, Faults: []string{faultTraffic}, Speed: 50})
			time.Sleep(60 * time.Millisecond)
			b.stop()
			n := 0
			for _, v := range b.truths() {
				if v.Role == roleForeign {
					n++
				}
			}
			if n == 0 {
				t.Error("no request of another client")
			}
		})
	}
}

// TestKey: a wrong key is told from a missing route.
func TestKey(t *testing.T) {
	b := start(t, Config{Engine: SGLang, APIKey: "k"})
	if status, _ := b.do("POST", "/flush_cache", ""); status != 401 {
		t.Errorf("flush without a key: %d, want 401", status)
	}
	if status, _ := b.do("GET", "/metrics", ""); status != 200 {
		t.Errorf("metrics without a key: %d, want 200", status)
	}
	b = start(t, Config{Engine: VLLM, NoReset: true})
	if status, _ := b.do("POST", "/reset_prefix_cache", ""); status != 404 {
		t.Errorf("reset without development endpoints: %d, want 404", status)
	}
}
