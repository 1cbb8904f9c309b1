package main

import (
	"coldcase/analysis"
	"coldcase/templates"
)

var countCommand = &command{
	name: "count",
	usage: `Usage: coldcase count [flags] CAPTURE...

Counts the prompts that were in the prefix cache when each run started, by every
source that the capture holds, with the grade of each number and the line that
it rests on. What is not known is said to be unknown; it is never 0.

Example:
  $ coldcase count --format json --sample inversion
`,
	run: runCount,
}

func runCount(t *terminal, c *command, args []string) error {
	var from captureFlags
	f := c.flags()
	format := f.String("format", "text", "print as `FORMAT`: text or json")
	from.register(f)
	from.registerHash(f)
	if done, err := c.parse(t, f, args); done {
		return err
	}
	if err := oneOf("format", *format, "text", "json"); err != nil {
		return err
	}
	got, err := from.open(t, c, f.Args())
	if err != nil {
		return err
	}
	doc := analysis.Count(got)
	switch *format {
	case "json":
		err = templates.Document(&t.out, doc)
	default:
		writeCountText(&t.out, doc)
	}
	if err == nil && !inspected(got) {
		err = nothing(got)
	}
	return err
}
