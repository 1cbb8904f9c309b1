package prom

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"coldcase/ingest/capture"
)

// maxNamed is how many malformed lines an inventory row names.
const maxNamed = 20

// engines are the name prefixes by which servers mark their own series.
var engines = []struct{ prefix, engine string }{
	{"sglang:", "sglang"},
	{"vllm:", "vllm"},
	{"trtllm", "trt-llm"},
	{"llamacpp:", "llama.cpp"},
	{"lmdeploy:", "lmdeploy"},
	{"tgi_", "tgi"},
	{"maxserve", "max"},
	{"dynamo_", "dynamo"},
}

// scraper collects samples into snapshots. A label set that comes a second time
// begins the next scrape: one answer never names a sample twice.
type scraper struct {
	done    []*capture.Snapshot
	cur     *capture.Snapshot
	seen    map[string]bool
	from    int  // first comment or header line since the last sample, 0 none
	headers bool // inside the headers that curl -i prints

	samples, malformed int
	bad                []int // the first lines that are malformed
}

// line takes the next line and reports its class.
func (s *scraper) line(n int, line []byte) lineClass {
	line = bytes.TrimSpace(line)
	class, name, sample := classify(line)
	if s.headers {
		if class != lineBlank {
			return lineHeader
		}
		s.headers = false
	}
	switch class {
	case lineHeader:
		s.headers = true
		s.next()
		s.from = n
	case lineType:
		if s.from == 0 {
			s.from = n
		}
	case lineSample:
		sample.Line = n
		s.sample(name, sample)
	case lineOther:
		s.malformed++
		if len(s.bad) < maxNamed {
			s.bad = append(s.bad, n)
		}
		if s.cur != nil {
			s.cur.Span.To = n
		}
	}
	return class
}

func (s *scraper) sample(name string, x capture.Sample) {
	s.samples++
	key := name + "\x00" + sampleKey(x.Labels)
	if s.seen[key] {
		s.next()
	}
	if s.cur == nil {
		from := x.Line
		if s.from > 0 {
			from = s.from
		}
		s.cur = &capture.Snapshot{Span: capture.Span{Line: from}, Series: make(map[string][]capture.Sample)}
		s.seen = make(map[string]bool)
	}
	s.from = 0
	s.seen[key] = true
	s.cur.Series[name] = append(s.cur.Series[name], x)
	s.cur.Span.To = x.Line
}

// next ends the scrape that is being read, if there is one.
func (s *scraper) next() {
	if s.cur == nil {
		return
	}
	s.cur.Engine = engineOf(s.cur)
	s.done = append(s.done, s.cur)
	s.cur, s.seen = nil, nil
}

func (s *scraper) finish(file string) []*capture.Snapshot {
	s.next()
	for _, snap := range s.done {
		snap.File, snap.Span.File = file, file
	}
	return s.done
}

func (s *scraper) counts() capture.Counts {
	var c capture.Counts
	c.Add("samples", s.samples)
	c.Add("malformed", s.malformed)
	return c
}

// engineOf goes by the prefix that most series have: a proxy's answer may hold
// a few series of its own beside those of the engine.
func engineOf(s *capture.Snapshot) string {
	best, most := "", 0
	for _, e := range engines {
		n := 0
		for name := range s.Series {
			if strings.HasPrefix(name, e.prefix) {
				n++
			}
		}
		if n > most {
			best, most = e.engine, n
		}
	}
	return best
}

func sampleKey(labels map[string]string) string {
	names := make([]string, 0, len(labels))
	for name := range labels {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name)
		b.WriteByte(0)
		b.WriteString(labels[name])
		b.WriteByte(0)
	}
	return b.String()
}

// badLines says which lines were left out.
func badLines(lines []int, total int) string {
	var b strings.Builder
	noun := "lines"
	if total == 1 {
		noun = "line"
	}
	fmt.Fprintf(&b, "%d malformed %s: ", total, noun)
	for i, n := range lines {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	if total > len(lines) {
		b.WriteString(", …")
	}
	return b.String()
}

func joinWhy(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
