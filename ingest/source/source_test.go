package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// member is a file of an archive under test.
type member struct {
	name, body string
	typ        byte
	link       string
}

func tarOf(t *testing.T, members []member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		typ := m.typ
		if typ == 0 {
			typ = tar.TypeReg
		}
		if err := w.WriteHeader(&tar.Header{Name: m.name, Typeflag: typ, Linkname: m.link, Size: int64(len(m.body)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, m.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t *testing.T, members []member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, m.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstdOf(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

func write(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// textOf reads all text of an entry, and why it ended early.
func textOf(t *testing.T, e *Entry) (string, string) {
	t.Helper()
	c := e.Content()
	r, err := c.Open()
	if err != nil {
		return "", err.Error()
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: reading gave %v, not its end", e.Path, err)
	}
	return string(b), c.Trouble()
}

func listing(t *testing.T, tree *Tree) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, e := range tree.Entries {
		if e.Why != "" {
			got[e.Path] = "why: " + e.Why
			continue
		}
		got[e.Path], _ = textOf(t, e)
	}
	return got
}

func TestFolderAndArchivesAreListedAlike(t *testing.T) {
	files := []member{{name: "kit/bench.txt", body: "bench"}, {name: "kit/logs/server.log", body: "log"}, {name: "kit/.git/HEAD", body: "ref"}}
	want := map[string]string{"bench.txt": "bench", "logs/server.log": "log"}
	dir := t.TempDir()
	for _, f := range files {
		write(t, dir, f.name, []byte(f.body))
	}
	packed := tarOf(t, files)
	for name, data := range map[string][]byte{
		"kit.tar": packed, "kit.tar.gz": gzipOf(t, packed), "kit.tgz": gzipOf(t, packed), "kit.tar.zst": zstdOf(t, packed),
		"kit.zip": zipOf(t, files), "renamed.bin": gzipOf(t, packed),
	} {
		tree, err := Open(write(t, dir, name, data), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, listing(t, tree)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if tree.Name != "kit" && name != "renamed.bin" {
			t.Errorf("%s: named %q", name, tree.Name)
		}
	}
	tree, err := Open(filepath.Join(dir, "kit"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, listing(t, tree)); d != "" {
		t.Errorf("folder (-want +got):\n%s", d)
	}
	stream, err := Open("-", Options{Stdin: bytes.NewReader(gzipOf(t, packed))})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, listing(t, stream)); d != "" {
		t.Errorf("stream (-want +got):\n%s", d)
	}
}

func TestHostileMembers(t *testing.T) {
	dir := t.TempDir()
	data := tarOf(t, []member{
		{name: "../out.txt", body: "x"}, {name: "/etc/passwd", body: "x"}, {name: "a/../../b", body: "x"},
		{name: "link", typ: tar.TypeSymlink, link: "/etc/passwd"}, {name: "pipe", typ: tar.TypeFifo},
		{name: "one.txt", body: "1"}, {name: "hard.txt", typ: tar.TypeLink, link: "one.txt"},
		{name: "twice.txt", body: "old"}, {name: "twice.txt", body: "new"},
	})
	tree, err := Open(write(t, dir, "a.tar", data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	leaves := "why: its name leaves the archive's root: not read"
	want := map[string]string{
		"../out.txt": leaves, "/etc/passwd": leaves, "a/../../b": leaves,
		"link": "why: a symbolic link: not followed", "pipe": "why: not a regular file",
		"one.txt": "1", "hard.txt": "1", "twice.txt": "new",
	}
	if d := cmp.Diff(want, listing(t, tree)); d != "" {
		t.Errorf("members (-want +got):\n%s", d)
	}
}

func TestLinksOfAFolderAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	outside := write(t, t.TempDir(), "secret.txt", []byte("outside"))
	write(t, dir, "a.txt", []byte("a"))
	for link, target := range map[string]string{"out.txt": outside, "in.txt": "a.txt", "up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	tree, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	why := "why: a symbolic link: not followed"
	if d := cmp.Diff(map[string]string{"a.txt": "a", "out.txt": why, "in.txt": why, "up": why}, listing(t, tree)); d != "" {
		t.Errorf("folder (-want +got):\n%s", d)
	}
}

func TestArchiveInsideACapture(t *testing.T) {
	dir := t.TempDir()
	inner := tarOf(t, []member{{name: "deep.log", body: "deep"}})
	write(t, dir, "logs.tgz", gzipOf(t, tarOf(t, []member{{name: "server.log", body: "log"}, {name: "inner.tar", body: string(inner)}})))
	write(t, dir, "sheet.xlsx", zipOf(t, []member{{name: "[Content_Types].xml", body: "<x/>"}}))
	tree, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range tree.Entries {
		paths = append(paths, e.Path)
	}
	if d := cmp.Diff([]string{"logs.tgz", "logs.tgz!inner.tar", "logs.tgz!server.log", "sheet.xlsx"}, paths); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
	if a := tree.Entries[0].Archive; !strings.Contains(a, "2 members") {
		t.Errorf("the archive's remark is %q", a)
	}
}

// brokenFile fails after its first bytes, as a bad disk does.
type brokenFile struct {
	*bytes.Reader
	after int64
}

var errDisk = errors.New("input/output error")

func (f *brokenFile) Read(p []byte) (int, error) {
	if off, _ := f.Seek(0, io.SeekCurrent); off >= f.after {
		return 0, errDisk
	}
	return f.Reader.Read(p[:min(len(p), int(f.after))])
}

func (f *brokenFile) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.after {
		n, _ := f.Reader.ReadAt(p[:max(0, f.after-off)], off)
		return n, errDisk
	}
	return f.Reader.ReadAt(p, off)
}

func (f *brokenFile) Close() error               { return nil }
func (f *brokenFile) Stat() (fs.FileInfo, error) { return nil, errDisk }

func TestDiskErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "half.txt", []byte("0123456789"))
	write(t, dir, "none.txt", []byte("0123456789"))
	open := func(name string) (File, error) {
		if filepath.Base(name) == "none.txt" {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errDisk}
		}
		return &brokenFile{bytes.NewReader([]byte("0123456789")), 4}, nil
	}
	tree, err := Open(dir, Options{OpenFile: open})
	if err != nil {
		t.Fatal(err)
	}
	if got, trouble := textOf(t, tree.Entries[0]); got != "0123" || trouble != errDisk.Error() {
		t.Errorf("half.txt: %q, trouble %q", got, trouble)
	}
	if got, why := textOf(t, tree.Entries[1]); got != "" || !strings.Contains(why, errDisk.Error()) || strings.Contains(why, dir) {
		t.Errorf("none.txt: %q, %q", got, why)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, arg := range []string{filepath.Join(t.TempDir(), "missing"), "-"} {
		if tree, err := Open(arg, Options{}); err == nil {
			t.Errorf("%s: opened as %v", arg, tree)
		} else if strings.Contains(err.Error(), arg) {
			t.Errorf("%s: the error repeats the path: %v", arg, err)
		}
	}
	tree, err := Open(t.TempDir(), Options{})
	if err != nil || len(tree.Entries) != 0 {
		t.Errorf("empty folder: %v, %v", tree, err)
	}
}

func TestSpoolKeepsALongStream(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), spoolMemory/16+100)
	s, trouble, err := Spool(bytes.NewReader(long), int64(len(long)+1))
	if err != nil || trouble != "" || s.Size() != int64(len(long)) {
		t.Fatalf("%d bytes, %q, %v", s.Size(), trouble, err)
	}
	tail := make([]byte, 16)
	if _, err := s.ReadAt(tail, s.Size()-16); err != nil || string(tail) != "0123456789abcdef" {
		t.Errorf("tail %q, %v", tail, err)
	}
	s, trouble, err = Spool(bytes.NewReader(long), spoolMemory+10)
	if err != nil || trouble == "" || s.Size() != spoolMemory+10 {
		t.Errorf("bounded: %d bytes, %q, %v", s.Size(), trouble, err)
	}
}

func FuzzOpenArchive(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := Open("-", Options{Stdin: bytes.NewReader(data), Limits: Limits{FileBytes: 1 << 20, Members: 100}})
		if err != nil {
			return
		}
		for _, e := range tree.Entries {
			if e.Why == "" && memberPath(e.Path) == "" {
				t.Errorf("a member outside of the root: %q", e.Path)
			}
			if r, err := e.Content().Open(); err == nil {
				if _, err := io.Copy(io.Discard, r); err != nil {
					t.Errorf("%q: reading gave %v, not its end", e.Path, err)
				}
				r.Close()
			}
		}
	})
}
