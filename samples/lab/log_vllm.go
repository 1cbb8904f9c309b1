package lab

import (
	"fmt"
	"sync"
	"time"
)

// vllmLog writes the lines of vLLM v0.32: a process tag and a stamp without a
// year on the engine's own lines, access lines without a stamp, and no line
// per batch. What it says about the cache is a rolling hit rate every ten
// seconds of work.
type vllmLog struct {
	s *Server
	w logWriter

	mu   sync.Mutex
	last time.Time
	seen []vllmSeen
}

// vllmSeen is what the last stats line of an engine already covered.
type vllmSeen struct{ prompt, generation int64 }

// statsInterval is the default period of vLLM's stats line.
const statsInterval = 10 * time.Second

const (
	apiTag = "(APIServer pid=101) "
)

func (l *vllmLog) line(tag, level, at, format string, args ...any) {
	l.w.printf("%s%s %s [%s] "+format, append([]any{tag, level, l.s.clock.Now().Format("01-02 15:04:05"), at}, args...)...)
}

func (l *vllmLog) engineTag(rank int) string {
	if len(l.s.ranks) > 1 {
		return fmt.Sprintf("(EngineCore_DP%d pid=%d) ", rank, 180+rank)
	}
	return "(EngineCore pid=180) "
}

func (l *vllmLog) start() {
	c := &l.s.cfg
	l.line(apiTag, "INFO", "api_utils.py:347", "  ▄▄ ▄█ █     █     █ ▀▄▀ █  version %s", vllmVersion)
	l.line(apiTag, "INFO", "api_utils.py:347", "   █▄█▀ █     █     █     █  model   %s", c.Model)
	l.line(apiTag, "INFO", "api_utils.py:286", "non-default args: {'model_tag': '%s', 'enable_prompt_tokens_details': %s, 'host': '%s', 'port': %d, 'model': '%s', 'block_size': %d, 'max_num_seqs': %d, 'data_parallel_size': %d}",
		c.Model, pyBool(!c.has(faultNoReport)), l.s.host, l.s.port, c.Model, c.PageSize, c.MaxRunning, len(l.s.ranks))
	for i := range l.s.ranks {
		tag := l.engineTag(i)
		l.line(tag, "INFO", "core.py:133", "Initializing a V1 LLM engine (v%s) with config: model='%s', speculative_config=None, tokenizer='%s', max_seq_len=%d, load_format=dummy, tensor_parallel_size=1, seed=0, served_model_name=%s, enable_prefix_caching=%s, enable_chunked_prefill=True",
			vllmVersion, c.Model, c.Model, contextLen, c.Model, pyBool(!c.NoCache))
		l.line(tag, "INFO", "kv_cache_utils.py:2327", "GPU KV cache size: %s tokens, Maximum concurrency for %s tokens per request: %.2fx",
			thousands(c.PoolTokens), thousands(contextLen), float64(c.PoolTokens)/contextLen)
	}
	l.line(apiTag, "INFO", "entry.py:140", "Starting vLLM server on http://%s:%d", l.s.host, l.s.port)
}

func (l *vllmLog) ready() {
	l.w.printf("INFO:     Started server process [101]")
	l.w.printf("INFO:     Waiting for application startup.")
	l.w.printf("INFO:     Application startup complete.")
}

func (l *vllmLog) stop() {
	l.w.printf("INFO:     Shutting down")
	l.w.printf("INFO:     Waiting for application shutdown.")
	l.w.printf("INFO:     Application shutdown complete.")
}

func (l *vllmLog) access(host, method, uri string, status int) {
	l.w.printf(`INFO:     %s - "%s %s HTTP/1.1" %s`, host, method, uri, statusText(status))
}

func (l *vllmLog) prefill(r *rank, _ *step, now time.Time) { l.stats(r, now) }

func (l *vllmLog) decode(r *rank, _ *step, now time.Time) { l.stats(r, now) }

// stats writes the periodic lines when their time has come. vLLM writes none
// at this level while it is idle.
func (l *vllmLog) stats(r *rank, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.IsZero() {
		l.last = l.s.started
		l.seen = make([]vllmSeen, len(l.s.ranks))
	}
	gap := now.Sub(l.last).Seconds()
	if gap < statsInterval.Seconds() {
		return
	}
	l.last = now
	rate, ok := l.s.counters.hitRate()
	hit := ""
	if ok && !l.s.cfg.has(faultNoReport) {
		hit = fmt.Sprintf(", Prefix cache hit rate: %.1f%%", rate*100)
	}
	_, usage := r.usage()
	l.s.counters.mu.Lock()
	t := &l.s.counters.ranks[r.id]
	prompt, generation := t.prefillCompute, t.outputTokens[0]+t.outputTokens[1]
	l.s.counters.mu.Unlock()
	seen := &l.seen[r.id]
	l.line(apiTag, "INFO", "loggers.py:335", "Engine %03d: Avg prompt throughput: %.1f tokens/s, Avg generation throughput: %.1f tokens/s, Running: %d reqs, Waiting: %d reqs, GPU KV cache usage: %.1f%%%s",
		r.id, float64(prompt-seen.prompt)/gap, float64(generation-seen.generation)/gap, len(r.running)+len(r.prefill), len(r.queue), usage*100, hit)
	seen.prompt, seen.generation = prompt, generation
}

func (l *vllmLog) flushAsked() {
	l.line(apiTag, "INFO", "api_router.py:39", "Resetting prefix cache...")
}

func (l *vllmLog) flushed(rank int) {
	l.line(l.engineTag(rank), "INFO", "block_pool.py:861", "Successfully reset prefix cache")
}

func (l *vllmLog) notFlushed(rank, running, waiting int) {
	l.line(l.engineTag(rank), "WARNING", "block_pool.py:839", "Failed to reset prefix cache because some blocks (%d) are not freed yet", max(running+waiting, 1))
}

// thousands prints n with commas, as vLLM does.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
