package carryover

import (
	"testing"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// flushLine is a line of the engine about a flush, by rank.
func flushLine(line int, kind capture.FlushKind, rank int8) capture.Flush {
	r := capture.NoRank
	r.DP = rank
	return capture.Flush{Line: line, Kind: kind, Rank: r}
}

// onLog places a run at lines 50 to 90 of a server's log: its warm-up at 52,
// its measured requests from 60 on.
func onLog(flushes []capture.Flush, dp int) *runCase {
	log := &capture.ServerLog{File: "server.log", Engine: "sglang", Complete: true, Span: capture.Span{File: "server.log", Line: 1, To: 100}, Flushes: flushes}
	log.Batches.Append(capture.Batch{Line: 52, NewSeq: 1, NewToken: 512, Rank: capture.NoRank})
	log.Starts = []capture.Start{{Line: 1}}
	for _, line := range []int32{52, 61, 62} {
		log.Access.Append(capture.Access{Line: line, To: line, N: 1, Path: capture.PathGenerate, Status: 200})
	}
	track := timeline.NewTrack(0, log)
	p := &timeline.Place{Track: track, From: 50, To: 90, Measured: 60, Whole: true}
	k := &runCase{
		c: &capture.Capture{}, tl: &timeline.Timeline{Places: [][]*timeline.Place{{p}}},
		run: &capture.Run{}, want: &timeline.Want{}, places: []*timeline.Place{p}, warm: exactly(1), engine: "sglang",
	}
	if dp > 0 {
		k.server.DPSize = &dp
	}
	return k
}

func TestFlushOnLog(t *testing.T) {
	type lines = []capture.Flush
	for _, c := range []struct {
		name     string
		flushes  lines
		dp       int
		want     string
		byClient bool
	}{
		{"no flush on a whole log", nil, 0, flushNone, false},
		{"done", lines{flushLine(40, capture.FlushDone, -1)}, 0, flushProved, false},
		{"refused", lines{flushLine(40, capture.FlushRefused, -1)}, 0, flushRefused, false},
		{"timed out", lines{flushLine(40, capture.FlushTimeout, -1)}, 0, flushRefused, false},
		{"refused, tried again and done", lines{flushLine(38, capture.FlushRefused, -1), flushLine(40, capture.FlushDone, -1)}, 0, flushProved, false},
		{"done, and refused after that", lines{flushLine(38, capture.FlushDone, -1), flushLine(40, capture.FlushRefused, -1)}, 0, flushRefused, false},
		{"asked only", lines{flushLine(40, capture.FlushAskedOnly, -1)}, 0, flushClaimed, false},
		{"both of two ranks", lines{flushLine(40, capture.FlushDone, 0), flushLine(41, capture.FlushDone, 1)}, 2, flushProved, false},
		{"one of two ranks says nothing", lines{flushLine(40, capture.FlushDone, 0)}, 2, flushClaimed, false},
		{"one of two ranks refused", lines{flushLine(40, capture.FlushDone, 0), flushLine(41, capture.FlushRefused, 1)}, 2, flushRefused, false},
		{"the refusal came first", lines{flushLine(40, capture.FlushRefused, 1), flushLine(41, capture.FlushDone, 0)}, 2, flushRefused, false},
		{"ranks that only the lines name", lines{flushLine(40, capture.FlushDone, 0), flushLine(41, capture.FlushRefused, 1)}, 0, flushRefused, false},
		{"between warm-up and prompts", lines{flushLine(55, capture.FlushDone, -1)}, 0, flushProved, true},
		{"refused between warm-up and prompts", lines{flushLine(55, capture.FlushRefused, -1)}, 0, flushRefused, true},
		{"after the first prompt", lines{flushLine(70, capture.FlushDone, -1)}, 0, flushNone, false},
	} {
		got := onLog(c.flushes, c.dp).flushOf()
		if got.state != c.want || got.byClient != c.byClient {
			t.Errorf("%s: %s, by the client %v, want %s, %v", c.name, got.state, got.byClient, c.want, c.byClient)
		}
		if got.state != flushUnknown && got.why == "" {
			t.Errorf("%s: %s without a reason", c.name, got.state)
		}
		if len(c.flushes) > 0 && got.state != flushNone && len(got.evidence) == 0 {
			t.Errorf("%s: %s without evidence", c.name, got.state)
		}
	}
}

// That there was no flush must be seen: on a whole log of that time, on which
// one would show, and not merely because nobody asked.
func TestNoFlushIsSeen(t *testing.T) {
	no, yes := false, true
	for _, c := range []struct {
		name  string
		spoil func(k *runCase)
		want  string
	}{
		{"a whole log", func(*runCase) {}, flushNone},
		{"lines of the log are missing", func(k *runCase) { k.places[0].Track.Log.Complete = false }, flushUnknown},
		{"the log begins in the middle", func(k *runCase) { k.places[0].Track.Lives[0].Started = false }, flushUnknown},
		{"the run is on no log", func(k *runCase) { k.places = nil }, flushUnknown},
		{"the run has two places", func(k *runCase) { k.places = append(k.places, k.places[0]) }, flushUnknown},
		{"the client says that it did not flush, and there is no log", func(k *runCase) { k.places, k.run.Merged.Workload.FlushAsked = nil, &no }, flushUnknown},
		{"the client was told to flush, the log shows none", func(k *runCase) { k.run.Merged.Workload.FlushAsked = &yes }, flushClaimed},
		{"an access line of a flush, answered with 200", func(k *runCase) { access(k, 200) }, flushClaimed},
		{"an access line of a flush, answered with 400", func(k *runCase) { access(k, 400) }, flushRefused},
	} {
		k := onLog(nil, 0)
		c.spoil(k)
		if got := k.flushOf(); got.state != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.state, c.want)
		}
	}
}

