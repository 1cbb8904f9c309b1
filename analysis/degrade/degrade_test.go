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
		t.Logf("\n%s", table(rows))
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
	r := rows[i]
	r.variants++
	if len(j.faults) > 0 {
		r.faulty++
	}
	r.decided += j.decided
	r.of += j.of
	r.falseClean += j.falseClean
	r.falseContaminated += j.falseContaminated
	return rows
}

// table prints the rows by group, kinds in their order, and a last line of
// sums. It is Markdown, so that it can stand in the documentation as it is.
func table(rows []*row) string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| captures\t| variant\t| variants\t| with a fault\t| runs decided\t| false clean\t| false contaminated\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	line := func(r *row) {
		fmt.Fprintf(w, "| %s\t| %s\t| %d\t| %d\t| %d of %d\t| %d\t| %d\t|\n",
			r.group, r.kind, r.variants, r.faulty, r.decided, r.of, r.falseClean, r.falseContaminated)
	}
	sum := &row{group: "all", kind: "all"}
	for _, r := range rows {
		line(r)
		sum.variants += r.variants
		sum.faulty += r.faulty
		sum.decided += r.decided
		sum.of += r.of
		sum.falseClean += r.falseClean
		sum.falseContaminated += r.falseContaminated
	}
	line(sum)
	w.Flush()
	return out.String()
}
