package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coldcase/analysis/confirm"
	"coldcase/ingest/plan"
	"coldcase/samples/lab"
)

// testServer is a lab in the test process.
type testServer struct {
	t     *testing.T
	url   string
	truth *buffer
	stop  func()
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *buffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *buffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func startLab(t *testing.T, cfg lab.Config) *testServer {
	t.Helper()
	return startLabAt(t, cfg, "127.0.0.1:0")
}

func startLabAt(t *testing.T, cfg lab.Config, addr string) *testServer {
	t.Helper()
	ts := &testServer{t: t, truth: &buffer{}}
	cfg.Truth = ts.truth
	if cfg.Speed == 0 {
		cfg.Speed = 5000
	}
	s, err := lab.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Serve(ctx, l); close(done) }()
	ts.url = "http://" + l.Addr().String()
	ts.stop = func() { cancel(); <-done }
	t.Cleanup(ts.stop)
	return ts
}

// warmPrompts counts, per cell, the measured prompts that were cached by
// anything but the cell itself: the lab's own truth.
func (ts *testServer) warmPrompts() map[string]int {
	ts.t.Helper()
	cells := map[int64]string{}
	warm := map[string]int{}
	sc := bufio.NewScanner(strings.NewReader(ts.truth.String()))
	for sc.Scan() {
		var v lab.Truth
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			ts.t.Fatal(err)
		}
		if v.Event != "request" {
			continue
		}
		if v.Role == "measured" {
			cells[v.Seq] = v.Cell
			if v.CachedTokens >= 16 && cells[v.LeftBy] != v.Cell {
				warm[v.Cell]++
			}
		}
	}
	return warm
}

// quick are options with short waits.
func quick(t *testing.T, ts *testServer, plan *plan.Plan) Options {
	t.Helper()
	return Options{
		Server: ts.url, Out: filepath.Join(t.TempDir(), "sweep"), Yes: true, Plan: plan, ClientWarmups: -1,
		IdleWait: 600 * time.Millisecond, IdleHold: 8 * time.Millisecond, FlushWait: 120 * time.Millisecond, Poll: 4 * time.Millisecond,
	}
}

