package clients

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// GuideLLM writes one JSON (or YAML, CSV, HTML) for a sweep of benchmarks; each
// benchmark is one measured run. Three layouts: 0.3 (settings in each
// benchmark's args), up to 0.6 (args at the top), 0.7 and later (config.spec at
// the top). Times are epoch seconds, TTFT and ITL are ms, request latency is s.
//
// Requests are listed as they were finished, and in groups by outcome. 0.7 and
// later start a synthetic prompt with the number of the iteration and a running
// number, which gives the prompt order back.
const (
	guideClient                  = "guidellm"
	GuideLLMCSV     capture.Kind = "guidellm-csv"
	GuideLLMText    capture.Kind = "guidellm-text"
	GuideLLMHTML    capture.Kind = "guidellm-html"
	guideDefaultKey              = 42 // GuideLLM's seed when none is given

	// guideMostMissing is how many requests a file may leave out, over all of
	// its benchmarks, and still be read for those that it lists.
	guideMostMissing = 1 << 16
)

func init() { register("guidellm", guideLLM) }

func guideLLM() []format.Format {
	return []format.Format{
		{Kind: capture.GuideLLMJSON, Sniff: sniffGuideJSON, Read: readGuideJSON},
		{Kind: GuideLLMCSV, Sniff: sniffGuideCSV, Read: readGuideCSV},
		consoleFormat(GuideLLMText, sniffGuideText, newGuideConsole),
		seen(GuideLLMHTML, "a page drawn from the JSON; not read", func(in *format.Input) int {
			if opens(in.Head) == '<' && hasAny(in.Head, "guidellm", "GuideLLM") {
				return likely
			}
			return 0
		}),
	}
}

func sniffGuideJSON(in *format.Input) int {
	switch {
	case opens(in.Head) != '{' || !hasAny(in.Head, `"benchmarks"`):
		return 0
	case hasAny(in.Head, `"guidellm_version"`, `"generative_benchmark"`):
		return certain
	case hasAll(in.Head, `"time_to_first_token_ms"`, `"successful"`):
		return likely
	}
	return 0
}

// guideFile is what stands outside of the benchmarks.
type guideFile struct {
	metadata, args, config node
	missing                int // requests that the benchmarks leave out, so far
}

func readGuideJSON(in *format.Input, out *format.Output) error {
	var top guideFile
	var found []*guideBenchmark
	err := readJSON(capture.GuideLLMJSON, in, out, func(doc *document) error {
		err := doc.members(func(name string) (err error) {
			switch name {
			case "metadata":
				top.metadata, err = doc.value()
			case "args":
				top.args, err = doc.value()
			case "config":
				top.config, err = doc.value()
			case "benchmarks":
				err = doc.elements(func(int) error {
					b := &guideBenchmark{line: doc.line()}
					err := b.read(doc)
					if b.cut = err != nil; !b.cut || len(b.all) > 0 {
						found = append(found, b)
					}
					return err
				})
			default:
				err = doc.skip()
			}
			return err
		})
		for _, b := range found {
			if len(found) == 1 {
				b.line = 1 // a document that is one record stands on line 1
			}
			out.Results = append(out.Results, b.result(in.Path, &top))
		}
		return err
	})
	return err
}

// guideBenchmark is one element of benchmarks.
type guideBenchmark struct {
	line     int
	all      map[string]node // all members but the requests
	requests []request
	// successes counts the answered requests as listed.
	successes int
	ordered   bool // every prompt names its place
	cut       bool // the document ends in the midst of it
}

func (b *guideBenchmark) read(doc *document) error {
	b.all, b.ordered = map[string]node{}, true
	return doc.members(func(name string) (err error) {
		if name != "requests" {
			b.all[name], err = doc.value()
			return err
		}
		return doc.members(func(group string) error {
			if group == "total" {
				return doc.skip()
			}
			return doc.elements(func(int) error {
				n, err := doc.value()
				if err != nil {
					return err
				}
				b.add(group, n)
				return nil
			})
		})
	})
}

func (b *guideBenchmark) add(group string, n node) {
	r := untold()
	r.failed = group != "successful"
	if r.failed {
		r.input = n.at("prompt_tokens").tokens()
	} else {
		b.successes++
		r.ttft = n.at("time_to_first_token_ms").scaled(milli)
		r.e2e = n.at("request_latency").scaled(1)
		r.tpot = n.at("time_per_output_token_ms").scaled(milli)
		r.input = n.at("prompt_tokens").tokens()
		r.output = n.at("output_tokens").tokens()
		r.cached = n.at("cached_tokens").tokens()
		if r.cached < 0 {
			r.cached = n.at("input_metrics", "cached_tokens").tokens()
		}
	}
	r.start = firstTold(n.at("request_start_time"), n.at("info", "timings", "request_start"),
		n.at("scheduler_info", "request_timings", "request_start"), n.at("start_time"))
	prompt := promptOf(bodyOf(n.at("request_args").str()).at("body"))
	if prompt == "" {
		prompt = n.at("prompt").str() // 0.3
	}
	r.hash = promptHash(prompt)
	place, ok := guidePlace(prompt)
	r.order, b.ordered = float64(place), b.ordered && ok
	b.requests = append(b.requests, r)
}

