// Package source turns a CAPTURE argument into the list of files in it: a
// folder, one file, an archive or a stream. It knows names, bytes and bounds,
// and nothing of formats.
//
// Captures are hostile until shown otherwise. Links are listed and not
// followed, archive members that leave their root are listed and not read,
// decompression stops at a size and at a ratio, and each bound that bites is
// said in the file's own words (Content.Trouble), never as an error of the
// whole capture: what could be read is still read.
//
// Out of scope: archives inside archives, bzip2, xz and 7z (listed, not read),
// and encrypted members.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is an open plain file.
type File interface {
	io.ReadCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Limits bound what a capture may cost. The zero value of a field takes its
// default.
type Limits struct {
	// FileBytes is the most that one file may hold after decompression.
	FileBytes int64
	// Ratio is the most bytes that one compressed byte may become, looked at
	// once a file has given RatioFrom bytes. Logs compress 10 to 100 fold.
	Ratio     int64
	RatioFrom int64
	// Members is the most members that are listed of one archive.
	Members int
}

// The defaults of Limits.
const (
	DefaultFileBytes = 8 << 30
	DefaultRatio     = 250
	DefaultRatioFrom = 64 << 20
	DefaultMembers   = 50_000
)

func (l Limits) withDefaults() Limits {
	if l.FileBytes == 0 {
		l.FileBytes = DefaultFileBytes
	}
	if l.Ratio == 0 {
		l.Ratio = DefaultRatio
	}
	if l.RatioFrom == 0 {
		l.RatioFrom = DefaultRatioFrom
	}
	if l.Members == 0 {
		l.Members = DefaultMembers
	}
	return l
}

// Options are what Open needs beside the argument.
type Options struct {
	Limits Limits
	// Stdin is read for the argument "-".
	Stdin io.Reader
	// OpenFile opens a file of the machine; nil is os.Open. Tests put errors
	// of the disk here.
	OpenFile func(name string) (File, error)
}

func (o Options) open(name string) (File, error) {
	if o.OpenFile != nil {
		return o.OpenFile(name)
	}
	return os.Open(name)
}

// Tree is one CAPTURE.
type Tree struct {
	// Name is the last element of the argument without an archive's ending.
	Name string
	// OneFile is true if the capture is a single file or a stream.
	OneFile bool
	Entries []*Entry // sorted by path
}

// Rename gives the capture another name. A capture that is one file goes by the
// name of that file.
func (t *Tree) Rename(name string) {
	t.Name = name
	if t.OneFile {
		t.Entries[0].Path = name
	}
}

// Entry is one file of a capture as it is stored.
type Entry struct {
	// Path is relative to the capture, with slashes; "archive!member" for a
	// member of an archive that lies in the capture.
	Path string
	Size int64 // bytes as stored
	// Member is true for such a member: it belongs to the archive's bytes and
	// is not hashed a second time.
	Member bool
	// Why says why the bytes cannot be had (a link, a device, a damaged
	// member); empty otherwise.
	Why string
	// Archive says that the file is an archive whose members are listed, and
	// Members are these.
	Archive string
	Members []*Entry
	// Cut says why the stored bytes end early; what is there can be read.
	Cut string

	limits Limits
	open   func() (io.ReadCloser, error)
	// openAt is set if the stored bytes can be read at any offset.
	openAt func() (File, error)
}

// Open gives the stored bytes.
func (e *Entry) Open() (io.ReadCloser, error) {
	if e.Why != "" {
		return nil, errors.New(e.Why)
	}
	r, err := e.open()
	if err != nil {
		return nil, plain(err)
	}
	return r, nil
}

// Open lists the capture that arg names. The error, if any, means that the
// capture as a whole cannot be opened.
func Open(arg string, opts Options) (*Tree, error) {
	opts.Limits = opts.Limits.withDefaults()
	if arg == "-" {
		return openStream(opts)
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, plain(err)
	}
	name, err := nameOf(arg)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		entries, err := walk(arg, opts)
		if err != nil {
			return nil, plain(err)
		}
		return &Tree{Name: name, Entries: entries}, nil
	}
	if !info.Mode().IsRegular() {
		return nil, notAFile(info.Mode())
	}
	entry := fileEntry(arg, filepath.Base(arg), info.Size(), opts)
	// A capture that cannot be opened is the caller's error, unlike a file
	// inside a capture.
	r, err := entry.Open()
	if err != nil {
		return nil, plain(err)
	}
	r.Close()
	return fromFile(entry, name)
}

// notAFile says what an argument is that is neither a folder nor a regular file.
// A pipe without a writer never ends its reading and a device has no end at
// all, so that neither is opened: a stream is named by "-".
func notAFile(mode fs.FileMode) error {
	what := "a special file"
	switch {
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("%s, neither a folder nor a regular file: a stream is read from standard input, as -", what)
}

func openStream(opts Options) (*Tree, error) {
	if opts.Stdin == nil {
		return nil, errors.New("standard input is not available")
	}
	return spooled(opts.Stdin, "stdin", opts)
}

// spooled keeps a stream, which can be read only once, and lists it as one
// file or as the archive that it is.
func spooled(r io.Reader, name string, opts Options) (*Tree, error) {
	s, trouble, err := Spool(r, opts.Limits.FileBytes)
	if err != nil {
		return nil, err
	}
	return fromFile(spoolEntry(name, s, trouble, opts.Limits), name)
}

// fromFile lists the members if the file is an archive, else the file itself.
func fromFile(e *Entry, name string) (*Tree, error) {
	kind, err := archiveKind(e)
	if err != nil {
		return nil, err
	}
	if kind == noArchive {
		return &Tree{Name: name, OneFile: true, Entries: []*Entry{e}}, nil
	}
	members, err := listArchive(e, kind)
	if err != nil && len(members) == 0 {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	stripTop(members)
	sortEntries(members)
	return &Tree{Name: trimArchiveEnding(name), Entries: members}, nil
}

// nameOf gives the name of a capture: its last element, looked up for "." and
// the like, so that it does not depend on where the command was started.
func nameOf(arg string) (string, error) {
	base := filepath.Base(arg)
	if base == "." || base == ".." || base == string(filepath.Separator) {
		abs, err := filepath.Abs(arg)
		if err != nil {
			return "", err
		}
		base = filepath.Base(abs)
	}
	if base == string(filepath.Separator) {
		return "capture", nil
	}
	return base, nil
}

var archiveEndings = []string{".tar.gz", ".tar.zst", ".tgz", ".tar", ".zip"}

func trimArchiveEnding(name string) string {
	lower := strings.ToLower(name)
	for _, e := range archiveEndings {
		if strings.HasSuffix(lower, e) && len(name) > len(e) {
			return name[:len(name)-len(e)]
		}
	}
	return name
}

// plain drops the operation and the path that the os package puts in front of
// a reason: the caller names the path itself, as the user wrote it.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
