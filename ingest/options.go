package ingest

import (
	"errors"
	"fmt"
	"io"

	"coldcase/ingest/source"
)

// Options change what Open reads.
type Options struct {
	// Hash asks for the sha256 of each file and of each capture.
	Hash bool
	// Notes is a file of stated facts (coldcase.toml) outside of the captures;
	// it wins over one that a capture holds.
	Notes string
	// Names are the names under which the captures go, in the order of the
	// paths; a missing or empty one is the path's own. A report is held against
	// a capture under the name that it had when the report was made.
	Names []string
	// Stdin is read for the path "-".
	Stdin io.Reader
	// OpenFile opens a file of the machine; nil is os.Open.
	OpenFile func(name string) (source.File, error)
	// Limits bound decompression and archives; zero fields take the defaults.
	Limits source.Limits
}

// OpenError says that a CAPTURE, or the file of Options.Notes, cannot be
// opened at all. Files inside a capture never cause one.
type OpenError struct {
	// Path is the argument as it was given.
	Path string
	Err  error
}

func (e *OpenError) Error() string { return fmt.Sprintf("opening %s: %v", e.Path, e.Err) }

func (e *OpenError) Unwrap() error { return e.Err }

var errNotOneFile = errors.New("not one file")
