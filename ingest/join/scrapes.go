package join

import (
	"path"
	"slices"

	"coldcase/ingest/capture"
)

// scrapes finds the metrics before and after each run: by name, by the place
// of the scrapes in the command file, and last by content alone. No pairing may
// contradict the content: the counters must be of one server process and must
// have moved by at least what the run completed.
func scrapes(c *capture.Capture) {
	if len(c.Snapshots) == 0 {
		return
	}
	scrapesByName(c)
	scrapesByCommand(c)
	scrapesByContent(c)
}

// scrapesByName pairs files whose names differ from a run's own only in the
// words that say which scrape it is: files of one folder first, then files that
// lie in folders by kind and whose names no other file shares.
func scrapesByName(c *capture.Capture) {
	pairByName(c, path.Dir)
	pairByName(c, func(string) string { return "" })
}

// pairByName pairs by name within what folder gives for a path.
func pairByName(c *capture.Capture, folder func(string) string) {
	type key struct{ dir, name, role string }
	found := map[key][]*capture.Snapshot{}
	for _, s := range c.Snapshots {
		if name, role := scrapeName(s.File); role != "" {
			k := key{folder(s.File), name, role}
			found[k] = append(found[k], s)
		}
	}
	one := func(k key) *capture.Snapshot {
		if len(found[k]) == 1 {
			return found[k][0]
		}
		return nil
	}
	type place struct{ dir, name string }
	owners := map[place][]*capture.Run{}
	var places []place
	for _, r := range c.Runs {
		for _, s := range r.Spans {
			// A run that is alone in its folder also has the empty name, as the
			// scrapes of a folder for one run have.
			for _, name := range []string{runName(s.File), ""} {
				p := place{folder(s.File), name}
				if len(owners[p]) == 0 {
					places = append(places, p)
				}
				if !slices.Contains(owners[p], r) {
					owners[p] = append(owners[p], r)
				}
			}
		}
	}
	for _, p := range places {
		if len(owners[p]) == 1 {
			setScrapes(owners[p][0], one(key{p.dir, p.name, before}), one(key{p.dir, p.name, after}))
		}
	}
}

// setScrapes gives a run its scrapes unless they contradict it.
func setScrapes(r *capture.Run, b, a *capture.Snapshot) {
	if r.Before != nil || r.After != nil || b == nil && a == nil || !possible(r, b, a) {
		return
	}
	r.Before, r.After = b, a
}

// possible tells whether two scrapes can stand around a run.
func possible(r *capture.Run, b, a *capture.Snapshot) bool {
	if b == nil || a == nil {
		return true
	}
	if b == a {
		return false
	}
	d := capture.NewDelta(b, a)
	if !d.Identity().Same {
		return false
	}
	moved := d.Requests()
	return !moved.OK || r.Merged.Completed == nil || moved.Value >= float64(*r.Merged.Completed)
}

// scrapesByCommand takes the scrapes that the command file makes right before
// and after the run's command, with no other client between.
func scrapesByCommand(c *capture.Capture) {
	files := map[string][]*capture.Command{}
	for _, cmd := range c.Commands {
		files[cmd.At.File] = append(files[cmd.At.File], cmd)
	}
	byPath := map[string][]*capture.Snapshot{}
	for _, s := range c.Snapshots {
		byPath[s.File] = append(byPath[s.File], s)
	}
	of := func(cmd *capture.Command) *capture.Snapshot {
		if len(cmd.Stdout) != 1 {
			return nil
		}
		if s := byPath[path.Join(path.Dir(cmd.At.File), cmd.Stdout[0])]; len(s) == 1 {
			return s[0]
		}
		return nil
	}
	for _, r := range c.Runs {
		if r.Command == nil || r.Command.Index < 0 {
			continue
		}
		list := files[r.Command.At.File]
		setScrapes(r, nearest(list, r.Command.Index, -1, of), nearest(list, r.Command.Index, 1, of))
	}
}

// nearest looks from a command in one direction for a scrape, up to the next
// client.
func nearest(list []*capture.Command, index, step int, of func(*capture.Command) *capture.Snapshot) *capture.Snapshot {
	for i := index + step; i >= 0 && i < len(list); i += step {
		switch list[i].Kind {
		case capture.CommandClient:
			return nil
		case capture.CommandScrape:
			return of(list[i])
		}
	}
	return nil
}

