package analysis

import (
	"fmt"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// protocol is what to run next for this kit, as commands ready to paste. Names
// that the capture does not tell stay as words in capitals.
func protocol(c *capture.Capture, nb *Notebook) []Step {
	r := sampleRun(nb)
	if r == nil {
		return []Step{{Text: "Save the client's result file, its text output and the server's log of the same time in one folder, and read that folder again."}}
	}
	target := "HOST:PORT"
	if r.Facts != nil && r.Facts.Run != nil && r.Facts.Run.Merged.Workload.Target != "" {
		target = shellSafe(r.Facts.Run.Merged.Workload.Target)
	}
	engine := ""
	if r.Engine != nil {
		engine = *r.Engine
	}
	steps := []Step{{
		Text: planFor(nb.Verdict.State) + ": the same workload, fresh seeds, a proved flush before each run, the same three seeds at each cap, in an order that is shuffled and recorded. " +
			"The repeat arm sends some of these prompts a second time without a flush, which should bring the hits back.",
		Command: "coldcase sweep plan --from CAPTURE --seeds " + freshSeeds(nb) + " --repeat-arm -o plan.json",
	}, {
		Text:    "Run it. It flushes the cache of that server, so nothing else should use the server meanwhile; a cell whose empty cache cannot be proved is refused and not measured.",
		Command: "coldcase sweep run --plan plan.json --server http://" + target + " --out sweep --yes",
	}, {
		Text:    "Put the kit and the sweep in one report.",
		Command: "coldcase report CAPTURE sweep -o report.html",
	}}
	return append(steps, byHand(engine, target)...)
}

// planFor says what a sweep would be for.
func planFor(verdict string) string {
	if verdict == Publishable {
		return "The verdict stands without another run. To repeat it with a record that proves itself, plan a sweep"
	}
	return "Plan the sweep that settles it"
}

// byHand are the same steps without the sweep.
func byHand(engine, target string) []Step {
	scrape := func(when string) string {
		return fmt.Sprintf("curl -s http://%s/metrics > metrics-%s.prom", target, when)
	}
	counters := Step{Text: "Record the counters before and after each run.", Command: scrape("before") + "\n" + scrape("after")}
	switch engine {
	case "vllm":
		return []Step{{
			Text:    "By hand: empty the cache and read the answer. HTTP 200 is no proof: it must say that it succeeded. The server needs its development endpoints for it, else restart it.",
			Command: fmt.Sprintf("curl -s -X POST http://%s/reset_prefix_cache", target),
		}, counters, {
			Text: "Give each run a seed of its own and save the details of every request; the default seed is the same in every run.",
		}}
	case "sglang":
		return []Step{{
			Text:    "By hand: flush once the server is idle, and look for the line that says it was done, one for each data-parallel rank.",
			Command: fmt.Sprintf("curl -s -X POST -w '\\nHTTP %%{http_code}\\n' 'http://%s/flush_cache?timeout=60'", target),
		}, counters, {
			Text: "Give each run a seed of its own, pass --flush-cache to the client, and record cached tokens with --cache-report --output-details.",
		}}
	}
	return []Step{{Text: "Empty the server's prefix cache before each run, prove it with a prompt of your own sent before and after, and give each run prompts that no run before it has sent."}}
}

// sampleRun is the run whose settings the protocol takes up: the first one.
func sampleRun(nb *Notebook) *carryover.Run {
	for _, r := range runsOf(nb.Count) {
		return r
	}
	return nil
}

// freshSeeds names three seeds that no run of the capture used.
func freshSeeds(nb *Notebook) string {
	used := map[int64]bool{}
	for _, r := range runsOf(nb.Count) {
		if r.Seed != nil {
			used[*r.Seed] = true
		}
	}
	var out []string
	for s := int64(1); len(out) < 3; s++ {
		if !used[s] {
			out = append(out, fmt.Sprint(s))
		}
	}
	return strings.Join(out, ",")
}

// shellSafe keeps a host and port, and nothing that a shell would read.
func shellSafe(s string) string {
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_[]", r) {
			return "HOST:PORT"
		}
	}
	return s
}
