package degrade

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"sort"

	"github.com/klauspost/compress/zstd"
)

// variant is what is left of a capture. names leads from a path in it to the
// path in the recorded capture where the two differ.
type variant struct {
	kind  string
	files files
	names map[string]string
	truth truth
	whole bool
	// args are the CAPTURE arguments below the variant's folder; none means
	// the folder itself.
	args []string
}

// kind is one way of taking things away. Those that draw lots get several
// variants, each from its own seed.
type kind struct {
	name  string
	draws int
	make  func(base, full files, r *rand.Rand) (files, map[string]string)
}

// only keeps the files that match.
func only(match func(string) bool) func(base, full files, r *rand.Rand) (files, map[string]string) {
	return func(base, _ files, _ *rand.Rand) (files, map[string]string) {
		out := files{}
		for name, content := range base {
			if match(name) {
				out[name] = content
			}
		}
		return out, nil
	}
}

func not(match func(string) bool) func(string) bool {
	return func(name string) bool { return !match(name) }
}

func anyOf(matches ...func(string) bool) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(matches, func(m func(string) bool) bool { return m(name) })
	}
}

// logs rewrites every log, and leaves out the metrics if asked.
func logs(metrics bool, rewrite func(log []byte, r *rand.Rand) []byte) func(base, full files, r *rand.Rand) (files, map[string]string) {
	return func(base, _ files, r *rand.Rand) (files, map[string]string) {
		out := files{}
		for _, name := range sorted(base) {
			switch {
			case isLog(name):
				out[name] = rewrite(base[name], r)
			case metrics || !isMetrics(name):
				out[name] = base[name]
			}
		}
		return out, nil
	}
}

func cutEnd(log []byte, r *rand.Rand) []byte { return log[:share(log, r, 0.4, 0.9)] }

func cutStart(log []byte, r *rand.Rand) []byte { return log[share(log, r, 0.3, 0.7):] }

func cutBoth(log []byte, r *rand.Rand) []byte {
	return log[share(log, r, 0.05, 0.4):share(log, r, 0.6, 0.95)]
}

func gap(log []byte, r *rand.Rand) []byte {
	return slices.Concat(log[:share(log, r, 0.3, 0.5)], log[share(log, r, 0.6, 0.8):])
}

// share is a random byte between two shares of a log.
func share(log []byte, r *rand.Rand, from, to float64) int {
	return int(float64(len(log)) * (from + (to-from)*r.Float64()))
}

// rename gives the files names that say nothing, in another order.
func rename(match func(string) bool) func(base, full files, r *rand.Rand) (files, map[string]string) {
	return func(base, _ files, r *rand.Rand) (files, map[string]string) {
		order := sorted(base)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		out, names := files{}, map[string]string{}
		for i, old := range order {
			if !match(old) {
				continue
			}
			name := fmt.Sprintf("f%02d%s", i, path.Ext(old))
			out[name], names[name] = base[old], old
		}
		return out, names
	}
}

// compress replaces the files that match by their compressed form.
func compress(match func(string) bool, suffix string, pack func([]byte) []byte) func(base, full files, r *rand.Rand) (files, map[string]string) {
	return func(base, _ files, _ *rand.Rand) (files, map[string]string) {
		out, names := files{}, map[string]string{}
		for old, content := range base {
			name := old
			if match(old) {
				name, content = old+suffix, pack(content)
			}
			out[name], names[name] = content, old
		}
		return out, names
	}
}

// lines rewrites every line of the files that match.
func lines(match func(string) bool, rewrite func(line []byte) []byte) func(base, full files, r *rand.Rand) (files, map[string]string) {
	return func(base, _ files, _ *rand.Rand) (files, map[string]string) {
		out := files{}
		for name, content := range base {
			if match(name) {
				var b bytes.Buffer
				for line := range bytes.Lines(content) {
					b.Write(rewrite(bytes.TrimSuffix(line, []byte("\n"))))
					b.WriteByte('\n')
				}
				content = b.Bytes()
			}
			out[name] = content
		}
		return out, nil
	}
}

func everything(string) bool { return true }

func framed(before, after string) func([]byte) []byte {
	return func(line []byte) []byte { return slices.Concat([]byte(before), line, []byte(after)) }
}

// inArchive packs the whole capture; the archive is the CAPTURE.
func inArchive(base, _ files, _ *rand.Rand) (files, map[string]string) {
	return files{"capture.tar.gz": gzipped(tarred(base))}, nil
}

