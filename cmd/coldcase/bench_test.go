package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"coldcase/samples/gen"
)

// The benchmarks run the command on generated files of the sizes that people
// bring, beside a tool that does the least possible with the same file, in the
// same run: a ratio says more than a time.
//
// COLDCASE_BENCH_MIB makes the files smaller or larger (default: 1000 for the
// log, 300 for the records). On a machine that others use as well, -benchtime
// 10x finds a quiet moment for both commands.

// BenchmarkCountLog counts a large server log. Aim: within 1.5 times of wc -l,
// in less than 64 MiB.
func BenchmarkCountLog(b *testing.B) {
	log := generate(b, "server.log", 1000, writeLog)
	compare(b, []string{built(b), "count", "--format", "json", log}, "wc-l", []string{"wc", "-l", log})
}

// BenchmarkCountRecords counts client records with details. Aim: no slower than
// Python's json.loads over the lines, in less than 96 MiB.
func BenchmarkCountRecords(b *testing.B) {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Skip("no python3 to compare with")
	}
	records := generate(b, "bench.jsonl", 300, writeRecords)
	compare(b, []string{built(b), "count", "--format", "json", records},
		"json.loads", []string{python, "-c", "import json, sys\nfor line in open(sys.argv[1]): json.loads(line)", records})
}

// built builds the command: the test binary, which the scripts run in its place,
// starts more slowly.
func built(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "coldcase")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", path, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return path
}

// compare runs both commands b.N times, in turn, and reports the shortest time
// of each, their ratio under the reference's name, and the command's memory.
func compare(b *testing.B, command []string, name string, reference []string) {
	b.Helper()
	best, bestReference, peak := time.Duration(1<<62), time.Duration(1<<62), int64(0)
	timed(b, reference) // the file is in the page cache for both
	for b.Loop() {
		d, rss := timed(b, command)
		best, peak = min(best, d), max(peak, rss)
		d, _ = timed(b, reference)
		bestReference = min(bestReference, d)
	}
	b.ReportMetric(best.Seconds(), "s/coldcase")
	b.ReportMetric(bestReference.Seconds(), "s/"+name)
	b.ReportMetric(float64(best)/float64(bestReference), "x-"+name)
	b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
}

// timed runs a command and returns its time and its peak resident size, bytes.
func timed(b *testing.B, args []string) (time.Duration, int64) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%.2000s", args[:2], err, out)
	}
	took := time.Since(start)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return took, 0
	}
	return took, usage.Maxrss << 10
}

// generate writes a file of so many MiB.
func generate(b *testing.B, name string, mib int64, write func(w io.Writer, size int64) error) string {
	b.Helper()
	if s := os.Getenv("COLDCASE_BENCH_MIB"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			b.Fatalf("COLDCASE_BENCH_MIB: %v", err)
		}
		mib = n
	}
	path := filepath.Join(b.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := write(file, mib<<20); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func writeLog(w io.Writer, size int64) error {
	_, err := gen.Log(w, size, 1)
	return err
}

func writeRecords(w io.Writer, size int64) error {
	_, _, err := gen.Records(w, size, 1)
	return err
}
