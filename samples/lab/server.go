package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ErrDied is what Serve returns when the fault die has ended the server.
var ErrDied = errors.New("the server ended itself (fault die)")

// contextLen is the longest prompt and answer, in tokens.
const contextLen = 40960

// Server is one simulated server.
type Server struct {
	cfg      Config
	ranks    []*rank
	counters *counters
	clock    *clock
	log      engineLog
	truth    truthWriter
	vocab    vocabulary

	host       string
	port       int
	started    time.Time
	randomSeed int

	seq     atomic.Int64 // generation requests
	next    atomic.Int64 // round robin over ranks
	peers   peerNames
	die     func()
	closers []io.Closer
}

// New builds a server. It opens the log and truth files if Config names any,
// and writes the tokenizer.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if cfg.TokenizerDir != "" {
		if err := WriteTokenizer(cfg.TokenizerDir); err != nil {
			return nil, err
		}
	}
	s := &Server{cfg: cfg, counters: newCounters(cfg.Ranks), clock: newClock(cfg.Speed, cfg.Start)}
	s.peers.fixed = !cfg.Start.IsZero()
	s.started = s.clock.Now()
	s.randomSeed = 100_000_000 + rand.IntN(800_000_000)
	if !cfg.Start.IsZero() {
		s.randomSeed = 100_000_000
	}
	logTo, err := s.output(cfg.Log, cfg.LogPath)
	if err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	truthPath := cfg.TruthPath
	if truthPath == "" && cfg.LogPath != "" {
		truthPath = filepath.Join(filepath.Dir(cfg.LogPath), "truth.jsonl")
	}
	truthTo, err := s.output(cfg.Truth, truthPath)
	if err != nil {
		return nil, fmt.Errorf("--truth: %w", err)
	}
	s.truth.w = truthTo
	if cfg.Engine == VLLM {
		s.log = &vllmLog{s: s, w: logWriter{w: logTo}}
	} else {
		s.log = &sglangLog{s: s, w: logWriter{w: logTo}}
	}
	for i := range cfg.Ranks {
		s.ranks = append(s.ranks, newRank(i, s))
	}
	return s, nil
}

// output chooses a writer: one that was given, a file, or nothing. Files are
// appended to, as a restarted server's log is.
func (s *Server) output(w io.Writer, path string) (io.Writer, error) {
	if w != nil {
		return w, nil
	}
	if path == "" {
		return io.Discard, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, f)
	return f, nil
}

// Serve answers on l until ctx ends. It returns nil then, and ErrDied if the
// server ended itself.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer func() {
		for _, c := range s.closers {
			c.Close()
		}
	}()
	if host, port, err := net.SplitHostPort(l.Addr().String()); err == nil {
		s.host = host
		s.port, _ = strconv.Atoi(port)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.die = func() { cancel(ErrDied) }
	var loops sync.WaitGroup
	for _, r := range s.ranks {
		loops.Go(r.loop)
	}
	s.log.start()
	s.warmUp()
	s.log.ready()
	if s.cfg.has(faultTraffic) {
		loops.Go(func() { s.traffic(ctx) })
	}
	srv := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	var err error
	select {
	case <-ctx.Done():
		if cause := context.Cause(ctx); errors.Is(cause, ErrDied) {
			err = ErrDied
		}
	case err = <-served:
	}
	for _, r := range s.ranks {
		r.close()
	}
	srv.Close()
	loops.Wait()
	if err == nil {
		s.log.stop()
	}
	return err
}

// warmUp is the request that SGLang sends to itself before it says that it is
// ready. vLLM sends none.
func (s *Server) warmUp() {
	if s.cfg.Engine != SGLang {
		return
	}
	self := fmt.Sprintf("%s:%d", s.host, 53742)
	s.log.access(self, "GET", "/model_info", http.StatusOK)
	for i := range s.ranks {
		q := newRequest(s.vocab.encode("The capital city of France is"), 8)
		q.role, q.rank, q.endpoint = roleServer, i, "/generate"
		q.seq = s.seq.Add(1)
		s.ranks[i].submit(q)
		q.wait()
	}
	s.log.access(self, "POST", "/generate", http.StatusOK)
}