// smallPlan has two caps, two seeds and a repeat arm.
func smallPlan(t *testing.T) *plan.Plan {
	t.Helper()
	p, err := confirm.NewPlan(confirm.Options{Caps: []int{2, 4}, Prompts: []int{8, 12}, Seeds: []int64{1, 2}, InputLen: 64, OutputLen: 4, RangeRatio: 1, RepeatArm: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sweep(t *testing.T, o Options) (*Summary, error) {
	t.Helper()
	var log buffer
	err := Run(context.Background(), o, &log)
	sum, serr := Status(o.Out)
	if serr != nil {
		t.Fatalf("status: %v; run: %v\n%s", serr, err, log.String())
	}
	if t.Failed() || testing.Verbose() {
		t.Logf("%v\n%s", err, log.String())
	}
	return sum, err
}

func docOf(t *testing.T, o Options, id string) *cellDoc {
	t.Helper()
	doc := readCell(filepath.Join(o.Out, cellsDir, id))
	if doc == nil {
		t.Fatalf("no cell.json for %s", id)
	}
	return doc
}

func readRecord(t *testing.T, o Options, id string) *clientRecord {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(o.Out, cellsDir, id, resultFile))
	if err != nil {
		t.Fatal(err)
	}
	var r clientRecord
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

var engines = []lab.Engine{lab.SGLang, lab.VLLM}

// TestSweep: on a server that behaves, every fresh cell is done, proved, and
// cold by the lab's truth, and every repeat cell is warm.
func TestSweep(t *testing.T) {
	for _, e := range engines {
		for _, page := range []int{1, 16, 32} {
			if e == lab.VLLM && page == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s-page%d", e, page), func(t *testing.T) {
				t.Parallel()
				ts := startLab(t, lab.Config{Engine: e, PageSize: page})
				o := quick(t, ts, smallPlan(t))
				sum, err := sweep(t, o)
				if err != nil || !sum.Complete() {
					t.Fatalf("%v: %v", err, sum)
				}
				warm := ts.warmPrompts()
				for _, c := range o.Plan.Cells {
					doc, rec := docOf(t, o, c.ID), readRecord(t, o, c.ID)
					if rec.Completed != c.Prompts || len(rec.CachedTokens) != c.Prompts || rec.Seed != c.Seed || rec.Client != "coldcase" {
						t.Errorf("%s: record: %d completed, %d cached, seed %d, client %q", c.ID, rec.Completed, len(rec.CachedTokens), rec.Seed, rec.Client)
					}
					if *doc.RequestsSent != c.Prompts || *doc.RequestsSeen != c.Prompts {
						t.Errorf("%s: sent %d, seen %d, want %d", c.ID, *doc.RequestsSent, *doc.RequestsSeen, c.Prompts)
					}
					hits := 0
					for _, n := range rec.CachedTokens {
						if *n > 0 {
							hits++
						}
					}
					if c.Arm == plan.Repeat {
						if warm[c.ID] != c.Prompts || hits != c.Prompts {
							t.Errorf("%s: %d warm by the truth, %d by the record, want %d", c.ID, warm[c.ID], hits, c.Prompts)
						}
						continue
					}
					if !doc.Flush.Proved || *doc.Flush.Canary.Before < 16 || *doc.Flush.Canary.After != 0 {
						t.Errorf("%s: flush %+v", c.ID, doc.Flush)
					}
					if warm[c.ID] != 0 || hits != 0 {
						t.Errorf("%s: %d warm by the truth, %d by the record, want 0", c.ID, warm[c.ID], hits)
					}
				}
			})
		}
	}
}

// TestFaults: for each fault and engine, no fresh cell is done whose prompts
// were warm, and a fault that makes the start or the run doubtful leaves no
// cell done.
func TestFaults(t *testing.T) {
	// wantDone: "all" cells, "none" of the fresh ones, or "any".
	tests := []struct {
		fault    string
		wantDone string
		why      string // in the reason of a cell that is not done
	}{
		{"refuse-flush", "none", "refused to flush"},
		{"flush-lies", "none", "the cache was not emptied"},
		{"slow-idle", "all", ""},
		{"drop", "none", "did not complete"},
		{"errors", "none", ""},
		{"die", "any", ""},
		{"evict", "any", ""},
		{"traffic", "none", ""},
		{"no-report", "none", "the cache is off, evicts at once, or is not reported"},
		{"ranks", "none", "the cache was not emptied"},
	}
	if len(tests) != len(lab.FaultNames()) {
		t.Fatalf("%d faults tested, the lab has %d", len(tests), len(lab.FaultNames()))
	}
	for _, e := range engines {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s-%s", e, tt.fault), func(t *testing.T) {
				t.Parallel()
				cfg := lab.Config{Engine: e, PageSize: 16, Faults: []string{tt.fault}, DieAfter: 60}
				if tt.fault == "slow-idle" {
					cfg.Speed = 50 // busy for 40 ms after each answer
				}
				if tt.fault == "traffic" {
					cfg.Speed = 200
				}
				ts := startLab(t, cfg)
				o := quick(t, ts, smallPlan(t))
				sum, err := sweep(t, o)
				warm := ts.warmPrompts()
				fresh := 0
				for i, c := range sum.Cells {
					if o.Plan.Cells[i].Arm != plan.Fresh {
						continue
					}
					if c.State == Done {
						fresh++
						if warm[c.ID] > 0 {
							t.Errorf("%s is done, and %d of its prompts were warm", c.ID, warm[c.ID])
						}
						if !docOf(t, o, c.ID).Flush.Proved {
							t.Errorf("%s is done without a proof", c.ID)
						}
					} else if c.State != left && c.Why == "" {
						t.Errorf("%s is %s without a reason", c.ID, c.State)
					}
				}
				switch {
				case tt.wantDone == "all" && !sum.Complete():
					t.Errorf("want all cells done: %v: %v", sum, err)
				case tt.wantDone == "none" && fresh > 0:
					t.Errorf("want no fresh cell done: %v: %v", sum, err)
				case !sum.Complete() && !errors.Is(err, ErrNotDone):
					t.Errorf("%v, and the error is %v", sum, err)
				}
				if tt.why != "" && e == lab.SGLang && !strings.Contains(sum.Cells[0].Why, tt.why) {
					t.Errorf("first cell: %q, want it to say %q", sum.Cells[0].Why, tt.why)
				}
				t.Logf("%v", sum)
			})
		}
	}
}
