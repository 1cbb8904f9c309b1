package join

import (
	"path"
	"sort"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
)

// presume gives a run without arguments those of its twins: files of one folder
// whose names follow one pattern (bench-random-c8.txt, bench-random-c32.txt)
// share the arguments that their names do not vary. What is taken over is
// marked: it is presumed, not measured, and decides nothing by itself.
//
// Taken is only what all twins agree on, what no number of a name stands for,
// and what the run itself does not contradict. The number of prompts is never
// presumed: a kit that varies the cap varies it as a rule.
func presume(runs []*capture.Run) {
	patterns := map[string][]twin{}
	for _, r := range runs {
		for _, s := range r.Spans {
			p, numbers := pattern(s.File)
			if len(numbers) > 0 {
				patterns[p] = append(patterns[p], twin{r, s.File, numbers})
			}
		}
	}
	names := make([]string, 0, len(patterns))
	for p := range patterns {
		names = append(names, p)
	}
	sort.Strings(names)
	var takers []*capture.Run
	donated := map[*capture.Run]donation{}
	for _, p := range names {
		for _, t := range patterns[p] {
			if lacks(t.run) && donated[t.run].from == nil {
				if d, ok := donate(t, patterns[p]); ok {
					donated[t.run] = d
					takers = append(takers, t.run)
				}
			}
		}
	}
	// What was presumed is never passed on, so that it is applied at the end.
	for _, r := range takers {
		w := donated[r].workload
		fillWorkload(&r.Merged.Workload, &w)
		r.Merged.Workload.From = w.From
		r.Merged.Workload.Form = w.Form
		r.Merged.Workload.Presumed = true
		if r.Merged.Client == "" {
			// Arguments are those of a program: without it they say nothing.
			r.Merged.Client = donated[r].client
		}
		r.PresumedFrom = donated[r].from
	}
}

type twin struct {
	run     *capture.Run
	file    string
	numbers []string
}

type donation struct {
	workload capture.Workload
	client   string // "" if the twins used several
	from     []string
}

// lacks tells runs whose own files and command name no arguments.
func lacks(r *capture.Run) bool {
	f := r.Merged.Workload.Form
	return r.Command == nil && (f == "" || f == "record")
}

// has tells runs that state their own arguments.
func has(r *capture.Run) bool { return r.Merged.Workload.Form == "namespace" || r.Command != nil }

// pattern replaces the numbers of a file's name by a mark.
func pattern(file string) (p string, numbers []string) {
	dir, base := path.Split(file)
	var b strings.Builder
	b.WriteString(dir)
	for i := 0; i < len(base); {
		j := i
		for j < len(base) && base[j] >= '0' && base[j] <= '9' {
			j++
		}
		if j > i {
			numbers = append(numbers, base[i:j])
			b.WriteByte('#')
			i = j
			continue
		}
		b.WriteByte(base[i])
		i++
	}
	return b.String(), numbers
}

// donate gives what the twins of a run share with it.
func donate(t twin, twins []twin) (donation, bool) {
	var d donation
	for _, o := range twins {
		if o.run == t.run || !has(o.run) || o.run.Capture != t.run.Capture || family(o.run.Merged.Client) != family(t.run.Merged.Client) && t.run.Merged.Client != "" {
			continue
		}
		w := o.run.Merged.Workload
		w.Args = nil
		w.Prompts = nil
		withoutVaried(&w, t.numbers, o.numbers)
		if d.from == nil {
			d.workload, d.client = w, o.run.Merged.Client
		} else {
			if d.client != o.run.Merged.Client {
				d.client = ""
			}
			from := d.workload.From
			d.workload = common(d.workload, w)
			d.workload.From = from
		}
		d.from = append(d.from, o.file)
	}
	if d.from == nil || contradicts(&t.run.Merged.Workload, &d.workload) {
		return donation{}, false
	}
	sort.Strings(d.from)
	return d, true
}

// withoutVaried takes out the arguments that the names vary: those whose value
// at the twin is a number that the two names do not share.
func withoutVaried(w *capture.Workload, own, other []string) {
	for i, n := range other {
		if own[i] == n {
			continue
		}
		v, err := strconv.ParseInt(n, 10, 64)
		if err != nil {
			continue
		}
		drop(&w.Seed, v)
		for _, f := range []**int{&w.InputLen, &w.OutputLen, &w.PrefixLen, &w.Warmups, &w.Groups, &w.PerGroup, &w.SystemLen, &w.QuestionLen, &w.Offset} {
			drop(f, int(v))
		}
	}
}

func drop[T comparable](f **T, v T) {
	if *f != nil && **f == v {
		*f = nil
	}
}

// contradicts tells whether the run states anything else than its twins.
func contradicts(own, w *capture.Workload) bool {
	return own.Dataset != "" && w.Dataset != "" && own.Dataset != w.Dataset || differ(own.InputLen, w.InputLen) ||
		differ(own.OutputLen, w.OutputLen) || differ(own.RangeRatio, w.RangeRatio) || differ(own.Seed, w.Seed)
}
