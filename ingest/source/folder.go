package source

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// walk lists all files below root except .git, archives with their members.
// Only root itself must be readable; it may be a link to a folder.
func walk(root string, opts Options) ([]*Entry, error) {
	if _, err := os.ReadDir(root); err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	var entries []*Entry
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if path == root {
			return nil
		}
		rel, relErr := filepath.Rel(root, path)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		if d != nil && d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil {
			entries = append(entries, &Entry{Path: rel, Why: fmt.Sprintf("cannot be listed: %v", plain(err))})
			return nil
		}
		if d.IsDir() {
			return nil
		}
		entries = append(entries, folderEntry(path, rel, d, opts)...)
		return nil
	})
	sortEntries(entries)
	return entries, err
}

// folderEntry gives the row of one file, and the rows of its members if it is
// an archive.
func folderEntry(path, rel string, d fs.DirEntry, opts Options) []*Entry {
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		// A link inside the capture names a file that is listed anyway, and
		// reading it twice would count its runs twice; a link out of the
		// capture names what the capture does not hold.
		return []*Entry{{Path: rel, Why: "a symbolic link: not followed"}}
	case !d.Type().IsRegular():
		return []*Entry{{Path: rel, Why: "not a regular file"}}
	}
	info, err := d.Info()
	if err != nil {
		return []*Entry{{Path: rel, Why: fmt.Sprintf("cannot be read: %v", plain(err))}}
	}
	e := fileEntry(path, rel, info.Size(), opts)
	return append([]*Entry{e}, nested(e)...)
}

// nested lists the members of an archive that lies in a capture. It leaves a
// remark in the archive's own row if they cannot be listed.
func nested(e *Entry) []*Entry {
	kind, err := archiveKind(e)
	if err != nil || kind == noArchive {
		return nil // an unreadable file says so when it is read
	}
	members, err := listArchive(e, kind)
	if isDocument(members) {
		return nil
	}
	e.Archive = fmt.Sprintf("archive of %d members, listed as %s!member", len(members), e.Path)
	if err != nil {
		e.Archive += fmt.Sprintf("; damaged: %v", err)
	}
	e.Members = members
	for _, m := range members {
		m.Path = e.Path + "!" + m.Path
		m.Member = true
	}
	return members
}

// isDocument tells zip containers that are one document (spreadsheets, weights,
// arrays) from archives of files.
func isDocument(members []*Entry) bool {
	for _, m := range members {
		switch {
		case m.Path == "[Content_Types].xml", m.Path == "mimetype",
			strings.HasSuffix(m.Path, ".npy"), strings.HasSuffix(m.Path, "data.pkl"):
			return true
		}
	}
	return false
}

func fileEntry(path, rel string, size int64, opts Options) *Entry {
	e := &Entry{Path: rel, Size: size, limits: opts.Limits}
	e.open = func() (io.ReadCloser, error) { return opts.open(path) }
	e.openAt = func() (File, error) { return opts.open(path) }
	return e
}

func sortEntries(entries []*Entry) {
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].Path < entries[j].Path })
}