func access(k *runCase, status int16) {
	k.places[0].Track.Log.Access.Append(capture.Access{Line: 40, To: 40, N: 1, Path: capture.PathFlush, Status: status})
}

// SGLang's Python client stops on a refusal from 0.5.17 on: a finished run that
// was told to flush has flushed, if one rank is all there is.
func TestFlushByClient(t *testing.T) {
	yes, no, done, none, one, two := true, false, 64, 0, 1, 2
	for _, c := range []struct {
		name      string
		client    string
		version   string
		asked     *bool
		completed *int
		dp        *int
		notes     []string
		want      string
	}{
		{"0.5.17, one rank", "sglang.bench_serving", "0.5.17", &yes, &done, &one, nil, flushProved},
		{"0.5.22, one rank", "sglang.bench_serving", "0.5.22", &yes, &done, &one, nil, flushProved},
		{"0.5.16 goes on after a refusal", "sglang.bench_serving", "0.5.16", &yes, &done, &one, nil, flushClaimed},
		{"an unknown version", "sglang.bench_serving", "", &yes, &done, &one, nil, flushClaimed},
		{"two ranks, of which one answers", "sglang.bench_serving", "0.5.22", &yes, &done, &two, nil, flushClaimed},
		{"the number of ranks is not known", "sglang.bench_serving", "0.5.22", &yes, &done, nil, nil, flushClaimed},
		{"the run did not finish", "sglang.bench_serving", "0.5.22", &yes, nil, &one, nil, flushClaimed},
		{"no request was completed", "sglang.bench_serving", "0.5.22", &yes, &none, &one, nil, flushClaimed},
		{"not told to flush", "sglang.bench_serving", "0.5.22", &no, &done, &one, nil, flushUnknown},
		{"not known whether it was told", "sglang.bench_serving", "0.5.22", nil, &done, &one, nil, flushUnknown},
		{"another client", "vllm bench serve", "0.32.0", &yes, &done, &one, nil, flushClaimed},
		{"the client says that it was refused", "sglang.bench_serving", "0.5.16", &yes, &done, &one, []string{"Warning: flush_cache returned 400"}, flushRefused},
		{"the Rust client says that it was done", "sglang.rust", "0.5.22", &yes, &done, &one, []string{"Cache flushed."}, flushProved},
		{"the Rust client, two ranks", "sglang.rust", "0.5.22", &yes, &done, &two, []string{"Cache flushed."}, flushClaimed},
	} {
		k := onLog(nil, 0)
		k.places, k.server.DPSize = nil, c.dp
		m := &k.run.Merged
		m.Client, m.ClientVersion, m.Completed, m.Workload.FlushAsked = c.client, c.version, c.completed, c.asked
		for i, text := range c.notes {
			m.Notes = append(m.Notes, capture.Evidence{File: "bench.txt", Line: i + 1, Text: text})
		}
		if got := k.flushOf(); got.state != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.state, c.want)
		}
	}
}

// A sweep's private prompt proves a flush by its outcome.
func TestFlushByCell(t *testing.T) {
	k := onLog([]capture.Flush{flushLine(40, capture.FlushRefused, -1)}, 0)
	k.run.Cell = &capture.Cell{FlushProved: true}
	if got := k.flushOf(); got.state != flushProved {
		t.Errorf("%s, want proved by outcome", got.state)
	}
	k.run.Cell.FlushProved = false
	if got := k.flushOf(); got.state != flushRefused {
		t.Errorf("%s, want what the log says", got.state)
	}
}