// scrapesByContent pairs what names do not: two scrapes of one server between
// which exactly the run's requests finished. Only a pair that fits one run
// alone, of a run that one pair alone fits, is taken.
func scrapesByContent(c *capture.Capture) {
	states := statesOf(c.Snapshots)
	taken := takenStretches(c.Runs)
	fitsRun := map[*capture.Run][][2]int{}
	fitsPair := map[[2]int]int{}
	for _, r := range c.Runs {
		if r.Merged.Completed == nil || *r.Merged.Completed == 0 {
			continue
		}
		if r.Before != nil && r.After != nil {
			continue
		}
		for i := range states {
			for j := range states {
				between := stretch{states[i], states[j]}
				if i != j && states[i].reaches(states[j], r) && !slices.ContainsFunc(taken, between.meets) {
					p := [2]int{i, j}
					fitsRun[r] = append(fitsRun[r], p)
					fitsPair[p]++
				}
			}
		}
	}
	for _, r := range c.Runs {
		if len(fitsRun[r]) != 1 || fitsPair[fitsRun[r][0]] != 1 {
			continue
		}
		b, a := states[fitsRun[r][0][0]].any, states[fitsRun[r][0][1]].any
		if r.Before == nil && r.After == nil || r.Before == b || r.After == a {
			r.Before, r.After = b, a
		}
	}
}

// stretch is what happened between two states of one server.
type stretch struct{ from, to state }

// takenStretches are those that a name or a command gives to a run: what
// happened there is that run, and no other.
func takenStretches(runs []*capture.Run) []stretch {
	var taken []stretch
	for _, r := range runs {
		if r.Before != nil && r.After != nil {
			s := stretch{stateOf(r.Before), stateOf(r.After)}
			s.from.any, s.to.any = r.Before, r.After
			taken = append(taken, s)
		}
	}
	return taken
}

// meets reports whether requests of one stretch are in the other.
func (s stretch) meets(o stretch) bool {
	return s.from.requests < o.to.requests && o.from.requests < s.to.requests &&
		capture.NewDelta(s.from.any, o.to.any).Identity().Same && capture.NewDelta(o.from.any, s.to.any).Identity().Same
}

// state is a point in the life of a server: scrapes whose request and token
// counters are equal stand for each other.
type state struct {
	engine                   string
	requests, prompts, cache float64
	any                      *capture.Snapshot
}

func statesOf(snapshots []*capture.Snapshot) []state {
	var out []state
	seen := map[state]bool{}
	for _, s := range snapshots {
		if s.Engine == "" {
			continue
		}
		st := stateOf(s)
		if seen[st] {
			continue
		}
		seen[st] = true
		st.any = s
		out = append(out, st)
	}
	return out
}

func stateOf(s *capture.Snapshot) state {
	return state{
		engine:   s.Engine,
		requests: total(s, "sglang:num_requests_total", "vllm:request_success_total"),
		prompts:  total(s, "sglang:prompt_tokens_total", "vllm:prompt_tokens_total"),
		cache:    total(s, "sglang:cached_tokens_total", "vllm:prefix_cache_hits_total"),
	}
}

func total(s *capture.Snapshot, names ...string) float64 {
	for _, n := range names {
		if sum, _, ok := s.Total(n); ok {
			return sum
		}
	}
	return 0
}

// reaches tells whether exactly the run's requests and its warm-up finished
// between two states.
func (b state) reaches(a state, r *capture.Run) bool {
	if b.engine != a.engine {
		return false
	}
	extra := a.requests - b.requests - float64(*r.Merged.Completed)
	low, high := warmups(&r.Merged.Workload)
	if extra < float64(low) || extra > float64(high) {
		return false
	}
	d := capture.NewDelta(b.any, a.any)
	moved := d.Requests()
	return d.Identity().Same && moved.OK && moved.Value == a.requests-b.requests
}

// warmups bounds the requests that a client sends before its measured ones, the
// ready check and a test of the connection included. One is every client's
// default where nothing is known.
func warmups(w *capture.Workload) (low, high int) {
	low, high = 0, 1
	if w.Warmups != nil {
		low, high = *w.Warmups, *w.Warmups
	}
	switch {
	case w.ReadyCheck != nil && *w.ReadyCheck:
		low, high = low+1, high+1
	case w.ReadyCheck == nil:
		high++
	}
	if w.ExtraRequests != nil {
		high += *w.ExtraRequests
	}
	return low, high
}
