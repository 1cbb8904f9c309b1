// Package samples holds the captures that coldcase carries with it, so that a
// first report needs neither a server nor a download.
//
// Three of them were recorded on real servers with random weights and are
// embedded as one compressed archive each. The fourth, incident, is a handful
// of published lines and figures with the notes that say where they came from;
// it lies in the repository as a plain folder. A sample is a capture like any
// other: nothing elsewhere knows that it is one.
//
// Reports made from the samples are not kept here; the gallery in docs builds
// them.
package samples

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

//go:generate go run pack.go -o data/inversion.tar.zst ${INVERSION}
//go:generate go run pack.go -o data/inversion-lean.tar.zst ${INVERSION_LEAN}
//go:generate go run pack.go -o data/clean-sweep.tar.zst ${CLEAN_SWEEP}

//go:embed data
var data embed.FS

// ErrUnknown is the error for a name that is no sample.
var ErrUnknown = errors.New("no such sample")

// Info describes a sample.
type Info struct {
	Name  string
	About string // one line
}

var all = []Info{
	{"inversion", "one seed, three caps, no flush: the median TTFT falls as the load rises (SGLang 0.5.22, 32B shape)"},
	{"inversion-lean", "the same three runs without details, cache report and metrics"},
	{"clean-sweep", "two caps, three fresh seeds each, a flush before every run, on the same server"},
	{"incident", "the published incident: two reports in part, two log lines, two tables"},
}

// List returns the samples in the order in which a newcomer should meet them.
func List() []Info {
	return append([]Info(nil), all...)
}

// FS returns the files of a sample. The error is ErrUnknown for a name that
// List does not have.
func FS(name string) (fs.FS, error) {
	if !known(name) {
		return nil, fmt.Errorf("%w: %s (there are %s)", ErrUnknown, name, names())
	}
	folder := path.Join("data", name)
	if _, err := fs.Stat(data, folder); err == nil {
		return fs.Sub(data, folder)
	}
	packed, err := data.ReadFile(folder + ".tar.zst")
	if err != nil {
		return nil, fmt.Errorf("sample %s: %w", name, err)
	}
	files, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("sample %s: %w", name, err)
	}
	return files, nil
}

// Extract writes the files of a sample below dir, which is made if it does not
// exist. A file that is already there is never overwritten: that is an error.
func Extract(name, dir string) error {
	files, err := FS(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.CopyFS(dir, files)
}

func known(name string) bool {
	for _, s := range all {
		if s.Name == name {
			return true
		}
	}
	return false
}

func names() string {
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = s.Name
	}
	return strings.Join(list, ", ")
}
