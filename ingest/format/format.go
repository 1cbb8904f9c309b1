// Package format is the seam between the walk over a capture and the readers
// of single formats. A reader knows its own files and nothing of runs, joins or
// causes; a new format is one file that builds a Format or a Machine, its
// samples, and one row in the table of package ingest.
//
// A bad line or record is never an error of the reader: it is counted as
// malformed in the file's row of the inventory, with its line in Why, and
// reading goes on. Read returns an error only if the bytes cannot be had.
package format

import (
	"io"

	"coldcase/ingest/capture"
)

// HeadSize is how much of a file a Sniff sees.
const HeadSize = 64 << 10

// Input is one file of the capture, decompressed.
type Input struct {
	Path string // relative to the capture, with slashes; archive members "archive!member"
	Head []byte // the first HeadSize bytes
	Size int64  // bytes after decompression, -1 unknown
	// Open gives the decompressed bytes from the start; it may be called
	// again. The reader enforces the bound on decompressed size.
	Open func() (io.ReadCloser, error)
	// At is set if the file is plain and seekable, so that a large log can be
	// read by several goroutines.
	At      io.ReaderAt
	Capture int // index into Capture.Sources
}

// Output receives what readers found. Readers append; they never look at what
// others found.
type Output struct {
	// File is the inventory row of the file being read. The reader sets Kind,
	// Parts, Read, Why, Lines and Counts.
	File *capture.File

	Results   []*capture.Result
	Logs      []*capture.ServerLog
	Snapshots []*capture.Snapshot
	Answers   []*capture.Answer
	Commands  []*capture.Command
	Infos     []*capture.ServerInfo
	Served    []*capture.ServedFile
	GPU       []*capture.GPUSeries
	Plans     []*capture.Plan
	Cells     []*capture.Cell
	Notes     []*capture.Notes
}

// Format reads whole files of one kind.
type Format struct {
	Kind capture.Kind
	// Sniff says how sure it is, from 0 (not mine) to 100, by content first;
	// the name may only break ties.
	Sniff func(in *Input) int
	Read  func(in *Input, out *Output) error
}

// Line is one line of a text, with frames (compose, rank, logger, ANSI,
// progress bars) taken off. Text is valid only during the call.
type Line struct {
	N    int // 1-based, in the file
	Text []byte
	// Logger is the time that a removed logger prefix carried, 0 if none.
	Logger capture.Stamp
}

// Claim is a machine's answer to a line.
type Claim uint8

// What a line is to a machine.
const (
	NotMine   Claim = iota
	Weak            // could be mine (a bare INFO line, a continuation); taken if nobody claims it
	Mine            // recognised
	Malformed       // recognised, and damaged as docs/contracts.md 2 defines it
)

// Machine reads the lines of one kind out of a text that may mix kinds: a
// console with client and server, a compose log. One machine serves one
// service of one file and gets its lines in order.
type Machine interface {
	Kind() capture.Kind
	Line(l Line) Claim
	// Close ends the text: file is its path, service the compose service or
	// "". It appends what was read to out and returns the counts of its lines
	// by class (without "other").
	Close(file, service string, out *Output) capture.Counts
}