// kinds start from a capture without per-request details, where the count has
// to work for its numbers; full is the capture as it was recorded.
var kinds = []kind{
	{"no-details", 1, only(everything)},
	{"no-requests", 1, func(_, full files, _ *rand.Rand) (files, map[string]string) {
		out := files{}
		for name, content := range full {
			if isLog(name) {
				content = stripRequestLines(content)
			}
			out[name] = content
		}
		return out, nil
	}},
	{"no-log", 1, only(not(isLog))},
	{"no-metrics", 1, only(not(isMetrics))},
	{"no-text", 1, only(not(isText))},
	{"no-records", 1, only(not(isRecord))},
	{"no-kit", 1, only(not(isKit))},
	{"records-only", 1, only(isRecord)},
	{"text-only", 1, only(isText)},
	{"log-only", 1, only(isLog)},
	{"metrics-only", 1, only(isMetrics)},
	{"text-and-log", 1, only(anyOf(isText, isLog))},
	{"lean", 1, only(anyOf(isText, isLog, isRecord))},
	{"log-cut-end", 2, logs(true, cutEnd)},
	{"log-cut-start", 2, logs(true, cutStart)},
	{"log-cut-both", 2, logs(true, cutBoth)},
	{"log-cut-end-no-metrics", 2, logs(false, cutEnd)},
	{"log-cut-start-no-metrics", 2, logs(false, cutStart)},
	{"log-cut-both-no-metrics", 2, logs(false, cutBoth)},
	{"log-gap-no-metrics", 2, logs(false, gap)},
	{"renamed", 2, rename(everything)},
	{"renamed-text-and-log", 2, rename(anyOf(isText, isLog))},
	{"gzip", 1, compress(isLog, ".gz", gzipped)},
	{"zstd", 1, compress(everything, ".zst", zstded)},
	{"crlf", 1, lines(anyOf(isText, isLog, isRecord), framed("", "\r"))},
	{"compose-prefix", 1, lines(isLog, framed("engine-1  | ", ""))},
	{"coloured", 1, lines(isLog, framed("\x1b[32m", "\x1b[0m"))},
	{"compose-coloured", 1, lines(isLog, framed("engine-1  | \x1b[32m", "\x1b[0m"))},
	{"archive", 1, inArchive},
}

// wholeOf is a capture as it was recorded.
func wholeOf(rec *recorded) *variant {
	return &variant{kind: "whole", files: rec.files, truth: rec.truth, whole: true}
}

// variants derives everything of one capture: whole, each kind, and mixtures
// with another one.
func variants(rec, other *recorded) []*variant {
	out := []*variant{wholeOf(rec)}
	base := files{}
	for name, content := range rec.files {
		base[name] = withoutDetails(name, content)
	}
	for _, k := range kinds {
		for draw := range k.draws {
			left, names := k.make(base, rec.files, seeded(rec.name, k.name, draw))
			if len(left) == 0 {
				continue
			}
			v := &variant{kind: k.name, files: left, names: names, truth: rec.truth}
			if k.name == "archive" {
				v.args = []string{"capture.tar.gz"}
			}
			out = append(out, v)
		}
	}
	return append(out, mixtures(rec, other, base)...)
}

// mixtures puts the capture into one folder with another one, gives both as
// two CAPTUREs, and appends the other's log to its own.
func mixtures(rec, other *recorded, base files) []*variant {
	both := files{}
	for name, content := range base {
		both["one/"+name] = content
	}
	for name, content := range other.files {
		both["two/"+name] = withoutDetails(name, content)
	}
	union := merge(prefixed(rec.truth, "one/"), prefixed(other.truth, "two/"))
	out := []*variant{
		{kind: "two-in-one-folder", files: both, truth: union},
		{kind: "two-captures", files: both, truth: union, args: []string{"one", "two"}},
	}
	joined, appended := files{}, false
	for name, content := range base {
		if isLog(name) {
			for _, more := range sorted(other.files) {
				if isLog(more) {
					content = slices.Concat(content, withoutDetails(more, other.files[more]))
					appended = true
				}
			}
		}
		joined[name] = content
	}
	if appended {
		// The other's runs lost their files, but their prompts are on the log.
		out = append(out, &variant{kind: "two-logs-in-one", files: joined, truth: merge(rec.truth, prefixed(other.truth, "absent/"))})
	}
	return out
}

// prefixed is the truth of a capture that lies in a folder of another.
func prefixed(t truth, prefix string) truth {
	out := truth{Engine: t.Engine, Exact: t.Exact}
	for _, r := range t.Runs {
		moved := r
		moved.Files = nil
		for _, f := range r.Files {
			moved.Files = append(moved.Files, prefix+f)
		}
		out.Runs = append(out.Runs, moved)
	}
	return out
}

func merge(a, b truth) truth {
	return truth{Engine: a.Engine, Exact: a.Exact, Runs: slices.Concat(a.Runs, b.Runs)}
}

// seeded is a source of lots that depends on the names alone.
func seeded(capture, kind string, draw int) *rand.Rand {
	var hash uint64 = 14695981039346656037
	for _, c := range []byte(capture + "/" + kind) {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(hash, uint64(draw)))
}

func sorted(f files) []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func gzipped(content []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(content)
	w.Close()
	return out.Bytes()
}

func zstded(content []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return w.EncodeAll(content, nil)
}

func tarred(f files) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range sorted(f) {
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(f[name]))})
		w.Write(f[name])
	}
	w.Close()
	return out.Bytes()
}
