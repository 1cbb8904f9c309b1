package analysis_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/rules"
	"coldcase/ingest"
	"coldcase/ingest/capture"
)

// read analyses a folder of testdata.
func read(t *testing.T, dir string) (*capture.Capture, *analysis.Notebook) {
	t.Helper()
	c, err := ingest.Open(ingest.Options{}, filepath.Join("testdata", filepath.FromSlash(dir)))
	if err != nil {
		t.Fatal(err)
	}
	return c, analysis.Analyze(c, analysis.Options{})
}

// small is one of the small inputs with what was made of it.
type small struct {
	*testing.T
	c  *capture.Capture
	nb *analysis.Notebook
}

func (s small) lines(file, key string, want int) {
	s.Helper()
	for _, f := range s.nb.Count.Files {
		if f.Path == file {
			if got := f.Counts.Get(key); got != want {
				s.Errorf("%s: %d lines of class %s, want %d", file, got, key, want)
			}
			return
		}
	}
	s.Errorf("no file %s", file)
}

// only returns the one run or window of the count.
func (s small) only() *carryover.Run {
	s.Helper()
	if len(s.nb.Count.Runs) != 1 {
		s.Fatalf("%d runs and windows, want 1", len(s.nb.Count.Runs))
	}
	return s.nb.Count.Runs[0]
}

// of returns the one run or window that cites a file.
func (s small) of(file string) *carryover.Run {
	s.Helper()
	for _, r := range s.nb.Count.Runs {
		for _, span := range r.Source {
			if span.File == file {
				return r
			}
		}
	}
	s.Fatalf("no run or window of %s", file)
	return nil
}

const unbounded = -1

// bounds holds both ends of an interval; unbounded is an open high end.
func (s small) bounds(what string, low int64, high *int64, wantLow, wantHigh int64) {
	s.Helper()
	ok := low == wantLow && (high == nil) == (wantHigh == unbounded) && (high == nil || *high == wantHigh)
	if !ok {
		s.Errorf("%s %s, want %s", what, ends(low, high), ends(wantLow, highOf(wantHigh)))
	}
}

func (s small) interval(what string, i carryover.Interval, low, high int64) {
	s.Helper()
	s.bounds(what, i.Low, i.High, low, high)
}

func highOf(n int64) *int64 {
	if n == unbounded {
		return nil
	}
	return &n
}

func (s small) verdict(r *carryover.Run, want ...string) {
	s.Helper()
	if !slices.Contains(want, r.Verdict) {
		s.Errorf("%s: verdict %s, want one of %v", r.ID, r.Verdict, want)
	}
}

// states lists the states of a rule's findings.
func states(nb *analysis.Notebook, rule string) []string {
	var out []string
	for _, f := range nb.Check.Findings {
		if f.Rule == rule {
			out = append(out, f.State)
		}
	}
	return out
}

func (s small) noPass(rule string) {
	s.Helper()
	if got := states(s.nb, rule); len(got) == 0 || slices.Contains(got, rules.Pass) {
		s.Errorf("%s is %v: it must not pass", rule, got)
	}
}

// smallInputs hold one fault each in a few lines; every number, host and model
// in them is invented.
var smallInputs = []struct {
	dir, name string
	hold      func(s small)
	notYet    string // the fault for which the case is left out
}{
	{"01", "a clipped prefill line is not a zero", clippedLine, ""},
	{"02", "decode lines alone prove nothing", decodeAlone, ""},
	{"03", "one cached token per prompt is a trace", tracesOnly, ""},
	{"04", "chunks of one request, then the same request again", chunks, ""},
	{"04", "chunks of one request are one", chunksAreOne, ""},
	{"05", "the earlier chunk printed as cached", chunksAsCached, ""},
	{"06", "page rounding", pageRounding, ""},
	{"06", "a report that fits two batches", twoBatches, ""},
	{"07", "ranks that repeat the work, and ranks that do not", ranks, ""},
	{"08", "server warm-up and health probes are nobody's run", probes, ""},
	{"09", "glued, prefixed, wrapped", glued, ""},
	{"10", "one rank refused the flush", oneRankRefused, ""},
	{"10-vllm", "a reset that failed beside a 200 answer", resetFailed, ""},
	{"11", "exactly zero, and fewer than asked", zeroMedian, ""},
	{"12", "a falling hit rate, and hits that the run made itself", fallingRate, ""},
}

func TestSmallInputs(t *testing.T) {
	for _, c := range smallInputs {
		t.Run(c.dir+" "+c.name, func(t *testing.T) {
			if c.notYet != "" {
				t.Skip(c.notYet)
			}
			capt, nb := read(t, "small/"+c.dir)
			c.hold(small{t, capt, nb})
		})
	}
}

