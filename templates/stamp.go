package templates

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf16"

	"coldcase/analysis"
	"coldcase/ingest/capture"
)

// Stamp is the block of a page from which a verifier rebuilds it: what made the
// page, with which options, from which bytes.
type Stamp struct {
	Schema   string            `json:"schema"` // coldcase.stamp/1
	Name     string            `json:"name"`
	Version  string            `json:"version"`
	Options  map[string]string `json:"options"` // of the notebook, and mode, answers, charts, names
	Captures []capture.Source  `json:"captures"`
	Files    []FileHash        `json:"files"`
	// Reports are the paths of coldcase's own reports that lay in the capture:
	// its inventory names them, and they have no hash.
	Reports  []string `json:"reports,omitempty"`
	Notebook string   `json:"notebook_sha256"`
	ECharts  string   `json:"echarts_sha256,omitempty"`
}

// FileHash is the sha256 of one file as it is stored in the capture.
type FileHash struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

const (
	stampSchema = "coldcase.stamp/1"
	stampOpen   = `<script type="application/json" id="coldcase-stamp">`
	scriptClose = `</script>`
)

// newStamp describes nb as it was given, before any masking for print: a
// verifier finds the files of the capture by their names. A page with masked
// names says so.
func newStamp(nb *analysis.Notebook, opts Options, echarts string) (*Stamp, error) {
	hash, err := Hash(nb)
	if err != nil {
		return nil, err
	}
	s := &Stamp{Schema: stampSchema, Name: nb.MadeBy.Name, Version: nb.MadeBy.Version,
		Options: map[string]string{"mode": string(opts.Mode), "answers": string(opts.Answers), "charts": string(opts.Charts)},
		Files:   []FileHash{}, Captures: []capture.Source{}, Notebook: hash, ECharts: echarts}
	if opts.KeepNames {
		s.Options["keep-names"] = "true"
	}
	for k, v := range nb.MadeBy.Options {
		s.Options[k] = v
	}
	if nb.Count == nil {
		return s, nil
	}
	s.Captures = append(s.Captures, nb.Count.Captures...)
	for _, f := range nb.Count.Files {
		if f.Kind == capture.ColdcaseReport {
			s.Reports = append(s.Reports, f.Path)
			continue
		}
		s.Files = append(s.Files, FileHash{f.Path, f.SHA256})
	}
	return s, nil
}

// Hash is the sha256 of the notebook's document, in hex.
func Hash(nb *analysis.Notebook) (string, error) {
	var b bytes.Buffer
	if err := JSON(&b, nb); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:]), nil
}

// embed returns the stamp as the bytes between the tags of its block. They are
// plain ASCII without "<", so nothing in it can end the block, and no name of a
// file can change how the page's source reads.
func (s *Stamp) embed() ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, r := range string(raw) {
		switch {
		case r < 0x7F:
			out.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		}
	}
	return out.Bytes(), nil
}

// FindStamp reads the stamp of a page.
func FindStamp(page []byte) (*Stamp, error) {
	_, rest, ok := bytes.Cut(page, []byte(stampOpen))
	if !ok {
		return nil, errors.New("no coldcase-stamp block in the page")
	}
	raw, _, ok := bytes.Cut(rest, []byte(scriptClose))
	if !ok {
		return nil, errors.New("the coldcase-stamp block has no end")
	}
	s := &Stamp{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("coldcase-stamp block: %w", err)
	}
	if s.Schema != stampSchema {
		return nil, fmt.Errorf("coldcase-stamp block: schema %q, want %s", s.Schema, stampSchema)
	}
	return s, nil
}
