package record

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"coldcase/samples/lab"
)

// TestNothingToSweep: what cannot be swept stops with a line that says why, and
// no cell is done.
func TestNothingToSweep(t *testing.T) {
	t.Setenv("COLDCASE_TEST_WRONG_KEY", "wrong")
	t.Setenv("COLDCASE_TEST_KEY", "right")
	busy := func(t *testing.T, ts *testServer) {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		body := `{"input_ids":[1,2,3],"sampling_params":{"max_new_tokens":20000},"stream":true}`
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, ts.url+"/generate", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		go func() { io.Copy(io.Discard, res.Body); res.Body.Close() }()
	}
	tests := []struct {
		name   string
		cfg    lab.Config
		change func(*Options)
		before func(*testing.T, *testServer)
		want   string
	}{
		{name: "no answer", change: func(o *Options) { o.Server = "http://127.0.0.1:1" }, want: "does not answer"},
		{name: "wrong key", cfg: lab.Config{APIKey: "right"}, change: func(o *Options) { o.APIKeyEnv = "COLDCASE_TEST_WRONG_KEY" }, want: "401"},
		{name: "no key", cfg: lab.Config{APIKey: "right"}, want: "401"},
		{name: "not idle", cfg: lab.Config{Speed: 1}, before: busy, want: "not idle: 1 requests run"},
		{name: "404 flush sglang", cfg: lab.Config{NoReset: true}, want: "404"},
		{name: "404 flush vllm", cfg: lab.Config{Engine: lab.VLLM, NoReset: true}, want: "404"},
		{name: "cache off", cfg: lab.Config{NoCache: true}, want: "prefix cache is off"},
		{name: "another engine", cfg: lab.Config{Engine: lab.VLLM}, change: func(o *Options) { o.Engine = "sglang" }, want: "the server is vllm"},
		{name: "unset key variable", change: func(o *Options) { o.APIKeyEnv = "COLDCASE_TEST_UNSET" }, want: "COLDCASE_TEST_UNSET"},
		{name: "key in the URL", change: func(o *Options) { o.Server = "http://user:key@127.0.0.1:1" }, want: "--api-key-env"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.cfg.Speed == 0 {
				tt.cfg.Speed = 5000
			}
			ts := startLab(t, tt.cfg)
			if tt.before != nil {
				tt.before(t, ts)
			}
			o := quick(t, ts, smallPlan(t))
			if tt.change != nil {
				tt.change(&o)
			}
			var log buffer
			err := Run(context.Background(), o, &log)
			if err == nil || !strings.Contains(err.Error()+log.String(), tt.want) {
				t.Errorf("error %v, want it to say %q\n%s", err, tt.want, log.String())
			}
			if sum, err := Status(o.Out); err == nil && sum.Done > 0 {
				t.Errorf("%d cells are done", sum.Done)
			}
		})
	}
}

// TestKeyIsNotWritten: with the right key the sweep runs, and no file holds it.
func TestKeyIsNotWritten(t *testing.T) {
	const key = "sk-3f9a-right"
	t.Setenv("COLDCASE_TEST_KEY", key)
	ts := startLab(t, lab.Config{APIKey: key})
	o := quick(t, ts, smallPlan(t))
	o.APIKeyEnv = "COLDCASE_TEST_KEY"
	sum, err := sweep(t, o)
	if err != nil || !sum.Complete() {
		t.Fatalf("%v %v", sum, err)
	}
	for path, text := range snapshot(t, o.Out) {
		if strings.Contains(text, key) {
			t.Errorf("%s holds the key", path)
		}
	}
}

// TestStatusWithoutRecord is a usage error.
func TestStatusWithoutRecord(t *testing.T) {
	if _, err := Status(t.TempDir()); !errors.Is(err, ErrUsage) {
		t.Errorf("%v, want a usage error", err)
	}
}
