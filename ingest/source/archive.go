package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

type archiveFormat uint8

const (
	noArchive archiveFormat = iota
	tarArchive
	packedTar // tar inside gzip or zstd
	zipArchive
)

const tarBlock = 512

// archiveKind tells an archive by its first bytes, never by its name.
func archiveKind(e *Entry) (archiveFormat, error) {
	if e.Size == 0 {
		return noArchive, nil
	}
	r, err := e.Open()
	if err != nil {
		return noArchive, err
	}
	defer r.Close()
	head := make([]byte, tarBlock)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return noArchive, err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return zipArchive, nil
	case isTarBlock(head):
		return tarArchive, nil
	case packingOf(head) != NotPacked:
		inner, err := e.unpackedHead(tarBlock)
		if err == nil && isTarBlock(inner) {
			return packedTar, nil
		}
	}
	return noArchive, nil
}

// isTarBlock checks the checksum of a tar header, which old archives without
// the ustar mark have as well.
func isTarBlock(b []byte) bool {
	if len(b) < tarBlock || b[0] == 0 {
		return false
	}
	field := strings.Trim(string(b[148:156]), " \x00")
	want, err := strconv.ParseInt(field, 8, 64)
	if err != nil {
		return false
	}
	var sum int64
	for i, c := range b[:tarBlock] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int64(c)
	}
	return sum == want
}

// listArchive lists the members. The error says why the list may be short;
// the members before the damage are returned with it.
func listArchive(e *Entry, kind archiveFormat) ([]*Entry, error) {
	switch kind {
	case zipArchive:
		return listZip(e)
	case tarArchive:
		return listTar(e.openAt, e.Size, e.limits, e.Cut)
	}
	c := e.Content()
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, cut, err := Spool(r, e.limits.FileBytes)
	if err != nil {
		return nil, err
	}
	if t := c.Trouble(); t != "" {
		cut = t
	}
	open := func() (File, error) { return sectionFile(e.Path, s, 0, s.size), nil }
	return listTar(open, s.size, e.limits, cut)
}

// listTar lists a plain tar. Each member is a section of it.
func listTar(open func() (File, error), size int64, l Limits, cut string) ([]*Entry, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stream := io.NewSectionReader(f, 0, size)
	list := newMemberList(l)
	for tr := tar.NewReader(stream); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			if cut != "" {
				return list.entries, errors.New(cut)
			}
			return list.entries, nil
		}
		if err != nil {
			if cut != "" {
				err = errors.New(cut)
			}
			return list.entries, err
		}
		off, err := stream.Seek(0, io.SeekCurrent)
		if err != nil {
			return list.entries, err
		}
		if !list.add(tarMember(h, open, off, size, l, list)) {
			return list.entries, list.full()
		}
	}
}

func tarMember(h *tar.Header, open func() (File, error), off, size int64, l Limits, list *memberList) *Entry {
	e := &Entry{Path: h.Name, Size: h.Size, limits: l}
	switch h.Typeflag {
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return nil
	case tar.TypeSymlink:
		e.Why = "a symbolic link: not followed"
		return e
	case tar.TypeLink:
		target := list.byPath[memberPath(h.Linkname)]
		if target == nil {
			e.Why = "a link to a member that is not there"
			return e
		}
		linked := *target
		linked.Path = h.Name
		return &linked
	case tar.TypeReg:
	default:
		e.Why = "not a regular file"
		return e
	}
	if h.PAXRecords["GNU.sparse.major"] != "" || h.PAXRecords["GNU.sparse.map"] != "" {
		e.Why = "a sparse member: not read"
		return e
	}
	n := h.Size
	if off+n > size {
		n = max(size-off, 0)
		e.Cut = "the archive ends inside this member"
	}
	e.openAt = func() (File, error) {
		f, err := open()
		if err != nil {
			return nil, err
		}
		s := sectionFile(h.Name, f, off, n)
		s.close = f.Close
		return s, nil
	}
	e.open = func() (io.ReadCloser, error) { return e.openAt() }
	return e
}

// listZip lists a zip. Its file stays open as long as the process, because the
// members are read through it.
func listZip(e *Entry) ([]*Entry, error) {
	f, err := e.openAt()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, e.Size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		f.Close()
		return nil, err
	}
	list := newMemberList(e.limits)
	for _, m := range z.File {
		if !list.add(zipMember(m, e.limits)) {
			return list.entries, list.full()
		}
	}
	return list.entries, nil
}

func zipMember(m *zip.File, l Limits) *Entry {
	mode := m.Mode()
	if mode.IsDir() || strings.HasSuffix(m.Name, "/") {
		return nil
	}
	e := &Entry{Path: m.Name, Size: int64(m.UncompressedSize64), limits: l}
	switch {
	case m.Flags&1 != 0:
		e.Why = "encrypted: not read"
	case !mode.IsRegular():
		e.Why = "not a regular file"
	default:
		packed := int64(m.CompressedSize64)
		e.open = func() (io.ReadCloser, error) {
			r, err := m.Open()
			if err != nil {
				return nil, err
			}
			return &boundedReader{ReadCloser: r, packed: func() int64 { return packed }, limits: l}, nil
		}
	}
	return e
}

// memberList collects the members of one archive. A later member of the same
// name replaces the earlier one, as unpacking would.
type memberList struct {
	limits  Limits
	entries []*Entry
	byPath  map[string]*Entry
	n       int
}

func newMemberList(l Limits) *memberList {
	return &memberList{limits: l, byPath: map[string]*Entry{}}
}

// add takes a member, nil for what is no file. It returns false if the list is
// as long as it may be.
func (l *memberList) add(e *Entry) bool {
	if l.n++; l.n > l.limits.Members {
		return false
	}
	if e == nil {
		return true
	}
	name := memberPath(e.Path)
	if name == "" {
		e.Why = "its name leaves the archive's root: not read"
	} else {
		e.Path = name
	}
	if hasGit(e.Path) {
		return true
	}
	if old := l.byPath[e.Path]; old != nil {
		*old = *e
		return true
	}
	l.byPath[e.Path] = e
	l.entries = append(l.entries, e)
	return true
}

func (l *memberList) full() error {
	return fmt.Errorf("more than %d members: the rest is not listed", l.limits.Members)
}

// memberPath cleans the name of a member; it is empty if the name leads out of
// the archive.
func memberPath(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':' {
		return ""
	}
	name = path.Clean(name)
	if name == "." || name == ".." || strings.HasPrefix(name, "../") {
		return ""
	}
	return name
}

func hasGit(p string) bool {
	for _, part := range strings.Split(p, "/") {
		if part == ".git" {
			return true
		}
	}
	return false
}

// stripTop takes off the one folder below which everything lies, so that an
// archive of a folder names its files, and hashes, as the folder itself does.
func stripTop(members []*Entry) {
	if len(members) == 0 {
		return
	}
	top, _, ok := strings.Cut(members[0].Path, "/")
	if !ok {
		return
	}
	for _, m := range members {
		if !strings.HasPrefix(m.Path, top+"/") {
			return
		}
	}
	for _, m := range members {
		m.Path = m.Path[len(top)+1:]
	}
}
