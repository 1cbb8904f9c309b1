package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// command is one subcommand. Each lives in a file of its own and registers its
// flags and its work in a func of the same shape.
type command struct {
	name  string
	usage string // the whole usage text, an example at its end
	run   func(t *terminal, c *command, args []string) error
}

func commands() []*command {
	return []*command{reportCommand, countCommand, checkCommand, sweepCommand, verifyCommand, samplesCommand, labCommand}
}

const usage = `Usage: coldcase COMMAND [flags] CAPTURE...

Counts the prompts that were in the prefix cache when a benchmark run started.

Commands:
  report    write the evidence notebook as HTML, Markdown or JSON
  count     print how many prompts were cached at the start of each run
  check     test the capture against the rules
  sweep     plan and run the sweep that settles a suspicion
  verify    say whether a report still follows from its capture
  samples   list and unpack the captures that coldcase carries
  lab       serve a simulated engine with a real prefix cache

  coldcase COMMAND --help says more. coldcase --version and --licenses print
  the version and the notices of what is built in.

Example:
  $ coldcase report --sample inversion -o inversion.html
`

// run is the whole program: it returns the exit code and touches nothing but
// its streams and the files that it is told to.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t := newTerminal(stdin, stdout, stderr)
	return t.finish(dispatch(t, args))
}

func dispatch(t *terminal, args []string) error {
	if len(args) == 0 {
		t.errText(usage)
		return exit(exitUsage)
	}
	switch args[0] {
	case "-h", "--help", "help":
		if len(args) > 1 && args[0] == "help" {
			return dispatch(t, []string{args[1], "--help"})
		}
		t.text(usage)
		return nil
	case "--version", "version":
		t.printf("coldcase %s\n", version)
		return nil
	case "--licenses", "licenses":
		return printLicenses(t)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(t, c, args[1:])
		}
	}
	return usageErrorf("no such command: %s", args[0]).hint("coldcase --help lists the commands")
}

// flags returns the flag set of a command: errors are returned, not printed,
// and --help prints the command's own text.
func (c *command) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.SortFlags = false
	return f
}

// parse reads the arguments of a command. done is true if the command has
// nothing left to do (help was printed).
func (c *command) parse(t *terminal, f *pflag.FlagSet, args []string) (done bool, err error) {
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		t.text(c.usage + "\nFlags:\n" + f.FlagUsages())
		return true, nil
	case err != nil:
		return true, usageErrorf("%s: %s", c.name, lowerFirst(err.Error())).hint("coldcase %s --help lists the flags", c.name)
	}
	return false, nil
}

// oneOf checks the value of a flag that has a fixed set of values.
func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return usageErrorf("--%s: no such value: %q", flag, value).hint("--%s takes %s", flag, strings.Join(allowed, ", "))
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func wrongArguments(c *command, want string, got []string) error {
	return usageErrorf("%s: %s expected, got %s", c.name, want, plural(len(got), "argument")).
		hint("coldcase %s --help shows an example", c.name)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