func firstTold(values ...node) float64 {
	for _, v := range values {
		if f := v.scaled(1); f >= 0 {
			return f
		}
	}
	return -1
}

// guidePlace reads the running number at the start of a synthetic prompt:
// "1 17 ..." is number 17 of iteration 1.
func guidePlace(prompt string) (int, bool) {
	_, prompt, _ = strings.Cut(prompt, "\x00") // the role of a chat message
	words := strings.Fields(prompt[:min(len(prompt), 40)])
	if len(words) < 2 {
		return 0, false
	}
	if _, err := strconv.Atoi(words[0]); err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(words[1])
	return n, err == nil
}

func (b *guideBenchmark) at(names ...string) node { return b.all[names[0]].at(names[1:]...) }

func (b *guideBenchmark) result(file string, top *guideFile) *capture.Result {
	r := newResult(file, b.line, capture.GuideLLMJSON, guideClient)
	r.ClientVersion = top.metadata.at("guidellm_version").str()
	r.Quantiles = nearestRank
	settings := b.at("config")
	if settings.object() == nil {
		settings = b.at("args") // 0.3
	}
	r.Label = strategyName(settings.at("strategy"))
	guideStrategy(r, settings.at("strategy"))
	b.workload(r, top, settings)

	totals := b.at("metrics", "request_totals")
	for _, other := range []node{b.at("scheduler_metrics", "requests_made"), b.at("run_stats", "requests_made")} {
		if totals.object() == nil {
			totals = other
		}
	}
	r.Completed, r.Failed = totals.at("successful").count(), totals.at("errored").count()
	if r.Completed == nil {
		r.Completed = b.at("metrics", "time_to_first_token_ms", "successful", "count").count()
	}
	r.Start, r.End = max(firstTold(b.at("start_time"), b.at("run_stats", "start_time")), 0), max(firstTold(b.at("end_time"), b.at("run_stats", "end_time")), 0)
	r.Duration = seconds(b.at("duration"))
	b.figures(r)
	if b.cut && r.Completed == nil {
		return r // how many requests there were is not known
	}
	missing := 0
	if r.Completed != nil && b.successes != *r.Completed {
		missing = max(0, *r.Completed-b.successes)
		if top.missing += missing; top.missing > guideMostMissing {
			return r
		}
		r.Notes = append(r.Notes, quote(file, b.line, fmt.Sprintf("%d of %d requests are listed", b.successes, *r.Completed)))
	}
	r.Requests = b.ordering(missing)
	return r
}

// ordering puts the requests into prompt order if every prompt names its
// place, else by their start, which is near to it. Requests that the file does
// not list (its sample_size leaves them out, or its end is lost) stand behind
// them: of these nothing is known, and so the place of none is.
func (b *guideBenchmark) ordering(missing int) *capture.Requests {
	if len(b.requests) == 0 {
		return nil
	}
	slices.SortStableFunc(b.requests, func(x, y request) int {
		if b.ordered {
			return cmp.Compare(x.order, y.order)
		}
		return cmp.Compare(x.start, y.start)
	})
	for range missing {
		r := untold()
		r.lost = true
		b.requests = append(b.requests, r)
	}
	q := collect(b.requests)
	q.InOrder, q.InputByServer = b.ordered && missing == 0, q.Cached != nil
	return q
}

func (b *guideBenchmark) figures(r *capture.Result) {
	keys := statKeys{"mean": "mean", "median": "median", "std": "std_dev", "max": "max", "min": "min"}
	for name, f := range map[string]struct {
		metric string
		unit   float64
	}{
		"time_to_first_token_ms":   {"ttft", 1},
		"time_per_output_token_ms": {"tpot", 1},
		"inter_token_latency_ms":   {"itl", 1},
		"request_latency":          {"e2e_latency", toMS},
	} {
		stats := b.at("metrics", name, "successful")
		if c := stats.at("count").count(); c != nil && *c == 0 {
			continue // all zero, and means nothing
		}
		figures(r, f.metric, stats, keys, f.unit)
		for _, p := range []string{"p90", "p95", "p99"} {
			figure(r, p+"_"+f.metric+"_ms", stats.at("percentiles", p), f.unit, exact)
		}
	}
	figure(r, "request_throughput", b.at("metrics", "requests_per_second", "successful", "mean"), 1, exact)
	figure(r, "concurrency", b.at("metrics", "request_concurrency", "successful", "mean"), 1, exact)
	figure(r, "input_throughput", b.at("metrics", "prompt_tokens_per_second", "successful", "mean"), 1, exact)
	figure(r, "output_throughput", b.at("metrics", "output_tokens_per_second", "successful", "mean"), 1, exact)
	r.InputTokens = asTokens(b.at("metrics", "prompt_token_count", "successful", "total_sum"))
	r.OutputTokens = asTokens(b.at("metrics", "output_token_count", "successful", "total_sum"))
}