// wait takes the events of a request until its end.
func (q *request) wait() (err string) {
	for e := range q.events {
		if e.done {
			return e.err
		}
	}
	return ""
}

// traffic is the fault of the same name: another client with prompts of its
// own.
func (s *Server) traffic(ctx context.Context) {
	rng := rand.New(rand.NewPCG(1, 2))
	period := max(s.clock.real(trafficPeriod), 5*time.Millisecond)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(period):
		}
		tokens := make([]int32, 64)
		for i := range tokens {
			tokens[i] = 90_000 + rng.Int32N(9000)
		}
		q := newRequest(tokens, 8)
		q.role, q.foreign, q.stream = roleForeign, true, true
		q.endpoint = s.generatePath()
		q.rank = int(s.next.Add(1)-1) % len(s.ranks)
		q.seq = s.seq.Add(1)
		s.log.access("10.0.0.7:40404", "POST", q.endpoint, http.StatusOK)
		s.ranks[q.rank].submit(q)
		q.wait()
	}
}

// trafficPeriod is the simulated time between two requests of the other
// client.
const trafficPeriod = 250 * time.Millisecond

func (s *Server) generatePath() string {
	if s.cfg.Engine == VLLM {
		return "/v1/completions"
	}
	return "/generate"
}

// stepTime is the simulated length of a forward pass.
func (s *Server) stepTime(st *step) time.Duration {
	t := seconds(float64(st.newTok) / s.cfg.PrefillRate)
	if len(st.decode) > 0 || len(st.parts) == 0 {
		t += seconds(s.cfg.DecodeMS / 1000)
	}
	return t
}

// flushAll asks every rank to flush. What is answered is rank 0's answer: the
// HTTP layers of SGLang v0.5.22 and vLLM v0.32 look at the first worker alone.
func (s *Server) flushAll() (ok bool) {
	s.log.flushAsked()
	answer := false
	for i, r := range s.ranks {
		lie := s.cfg.has(faultFlushLies)
		refuse := s.cfg.has(faultRefuseFlush) || (s.cfg.has(faultRanks) && i > 0)
		done, running, waiting := false, 0, 0
		if !refuse {
			done, running, waiting = r.flush(lie)
		}
		if done {
			s.counters.forgetWindow()
			s.log.flushed(i)
		} else {
			s.log.notFlushed(i, running, waiting)
		}
		if i == 0 {
			answer = done
		}
		r.mu.Lock()
		s.truth.write(Truth{Event: "flush", Rank: i, Epoch: r.epoch, Answered: fmt.Sprint(done), Emptied: done && !lie})
		r.mu.Unlock()
	}
	return answer
}

// Run parses nothing and serves until ctx ends: the body of `coldcase lab`. The
// first line on stdout is the address.
func Run(ctx context.Context, cfg *Config, stdout, stderr io.Writer) error {
	s, err := New(*cfg)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.cfg.Listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", s.cfg.Listen, err)
	}
	fmt.Fprintf(stdout, "listening on http://%s\n", l.Addr())
	err = s.Serve(ctx, l)
	if errors.Is(err, ErrDied) {
		fmt.Fprintf(stderr, "coldcase: lab: %v\n", err)
	}
	return err
}

// peerNames gives client addresses to the log: the real ones, or with a fixed
// start numbered ones, so that the bytes repeat.
type peerNames struct {
	fixed bool
	mu    sync.Mutex
	seen  map[string]string
}

func (p *peerNames) name(addr string) string {
	if !p.fixed {
		return addr
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[string]string{}
	}
	name, ok := p.seen[addr]
	if !ok {
		name = fmt.Sprintf("127.0.0.1:%d", 40_000+len(p.seen))
		p.seen[addr] = name
	}
	return name
}
