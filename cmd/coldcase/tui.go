package main

// Everything that coldcase prints goes through this file.
//
// Rules of output:
//   - Standard output holds what was asked for and nothing else: a document, a
//     table, a list. It is buffered and written once the command is done, so
//     that a failed command leaves no half of a document.
//   - Standard error holds everything that is said about the work: errors,
//     hints, the summary of a report, the progress of a sweep.
//   - An error is one line, "coldcase: what failed: why", lower case, without
//     a final period, with the file, the line and the flag that it is about.
//     A hint is a line of its own, "coldcase: hint: ...".
//   - Nothing is coloured, nothing is redrawn, except the progress line of a
//     sweep when standard error is a terminal.
//   - Secrets and control characters that a file name or a line may hold are
//     taken out here once more, so that no error can show them.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"coldcase/ingest/source"
	"coldcase/ingest/text"
)

// Exit codes, the same for every command.
const (
	exitDone    = 0
	exitBadNews = 1
	exitUsage   = 2
	exitNothing = 3
)

// terminal is the three streams of the program.
type terminal struct {
	in  io.Reader
	out bytes.Buffer
	// stdout gets the buffer at the end, or a stream directly where a command
	// runs until it is interrupted.
	stdout io.Writer
	err    io.Writer
	last   []func()
	// openFile opens the files of captures; nil is os.Open. Tests give one
	// that fails: permissions do not stop a test that runs as root.
	openFile func(name string) (source.File, error)
}

func newTerminal(stdin io.Reader, stdout, stderr io.Writer) *terminal {
	return &terminal{in: stdin, stdout: stdout, err: stderr}
}

// text and printf add to standard output.
func (t *terminal) text(s string) { t.out.WriteString(s) }

func (t *terminal) printf(format string, args ...any) { fmt.Fprintf(&t.out, format, args...) }

// say prints one line on standard error at once.
func (t *terminal) say(format string, args ...any) {
	fmt.Fprintf(t.err, "coldcase: %s\n", clean(fmt.Sprintf(format, args...)))
}

// errText prints a text on standard error as it is.
func (t *terminal) errText(s string) { io.WriteString(t.err, s) }

// interactive reports whether standard error is a terminal that can redraw a
// line.
func (t *terminal) interactive() bool {
	file, ok := t.err.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// atEnd registers work for the end of the command, whatever its outcome.
func (t *terminal) atEnd(f func()) { t.last = append(t.last, f) }

// finish writes what is left, prints the error and returns the exit code.
func (t *terminal) finish(err error) int {
	code := exitDone
	if err != nil {
		code = t.fail(err)
	}
	if _, werr := t.stdout.Write(t.out.Bytes()); werr != nil && !errors.Is(werr, syscall.EPIPE) {
		code = t.fail(usageErrorf("write standard output: %s", why(werr)))
	}
	for _, f := range t.last {
		f()
	}
	return code
}

func (t *terminal) fail(err error) int {
	var e *failure
	if !errors.As(err, &e) {
		e = &failure{code: exitUsage, err: err}
	}
	if e.err != nil {
		t.say("%s", err.Error())
	}
	for _, h := range e.hints {
		t.say("hint: %s", h)
	}
	return e.code
}

// failure is an error with the exit code it leads to. err is nil if everything
// was said already.
type failure struct {
	code  int
	err   error
	hints []string
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

func (f *failure) hint(format string, args ...any) *failure {
	f.hints = append(f.hints, fmt.Sprintf(format, args...))
	return f
}

// exit ends the command with a code and no further word.
func exit(code int) error { return &failure{code: code} }

func usageErrorf(format string, args ...any) *failure {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// why is the reason of a failed file operation, without the path and the call
// that the message names already.
func why(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// clean makes a message printable on any terminal: one line, no controls, no
// secrets.
func clean(s string) string {
	return strings.ReplaceAll(text.Redact(text.Clean(s)), "\n", " ")
}
