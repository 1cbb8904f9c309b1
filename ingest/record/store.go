package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"coldcase/ingest/plan"
)

// The layout of a record.
const (
	planFile   = "plan.json"
	cellsDir   = "cells"
	cellFile   = "cell.json"
	flushFile  = "flush.json"
	beforeFile = "metrics-before.prom"
	afterFile  = "metrics-after.prom"
	logFile    = "server.log"
	textFile   = "client.txt"
)

// The states of a cell.
const (
	Done    = "done"
	Refused = "refused" // nothing was measured: the start could not be made sure of
	Failed  = "failed"  // measured, and not to be used
	Aborted = "aborted" // not ended
)

// cellSchema names the document of cell.json.
const cellSchema = "coldcase.cell/1"

// cellDoc is coldcase.cell/1.
type cellDoc struct {
	Schema       string    `json:"schema"`
	ID           string    `json:"id"`
	State        string    `json:"state"`
	Why          string    `json:"why"`
	Arm          string    `json:"arm"`
	Cap          int       `json:"cap"`
	Prompts      int       `json:"prompts"`
	Seed         int64     `json:"seed"`
	Started      string    `json:"started"` // RFC 3339
	Ended        string    `json:"ended"`
	Client       string    `json:"client"`
	Command      string    `json:"command"`
	Result       string    `json:"result"` // the client's result file
	Engine       string    `json:"engine"` // name and version
	ServerLife   string    `json:"server_life"`
	Flush        flushPart `json:"flush"`
	RequestsSent *int      `json:"requests_sent"` // prompts and the client's warm-ups
	RequestsSeen *int      `json:"requests_seen"` // by the server's counters
	CachedTokens *int64    `json:"cached_tokens"` // by the server's counters
	Notes        []string  `json:"notes"`
	// Earlier tells how earlier attempts at this cell ended.
	Earlier []attempt `json:"earlier"`
}

// flushPart is what cell.json says about the flush.
type flushPart struct {
	Asked    bool        `json:"asked"`
	Answered string      `json:"answered"` // done, refused, unknown or ""
	Proved   bool        `json:"proved"`
	Canary   canaryShown `json:"canary"`
}

// canaryShown is what the private prompt showed: cached tokens before the flush and
// after it; nil = not seen. With several ranks, the least before and the most
// after.
type canaryShown struct {
	Before *int `json:"before"`
	After  *int `json:"after"`
}

// attempt is an earlier attempt at a cell.
type attempt struct {
	State string `json:"state"`
	Why   string `json:"why"`
}

// store is a record on disk.
type store struct {
	dir  string
	lock *os.File
}

// openStore opens or creates the folder and keeps other sweeps out of it.
func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(filepath.Join(dir, cellsDir), 0o755); err != nil {
		return nil, usage("--out: %v", err)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, usage("--out: %v", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, usage("--out %s: another sweep is writing there", dir)
	}
	// What a crash left of a file that was being written.
	parts, err := filepath.Glob(filepath.Join(dir, tempPattern))
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		os.Remove(p)
	}
	return &store{dir: dir, lock: f}, nil
}

// tempPattern are the names of files that are being written.
const tempPattern = ".coldcase-*"

func (s *store) close() { s.lock.Close() }

// plan reads the plan of the record, nil if it has none.
func (s *store) plan() (*plan.Plan, error) { return readPlan(s.dir) }

func readPlan(dir string) (*plan.Plan, error) {
	b, err := os.ReadFile(filepath.Join(dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	p, err := plan.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, planFile), err)
	}
	return p, nil
}

// empty reports whether the record holds nothing yet.
func (s *store) empty() (bool, error) {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return false, err
	}
	cells, err := os.ReadDir(filepath.Join(s.dir, cellsDir))
	return len(list) == 1 && len(cells) == 0, err
}

func (s *store) cellDir(id string) string { return filepath.Join(s.dir, cellsDir, id) }

// cell reads the cell.json of a cell, nil if there is none or if it is damaged:
// such a cell is not finished.
func (s *store) cell(id string) *cellDoc { return readCell(s.cellDir(id)) }

func readCell(dir string) *cellDoc {
	b, err := os.ReadFile(filepath.Join(dir, cellFile))
	if err != nil {
		return nil
	}
	var c cellDoc
	if json.Unmarshal(b, &c) != nil || c.Schema != cellSchema {
		return nil
	}
	return &c
}

// begin empties the folder of a cell and writes that it has not ended.
func (s *store) begin(c *cellDoc) error {
	dir := s.cellDir(c.ID)
	if old := s.cell(c.ID); old != nil {
		c.Earlier = append(old.Earlier, attempt{old.State, old.Why})
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return s.write(c)
}

// write writes cell.json.
func (s *store) write(c *cellDoc) error {
	return writeJSON(filepath.Join(s.cellDir(c.ID), cellFile), c)
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(b, '\n'))
}

// writeFile writes a file whole or not at all: beside it, synced, renamed, and
// the folder synced, so that neither a crash of the program nor of the machine
// leaves a part.
func writeFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, tempPattern)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
