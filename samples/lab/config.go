package lab

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Engine is the server that the lab imitates.
type Engine string

// The engines.
const (
	SGLang Engine = "sglang"
	VLLM   Engine = "vllm"
)

// Versions that the lab imitates and reports.
const (
	sglangVersion = "0.5.22"
	vllmVersion   = "0.32.0"
)

// Config is everything that decides how the server behaves. The zero value is
// an SGLang server of page size 1 in real time.
type Config struct {
	Listen      string
	Engine      Engine
	Model       string  // the name under which the model is served
	PageSize    int     // tokens per page (SGLang) or block (vLLM); 0 = 1 or 16
	PoolTokens  int     // KV pool, tokens
	PrefillRate float64 // new prompt tokens per second
	DecodeMS    float64 // one decode step, ms, whatever the batch
	Speed       float64 // simulated seconds per real second
	ChunkTokens int     // most new tokens in one step
	MaxRunning  int     // most requests decoding at once
	Ranks       int     // data-parallel ranks, each with a cache of its own
	APIKey      string  // required as a bearer token if not empty

	// NoReset answers 404 to a flush or reset: vLLM without its development
	// endpoints.
	NoReset bool
	// NoCache turns the prefix cache off.
	NoCache bool

	LogPath   string // the server log; truth.jsonl is written beside it
	TruthPath string

	// TokenizerDir is a folder to write a tokenizer into, see WriteTokenizer.
	TokenizerDir string

	Faults []string

	DieAfter int // fault die: generation requests served before the end

	// Start fixes the time of the first log line. Then stamps advance with
	// simulated work only, and a serial client gets the same bytes each time.
	Start time.Time

	// Log and Truth replace the files, for tests.
	Log   io.Writer
	Truth io.Writer
}

// Flags registers the flags of `coldcase lab` and returns the configuration
// that they fill.
func Flags(f *pflag.FlagSet) *Config {
	c := &Config{}
	f.StringVar(&c.Listen, "listen", "127.0.0.1:0", "address to listen on")
	f.StringVar((*string)(&c.Engine), "engine", string(SGLang), "engine to imitate: sglang or vllm")
	f.StringVar(&c.Model, "model", "lab/tiny", "name of the served model")
	f.IntVar(&c.PageSize, "page-size", 0, "tokens per page (sglang, default 1) or block (vllm, default 16)")
	f.IntVar(&c.PoolTokens, "pool-tokens", 400_000, "size of the KV pool in tokens")
	f.Float64Var(&c.PrefillRate, "prefill-rate", 8000, "prefill speed in tokens per second")
	f.Float64Var(&c.DecodeMS, "decode-ms", 8, "time of one decode step in ms")
	f.Float64Var(&c.Speed, "speed", 1, "simulated seconds per real second")
	f.IntVar(&c.ChunkTokens, "chunk-tokens", 8192, "most new tokens in one prefill step")
	f.IntVar(&c.MaxRunning, "max-running", 256, "most requests that decode at once")
	f.BoolVar(&c.NoReset, "no-reset", false, "answer 404 to a flush or reset, as vLLM without its development endpoints")
	f.BoolVar(&c.NoCache, "no-cache", false, "turn the prefix cache off")
	f.StringVar(&c.LogPath, "log", "", "file for the server log; truth.jsonl is written beside it")
	f.StringVar(&c.TruthPath, "truth", "", "file for what really happened, one request a line")
	f.StringVar(&c.TokenizerDir, "tokenizer", "", "folder to write a tokenizer into, for clients that send text: its tokens are the lab's words")
	f.IntVar(&c.DieAfter, "die-after", 40, "with --fault die: requests served before the server ends")
	f.StringArrayVar(&c.Faults, "fault", nil, "misbehave (may be given several times):\n"+FaultHelp())
	return c
}

// withDefaults fills what was left zero and checks the rest.
func (c Config) withDefaults() (Config, error) {
	if c.Engine == "" {
		c.Engine = SGLang
	}
	if c.Engine != SGLang && c.Engine != VLLM {
		return c, fmt.Errorf("--engine %q: want sglang or vllm", c.Engine)
	}
	setInt := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	if c.Engine == VLLM {
		setInt(&c.PageSize, 16)
	}
	setInt(&c.PageSize, 1)
	setInt(&c.PoolTokens, 400_000)
	setInt(&c.ChunkTokens, 8192)
	setInt(&c.MaxRunning, 256)
	setInt(&c.Ranks, 1)
	setInt(&c.DieAfter, 40)
	if c.PrefillRate == 0 {
		c.PrefillRate = 8000
	}
	if c.DecodeMS == 0 {
		c.DecodeMS = 8
	}
	if c.Speed == 0 {
		c.Speed = 1
	}
	if c.Model == "" {
		c.Model = "lab/tiny"
	}
	for _, name := range c.Faults {
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.name == name }) {
			return c, fmt.Errorf("--fault %q: want one of %s", name, strings.Join(FaultNames(), ", "))
		}
	}
	if c.has(faultRanks) {
		c.Ranks = max(c.Ranks, 2)
	}
	if c.PageSize < 1 || c.PoolTokens < c.PageSize || c.ChunkTokens < 1 || c.MaxRunning < 1 || c.Ranks < 1 {
		return c, errors.New("--page-size, --pool-tokens, --chunk-tokens and --max-running must be at least 1, and the pool must hold a page")
	}
	c.ChunkTokens = max(c.ChunkTokens, c.PageSize) // a step must be able to hold a page
	if c.PrefillRate <= 0 || c.DecodeMS < 0 || c.Speed <= 0 {
		return c, errors.New("--prefill-rate and --speed must be above 0, and --decode-ms not below 0")
	}
	return c, nil
}

func (c *Config) has(name string) bool { return slices.Contains(c.Faults, name) }
