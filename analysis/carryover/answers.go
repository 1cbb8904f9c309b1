package carryover

import (
	"path"
	"strings"

	"coldcase/ingest/capture"
)

// answerBefore finds the saved answer to the flush before this run: by the
// order of the command file, or by a file name that shares the run's own.
func (k *runCase) answerBefore() *capture.Answer {
	var found *capture.Answer
	for _, a := range k.c.Answers {
		if a.Capture != k.run.Capture || !sameEngine(a.Engine, k.engine) || !k.answersFor(a) {
			continue
		}
		if found != nil {
			return nil
		}
		found = a
	}
	return found
}

// answersFor reports whether an answer's file name names this run and no other.
func (k *runCase) answersFor(a *capture.Answer) bool {
	if byCommand, ok := k.answeredBeforeCommand(a); ok {
		return byCommand
	}
	mine := false
	for i, r := range k.c.Runs {
		hit := false
		for _, s := range r.Spans {
			hit = hit || sharesStem(a.File, s.File)
		}
		if hit && i != k.index {
			return false
		}
		mine = mine || hit
	}
	return mine
}

// answeredBeforeCommand uses the order of a command file: the answer belongs
// to the run whose client command comes next after the flush that wrote it.
func (k *runCase) answeredBeforeCommand(a *capture.Answer) (belongs, ok bool) {
	cmd := k.run.Command
	if cmd == nil {
		return false, false
	}
	at := -1
	for _, c := range k.c.Commands {
		if c.Kind != capture.CommandFlush || c.At.File != cmd.At.File {
			continue
		}
		for _, f := range append([]string{c.Output}, c.Stdout...) {
			if f != "" && path.Base(f) == path.Base(a.File) {
				at = c.Index
			}
		}
	}
	if at < 0 {
		return false, false
	}
	next := -1
	for _, c := range k.c.Commands {
		if c.Kind == capture.CommandClient && c.At.File == cmd.At.File && c.Index > at && (next < 0 || c.Index < next) {
			next = c.Index
		}
	}
	return next == cmd.Index, true
}

// sharesStem reports whether two names lie in one folder and share the part
// that tells runs apart ("reset-c8.txt" and "bench-c8.txt").
func sharesStem(a, b string) bool {
	if path.Dir(a) != path.Dir(b) {
		return false
	}
	x, y := stemTail(a), stemTail(b)
	return x != "" && x == y
}

// stemTail is a file name without its first word and its suffixes.
func stemTail(p string) string {
	name := path.Base(p)
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if i := strings.IndexByte(name, '-'); i > 0 {
		return name[i+1:]
	}
	return ""
}
