package join

import (
	"testing"

	"coldcase/ingest/capture"
)

// scrape is a server's metrics after so many requests.
func scrape(file string, requests, cached float64) *capture.Snapshot {
	one := func(v float64) []capture.Sample { return []capture.Sample{{Value: v, Line: 1}} }
	return &capture.Snapshot{File: file, Engine: "sglang", Series: map[string][]capture.Sample{
		"sglang:num_requests_total": one(requests), "sglang:prompt_tokens_total": one(512 * requests), "sglang:cached_tokens_total": one(cached),
	}}
}

func TestScrapes(t *testing.T) {
	a, b := measured{64, 8, 7, 6.1, 110.7}, measured{128, 32, 7, 9.3, 220.9}
	for _, c := range []struct {
		name          string
		runs          []*capture.Result
		scrapes       []*capture.Snapshot
		commands      []*capture.Command
		before, after string // of the first run
	}{
		{
			"names", []*capture.Result{a.report("bench-c8.txt"), b.report("bench-c32.txt")},
			[]*capture.Snapshot{scrape("metrics-c8-before.txt", 1, 0), scrape("metrics-c8-after.txt", 66, 0), scrape("metrics-c32-before.txt", 66, 0), scrape("metrics-c32-after.txt", 195, 0)},
			nil, "metrics-c32-before.txt", "metrics-c32-after.txt",
		},
		{
			"the name contradicts the counters", []*capture.Result{a.report("bench-c8.txt")},
			[]*capture.Snapshot{scrape("metrics-c8-before.txt", 10, 0), scrape("metrics-c8-after.txt", 30, 0)}, nil, "", "",
		},
		{
			"a restart between", []*capture.Result{a.report("bench-c8.txt")},
			[]*capture.Snapshot{scrape("metrics-c8-before.txt", 100, 0), scrape("metrics-c8-after.txt", 65, 0)}, nil, "", "",
		},
		{
			"one run in its folder", []*capture.Result{a.report("cells/1/client.txt")},
			[]*capture.Snapshot{scrape("cells/1/metrics-before.prom", 1, 0), scrape("cells/1/metrics-after.prom", 66, 0), scrape("cells/2/metrics-before.prom", 66, 0)},
			nil, "cells/1/metrics-before.prom", "cells/1/metrics-after.prom",
		},
		{
			"folders by kind", []*capture.Result{a.report("results/bench-c8.txt")},
			[]*capture.Snapshot{scrape("metrics/c8-before.prom", 1, 0), scrape("metrics/c8-after.prom", 90, 0)},
			nil, "metrics/c8-before.prom", "metrics/c8-after.prom",
		},
		{
			"content alone", []*capture.Result{a.report("f1.txt"), b.report("f2.txt")},
			[]*capture.Snapshot{scrape("f3.prom", 66, 9), scrape("f4.prom", 195, 9), scrape("f5.prom", 1, 0)}, nil, "f5.prom", "f3.prom",
		},
		{
			"requests that names give to two others", []*capture.Result{a.report("a1.txt"), measured{39, 8, 8, 6.2, 111.9}.report("bench-c2.txt"), measured{23, 8, 9, 6.4, 115.3}.report("bench-c4.txt")},
			[]*capture.Snapshot{scrape("metrics-c2-before.txt", 1, 0), scrape("metrics-c2-after.txt", 41, 9), scrape("metrics-c4-before.txt", 41, 9), scrape("metrics-c4-after.txt", 66, 9)}, nil, "", "",
		},
		{
			"two runs fit one pair", []*capture.Result{a.report("f1.txt"), measured{64, 8, 8, 6.2, 111.9}.report("f2.txt")},
			[]*capture.Snapshot{scrape("f3.prom", 1, 0), scrape("f4.prom", 66, 9), scrape("f5.prom", 131, 9)}, nil, "", "",
		},
		{
			"other requests between", []*capture.Result{a.report("f1.txt")},
			[]*capture.Snapshot{scrape("f3.prom", 1, 0), scrape("f4.prom", 90, 9)}, nil, "", "",
		},
		{
			"place in the script", []*capture.Result{a.record("out.jsonl", 1)},
			[]*capture.Snapshot{scrape("m1", 1, 0), scrape("m2", 90, 0)},
			[]*capture.Command{
				{Kind: capture.CommandScrape, Stdout: []string{"m1"}, Index: 0, At: capture.Evidence{File: "kit.sh", Line: 1}},
				a.command(1, "out.jsonl"),
				{Kind: capture.CommandScrape, Stdout: []string{"m2"}, Index: 2, At: capture.Evidence{File: "kit.sh", Line: 3}},
			}, "m1", "m2",
		},
	} {
		r := joined(&capture.Capture{Snapshots: c.scrapes, Commands: c.commands}, c.runs...)[0]
		before, after := "", ""
		if r.Before != nil {
			before = r.Before.File
		}
		if r.After != nil {
			after = r.After.File
		}
		if before != c.before || after != c.after {
			t.Errorf("%s: %s stands between %q and %q, want %q and %q", c.name, r.ID, before, after, c.before, c.after)
		}
	}
}
