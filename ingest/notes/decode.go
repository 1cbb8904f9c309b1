package notes

import (
	"fmt"
	"sort"

	"coldcase/ingest/capture"
)

// decoder takes the known keys out of the tree and reports the others.
type decoder struct {
	file     string
	lines    map[string][]capture.Evidence
	problems []string
}

// runKeys are the facts that may be stated of one run, and facts those of the
// whole capture.
var (
	runKeys = map[string]bool{
		"max_concurrency": true, "request_rate": true, "prompts": true, "seed": true, "dataset": true, "input_len": true,
		"output_len": true, "range_ratio": true, "prefix_len": true, "warmups": true, "client": true, "client_version": true,
	}
	factKeys = map[string]bool{"order": true, "engine": true, "page_size": true}
)

func (d *decoder) notes(tree map[string]any) *capture.Notes {
	n := &capture.Notes{File: d.file, Facts: map[string]any{}, Runs: map[string]map[string]any{}}
	for _, key := range sortedKeys(tree) {
		switch v := tree[key]; key {
		case "facts":
			d.facts(n, v)
		case "runs":
			d.runs(n, v)
		case "claim":
			d.each(key, v, func(t *table) { n.Claims = append(n.Claims, d.claim(t)) })
		case "excerpt":
			d.each(key, v, func(t *table) {
				if e, ok := d.excerpt(t); ok {
					n.Excerpts = append(n.Excerpts, e)
				}
			})
		case "points":
			d.each(key, v, func(t *table) { n.Points = append(n.Points, d.points(t)) })
		default:
			d.problem("unknown key %s", key)
		}
	}
	return n
}

func (d *decoder) problem(f string, args ...any) {
	d.problems = append(d.problems, fmt.Sprintf(f, args...))
}

func (d *decoder) facts(n *capture.Notes, v any) {
	values, ok := v.(map[string]any)
	if !ok {
		d.problem("facts is no table")
		return
	}
	t := d.table("facts", values)
	n.Order = t.strings("order")
	n.Engine = t.string("engine")
	n.PageSize = t.int("page_size")
	t.rest()
	for k, v := range values {
		if factKeys[k] {
			n.Facts[k] = v
		}
	}
}

func (d *decoder) runs(n *capture.Notes, v any) {
	runs, ok := v.(map[string]any)
	if !ok {
		d.problem("runs is no table")
		return
	}
	for _, name := range sortedKeys(runs) {
		values, ok := runs[name].(map[string]any)
		if !ok {
			d.problem("runs.%q is no table", name)
			continue
		}
		facts := map[string]any{}
		for _, k := range sortedKeys(values) {
			if runKeys[k] {
				facts[k] = values[k]
			} else {
				d.problem("unknown key runs.%q.%s", name, k)
			}
		}
		n.Runs[name] = facts
	}
}

func (d *decoder) claim(t *table) capture.Claim {
	c := capture.Claim{Run: t.string("run"), Source: t.string("source"), At: t.at}
	if p := t.int("cached_at_start"); p != nil {
		c.Prompts = *p
	} else {
		d.problem("%s: no cached_at_start", t.name)
	}
	t.rest()
	return c
}

func (d *decoder) excerpt(t *table) (e capture.Excerpt, ok bool) {
	e = capture.Excerpt{File: t.string("file"), Line: 1, Run: t.string("run")}
	if l := t.int("line"); l != nil {
		e.Line = *l
	}
	if l := t.int("first_line"); l != nil {
		e.FirstLine = *l
	}
	t.rest()
	if e.File == "" || e.Line < 1 || e.FirstLine < 1 {
		d.problem("%s: needs file, and line and first_line of at least 1", t.name)
		return e, false
	}
	return e, true
}

func (d *decoder) points(t *table) capture.Points {
	p := capture.Points{
		Label: t.string("label"), Engine: t.string("engine"), Model: t.string("model"), Hardware: t.string("hardware"), Step: t.string("step"),
		Seeds: t.ints("seeds"), Requests: t.int("requests"), Cap: t.int("cap"),
		MedianTTFT: t.float("median_ttft_ms"), Low: t.float("low_ms"), High: t.float("high_ms"),
		At: t.at,
	}
	t.rest()
	return p
}

// each hands on the tables of an array of tables, with the line of each.
func (d *decoder) each(key string, v any, f func(*table)) {
	list, ok := v.([]map[string]any)
	if !ok {
		d.problem("%s is no [[%s]]", key, key)
		return
	}
	for i, values := range list {
		t := d.table(fmt.Sprintf("%s %d", key, i+1), values)
		if i < len(d.lines[key]) {
			t.at = d.lines[key][i]
		}
		t.at.File = d.file
		f(t)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
