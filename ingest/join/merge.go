package join

import (
	"maps"

	"coldcase/ingest/capture"
)

// merge holds every fact of the results once; of a fact that several state the
// first result wins, which is the record with its full precision.
func merge(results []*capture.Result) capture.Result {
	m := *results[0]
	m.Printed = maps.Clone(m.Printed)
	m.Notes = append([]capture.Evidence(nil), m.Notes...)
	m.Workload.Args = maps.Clone(m.Workload.Args)
	for _, r := range results[1:] {
		mergeIdentity(&m, r)
		mergeFigures(&m, r)
		mergeWorkload(&m.Workload, &r.Workload)
		m.Notes = append(m.Notes, r.Notes...)
	}
	return m
}

func mergeIdentity(m, r *capture.Result) {
	fill(&m.Client, r.Client)
	fill(&m.ClientVersion, r.ClientVersion)
	fill(&m.Engine, r.Engine)
	fill(&m.EngineVersion, r.EngineVersion)
	fill(&m.Backend, r.Backend)
	fill(&m.Model, r.Model)
	fill(&m.Label, r.Label)
	fill(&m.Quantiles, r.Quantiles)
	fill(&m.Server, r.Server)
	if !m.MaxConcurrency.Known {
		m.MaxConcurrency = r.MaxConcurrency
	}
	if !m.RequestRate.Known {
		m.RequestRate = r.RequestRate
	}
}

func mergeFigures(m, r *capture.Result) {
	fill(&m.Completed, r.Completed)
	fill(&m.Failed, r.Failed)
	fill(&m.Duration, r.Duration)
	fill(&m.InputTokens, r.InputTokens)
	fill(&m.OutputTokens, r.OutputTokens)
	fill(&m.Start, r.Start)
	fill(&m.End, r.End)
	for name, f := range r.Printed {
		if _, ok := m.Printed[name]; !ok {
			if m.Printed == nil {
				m.Printed = map[string]capture.Figure{}
			}
			m.Printed[name] = f
		}
	}
	if m.CacheTotals == nil || !m.CacheTotals.Reported && r.CacheTotals != nil && r.CacheTotals.Reported {
		fillOver(&m.CacheTotals, r.CacheTotals)
	}
	switch {
	case m.Requests == nil:
		m.Requests = r.Requests
	case r.Requests != nil:
		m.Requests = mergeRequests(m.Requests, r.Requests)
	}
}

// mergeRequests adds the columns that only the second list has, if both list
// the same requests in the same order.
func mergeRequests(a, b *capture.Requests) *capture.Requests {
	if a.N != b.N || !a.InOrder || !b.InOrder {
		return a
	}
	m := *a
	fillList(&m.TTFT, b.TTFT)
	fillList(&m.E2E, b.E2E)
	fillList(&m.Start, b.Start)
	fillList(&m.Queue, b.Queue)
	fillList(&m.TPOT, b.TPOT)
	fillList(&m.MaxITL, b.MaxITL)
	fillList(&m.Chunks, b.Chunks)
	fillList(&m.Output, b.Output)
	fillList(&m.Cached, b.Cached)
	fillList(&m.Failed, b.Failed)
	fillList(&m.TextHash, b.TextHash)
	if m.Input == nil {
		m.Input, m.InputByServer = b.Input, b.InputByServer
	}
	return &m
}

// mergeWorkload fills what the first does not state. The printed arguments of a
// client name everything, a record a few of them, so that From follows the
// fuller form.
func mergeWorkload(m, w *capture.Workload) {
	if forms[w.Form] > forms[m.Form] {
		m.Form, m.From = w.Form, w.From
	}
	fillWorkload(m, w)
}

// forms orders the places of arguments by how much they tell.
var forms = map[string]int{"": 0, "record": 1, "config": 2, "command": 3, "namespace": 4}

// fillWorkload fills every silent field of m but its seed's default mark, which
// goes with the seed.
func fillWorkload(m, w *capture.Workload) {
	for k, v := range w.Args {
		// Arguments stand as the client printed them; a record's are its own
		// rendering, 512.0 for 512.
		if _, ok := m.Args[k]; !ok || w.Form == "namespace" {
			if m.Args == nil {
				m.Args = map[string]any{}
			}
			m.Args[k] = v
		}
	}
	if m.Seed == nil && w.Seed != nil {
		m.Seed, m.SeedDefault = w.Seed, w.SeedDefault
	}
	fill(&m.Dataset, w.Dataset)
	fill(&m.DatasetPath, w.DatasetPath)
	fill(&m.Tokenizer, w.Tokenizer)
	fill(&m.Prompts, w.Prompts)
	fill(&m.InputLen, w.InputLen)
	fill(&m.OutputLen, w.OutputLen)
	fill(&m.RangeRatio, w.RangeRatio)
	fill(&m.PrefixLen, w.PrefixLen)
	fill(&m.Warmups, w.Warmups)
	fill(&m.WarmupsFrom, w.WarmupsFrom)
	fill(&m.ReadyCheck, w.ReadyCheck)
	fill(&m.ExtraRequests, w.ExtraRequests)
	fill(&m.ExtraFrom, w.ExtraFrom)
	fill(&m.FlushAsked, w.FlushAsked)
	fill(&m.TokenIDs, w.TokenIDs)
	fill(&m.CacheSalt, w.CacheSalt)
	fill(&m.Groups, w.Groups)
	fill(&m.PerGroup, w.PerGroup)
	fill(&m.SystemLen, w.SystemLen)
	fill(&m.QuestionLen, w.QuestionLen)
	fill(&m.Turns, w.Turns)
	fill(&m.Offset, w.Offset)
	fill(&m.Target, w.Target)
}

// fill sets a field that is not set.
func fill[T comparable](to *T, from T) {
	var zero T
	if *to == zero {
		*to = from
	}
}

func fillOver[T any](to **T, from *T) {
	if from != nil {
		*to = from
	}
}

func fillList[T any](to *[]T, from []T) {
	if *to == nil {
		*to = from
	}
}
