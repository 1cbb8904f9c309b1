package console

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/sglang"
	"coldcase/samples/gen"
)

// benchMiB is the size of the generated inputs, in MiB. COLDCASE_BENCH_MIB=1000
// gives the size that the targets are stated for.
func benchMiB(b *testing.B, small int64) int64 {
	if s := os.Getenv("COLDCASE_BENCH_MIB"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			b.Fatalf("COLDCASE_BENCH_MIB: %v", err)
		}
		return n << 20
	}
	return small << 20
}

func generate(b *testing.B, name string, write func(io.Writer) error) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := write(f); err != nil {
		b.Fatal(err)
	}
	return path
}

// reference runs a command on the file and returns its best time of three, 0 if
// it cannot be run.
func reference(b *testing.B, name string, args ...string) time.Duration {
	if _, err := exec.LookPath(name); err != nil {
		return 0
	}
	best := time.Duration(0)
	for range 3 {
		start := time.Now()
		if err := exec.Command(name, args...).Run(); err != nil {
			b.Fatalf("%s: %v", name, err)
		}
		if t := time.Since(start); best == 0 || t < best {
			best = t
		}
	}
	return best
}

// report adds the best time of an iteration, and its ratio to the reference.
func report(b *testing.B, best time.Duration, name string, ref time.Duration) {
	b.ReportMetric(best.Seconds(), "s/best")
	if ref > 0 {
		b.ReportMetric(ref.Seconds(), "s/"+name)
		b.ReportMetric(float64(best)/float64(ref), "x-"+name)
	}
	b.ReportMetric(peakMiB(), "peak-MiB")
}

// peakMiB is the largest resident size of this process so far.
func peakMiB() float64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb float64
		if line := s.Text(); len(line) > 6 && line[:6] == "VmHWM:" {
			kb, _ = strconv.ParseFloat(string(trimKB(line[6:])), 64)
			return kb / 1024
		}
	}
	return 0
}

func trimKB(s string) []byte {
	var digits []byte
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			digits = append(digits, s[i])
		}
	}
	return digits
}

// BenchmarkServerLog reads a generated log; the reference is wc -l on it.
func BenchmarkServerLog(b *testing.B) {
	var want gen.Totals
	size := benchMiB(b, 64)
	path := generate(b, "server.log", func(w io.Writer) (err error) {
		want, err = gen.Log(w, size, 1)
		return err
	})
	ref := reference(b, "wc", "-l", path)
	b.SetBytes(size)
	best := time.Duration(0)
	for b.Loop() {
		start := time.Now()
		out := readFile(b, Format(sglang.Machines()...), path)
		if t := time.Since(start); best == 0 || t < best {
			best = t
		}
		if n := out.File.Counts.Get("prefill"); n != want.Prefill || out.File.Lines != want.Lines {
			b.Fatalf("%d prefill lines of %d, %d lines of %d", n, want.Prefill, out.File.Lines, want.Lines)
		}
	}
	report(b, best, "wc-l", ref)
}

const pythonLoads = `
import json, sys
for line in open(sys.argv[1]):
    json.loads(line)
`

// BenchmarkRecords reads records with details; the reference is Python's
// json.loads on each line.
func BenchmarkRecords(b *testing.B) {
	want := 0
	size := benchMiB(b, 32)
	path := generate(b, "runs.jsonl", func(w io.Writer) (err error) {
		want, _, err = gen.Records(w, size, 1)
		return err
	})
	ref := reference(b, "python3", "-c", pythonLoads, path)
	b.SetBytes(size)
	best := time.Duration(0)
	for b.Loop() {
		start := time.Now()
		out := readFile(b, sglang.Formats()[0], path)
		if t := time.Since(start); best == 0 || t < best {
			best = t
		}
		if n := out.File.Counts.Get("records"); n != want {
			b.Fatalf("%d records of %d", n, want)
		}
	}
	report(b, best, "json.loads", ref)
}

// readFile reads a file on disk as package ingest does.
func readFile(tb testing.TB, f format.Format, path string) *format.Output {
	tb.Helper()
	file, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		tb.Fatal(err)
	}
	head := make([]byte, format.HeadSize)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		tb.Fatal(err)
	}
	in := &format.Input{
		Path: filepath.Base(path), Head: head[:n], Size: info.Size(), At: file,
		Open: func() (io.ReadCloser, error) { return os.Open(path) },
	}
	out := &format.Output{File: &capture.File{Path: in.Path}}
	if err := f.Read(in, out); err != nil {
		tb.Fatal(err)
	}
	return out
}
