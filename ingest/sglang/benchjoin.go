package sglang

import (
	"sort"

	"coldcase/ingest/capture"
	"coldcase/ingest/text"
)

// results pairs the Namespace lines of a text with its result blocks.
// Buffering may print a Namespace before, amid or after its block, so the
// pairing goes by order and by what both name, not by place alone.
func (m *BenchText) results(file string) []*capture.Result {
	partner := m.pair()
	var results []*capture.Result
	used := map[int]bool{}
	for i, b := range m.blocks {
		r := b.finish(file)
		if j := partner[i]; j >= 0 {
			used[j] = true
			m.invocations[j].fill(r, file)
		}
		results = append(results, r)
	}
	for j, inv := range m.invocations {
		if !used[j] {
			r := &capture.Result{
				Span: capture.Span{File: file, Line: inv.line}, Kind: capture.SGLangBenchText, Client: pythonClient,
				Backend: inv.args.backend, Engine: engineOf(inv.args.backend), Printed: map[string]capture.Figure{},
			}
			inv.fill(r, file)
			results = append(results, r)
		}
	}
	sort.SliceStable(results, func(i, j int) bool { return results[i].Span.Line < results[j].Span.Line })
	m.attach(results, file)
	return results
}

// fill adds the arguments to a result.
func (inv *invocation) fill(r *capture.Result, file string) {
	r.Workload = inv.args.workload
	r.Workload.From = text.Evidence(file, inv.line, inv.raw)
	if r.Client == "" {
		r.Client = pythonClient
	}
	if !r.MaxConcurrency.Known {
		r.MaxConcurrency = inv.args.cap
	}
	if !r.RequestRate.Known {
		r.RequestRate = inv.args.rate
	}
	if r.Backend == "" {
		r.Backend, r.Engine = inv.args.backend, engineOf(inv.args.backend)
	}
	if b, ok := inv.args.workload.Args["rust_client"].(bool); ok && b {
		r.Client = rustClient
	}
	r.Model, r.Label = inv.args.model, inv.args.tag
}

// pair returns for each block the index of its invocation, -1 if it has none.
// It is the pairing in order with the most pairs; among those, the one in which
// the most blocks directly follow their invocation. One invocation with --multi
// (to 0.4.3.post2) has several blocks.
func (m *BenchText) pair() []int {
	nb, ni := len(m.blocks), len(m.invocations)
	best := make([][]int, nb+1) // best[i][j]: of blocks i.. and invocations j..
	for i := range best {
		best[i] = make([]int, ni+1)
	}
	for i := nb - 1; i >= 0; i-- {
		for j := ni - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := m.score(i, j); s > 0 {
				best[i][j] = max(best[i][j], s+best[i+1][j+1])
			}
		}
	}
	partner := make([]int, nb)
	i, j := 0, 0
	for i < nb {
		partner[i] = -1
		switch {
		case j < ni && best[i][j] == m.score(i, j)+best[i+1][j+1] && m.score(i, j) > 0:
			partner[i] = j
			i, j = i+1, j+1
		case j < ni && best[i][j] == best[i][j+1]:
			j++
		default:
			i++
		}
	}
	for i := 1; i < nb; i++ {
		if prev := partner[i-1]; partner[i] < 0 && prev >= 0 && m.invocations[prev].args.multi {
			partner[i] = prev
		}
	}
	return partner
}

// score says how well an invocation fits a block: 0 if they contradict each
// other.
func (m *BenchText) score(i, j int) int {
	b, inv := m.blocks[i], m.invocations[j]
	r, a := &b.result, &inv.args
	switch {
	case r.Backend != "" && a.backend != "" && r.Backend != a.backend,
		r.MaxConcurrency.Known && a.cap.Known && r.MaxConcurrency != a.cap,
		r.RequestRate.Known && a.rate.Known && !a.multi && r.RequestRate != a.rate,
		r.Completed != nil && a.workload.Prompts != nil && *r.Completed > *a.workload.Prompts && !multiTurn(a):
		return 0
	}
	const pair = 1 << 10
	if inv.line < b.line && (j+1 == len(m.invocations) || m.invocations[j+1].line > b.line) {
		return pair + 1
	}
	return pair
}

// multiTurn tells whether one prompt may make several requests.
func multiTurn(a *clientArgs) bool {
	for _, key := range []string{"enable_multiturn", "gsp_num_turns", "agentic_max_turns"} {
		switch v := a.workload.Args[key].(type) {
		case bool:
			return v
		case int64:
			return v > 1
		}
	}
	return a.workload.Dataset == "mooncake" || a.workload.Dataset == "agentic-trace"
}

// attach adds the remarks of the clients to the runs in which they stand: the
// first result that ends behind the remark, else the last one.
func (m *BenchText) attach(results []*capture.Result, file string) {
	owner := func(line int) *capture.Result {
		var last *capture.Result
		for _, r := range results {
			if r.Completed == nil && r.Span.To == 0 && len(results) > 1 {
				continue
			}
			last = r
			if max(r.Span.Line, r.Span.To) >= line {
				return r
			}
		}
		return last
	}
	for _, n := range m.notes {
		r := owner(n.line)
		if r == nil {
			continue
		}
		// What follows the report of a finished run is its own, too: failures
		// are told after the block.
		if k, ok := failedOf(n.raw); ok {
			r.Failed = &k
		}
		r.Notes = append(r.Notes, evidence(file, n))
	}
	for _, x := range m.rust {
		r := owner(x.line)
		if r == nil || r.Workload.Form != "" {
			continue
		}
		r.Client = rustClient
		n := x.prompts
		r.Workload.Prompts = &n
		if !r.MaxConcurrency.Known {
			r.MaxConcurrency = x.cap
		}
	}
	for _, x := range m.warmup {
		if r := owner(x.line); r != nil && r.Workload.Warmups == nil {
			n := x.n
			r.Workload.Warmups, r.Workload.WarmupsFrom = &n, "line "+itoa(x.line)
		}
	}
}
