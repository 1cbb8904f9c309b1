package main

import (
	"fmt"
	"io"
	"strings"

	"coldcase/analysis/rules"
	"coldcase/templates"
)

var checkCommand = &command{
	name: "check",
	usage: `Usage: coldcase check [flags] CAPTURE...

Tests the captures against the rules. A finding at block whose scope is the
capture or a comparison ends with exit code 1; a rule that lacks its evidence
answers unknown, which never counts as passed.

Example:
  $ coldcase check --format sarif --sample clean-sweep
`,
	run: runCheck,
}

func runCheck(t *terminal, c *command, args []string) error {
	var from captureFlags
	var table rulesFlag
	f := c.flags()
	format := f.String("format", "text", "print as `FORMAT`: text, json or sarif")
	failOn := f.String("fail-on", "block", "end with 1 at `STATE`: block, or unknown as well")
	all := f.Bool("all", false, "list the rules that passed or do not apply, too")
	print := f.Bool("print-rules", false, "print the table of rules, to be edited and given to --rules")
	explain := f.String("explain", "", "say what `RULE` looks for, why, and at which threshold")
	table.register(f)
	from.register(f)
	from.registerHash(f)
	if done, err := c.parse(t, f, args); done {
		return err
	}
	if err := oneOf("format", *format, "text", "json", "sarif"); err != nil {
		return err
	}
	if err := oneOf("fail-on", *failOn, "block", "unknown"); err != nil {
		return err
	}
	switch {
	case *print:
		t.text(rules.DefaultTOML())
		return nil
	case *explain != "":
		return explainRule(t, *explain, &table)
	}
	got, err := from.open(t, c, f.Args())
	if err != nil {
		return err
	}
	nb, err := analyze(got, &table, &from)
	if err != nil {
		return err
	}
	doc := nb.Check
	if !*all {
		doc = doc.Trim()
	}
	switch *format {
	case "json":
		err = templates.Document(&t.out, doc)
	case "sarif":
		err = rules.SARIF(&t.out, doc, version)
	default:
		writeCheckText(&t.out, doc)
	}
	switch {
	case err != nil:
		return err
	case !inspected(got):
		return nothing(got)
	case nb.Check.Blocks(), *failOn == "unknown" && nb.Check.Unknowns():
		return exit(exitBadNews)
	}
	return nil
}

func writeCheckText(w io.Writer, doc *rules.Document) {
	for _, f := range doc.Findings {
		fmt.Fprintf(w, "%s %s %s", strings.ToUpper(f.State), f.Rule, f.Name)
		if f.Scope != "" {
			fmt.Fprintf(w, " (%s)", f.Scope)
		}
		fmt.Fprintf(w, "\n  %s\n", f.Text)
		if len(f.Runs) > 0 {
			fmt.Fprintf(w, "  runs: %s\n", strings.Join(f.Runs, ", "))
		}
		for _, e := range f.Evidence {
			fmt.Fprintf(w, "  %s:%d: %s\n", e.File, e.Line, e.Text)
		}
		if f.Advice != "" {
			fmt.Fprintf(w, "  do: %s\n", f.Advice)
		}
		fmt.Fprintln(w)
	}
	s := doc.Summary
	fmt.Fprintf(w, "%d block, %d warn, %d info, %d unknown, %d pass, %d not applicable\n",
		s.Block, s.Warn, s.Info, s.Unknown, s.Pass, s.NotApplicable)
}
