package lab

import (
	"fmt"
	"strings"
	"time"
)

// sglangLog writes the lines of SGLang v0.5.22: a stamp with a resolution of
// one second, rank parts only where there is more than one rank, a prefill
// line per batch once its result is there, a decode line every 40 steps.
type sglangLog struct {
	s *Server
	w logWriter
}

// decodeInterval is SGLang's default number of decode steps between two lines.
const decodeInterval = 40

func (l *sglangLog) line(rank int, format string, args ...any) {
	where := ""
	if rank >= 0 && len(l.s.ranks) > 1 {
		where = fmt.Sprintf(" DP%d", rank)
	}
	l.w.printf("[%s%s] "+format, append([]any{l.s.clock.Now().Format("2006-01-02 15:04:05"), where}, args...)...)
}

func (l *sglangLog) start() {
	c := &l.s.cfg
	args := []string{
		pair("model_path", c.Model), pair("tokenizer_path", c.Model), "'load_format': 'dummy'",
		fmt.Sprintf("'max_total_tokens': %d", c.PoolTokens),
		fmt.Sprintf("'chunked_prefill_size': %d", c.ChunkTokens),
		"'schedule_policy': 'fcfs'",
		fmt.Sprintf("'page_size': %d", c.PageSize),
		"'radix_eviction_policy': 'lru'",
		fmt.Sprintf("'disable_radix_cache': %s", pyBool(c.NoCache)),
		"'tp_size': 1, 'pp_size': 1", fmt.Sprintf("'dp_size': %d", len(l.s.ranks)),
		fmt.Sprintf("'random_seed': %d", l.s.randomSeed),
		pair("host", l.s.host), fmt.Sprintf("'port': %d", l.s.port),
		"'api_key': " + keyRepr(c.APIKey), pair("served_model_name", c.Model),
		fmt.Sprintf("'enable_cache_report': %s", pyBool(!c.has(faultNoReport))),
		"'enable_metrics': True", fmt.Sprintf("'decode_log_interval': %d", decodeInterval),
	}
	l.line(-1, "server_args={%s}", strings.Join(args, ", "))
	l.line(-1, "max_total_num_tokens=%d, chunked_prefill_size=%d, max_prefill_tokens=16384, max_running_requests=%d, context_len=%d, available_gpu_mem=10.00 GB",
		c.PoolTokens, c.ChunkTokens, c.MaxRunning, contextLen)
	l.line(-1, "Tree cache initialized: source=default impl=UnifiedRadixCache hybrid_swa=False hybrid_ssm=False hicache_attached=False")
	l.line(-1, "INFO:     Started server process [1]")
	l.line(-1, "INFO:     Waiting for application startup.")
	l.line(-1, "INFO:     Application startup complete.")
	l.line(-1, "INFO:     Uvicorn running on http://%s:%d (Press CTRL+C to quit)", l.s.host, l.s.port)
}

func (l *sglangLog) ready() { l.line(-1, "The server is fired up and ready to roll!") }

func (l *sglangLog) stop() {
	l.line(-1, "INFO:     Shutting down")
	l.line(-1, "INFO:     Application shutdown complete.")
}

func (l *sglangLog) access(host, method, uri string, status int) {
	l.line(-1, `INFO:     %s - "%s %s HTTP/1.1" %s`, host, method, uri, statusText(status))
}

func (l *sglangLog) prefill(r *rank, st *step, now time.Time) {
	since := 1.0
	if !r.lastPrefill.IsZero() {
		since = max(now.Sub(r.lastPrefill).Seconds(), 1e-6)
	}
	_, usage := r.usage()
	l.line(r.id, "Prefill batch, #new-seq: %d, #new-token: %d, #cached-token: %d, token usage: %.2f, #running-req: %d, #queue-req: %d, #pending-token: %d, cuda graph: False, input throughput (token/s): %.2f",
		st.newSeq, st.newTok, st.cached, usage, st.running, st.queued, st.pending, float64(st.newTok)/since)
}

func (l *sglangLog) decode(r *rank, _ *step, now time.Time) {
	if r.decodeSteps%decodeInterval != 0 {
		return
	}
	rate := 0.0
	if !r.lastDecode.IsZero() {
		rate = float64(r.decoded) / max(now.Sub(r.lastDecode).Seconds(), 1e-6)
	}
	r.lastDecode, r.decoded = now, 0
	tokens, usage := r.usage()
	l.line(r.id, "Decode batch, #running-req: %d, #token: %d, token usage: %.2f, cuda graph: True, gen throughput (token/s): %.2f, #queue-req: %d",
		len(r.running), tokens, usage, rate, len(r.queue))
}

func (l *sglangLog) flushAsked() {}

func (l *sglangLog) flushed(rank int) { l.line(rank, "Cache flushed successfully!") }

func (l *sglangLog) notFlushed(rank, running, waiting int) {
	l.line(rank, "Cache not flushed because there are pending requests. #queue-req: %d, #running-req: %d", waiting, running)
}

func pair(name, value string) string { return fmt.Sprintf("'%s': '%s'", name, value) }

func keyRepr(key string) string {
	if key == "" {
		return "None"
	}
	return "'***'"
}
