package ingest

import (
	"io"
	"maps"
	"sort"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/notes"
	"coldcase/ingest/source"
	"coldcase/ingest/text"
)

// maxNotes bounds the file of Options.Notes, in bytes.
const maxNotes = 4 << 20

// broughtNotes are the notes of Options.Notes with their row of the inventory.
type broughtNotes struct {
	notes *capture.Notes
	row   *capture.File
}

// readNotes reads the notes that were brought along, nil if none were.
func readNotes(opts Options) (*broughtNotes, error) {
	if opts.Notes == "" {
		return nil, nil
	}
	fail := func(err error) (*broughtNotes, error) { return nil, &OpenError{Path: opts.Notes, Err: err} }
	t, err := source.Open(opts.Notes, source.Options{OpenFile: opts.OpenFile, Limits: opts.Limits})
	if err != nil {
		return fail(err)
	}
	if !t.OneFile {
		return fail(errNotOneFile)
	}
	r, err := t.Entries[0].Content().Open()
	if err != nil {
		return fail(err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxNotes))
	if err != nil {
		return fail(err)
	}
	row := &capture.File{Path: text.Clean(t.Entries[0].Path), Kind: capture.ColdcaseNotes, Read: capture.ReadAll, Parts: []capture.Part{}, Size: t.Entries[0].Size}
	n, err := notes.ParseInto(row, data)
	if err != nil {
		return fail(err)
	}
	finish(&format.Output{File: row})
	return &broughtNotes{n, row}, nil
}

// useNotes takes the notes that were brought along instead of those of the
// captures. They have their row of the inventory, so that what they state can
// be looked up, and are no part of a capture's hash.
func useNotes(c *capture.Capture, b *broughtNotes) {
	files := c.Files[:0]
	for _, f := range c.Files {
		if f.Path == b.row.Path {
			continue // of the same name: the one that was brought stands for it
		}
		if f.Kind == capture.ColdcaseNotes {
			f.Read = capture.ReadNone
			addWhy(f, "other notes were given: not used")
		}
		files = append(files, f)
	}
	c.Files = append(files, b.row)
	sort.SliceStable(c.Files, func(i, j int) bool { return c.Files[i].Path < c.Files[j].Path })
	c.Notes = *b.notes
}

// addNotes adds the notes of one capture. With several captures their files
// have the capture's name in front, and facts of the whole are the first's.
func addNotes(c *capture.Capture, it item, n *capture.Notes) {
	withPrefix(n, it.prefix)
	if c.Notes.File == "" {
		c.Notes = *n
		return
	}
	c.Notes.Order = append(c.Notes.Order, n.Order...)
	if c.Notes.Runs == nil {
		c.Notes.Runs = map[string]map[string]any{}
	}
	maps.Copy(c.Notes.Runs, n.Runs)
	c.Notes.Claims = append(c.Notes.Claims, n.Claims...)
	c.Notes.Excerpts = append(c.Notes.Excerpts, n.Excerpts...)
	c.Notes.Points = append(c.Notes.Points, n.Points...)
}

// withPrefix puts a capture's name in front of the files that its notes name.
func withPrefix(n *capture.Notes, prefix string) {
	if prefix == "" {
		return
	}
	put := func(s *string) {
		if *s != "" {
			*s = prefix + *s
		}
	}
	for i := range n.Order {
		put(&n.Order[i])
	}
	runs := map[string]map[string]any{}
	for name, facts := range n.Runs {
		runs[prefix+name] = facts
	}
	n.Runs = runs
	for i := range n.Claims {
		put(&n.Claims[i].Run)
	}
	for i := range n.Excerpts {
		put(&n.Excerpts[i].File)
		put(&n.Excerpts[i].Run)
	}
}
