package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/templates"
)

var reportCommand = &command{
	name: "report",
	usage: `Usage: coldcase report [flags] CAPTURE... -o FILE

Writes the evidence notebook of the captures: the verdict, the count with its
evidence, the other explanations, the checks, and what to run next. The page
needs neither a network nor a script. With -o FILE.zip the page, its Markdown,
its JSON and its figures become one archive. -o - writes to standard output.

Modes:
  review    everything, for somebody who doubts the numbers
  publish   one or two pages to attach to a result
  case      the teaching form: commit to a cause before each piece of evidence

Example:
  $ coldcase report --sample inversion --mode case -o inversion-case.html
`,
	run: runReport,
}

// reportOptions are the flags that change what a report says or how.
type reportOptions struct {
	output  string
	format  string
	mode    string
	answers string
	charts  string
	echarts string
	keep    bool
	rules   rulesFlag
}

func runReport(t *terminal, c *command, args []string) error {
	var from captureFlags
	var o reportOptions
	f := c.flags()
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE`; - is standard output, FILE.zip an archive of all forms")
	f.StringVar(&o.format, "format", "html", "write as `FORMAT`: html, md or json")
	f.StringVar(&o.mode, "mode", "review", "write for `MODE`: review, publish or case")
	f.StringVar(&o.answers, "answers", "hidden", "case: `hidden` or shown")
	f.StringVar(&o.charts, "charts", "auto", "`KIND` of charts: auto, static or interactive")
	f.StringVar(&o.echarts, "echarts-js", "", "draw interactive charts with this copy (`FILE`) of ECharts")
	f.BoolVar(&o.keep, "keep-names", false, "publish: keep host names, user paths and addresses")
	o.rules.register(f)
	from.register(f)
	if done, err := c.parse(t, f, args); done {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	from.hash = true
	got, err := from.open(t, c, f.Args())
	if err != nil {
		return err
	}
	nb, err := analyze(got, &o.rules, &from)
	if err != nil {
		return err
	}
	page, err := o.render(nb)
	if err != nil {
		return err
	}
	if o.output == "-" {
		t.out.Write(page)
	} else if err := writeFile(o.output, page); err != nil {
		return err
	} else {
		summary(t, nb, o.output, len(page))
	}
	if !inspected(got) {
		return nothing(got)
	}
	return nil
}

// render draws the notebook in the form that was asked for.
func (o *reportOptions) render(nb *analysis.Notebook) ([]byte, error) {
	draw := templates.Options{
		Mode: templates.Mode(o.mode), Answers: templates.Answers(o.answers),
		Charts: templates.Charts(o.charts), KeepNames: o.keep,
	}
	if o.echarts != "" {
		library, err := readNamed(o.echarts)
		if err != nil {
			return nil, usageErrorf("--echarts-js %s: %s", o.echarts, why(err))
		}
		draw.EChartsJS = library
	}
	var out bytes.Buffer
	var err error
	switch {
	case o.archive():
		err = templates.Zip(&out, nb, draw)
	case o.format == "md":
		err = templates.Markdown(&out, nb, draw)
	case o.format == "json":
		err = templates.JSON(&out, nb)
	default:
		err = templates.HTML(&out, nb, draw)
	}
	if err != nil {
		return nil, usageErrorf("draw the report: %w", err)
	}
	return out.Bytes(), nil
}

func (o *reportOptions) check() error {
	if o.output == "" {
		return usageErrorf("report: no output named").hint("-o FILE writes the report to FILE, -o - to standard output")
	}
	for _, err := range []error{
		oneOf("format", o.format, "html", "md", "json"),
		oneOf("mode", o.mode, "review", "publish", "case"),
		oneOf("answers", o.answers, "hidden", "shown"),
		oneOf("charts", o.charts, "auto", "static", "interactive"),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// archive reports whether the output is one archive of all forms.
func (o *reportOptions) archive() bool {
	return strings.EqualFold(filepath.Ext(o.output), ".zip")
}

// summary is what a person sees on the way: three lines on standard error.
func summary(t *terminal, nb *analysis.Notebook, file string, size int) {
	t.say("%s: %s", nb.Verdict.State, nb.Verdict.Text)
	t.say("%s", tally(nb.Count.Runs))
	t.say("wrote %s (%d KB)", file, (size+999)/1000)
}

func tally(runs []*carryover.Run) string {
	var all, contaminated, clean int
	for _, r := range runs {
		if r.Kind != "run" {
			continue
		}
		all++
		switch r.Verdict {
		case "contaminated":
			contaminated++
		case "clean":
			clean++
		}
	}
	return fmt.Sprintf("%s: %d contaminated, %d clean, %d unknown", plural(all, "run"), contaminated, clean, all-contaminated-clean)
}

// writeFile writes a file whole or not at all, unless the name is that of a
// pipe or a device.
func writeFile(name string, content []byte) error {
	if old, err := os.Stat(name); err == nil && !old.Mode().IsRegular() {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return usageErrorf("write %s: %s", name, why(err))
		}
		return nil
	}
	half, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return usageErrorf("write %s: %s", name, why(err))
	}
	defer os.Remove(half.Name())
	_, err = bytes.NewReader(content).WriteTo(half)
	if err == nil {
		err = half.Chmod(0o644)
	}
	if cerr := half.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(half.Name(), name)
	}
	if err != nil {
		return usageErrorf("write %s: %s", name, why(err))
	}
	return nil
}
