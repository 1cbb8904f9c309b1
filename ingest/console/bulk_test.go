package console

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/sglang"
	"coldcase/ingest/source"
	"coldcase/samples/gen"
)

// lists lets cmp look into the event lists of a log.
var lists = cmp.AllowUnexported(
	capture.List[capture.Batch]{}, capture.List[capture.Access]{}, capture.List[capture.Served]{},
	capture.List[capture.Iteration]{}, capture.List[capture.Asked]{},
)

// awkward is a log of some blocks with everything that a cut between two blocks
// could break: wrapped and damaged lines, runs of access lines, starts, lines
// without a stamp, carriage returns in some blocks only.
func awkward(seed uint64, dateless bool) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	var b bytes.Buffer
	if _, err := gen.Log(&b, bulkSize+1<<20, seed); err != nil {
		panic(err)
	}
	extras := []string{
		"[2026-03-01 08:00:00] Prefill batch, #new-seq: 3, #new-token: 3, #cached-tok\n",
		"[2026-03-01 08:00:00] Prefill batch, #new-seq: 3, #new-token: 30,\n    #cached-token: 7, token usage: 0.01, #running-req: 5, #queue-req: 1\n",
		"[2026-03-01 08:00:00] Prefill batch, #new-seq: 1, #new-token: 30, #cached-token: 7,\n  token usage: 0.01, #running-req: 6, #queue-req: 2\n",
		"[2026-03-01 08:00:00] server_args=ServerArgs(model_path='m', page_size=16,\n disable_radix_cache=False)\n[2026-03-01 08:00:00] The server is fired up and ready to roll!\n",
		"  warnings.warn(\n",
		"[2026-03-01 08:00:00] Cache flushed successfully!\n",
		"[2026-03-01 08:00:00] ReqTimeStats(rid=9f1c, input_len=512, cached_input_len=511, output_len=128, attempts=1, type=unified): x\n",
		"\r 38%|###8      | 19/50 [00:07<00:11,  2.80it/s][2026-03-01 08:00:00] Decode batch, #running-req: 77, #token: 2, token usage: 0.01\n",
		"[2026-03-01 08:00:00] INFO:     10.0.0.9:1 - \"GET /health HTTP/1.1\" 2\n",
		"\n",
	}
	var out bytes.Buffer
	for line := range bytes.Lines(b.Bytes()) {
		out.Write(line)
		if r.IntN(200) == 0 {
			out.WriteString(extras[r.IntN(len(extras))])
		}
	}
	if !dateless {
		return out.Bytes()
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("[2026-03-01 "), []byte("["))
}

// A log read in blocks says the same as read line by line.
func TestBulkEqualsLineByLine(t *testing.T) {
	for seed := range uint64(3) {
		text := awkward(seed, seed == 2)
		path := filepath.Join(t.TempDir(), "server.log")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		slow := readText(t, "server.log", string(text))
		for name, at := range map[string]io.ReaderAt{"a copy": bytes.NewReader(text), "a view": fileAt(t, path)} {
			c := &console{machines: sglang.Machines()}
			in := &format.Input{Path: "server.log", Head: text[:format.HeadSize], Size: int64(len(text)), At: at}
			bulk := &format.Output{File: &capture.File{Path: "server.log"}}
			if ok, err := c.bulk(in, bulk, c.trial(in.Head)); !ok || err != nil {
				t.Fatalf("seed %d, %s: not read in blocks: %v", seed, name, err)
			}
			if diff := cmp.Diff(slow.File, bulk.File); diff != "" {
				t.Errorf("seed %d, %s: -line by line +in blocks\n%s", seed, name, diff)
			}
			if diff := cmp.Diff(slow.Logs[0], bulk.Logs[0], lists); diff != "" {
				t.Errorf("seed %d, %s: -line by line +in blocks\n%.4000s", seed, name, diff)
			}
		}
		if slow.Logs[0].Served.Len() == 0 || len(slow.Logs[0].Damaged) == 0 || len(slow.Logs[0].Starts) == 0 {
			t.Errorf("seed %d: the log holds too little", seed)
		}
	}
}

