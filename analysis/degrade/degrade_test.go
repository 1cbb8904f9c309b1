package degrade

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"coldcase/analysis"
	"coldcase/ingest"
	"coldcase/ingest/capture"
)

var (
	all      = flag.Bool("all", false, "run every variant of every capture and print the table")
	captures = flag.String("captures", "", "only captures whose group/name holds this text")
)

// someCaptures get every variant in a plain go test; the others are counted
// whole there. They are small, and differ in engine, client and fault.
var someCaptures = []string{
	"sglang/s22-incident-32b-lean",
	"sglang/s14-reversed",
	"sglang-cpu/s05-flush-refused",
	"sglang-cpu/s07-restart",
	"vllm/v05b-reset-refused",
	"clients/guidellm",
}

// row is one line of the table: a kind of variant in a group of captures.
type row struct {
	group, kind                   string
	variants, faulty              int
	decided, of                   int
	falseClean, falseContaminated int
}

// TestTruth counts every variant and holds the document against the truth.
func TestTruth(t *testing.T) {
	recordings := load(t)
	var rows []*row
	for i, rec := range recordings {
		name := rec.group + "/" + rec.name
		if !strings.Contains(name, *captures) {
			continue
		}
		vs := []*variant{wholeOf(rec)}
		if *all || slices.Contains(someCaptures, name) {
			vs = variants(rec, recordings[(i+1)%len(recordings)])
		}
		for n, v := range vs {
			var j *judgement
			t.Run(fmt.Sprintf("%s/%s-%d", name, v.kind, n), func(t *testing.T) {
				if v.whole {
					j = judge(v, notebook(t, rec).Count)
				} else {
					j = judge(v, analysis.Count(open(t, v)))
				}
				for _, f := range j.faults {
					t.Error(f)
				}
			})
			if j != nil {
				rows = add(rows, rec.group, v.kind, j)
			}
		}
	}
	if *all {
		fmt.Printf("\n%s\n", table(rows))
	}
}

var notebooks = map[*recorded]*analysis.Notebook{}

// notebook analyses a whole capture, once for all tests.
func notebook(t *testing.T, rec *recorded) *analysis.Notebook {
	t.Helper()
	if notebooks[rec] == nil {
		notebooks[rec] = analysis.Analyze(open(t, wholeOf(rec)), analysis.Options{})
	}
	return notebooks[rec]
}

// open writes a variant to a folder and reads it back.
func open(t *testing.T, v *variant) *capture.Capture {
	t.Helper()
	root := filepath.Join(t.TempDir(), "capture")
	for name, content := range v.files {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{root}
	if v.args != nil {
		paths = nil
		for _, a := range v.args {
			paths = append(paths, filepath.Join(root, a))
		}
	}
	c, err := ingest.Open(ingest.Options{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func add(rows []*row, group, kind string, j *judgement) []*row {
	i := slices.IndexFunc(rows, func(r *row) bool { return r.group == group && r.kind == kind })
	if i < 0 {
		i, rows = len(rows), append(rows, &row{group: group, kind: kind})
	}
	one := &row{variants: 1, decided: j.decided, of: j.of, falseClean: j.falseClean, falseContaminated: j.falseContaminated}
	if len(j.faults) > 0 {
		one.faulty = 1
	}
	rows[i].take(one)
	return rows
}

// table prints what was decided, one line a kind of variant and one column a
// group of captures, in the order of kinds, and a line of sums. It is Markdown,
// so that it can stand in the documentation as it is.
func table(rows []*row) string {
	var groups, order []string
	for _, r := range rows {
		if !slices.Contains(groups, r.group) {
			groups = append(groups, r.group)
		}
		if !slices.Contains(order, r.kind) {
			order = append(order, r.kind)
		}
	}
	place := map[string]int{}
	for i, k := range kinds {
		place[k.name] = i + 1 // whole, which is none of them, stands first
	}
	last := len(kinds) + 1 // and the mixtures last
	slices.SortStableFunc(order, func(a, b string) int { return placeOf(place, a, last) - placeOf(place, b, last) })

	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 1, ' ', 0)
	fmt.Fprintf(w, "| what is left\t| %s\t| variants\t| with a fault\t|\n", strings.Join(groups, "\t| "))
	fmt.Fprintf(w, "| ---\t%s| ---:\t| ---:\t|\n", strings.Repeat("| ---:\t", len(groups)))
	all := &row{}
	for _, kind := range order {
		line := &row{}
		fmt.Fprintf(w, "| %s\t", kind)
		for _, group := range groups {
			i := slices.IndexFunc(rows, func(r *row) bool { return r.group == group && r.kind == kind })
			if i < 0 {
				fmt.Fprint(w, "| -\t")
				continue
			}
			fmt.Fprintf(w, "| %d of %d\t", rows[i].decided, rows[i].of)
			line.take(rows[i])
		}
		fmt.Fprintf(w, "| %d\t| %d\t|\n", line.variants, line.faulty)
		all.take(line)
	}
	w.Flush()
	fmt.Fprintf(&out, "\n%d of %d runs decided over %d variants, %d of them with a fault; %d false clean, %d false contaminated.\n",
		all.decided, all.of, all.variants, all.faulty, all.falseClean, all.falseContaminated)
	return out.String()
}

func placeOf(place map[string]int, kind string, last int) int {
	if kind == "whole" {
		return 0
	}
	if at := place[kind]; at > 0 {
		return at
	}
	return last
}

func (r *row) take(o *row) {
	r.variants += o.variants
	r.faulty += o.faulty
	r.decided += o.decided
	r.of += o.of
	r.falseClean += o.falseClean
	r.falseContaminated += o.falseContaminated
}
