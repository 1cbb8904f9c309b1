package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"coldcase/ingest"
	"coldcase/ingest/capture"
	"coldcase/samples"
)

// captureFlags are the flags of every command that reads captures.
type captureFlags struct {
	sample string
	notes  string
	hash   bool
	names  []string // of the captures, where a command calls them otherwise
}

func (c *captureFlags) register(f *pflag.FlagSet) {
	f.StringVar(&c.sample, "sample", "", "read the sample `NAME` instead of a CAPTURE")
	f.StringVar(&c.notes, "notes", "", "read what a person knows of the capture from `FILE` (coldcase.toml)")
}

// registerHash adds --hash, for commands whose documents hash only when asked.
func (c *captureFlags) registerHash(f *pflag.FlagSet) {
	f.BoolVar(&c.hash, "hash", false, "compute the sha256 of each file and of the capture")
}

// open reads the captures that the arguments name. The error is one of usage:
// a capture that cannot be opened at all. What cannot be read inside of one is
// in its inventory.
func (c *captureFlags) open(t *terminal, command *command, args []string) (*capture.Capture, error) {
	if c.sample != "" {
		if len(args) > 0 {
			return nil, usageErrorf("%s: --sample %s and a CAPTURE exclude each other", command.name, c.sample)
		}
		return c.openSample(t)
	}
	if len(args) == 0 {
		return nil, wrongArguments(command, "a CAPTURE or --sample NAME", args)
	}
	got, err := ingest.Open(c.options(t), args...)
	if err != nil {
		return nil, usageErrorf("%w", err)
	}
	return got, nil
}

// openSample unpacks a sample into a folder of its own. Lines are
// quoted from its files later, so the folder stays until the command ends.
func (c *captureFlags) openSample(t *terminal) (*capture.Capture, error) {
	dir, err := os.MkdirTemp("", "coldcase-sample-")
	if err != nil {
		return nil, usageErrorf("unpack sample %s: %s", c.sample, why(err))
	}
	t.atEnd(func() { os.RemoveAll(dir) })
	folder := filepath.Join(dir, filepath.Base(c.sample))
	if err := samples.Extract(c.sample, folder); err != nil {
		return nil, sampleError(c.sample, err)
	}
	got, err := ingest.Open(c.options(t), folder)
	if err != nil {
		return nil, usageErrorf("%w", err)
	}
	return got, nil
}

// inspected reports whether anything in the capture was read as evidence. That
// is every file of a known format but a kit's commands, which say what was to be
// done and not that it was.
func inspected(c *capture.Capture) bool {
	for _, f := range c.Files {
		if f.Read != capture.ReadNone && (evidence(f.Kind) || slices.ContainsFunc(f.Parts, func(p capture.Part) bool { return evidence(p.Kind) })) {
			return true
		}
	}
	return false
}

func evidence(k capture.Kind) bool { return k != capture.UnknownKind && k != capture.CommandFile }

// nothing is the error for a capture in which nothing could be inspected.
func nothing(c *capture.Capture) error {
	err := &failure{code: exitNothing}
	switch {
	case len(c.Files) == 0:
		err.err = fmt.Errorf("nothing to inspect: the capture holds no file")
	default:
		err.err = fmt.Errorf("nothing to inspect: none of %s is evidence that coldcase reads", plural(len(c.Files), "file"))
	}
	for i, f := range c.Files {
		if i == 3 {
			break
		}
		err.hint("%s: %s%s", f.Path, f.Kind, note(f.Why))
	}
	return err
}

func (c *captureFlags) options(t *terminal) ingest.Options {
	return ingest.Options{Hash: c.hash, Notes: c.notes, Names: c.names, Stdin: t.in, OpenFile: t.openFile}
}

var errNotRegular = errors.New("not a regular file")

// readNamed reads a file that an argument or a flag names. A pipe, whose writer
// may never come and which can be read only once, or a device, which may never
// end, is none.
func readNamed(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, errNotRegular
	}
	return os.ReadFile(name)
}

// rulesFlag is --rules, for every command that checks.
type rulesFlag struct{ file string }

func (r *rulesFlag) register(f *pflag.FlagSet) {
	f.StringVar(&r.file, "rules", "", "read thresholds and severities of the checks from `FILE`")
}