// fileAt opens a file as the walk over a capture does.
func fileAt(t *testing.T, path string) io.ReaderAt {
	t.Helper()
	tree, err := source.Open(path, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, closer, err := tree.Entries[0].Content().OpenAt()
	if err != nil || at == nil {
		t.Fatalf("%v, %v", at, err)
	}
	t.Cleanup(func() { closer.Close() })
	return at
}

// A log that loses its end while it is read is an error, not a crash.
func TestBulkFileShrinks(t *testing.T) {
	text := awkward(4, false)
	path := filepath.Join(t.TempDir(), "server.log")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	at := fileAt(t, path)
	if err := os.Truncate(path, int64(len(text)/2)); err != nil {
		t.Fatal(err)
	}
	c := &console{machines: sglang.Machines()}
	in := &format.Input{Path: "server.log", Head: text[:format.HeadSize], Size: int64(len(text)), At: at}
	if ok, err := c.bulk(in, &format.Output{File: &capture.File{Path: "server.log"}}, c.trial(in.Head)); ok || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read in blocks: %v, %v", ok, err)
	}
}

// A client's report far behind the head of a server log is not lost.
func TestBulkGivesWay(t *testing.T) {
	report := "============ Serving Benchmark Result ============\nBackend:                                 sglang    \nSuccessful requests:                     2         \n==================================================\n"
	for _, odd := range []string{report, "engine-2  | [2026-03-01 08:00:00] Cache flushed successfully!\n", "2026-03-01T08:00:00Z [2026-03-01 08:00:00] Cache flushed successfully!\n"} {
		text := awkward(9, false)
		text = append(text, odd...)
		c := &console{machines: sglang.Machines()}
		in := &format.Input{Path: "server.log", Head: text[:format.HeadSize], Size: int64(len(text)), At: bytes.NewReader(text)}
		out := &format.Output{File: &capture.File{Path: "server.log"}}
		if ok, err := c.bulk(in, out, c.trial(in.Head)); ok || err != nil {
			t.Errorf("%.40q: read in blocks: %v", odd, err)
		}
		if len(out.Logs)+len(out.Results) > 0 {
			t.Errorf("%.40q: something was kept", odd)
		}
	}
	out := readText(t, "console.txt", string(awkward(9, false))+report)
	if len(out.Results) != 1 || !strings.Contains(counts(out), `"reports":1`) {
		t.Errorf("the report was not read: %s", counts(out))
	}
}

// A large text in which no line is known for a log's is what a small one is: of
// no kind.
func TestBulkOfNoLog(t *testing.T) {
	for _, line := range []string{
		"lorem ipsum dolor sit amet\n",
		"[2026-03-01 08:00:00] worker 3 is alive\n",
		"INFO:     127.0.0.1:40290 - \"POST /generate HTTP/1.1\" 200 OK\n",
		"x",
	} {
		text := []byte(strings.Repeat(line, bulkSize/len(line)+1))
		c := &console{machines: sglang.Machines()}
		in := &format.Input{
			Path: "app.log", Head: text[:format.HeadSize], Size: int64(len(text)), At: bytes.NewReader(text),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
		}
		out := &format.Output{File: &capture.File{Path: "app.log"}}
		if err := c.read(in, out); err != nil {
			t.Fatal(err)
		}
		if out.File.Kind != capture.UnknownKind || out.File.Read != capture.ReadNone || len(out.Logs) > 0 {
			t.Errorf("%.40q: %s, read %s, %d logs", line, out.File.Kind, out.File.Read, len(out.Logs))
		}
		known := append(text, "\n[2026-03-01 08:00:00] Cache flushed successfully!\n"...)
		in = &format.Input{Path: "server.log", Head: known[:format.HeadSize], Size: int64(len(known)), At: bytes.NewReader(known)}
		out = &format.Output{File: &capture.File{Path: "server.log"}}
		if ok, err := c.bulk(in, out, c.trial(in.Head)); !ok || err != nil || len(out.Logs) != 1 {
			t.Errorf("%.40q and a flush: read in blocks %v, %v, %d logs", line, ok, err, len(out.Logs))
		}
	}
}
