package ingest

import (
	"errors"
	"fmt"
	"sort"
	"sync"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/join"
	"coldcase/ingest/source"
	"coldcase/ingest/text"
)

// Open reads the captures that paths name, in the order given. The error is an
// *OpenError.
func Open(opts Options, paths ...string) (*capture.Capture, error) {
	if len(paths) == 0 {
		return nil, &OpenError{Path: "-", Err: errors.New("no capture was named")}
	}
	brought, err := readNotes(opts)
	if err != nil {
		return nil, err
	}
	var trees []*source.Tree
	for i, p := range paths {
		t, err := source.Open(p, source.Options{Limits: opts.Limits, Stdin: opts.Stdin, OpenFile: opts.OpenFile})
		if err != nil {
			return nil, &OpenError{Path: p, Err: err}
		}
		if i < len(opts.Names) && opts.Names[i] != "" {
			t.Rename(opts.Names[i])
		}
		trees = append(trees, t)
	}
	c := &capture.Capture{}
	items := list(c, trees)
	outs := make([]*format.Output, len(items))
	parallel(len(items), func(i int) { outs[i] = readFile(items[i], opts.Hash) })
	for i, out := range outs {
		collect(c, items[i], out)
	}
	for _, out := range outs {
		for _, cell := range out.Cells {
			addCell(c, cell) // its plan may stand behind it
		}
	}
	if opts.Hash {
		hashCaptures(c, items)
	}
	if brought != nil {
		useNotes(c, brought)
	}
	quoter := newQuoter(items)
	quoter.excerpts = renumber(c)
	c.Quoter = quoter
	dropCopies(c)
	join.Runs(c)
	return c, nil
}

// item is one file on its way through Open.
type item struct {
	entry   *source.Entry
	path    string // with the capture's name in front if there are several
	prefix  string // what was put in front of the entry's own path
	capture int
	report  bool // an archive that coldcase wrote
}

// list names the captures and orders their files by path.
func list(c *capture.Capture, trees []*source.Tree) []item {
	var items []item
	seen := map[string]int{}
	for i, t := range trees {
		name := text.Clean(t.Name)
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, seen[name])
		}
		c.Sources = append(c.Sources, capture.Source{Name: name})
		reports := map[*source.Entry]bool{}
		for _, e := range t.Entries {
			if e.Archive != "" && isReportArchive(e) {
				for _, m := range append(e.Members, e) {
					reports[m] = true
				}
			}
		}
		for _, e := range t.Entries {
			if e.Member && reports[e] {
				continue
			}
			it := item{entry: e, path: text.Clean(e.Path), capture: i, report: reports[e]}
			switch {
			case len(trees) == 1:
			case t.OneFile:
				// The capture's name is the file's: put in front once.
				it.path = name
			default:
				it.prefix = name + "/"
				it.path = it.prefix + it.path
			}
			items = append(items, it)
		}
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].path < items[j].path })
	return items
}

// parallel calls f for 0 <= i < n on a few goroutines: a capture is many small
// files, and a large log uses all processors by itself.
func parallel(n int, f func(i int)) {
	const workers = 4
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				f(i)
			}
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// collect adds what was read of one file to the capture.
func collect(c *capture.Capture, it item, out *format.Output) {
	c.Files = append(c.Files, out.File)
	for _, r := range out.Results {
		c.Runs = append(c.Runs, &capture.Run{Results: []*capture.Result{r}, Capture: it.capture})
	}
	c.Logs = append(c.Logs, out.Logs...)
	c.Snapshots = append(c.Snapshots, out.Snapshots...)
	c.Answers = append(c.Answers, out.Answers...)
	c.Commands = append(c.Commands, out.Commands...)
	for _, info := range out.Infos {
		info.Capture = it.capture
		c.Infos = append(c.Infos, info)
	}
	c.Served = append(c.Served, out.Served...)
	c.GPU = append(c.GPU, out.GPU...)
	c.Plans = append(c.Plans, out.Plans...)
	for _, n := range out.Notes {
		addNotes(c, it, n)
	}
}
