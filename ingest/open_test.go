package ingest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/source"
)

func TestMain(m *testing.M) {
	debugPanics = true
	os.Exit(m.Run())
}

// folder writes files into a folder of the given name.
func folder(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, body := range files {
		p := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, opts Options, paths ...string) *capture.Capture {
	t.Helper()
	c, err := Open(opts, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// row describes a file of the inventory in one line.
func row(f *capture.File) string {
	return fmt.Sprintf("%s %s %s: %s", f.Path, f.Kind, f.Read, f.Why)
}

func rows(c *capture.Capture) []string {
	var out []string
	for _, f := range c.Files {
		out = append(out, row(f))
	}
	return out
}

const (
	prefill = "[2026-03-04 11:20:05] Prefill batch, #new-seq: 2, #new-token: 2, #cached-token: 1402, token usage: 0.02, #running-req: 0, #queue-req: 4, #pending-token: 0, cuda graph: False, input throughput (token/s): 51.20\n"
	flushed = "Cache flushed.\nPlease check backend logs for more details.\nHTTP 200\n"
)

func TestInventory(t *testing.T) {
	dir := folder(t, "kit", map[string]string{
		"server.log":      prefill,
		"flush.txt":       flushed,
		"kit.sh":          "#!/bin/sh\npython3 -m sglang.bench_serving --seed 7\n",
		"empty.txt":       "",
		"picture.png":     "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"story.txt":       "once upon a time\n",
		"report.html":     "<!doctype html>\n<html lang=\"en\" data-mode=\"review\">\n",
		"count.json":      "{\n  \"schema\": \"coldcase.count/1\",\n",
		"coldcase.toml":   "[facts]\nengine = \"sglang\"\n",
		".git/HEAD":       "ref",
		"sub/.git/config": "x",
	})
	want := []string{
		"coldcase.toml coldcase-notes all: ",
		"count.json coldcase-report none: written by coldcase: neither read nor hashed",
		"empty.txt unknown all: empty",
		"flush.txt http-answer all: ",
		"kit.sh command all: ",
		"picture.png unknown none: binary",
		"report.html coldcase-report none: written by coldcase: neither read nor hashed",
		"server.log sglang-server-log all: ",
	}
	c := open(t, Options{Hash: true}, dir)
	var got []string
	for _, f := range c.Files {
		if f.Path == "story.txt" {
			if f.Kind != capture.UnknownKind || f.Why == "" {
				t.Errorf("a story was read as %s", row(f))
			}
			continue
		}
		got = append(got, row(f))
		if hashed := f.SHA256 != ""; hashed == (f.Kind == capture.ColdcaseReport) {
			t.Errorf("%s: hash %q", f.Path, f.SHA256)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("inventory (-want +got):\n%s", d)
	}
	if c.Notes.Engine != "sglang" || len(c.Logs) != 1 || len(c.Answers) != 1 || len(c.Commands) != 1 {
		t.Errorf("read: notes %+v, %d logs, %d answers, %d commands", c.Notes, len(c.Logs), len(c.Answers), len(c.Commands))
	}
	if c.Answers[0].Status != 200 || c.Answers[0].Success != nil {
		t.Errorf("the text of a flush was taken for its success: %+v", c.Answers[0])
	}
}

// TestHash holds the hash against the contract's own words, and a report in
// the capture, or the folder packed, must not change it.
func TestHash(t *testing.T) {
	files := map[string]string{"b.txt": "bb", "a/c.txt": "c"}
	dir := folder(t, "kit", files)
	// printf 'a/c.txt\0001\000<sha256 of c>\nb.txt\0002\000<sha256 of bb>\n' | sha256sum
	const want = "0ca284c9a1cd21dadd11ea276d11362a38b84ccf09d3385d543f87205bc13fea"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, p := range []string{"b.txt", "a/c.txt"} {
		if err := w.WriteHeader(&tar.Header{Name: "kit/" + p, Typeflag: tar.TypeReg, Size: int64(len(files[p]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[p])); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	z.Close()
	archive := folder(t, "x", map[string]string{"kit.tgz": packed.String()}) + "/kit.tgz"
	if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte("**coldcase** evidence notebook\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{dir, archive} {
		c := open(t, Options{Hash: true}, p)
		if got := *c.Sources[0].SHA256; got != want {
			t.Errorf("%s: hash %s, want %s", filepath.Base(p), got, want)
		}
	}
	if c := open(t, Options{}, dir); c.Sources[0].SHA256 != nil {
		t.Error("a hash that was not asked for")
	}
}

func TestSeveralCaptures(t *testing.T) {
	a := folder(t, "kit", map[string]string{"server.log": prefill, "coldcase.toml": "[[claim]]\nrun = \"x.txt\"\ncached_at_start = 1\n"})
	b := folder(t, "kit", map[string]string{"server.log": prefill})
	c := open(t, Options{}, a, b, filepath.Join(b, "server.log"))
	want := []string{
		"kit-2/server.log sglang-server-log all: ", "kit/coldcase.toml coldcase-notes all: ",
		"kit/server.log sglang-server-log all: ", "server.log sglang-server-log all: ",
	}
	if d := cmp.Diff(want, rows(c)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]capture.Source{{Name: "kit"}, {Name: "kit-2"}, {Name: "server.log"}}, c.Sources); d != "" {
		t.Errorf("captures (-want +got):\n%s", d)
	}
	if c.Notes.Claims[0].Run != "kit/x.txt" {
		t.Errorf("the claim is of %s", c.Notes.Claims[0].Run)
	}
	if q := c.Quote("kit-2/server.log", 1); q.Text != strings.TrimSpace(prefill) {
		t.Errorf("quote %q", q.Text)
	}
}

func TestOpenError(t *testing.T) {
	dir := folder(t, "kit", map[string]string{"bad.toml": "= 3"})
	for _, paths := range [][]string{{filepath.Join(dir, "missing")}, {dir, filepath.Join(dir, "missing")}, {}} {
		_, err := Open(Options{}, paths...)
		var o *OpenError
		if !errors.As(err, &o) {
			t.Errorf("%v: error %v", paths, err)
		}
	}
	_, err := Open(Options{Notes: filepath.Join(dir, "bad.toml")}, dir)
	if err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("bad notes: %v", err)
	}
}

// failing is a file that cannot be opened, or not read to its end.
type failing struct{ *os.File }

func (f failing) Read(p []byte) (int, error) {
	if off, _ := f.Seek(0, 1); off >= 250 {
		return 0, fs.ErrPermission
	}
	return f.File.Read(p[:min(len(p), 250)])
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > 250 {
		n, _ := f.File.ReadAt(p[:max(0, 250-off)], off)
		return n, fs.ErrPermission
	}
	return f.File.ReadAt(p, off)
}

func TestUnreadableFiles(t *testing.T) {
	dir := folder(t, "kit", map[string]string{"closed.log": prefill, "half.log": prefill + prefill, "whole.log": prefill})
	c := open(t, Options{OpenFile: func(name string) (source.File, error) {
		f, err := os.Open(name)
		switch {
		case strings.HasSuffix(name, "closed.log"):
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		case err == nil && strings.HasSuffix(name, "half.log"):
			return failing{f}, nil
		}
		return f, err
	}}, dir)
	want := []string{
		"closed.log unknown none: cannot be read: permission denied",
		"whole.log sglang-server-log all: ",
	}
	got := rows(c)
	if d := cmp.Diff(want, []string{got[0], got[2]}); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if f := c.Files[1]; f.Read != capture.ReadPart || !strings.Contains(f.Why, "permission denied") || f.Counts.Get("prefill") != 1 || f.Counts.Get("malformed") != 1 {
		t.Errorf("half a log: %s, %v", row(f), f.Counts)
	}
	for _, l := range c.Logs {
		if l.Complete != (l.File == "whole.log") {
			t.Errorf("%s: complete %v", l.File, l.Complete)
		}
	}
}

func TestCutGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	r := rand.New(rand.NewSource(1))
	for i := range 3000 {
		fmt.Fprintf(z, "[2026-03-04 11:20:05] Prefill batch, #new-seq: 1, #new-token: %d, #cached-token: %d, token usage: 0.02, #running-req: 0, #queue-req: 0\n", r.Intn(9999), i)
	}
	z.Close()
	dir := folder(t, "kit", map[string]string{"server.log.gz": b.String()[:b.Len()/2]})
	c := open(t, Options{}, dir)
	f := c.Files[0]
	if f.Kind != capture.SGLangServerLog || f.Read != capture.ReadPart || !strings.Contains(f.Why, "ends early") || f.Counts.Get("prefill") < 100 {
		t.Errorf("cut gzip: %s, %v", row(f), f.Counts)
	}
	if c.Logs[0].Complete {
		t.Error("a cut log counts as complete")
	}
	if q := c.Quote("server.log.gz", 100); !strings.Contains(q.Text, "#cached-token: 99,") {
		t.Errorf("quote %q", q.Text)
	}
}

func TestExcerptsHaveTheOriginalsNumbers(t *testing.T) {
	dir := folder(t, "kit", map[string]string{
		"server.log": "[2026-03-04 11:20:04] first\n" + prefill + prefill,
		"coldcase.toml": "[[excerpt]]\nfile = \"server.log\"\nline = 2\nfirst_line = 341\nrun = \"x.txt\"\n" +
			"[[excerpt]]\nfile = \"missing.log\"\nfirst_line = 1\n",
	})
	c := open(t, Options{}, dir)
	l := c.Logs[0]
	if a, b := l.Batches.At(0).Line, l.Batches.At(1).Line; a != 341 || b != 342 {
		t.Errorf("batches on lines %d and %d", a, b)
	}
	if d := cmp.Diff([]capture.Excerpt{{File: "server.log", Line: 2, To: 3, FirstLine: 341, Run: "x.txt"}}, l.Excerpts); d != "" {
		t.Errorf("excerpts (-want +got):\n%s", d)
	}
	if q := c.Quote("server.log", 342); q.Line != 342 || q.Text != strings.TrimSpace(prefill) {
		t.Errorf("quote %+v", q)
	}
	if q := c.Quote("server.log", 1); q.Text != "[2026-03-04 11:20:04] first" {
		t.Errorf("quote %+v", q)
	}
	if f := c.Files[0]; f.Read != capture.ReadPart || !strings.Contains(f.Why, "missing.log") {
		t.Errorf("notes: %s", row(f))
	}
}

func TestBroughtNotes(t *testing.T) {
	dir := folder(t, "kit", map[string]string{"server.log": prefill, "coldcase.toml": "[facts]\nengine = \"vllm\"\n"})
	facts := folder(t, "x", map[string]string{"facts.toml": "[facts]\nengine = \"sglang\"\n"}) + "/facts.toml"
	c := open(t, Options{Notes: facts, Hash: true}, dir)
	if c.Notes.Engine != "sglang" || c.Notes.File != "facts.toml" {
		t.Errorf("notes %+v", c.Notes)
	}
	want := []string{"coldcase.toml coldcase-notes none: other notes were given: not used", "facts.toml coldcase-notes all: ", "server.log sglang-server-log all: "}
	if d := cmp.Diff(want, rows(c)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if plain := open(t, Options{Hash: true}, dir); *plain.Sources[0].SHA256 != *c.Sources[0].SHA256 {
		t.Error("notes that were brought along change the capture's hash")
	}
}