func clippedLine(s small) {
	s.lines("server.log", "prefill", 2)
	s.lines("server.log", "malformed", 2)
	f := s.nb.Count.Files[0]
	if f.Read != capture.ReadPart || !strings.Contains(f.Why, "3") || !strings.Contains(f.Why, "4") {
		s.Errorf("read %s, why %q, want a part and the lines 3 and 4", f.Read, f.Why)
	}
	w := s.only()
	s.interval("cached tokens", w.CachedTokens, 2057, unbounded)
	s.interval("cached", w.Cached, 0, 7)
	s.bounds("hits of unknown origin", w.Origins.Unknown.Low, w.Origins.Unknown.High, 3, 7)
	s.verdict(w, "unknown")
}

func decodeAlone(s small) {
	s.lines("server.log", "decode", 3)
	s.lines("server.log", "prefill", 0)
	s.lines("server.log", "malformed", 0)
	w := s.only()
	s.interval("cached", w.Cached, 0, unbounded)
	s.interval("cached tokens", w.CachedTokens, 0, unbounded)
	s.interval("at start", w.AtStart, 0, unbounded)
	if w.Cached.Grade != carryover.None || w.AtStart.Grade != carryover.None {
		s.Errorf("grades %s and %s of a count of nothing", w.Cached.Grade, w.AtStart.Grade)
	}
	s.verdict(w, "unknown")
}

func tracesOnly(s small) {
	w := s.only()
	s.interval("sequences", w.Sequences, 32, 32)
	if w.Cached.Low != 0 || w.PartlyCached.Low != 0 || w.AtStart.Low != 0 {
		s.Errorf("at least %d full, %d partial hits, %d at start: a shared first token is none", w.Cached.Low, w.PartlyCached.Low, w.AtStart.Low)
	}
	s.interval("cached tokens", w.CachedTokens, 34, 34)
	s.verdict(w, "unknown", "clean")
}

func chunks(s small) {
	w := s.only()
	s.interval("cached tokens", w.CachedTokens, 9404, 9404)
	if hits := w.Origins.InRun.Low + w.Origins.Unknown.Low; hits != 1 {
		s.Errorf("the full hit stands %d times in in_run and unknown, want once", hits)
	}
	if w.AtStart.Low != 0 {
		s.Errorf("at least %d at start: the window sent the prompt itself", w.AtStart.Low)
	}
	s.verdict(w, "unknown")
	if len(s.nb.Latency) > 0 {
		s.Errorf("a prefill rate is given for a window: %+v", s.nb.Latency)
	}
}

func chunksAreOne(s small) { s.interval("sequences", s.only().Sequences, 2, 2) }

func chunksAsCached(s small) {
	w := s.only()
	if w.CachedTokens.Low != 0 || w.Cached.Low != 0 || w.PartlyCached.Low != 0 || w.AtStart.Low != 0 {
		s.Errorf("at least %d cached tokens, %d and %d hits, %d at start: the value follows the chunk border", w.CachedTokens.Low, w.Cached.Low, w.PartlyCached.Low, w.AtStart.Low)
	}
	if h := w.CachedTokens.High; h == nil || *h > 1467 {
		s.Errorf("cached tokens %s, the lines hold 1467", ends(0, h))
	}
	s.verdict(w, "unknown", "clean")
}

func pageRounding(s small) {
	r := s.of("client.txt")
	if r.PageSize == nil || *r.PageSize != 64 || r.PrefixCache != "on" || r.Seed != nil {
		s.Errorf("page size %v, prefix cache %s, seed %v, want 64, on, and none: 99 is the server's", r.PageSize, r.PrefixCache, r.Seed)
	}
	tokens := int64(0)
	for _, x := range s.nb.Count.Runs {
		tokens += x.CachedTokens.Low
		if x.CachedTokens.High != nil && *x.CachedTokens.High < x.CachedTokens.Low {
			s.Errorf("%s: cached tokens %s", x.ID, ends(x.CachedTokens.Low, x.CachedTokens.High))
		}
	}
	if tokens > 2560 {
		s.Errorf("at least %d cached tokens over run and windows, the log has 2560", tokens)
	}
}

func twoBatches(s small) {
	tokens := int64(0)
	for _, x := range s.nb.Count.Runs {
		tokens += x.CachedTokens.Low
	}
	if tokens != 2560 {
		s.Errorf("at least %d cached tokens over run and windows, want 2560", tokens)
	}
	s.verdict(s.of("client.txt"), "unknown")
}

func ranks(s small) {
	s.lines("server.log", "prefill", 4)
	w := s.only()
	s.interval("sequences", w.Sequences, 3, 3)
	s.interval("cached tokens", w.CachedTokens, 300, 300)
}
