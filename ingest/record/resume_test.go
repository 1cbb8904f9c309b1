package record

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coldcase/analysis/confirm"
	"coldcase/ingest/plan"
	"coldcase/samples/lab"
)

// TestMain lets the test binary be the sweep that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("COLDCASE_TEST_SWEEP"); dir != "" {
		o := Options{
			Server: os.Getenv("COLDCASE_TEST_SERVER"), Out: dir, Yes: true, ClientWarmups: -1,
			IdleWait: 5 * time.Second, IdleHold: 5 * time.Millisecond, FlushWait: time.Second, Poll: 3 * time.Millisecond,
		}
		if p := os.Getenv("COLDCASE_TEST_PLAN"); p != "" {
			b, err := os.ReadFile(p)
			if err != nil {
				panic(err)
			}
			if o.Plan, err = plan.Decode(b); err != nil {
				panic(err)
			}
		}
		if err := Run(context.Background(), o, os.Stderr); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// snapshot reads all files of the finished cells.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	cells, err := os.ReadDir(filepath.Join(dir, cellsDir))
	if err != nil {
		return files
	}
	for _, c := range cells {
		cell := filepath.Join(dir, cellsDir, c.Name())
		doc := readCell(cell)
		if doc == nil || doc.State != Done {
			continue
		}
		err := filepath.WalkDir(cell, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			files[path] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestKill: killed at random moments and started again, a sweep keeps every
// finished cell byte for byte, never holds a result without a cell.json that
// says what it is worth, and ends complete.
func TestKill(t *testing.T) {
	const kills = 20
	ts := startLab(t, lab.Config{Engine: lab.SGLang, PageSize: 16, Speed: 60})
	plan, err := confirm.NewPlan(confirm.Options{Caps: []int{2, 4}, Prompts: []int{8}, Seeds: []int64{1, 2, 3, 4}, InputLen: 64, OutputLen: 4, RangeRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	planPath, out := filepath.Join(dir, "plan.json"), filepath.Join(dir, "sweep")
	b, err := plan.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(planPath, b, 0o644); err != nil {
		t.Fatal(err)
	}
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "COLDCASE_TEST_SWEEP="+out, "COLDCASE_TEST_SERVER="+ts.url, "COLDCASE_TEST_PLAN="+planPath)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	finished := map[string]string{}
	for range kills {
		cmd := start()
		time.Sleep(20*time.Millisecond + time.Duration(rand.IntN(160))*time.Millisecond)
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		cmd.Wait()
		now := snapshot(t, out)
		for path, text := range finished {
			if now[path] != text {
				t.Fatalf("%s of a finished cell has changed", path)
			}
		}
		finished = now
		checkNoOrphans(t, out)
	}
	if err := start().Wait(); err != nil {
		t.Errorf("the last run ended with %v", err)
	}
	sum, err := Status(out)
	if err != nil || !sum.Complete() {
		t.Fatalf("%v %v", sum, err)
	}
	for id, n := range ts.warmPrompts() {
		t.Errorf("%s: %d prompts warm", id, n)
	}
}

// checkNoOrphans makes sure that each result belongs to a cell that says what
// it is worth.
func checkNoOrphans(t *testing.T, dir string) {
	t.Helper()
	results, err := filepath.Glob(filepath.Join(dir, cellsDir, "*", resultFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if readCell(filepath.Dir(r)) == nil {
			t.Errorf("%s stands without a whole %s", r, cellFile)
		}
	}
}

// TestInterrupt: the first way to stop ends after the cell, the second at
// once; running again does what is left.
func TestInterrupt(t *testing.T) {
	ts := startLab(t, lab.Config{Engine: lab.VLLM, PageSize: 16})
	o := quick(t, ts, smallPlan(t))
	stop := make(chan struct{})
	o.Stop = stop
	w := &trigger{on: "started", do: func() { close(stop) }}
	if err := Run(context.Background(), o, w); !errors.Is(err, ErrNotDone) {
		t.Errorf("stopped after a cell: %v", err)
	}
	sum, err := Status(o.Out)
	if err != nil || sum.Done != 1 || sum.Left != len(sum.Cells)-1 {
		t.Fatalf("after the first stop: %v %v", sum, err)
	}

	o.Stop = nil
	ctx, cancel := context.WithCancel(context.Background())
	if err := Run(ctx, o, &trigger{on: "started", do: cancel}); !errors.Is(err, ErrNotDone) {
		t.Errorf("ended at once: %v", err)
	}
	if sum, err = Status(o.Out); err != nil || sum.Done != 1 || sum.Aborted != 1 {
		t.Fatalf("after the second: %v %v", sum, err)
	}

	o.Plan = nil // the record has it
	if sum, err = sweep(t, o); err != nil || !sum.Complete() {
		t.Fatalf("resumed: %v %v", sum, err)
	}
	doc := docOf(t, o, sum.Cells[1].ID)
	if len(doc.Earlier) != 1 || doc.Earlier[0].State != Aborted {
		t.Errorf("earlier attempts of the aborted cell: %+v", doc.Earlier)
	}
}

// trigger calls do when a text is written for the first time.
type trigger struct {
	on   string
	do   func()
	done bool
}

func (w *trigger) Write(p []byte) (int, error) {
	if !w.done && strings.Contains(string(p), w.on) {
		w.done = true
		w.do()
	}
	return len(p), nil
}

// TestRegisteredPlanIsKept: a record takes no other plan, client or server.
func TestRegisteredPlanIsKept(t *testing.T) {
	ts := startLab(t, lab.Config{Engine: lab.SGLang})
	o := quick(t, ts, smallPlan(t))
	o.MaxMinutes = 1e-9 // registers, and starts nothing
	if err := Run(context.Background(), o, io.Discard); !errors.Is(err, ErrNotDone) {
		t.Fatal(err)
	}
	other := smallPlan(t)
	other.Cells = other.Cells[:2]
	for name, change := range map[string]func(*Options){
		"--plan":   func(o *Options) { o.Plan = other },
		"--client": func(o *Options) { o.Client = clientSGLang },
		"--server": func(o *Options) { o.Server = "http://127.0.0.1:1" },
		"--yes":    func(o *Options) { o.Yes = false },
		"--out":    func(o *Options) { o.Out = t.TempDir(); os.WriteFile(filepath.Join(o.Out, "x"), nil, 0o644) },
	} {
		changed := o
		change(&changed)
		if err := Run(context.Background(), changed, io.Discard); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want a usage error that names it", name, err)
		}
	}
}

// TestRestartCommand: vLLM without its development endpoints stops with a
// clear line, and with --restart-cmd a restart takes the place of the flush.
func TestRestartCommand(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cfg := lab.Config{Engine: lab.VLLM, PageSize: 16, NoReset: true}
	ts := startLabAt(t, cfg, addr)
	o := quick(t, ts, smallPlan(t))
	sum, err := sweep(t, o)
	if sum.Refused != 1 || sum.Left != len(sum.Cells)-1 || err == nil || !strings.Contains(err.Error(), "VLLM_SERVER_DEV_MODE=1") {
		t.Fatalf("without --restart-cmd: %v %v", sum, err)
	}
	// The command asks this process to restart the lab: it makes a file, and
	// waits until it is gone.
	flag := filepath.Join(t.TempDir(), "restart")
	o.RestartCmd = "touch " + quote(flag) + "; while test -e " + quote(flag) + "; do sleep 0.01; done"
	current := ts
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
			if _, err := os.Stat(flag); err == nil {
				current.stop()
				current = startLabAt(t, cfg, addr)
				os.Remove(flag)
			}
		}
	}()
	o.Plan.Cells = o.Plan.Cells[:1]
	o.Out = filepath.Join(t.TempDir(), "sweep")
	sum, err = sweep(t, o)
	close(done)
	<-finished
	if err != nil || !sum.Complete() {
		t.Fatalf("with --restart-cmd: %v %v", sum, err)
	}
	doc := docOf(t, o, sum.Cells[0].ID)
	if !doc.Flush.Proved || *doc.Flush.Canary.After != 0 {
		t.Errorf("flush: %+v", doc.Flush)
	}
}

// TestOnly: a sweep can be run cell by cell into one folder or into several;
// what was not asked for is left and does not make it fail.
func TestOnly(t *testing.T) {
	ts := startLab(t, lab.Config{})
	p := smallPlan(t)
	o := quick(t, ts, p)
	o.Only = []string{p.Cells[1].ID}
	sum, err := sweep(t, o)
	if err != nil || sum.Done != 1 || sum.Cells[1].State != Done || sum.Left != len(p.Cells)-1 {
		t.Fatalf("%v: %s", err, sum)
	}
	o.Only = []string{"nosuch"}
	if _, err := sweep(t, o); !errors.Is(err, ErrUsage) {
		t.Errorf("an unknown cell: %v", err)
	}
	o.Only = nil
	if sum, err := sweep(t, o); err != nil || !sum.Complete() {
		t.Errorf("the rest: %v: %s", err, sum)
	}
}
