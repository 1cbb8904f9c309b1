package main

import (
	"errors"
	"path/filepath"

	"coldcase/samples"
)

var samplesCommand = &command{
	name: "samples",
	usage: `Usage: coldcase samples list
       coldcase samples extract NAME [DIR]

The captures that coldcase carries. list prints one a line, its name first;
extract writes the files of one below DIR (default: a folder of its name).
Every command takes --sample NAME in the place of a CAPTURE.

Example:
  $ coldcase samples extract inversion ./inversion
`,
	run: runSamples,
}

func runSamples(t *terminal, c *command, args []string) error {
	f := c.flags()
	if done, err := c.parse(t, f, args); done {
		return err
	}
	args = f.Args()
	if len(args) == 0 {
		return wrongArguments(c, "list or extract", args)
	}
	switch verb, rest := args[0], args[1:]; {
	case verb == "list" && len(rest) == 0:
		for _, s := range samples.List() {
			t.printf("%-15s %s\n", s.Name, s.About)
		}
		return nil
	case verb == "extract" && (len(rest) == 1 || len(rest) == 2):
		name, dir := rest[0], filepath.Join(".", rest[0])
		if len(rest) == 2 {
			dir = rest[1]
		}
		if err := samples.Extract(name, dir); err != nil {
			return sampleError(name, err)
		}
		t.say("sample %s is in %s", name, dir)
		return nil
	default:
		return wrongArguments(c, "list, or extract NAME [DIR]", args)
	}
}

func sampleError(name string, err error) error {
	if errors.Is(err, samples.ErrUnknown) {
		return usageErrorf("%w", err).hint("coldcase samples list tells what is in each")
	}
	return usageErrorf("extract sample %s: %s", name, why(err))
}
