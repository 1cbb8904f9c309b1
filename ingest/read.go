package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/source"
)

// certain is how sure a format of whole files must be for a file not to be
// looked at as an envelope around lines, and to come before the reader of
// lines unless that is surer.
const certain = 60

// readFile gives the inventory row of a file and what its reader found.
func readFile(it item, hash bool) *format.Output {
	row := &capture.File{Path: it.path, Kind: capture.UnknownKind, Read: capture.ReadNone, Parts: []capture.Part{}, Size: it.entry.Size}
	out := &format.Output{File: row}
	if it.entry.Why != "" {
		row.Why = it.entry.Why
		return out
	}
	if it.report {
		asReport(row)
		return out
	}
	if it.entry.Archive != "" {
		row.Read, row.Why = capture.ReadAll, it.entry.Archive
		hashFile(it, row, hash)
		return out
	}
	content := it.entry.Content()
	in, closeInput, err := input(it, content)
	if err != nil {
		row.Why = fmt.Sprintf("cannot be read: %v", err)
		return out
	}
	defer closeInput()
	if isReport(in.Head) {
		asReport(row)
		return out
	}
	hashFile(it, row, hash)
	read(in, out)
	if t := content.Trouble(); t != "" {
		cutShort(out, t)
	}
	finish(out)
	return out
}

func asReport(row *capture.File) {
	row.Kind, row.Why = capture.ColdcaseReport, "written by coldcase: neither read nor hashed"
}

// input prepares what readers get: the first bytes, and ways to the rest.
func input(it item, content *source.Content) (*format.Input, func(), error) {
	in := &format.Input{Path: it.path, Size: content.Size(), Open: content.Open, Capture: it.capture}
	r, err := content.Open()
	if err != nil {
		return nil, nil, err
	}
	head := make([]byte, format.HeadSize)
	n, err := io.ReadFull(r, head)
	r.Close()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	in.Head = head[:n]
	if n == 0 && content.Trouble() != "" {
		return nil, nil, errors.New(content.Trouble())
	}
	at, closer, err := content.OpenAt()
	if err != nil {
		return nil, nil, err
	}
	if closer == nil {
		return in, func() {}, nil
	}
	in.At = at
	return in, func() { closer.Close() }, nil
}

// read lets the surest format read the file.
func read(in *format.Input, out *format.Output) {
	row := out.File
	if len(in.Head) == 0 {
		row.Read, row.Why = capture.ReadAll, "empty"
		return
	}
	if why := binary(in.Head); why != "" {
		row.Why = why
		return
	}
	best, sure := recognise(in)
	if sure < certain {
		unwrapped, why := unwrap(in)
		switch {
		case why != "":
			row.Why = why
			return
		case unwrapped != nil:
			in, best, sure = unwrapped, &lines, certain
		}
	}
	if s := lines.Sniff(in); s > sure {
		best = &lines
	}
	if best == nil || best == &lines {
		if why := unreadDocument(in); why != "" {
			row.Why = why
			return
		}
	}
	if best == nil {
		row.Why = "no known format"
		return
	}
	row.Kind = best.Kind
	row.Read = capture.ReadAll
	if err := guarded(best, in, out); err != nil {
		cutShort(out, err.Error())
	}
}

// guarded turns a panic of a reader into a remark on the one file: a hundred
// other files must not be lost with it.
func guarded(f *format.Format, in *format.Input, out *format.Output) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if debugPanics {
				debug.PrintStack()
			}
			*out = format.Output{File: out.File}
			out.File.Read = capture.ReadNone
			err = fmt.Errorf("the reader of %s failed: %v", f.Kind, r)
		}
	}()
	return f.Read(in, out)
}

// debugPanics is set by tests, which must not mistake a failed reader for an
// unreadable file.
var debugPanics = false

// cutShort marks that a file was not read to its end: its logs then bound
// nothing from above.
func cutShort(out *format.Output, why string) {
	row := out.File
	if row.Read == capture.ReadAll {
		row.Read = capture.ReadPart
	}
	addWhy(row, why)
	for _, l := range out.Logs {
		l.Complete = false
	}
}

func addWhy(row *capture.File, why string) {
	if row.Why != "" && !strings.Contains(row.Why, why) {
		why = row.Why + "; " + why
	}
	row.Why = why
}

// finish fills what a reader may leave to the walk: the one part of a file
// that does not mix.
func finish(out *format.Output) {
	row := out.File
	if row.Kind == "" {
		row.Kind = capture.UnknownKind
	}
	if row.Kind == capture.UnknownKind && row.Why == "" {
		row.Why = "no line of a known format"
	}
	if row.Parts == nil {
		row.Parts = []capture.Part{}
	}
	if len(row.Parts) == 0 && row.Kind != capture.UnknownKind && row.Lines > 0 {
		row.Parts = []capture.Part{{Kind: row.Kind, Line: 1, To: row.Lines}}
	}
}

// binary says why a file is no text, "" if it may be one.
func binary(head []byte) string {
	if i := bytes.IndexByte(head, 0); i >= 0 {
		return "binary"
	}
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		return "compressed with bzip2: not read"
	case bytes.HasPrefix(head, []byte("\xfd7zXZ")):
		return "compressed with xz: not read"
	case bytes.HasPrefix(head, []byte("7z\xbc\xaf\x27\x1c")):
		return "a 7z archive: not read"
	}
	controls := 0
	for _, c := range head {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != 0x1b && c != '\b' && c != '\f' {
			controls++
		}
	}
	if controls*20 > len(head) {
		return "binary"
	}
	return ""
}
