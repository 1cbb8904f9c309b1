package clients

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyjson"
)

func readAIPerfJSONL(in *format.Input, out *format.Output) error {
	body, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer body.Close()
	var rs []request
	var bad []int
	r, last := bufio.NewReaderSize(body, maxLine), 0
	for n := 1; ; n++ {
		raw, err := r.ReadBytes('\n')
		if len(raw) > 0 {
			last = n
		}
		if len(bytes.TrimSpace(raw)) > 0 {
			q, measured, ok := aiRequest(raw)
			if !ok {
				bad = append(bad, n)
				q, measured = aiDamaged(raw)
			}
			if measured {
				q.line = int32(n)
				rs = append(rs, q)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.Path, err)
		}
	}
	f := out.File
	f.Kind, f.Read, f.Lines, f.Parts = capture.AIPerfJSONL, capture.ReadAll, last, wholeFile(capture.AIPerfJSONL, last)
	f.Counts.Add("records", last-len(bad))
	f.Counts.Add("malformed", len(bad))
	if len(bad) > 0 {
		f.Read, f.Why = capture.ReadPart, fmt.Sprintf("%d malformed records: %s", len(bad), lineList(bad))
	}
	if len(rs) > 0 {
		out.Results = append(out.Results, aiRun(in.Path, last, rs))
	}
	return nil
}

// aiRun makes the run of the requests. Lines stand in the order of completion;
// session_num is the order of sending.
func aiRun(file string, last int, rs []request) *capture.Result {
	placed := !slices.ContainsFunc(rs, func(q request) bool { return q.order < 0 })
	if placed {
		slices.SortStableFunc(rs, func(x, y request) int { return cmp.Compare(x.order, y.order) })
	}
	r := newResult(file, 1, capture.AIPerfJSONL, aiClient)
	r.Span.To = last
	r.Group, r.Label = aiGroup(file), folderLabel(file)
	done, failed, input, output := tally(rs)
	if !slices.ContainsFunc(rs, func(q request) bool { return q.lost }) {
		r.Completed, r.Failed, r.InputTokens, r.OutputTokens = &done, &failed, input, output
	}
	r.Workload.Prompts = ptr(len(rs))
	for i, q := range rs {
		if q.start >= 0 && (r.Start == 0 || q.start < r.Start) {
			r.Start = q.start
		}
		if q.start >= 0 && q.e2e >= 0 {
			r.End = max(r.End, q.start+q.e2e)
		}
		rs[i].order = 0
	}
	if r.End > r.Start {
		r.Duration = ptr(r.End - r.Start) // AIPerf's own benchmark_duration
	}
	r.Requests = collect(rs)
	r.Requests.InOrder, r.Requests.InputByServer = placed, r.Requests.Cached != nil
	return r
}

var (
	aiPhase   = regexp.MustCompile(`"benchmark_phase":\s*"(\w+)"`)
	aiSession = regexp.MustCompile(`"session_num":\s*([0-9]+)\s*[,}]`)
)

// aiDamaged reads what a damaged line still tells of its request: whether it is
// one of the measured, which it is taken for if the phase is lost, and its place.
// How it ended is not known.
func aiDamaged(raw []byte) (q request, measured bool) {
	q = untold()
	q.order, q.lost = -1, true
	if m := aiPhase.FindSubmatch(raw); m != nil && string(m[1]) != "profiling" {
		return q, false
	}
	if m := aiSession.FindSubmatch(raw); m != nil {
		q.order = node{string(m[1])}.scaled(1)
	}
	return q, true
}

// aiRequest reads one line; measured is false for warm-up requests.
func aiRequest(raw []byte) (q request, measured, ok bool) {
	var v any
	if json.Unmarshal(pyjson.Quote(raw), &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return q, false, false
	}
	v = finite(v)
	meta, m := node{v}.at("metadata"), node{v}.at("metrics")
	if meta.object() == nil {
		return q, false, false
	}
	if phase := meta.at("benchmark_phase").str(); phase != "" && phase != "profiling" {
		return q, false, true
	}
	q = untold()
	q.order = meta.at("session_num").scaled(1)
	q.mute = !m.has("usage_prompt_tokens") && !m.has("usage_completion_tokens") && !m.has("usage_total_tokens")
	q.start = meta.at("request_start_ns").scaled(nano)
	cancelled, _ := meta.at("was_cancelled").v.(bool)
	q.failed = cancelled || node{v}.at("error").v != nil
	q.input = firstNode(m.at("usage_prompt_tokens", "value"), m.at("input_sequence_length", "value")).tokens()
	q.cached = m.at(aiCacheRead, "value").tokens()
	if q.failed {
		return q, true, true
	}
	q.ttft, q.e2e = inUnit(m.at("time_to_first_token")), inUnit(m.at("request_latency"))
	q.tpot = inUnit(m.at("inter_token_latency")) // AIPerf's mean gap of one request
	q.output = m.at("output_sequence_length", "value").tokens()
	if gaps := m.at("inter_chunk_latency", "value").list(); gaps != nil {
		q.chunks = int32(len(gaps))
	}
	return q, true, true
}

// lineList prints line numbers for a Why, the first twenty of them.
func lineList(lines []int) string {
	const most = 20
	var b strings.Builder
	for i, n := range lines {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(lines)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// readAIPerfInputs reads the prompts of a run in the order of their sessions.
// A session with several turns has several prompts, which are not told apart.
func readAIPerfInputs(in *format.Input, out *format.Output) error {
	return readJSON(AIPerfInputs, in, out, func(doc *document) error {
		var rs []request
		err := doc.members(func(name string) error {
			if name != "data" {
				return doc.skip()
			}
			return doc.elements(func(int) error {
				n, err := doc.value()
				if err != nil {
					return err
				}
				q := untold()
				if p := n.at("payloads").list(); len(p) == 1 {
					q.hash = promptHash(promptOf(node{p[0]}))
				}
				rs = append(rs, q)
				return nil
			})
		})
		if err != nil || len(rs) == 0 {
			return err
		}
		r := newResult(in.Path, 1, AIPerfInputs, aiClient)
		r.Group, r.Label, r.Partial = aiGroup(in.Path), folderLabel(in.Path), true
		r.Requests = collect(rs)
		r.Requests.InOrder = true
		out.Results = append(out.Results, r)
		return nil
	})
}
