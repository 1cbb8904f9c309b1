package record

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"coldcase/ingest/plan"
)

// Options say what to run against which server, and where to write.
type Options struct {
	Server string // URL
	Out    string // folder of the record
	Yes    bool   // the person agrees that caches are flushed
	Plan   *plan.Plan

	Engine        string // auto, sglang or vllm
	Client        string // "" = the plan's
	ClientProgram string // program of the engine's own client
	ClientWarmups int    // warm-up requests of a command template, -1 not known
	ServerLog     string
	RestartCmd    string
	APIKeyEnv     string
	AdminKeyEnv   string
	MaxMinutes    float64
	Only          []string // ids of the cells to run; empty = all
	// AsKit records the runs as a careless kit does: in the order of the caps,
	// with no flush and no proof. For teaching and for tests.
	AsKit bool

	IdleWait  time.Duration // longest wait for an idle server
	IdleHold  time.Duration // how long it must stay idle
	FlushWait time.Duration // how long refused flushes are tried again
	Poll      time.Duration // between two looks at the server

	// Stop, when closed, ends the sweep after the cell that is running.
	// Cancelling the context of Run ends it at once.
	Stop <-chan struct{}
	// Terminal draws one line that is rewritten, instead of plain lines.
	Terminal bool
}

// Flags registers the flags of `coldcase sweep run` that belong to this
// package. Those of the plan are confirm.Options, registered by the command.
func Flags(f *pflag.FlagSet) *Options {
	o := &Options{}
	f.StringVar(&o.Server, "server", "", "URL of the server")
	f.StringVar(&o.Out, "out", "", "folder of the record; one that holds a plan is resumed")
	f.BoolVar(&o.Yes, "yes", false, "agree that the sweep flushes the server's cache")
	f.StringVar(&o.Engine, "engine", "auto", "auto, sglang or vllm")
	f.StringVar(&o.Client, "client", "", "builtin, sglang, vllm, or a command template with {server} {host} {port} {model} {cap} {prompts} {seed} {input_len} {output_len} {rate} {out} {dir}")
	f.StringVar(&o.ClientProgram, "client-program", "", "program of the engine's own client (default python3 for sglang, vllm for vllm)")
	f.IntVar(&o.ClientWarmups, "client-warmups", -1, "warm-up requests that a command template sends; without it extra requests cannot be told from other traffic")
	f.StringVar(&o.ServerLog, "server-log", "", "log file of the server, to keep the slice of each cell")
	f.StringVar(&o.RestartCmd, "restart-cmd", "", "command that restarts the server, in place of a flush")
	f.StringVar(&o.APIKeyEnv, "api-key-env", "", "environment variable that holds the server's key")
	f.StringVar(&o.AdminKeyEnv, "admin-key-env", "", "environment variable that holds the key for the flush, if it is another")
	f.Float64Var(&o.MaxMinutes, "max-minutes", 0, "start no further cell after this time")
	f.StringSliceVar(&o.Only, "only", nil, "run these cells of the plan only, by `ID`; others are left")
	f.BoolVar(&o.AsKit, "as-kit", false, "for teaching: measure as a careless kit does, cap by cap, with no flush and no proof")
	f.DurationVar(&o.IdleWait, "idle-wait", time.Minute, "longest wait for an idle server")
	f.DurationVar(&o.IdleHold, "idle-hold", 1500*time.Millisecond, "how long the server must stay idle before a cell")
	f.DurationVar(&o.FlushWait, "flush-wait", time.Minute, "how long a refused flush is tried again")
	return o
}

// wants reports whether a cell is to be run.
func (o *Options) wants(id string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, id) }

func (o *Options) check() error {
	if o.Out == "" {
		return usage("--out: want a folder")
	}
	if !o.Yes && !o.AsKit {
		return usage("sweep run flushes the server's prefix cache: say --yes to agree")
	}
	u, err := url.Parse(o.Server)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return usage("--server %q: want a URL like http://127.0.0.1:30000", o.Server)
	}
	if u.User != nil {
		return usage("--server: a key does not belong into the URL; use --api-key-env")
	}
	o.Server = strings.TrimSuffix(o.Server, "/")
	switch o.Engine {
	case "", "auto", "sglang", "vllm":
	default:
		return usage("--engine %q: want auto, sglang or vllm", o.Engine)
	}
	for _, key := range []struct{ flag, name string }{{"--api-key-env", o.APIKeyEnv}, {"--admin-key-env", o.AdminKeyEnv}} {
		if key.name != "" && os.Getenv(key.name) == "" {
			return usage("%s: the environment has no variable %s", key.flag, key.name)
		}
	}
	if o.ServerLog != "" {
		f, err := os.Open(o.ServerLog)
		if err != nil {
			return usage("--server-log: %v", err)
		}
		f.Close()
	}
	setDuration := func(p *time.Duration, d time.Duration) {
		if *p == 0 {
			*p = d
		}
	}
	setDuration(&o.IdleWait, time.Minute)
	setDuration(&o.IdleHold, 1500*time.Millisecond)
	setDuration(&o.FlushWait, time.Minute)
	setDuration(&o.Poll, 250*time.Millisecond)
	return nil
}

// ErrUsage marks errors of the caller: exit code 2.
var ErrUsage = errors.New("usage")

// ErrNotDone is what Run returns if a cell was refused, failed or aborted, or
// is left: exit code 1.
var ErrNotDone = errors.New("not every cell is done")

type usageError struct{ text string }

func (e usageError) Error() string        { return e.text }
func (e usageError) Is(target error) bool { return target == ErrUsage }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// stopError ends the whole sweep: later cells would meet the same.
type stopError struct{ err error }

func (e stopError) Error() string { return e.err.Error() }
func (e stopError) Unwrap() error { return e.err }
