// Package prom reads the text that a Prometheus endpoint answers: one line a
// sample, as engines, curl and cron jobs leave it in a capture.
//
// It has a line reader of its own. The library parser refuses a whole file for
// one bad line; a capture is often a file that a shell cut, and every whole
// line in it is still evidence. Here a malformed line is counted, named in the
// inventory, and left out.
//
// A file may hold several scrapes, one after the other; each is a snapshot.
// What the numbers mean is not decided here: capture.Delta compares snapshots.
// Out of scope: the protobuf and JSON forms, remote write, and queries.
package prom

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// maxLine is the longest line that is read, in bytes. A sample line of an
// engine has a few hundred.
const maxLine = 1 << 20

// Formats returns the format of Prometheus text files.
func Formats() []format.Format {
	return []format.Format{{Kind: capture.PrometheusText, Sniff: sniff, Read: read}}
}

// Machines returns a machine for samples inside a console, where a kit printed
// the answer of curl between other lines.
func Machines() []func() format.Machine {
	return []func() format.Machine{func() format.Machine { return &machine{} }}
}

// sniff looks at whole lines of the head. Comments of the exposition format
// settle it; without them most lines must be samples, and one of them must look
// like a metric and not like a word with a number.
func sniff(in *format.Input) int {
	var samples, telling, types, bad int
	for line := range bytes.Lines(in.Head) {
		if line[len(line)-1] != '\n' && int64(len(in.Head)) >= format.HeadSize {
			break // the head ends inside of this line
		}
		line = bytes.TrimSpace(line)
		switch c, name, _ := classify(line); c {
		case lineSample:
			samples++
			if looksLikeMetric(line, name) {
				telling++
			}
		case lineType:
			types++
		case lineOther:
			bad++
		}
	}
	switch {
	case types > 0 && samples > bad:
		return 95
	case types > 0 && samples+types > bad:
		return 70
	case telling > 0 && samples > 4*bad:
		return 80
	}
	return 0
}

// read reads all scrapes of a file.
func read(in *format.Input, out *format.Output) error {
	r, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer r.Close()
	var s scraper
	n, readErr := eachLine(r, func(n int, line []byte) { s.line(n, line) })
	for _, snap := range s.finish(in.Path) {
		snap.Capture = in.Capture
		out.Snapshots = append(out.Snapshots, snap)
	}
	f := out.File
	f.Kind = capture.PrometheusText
	f.Lines = n
	f.Counts = s.counts()
	f.Parts = []capture.Part{{Kind: capture.PrometheusText, Line: 1, To: max(n, 1)}}
	f.Read = capture.ReadAll
	if len(s.bad) > 0 {
		f.Read = capture.ReadPart
		f.Why = badLines(s.bad, s.malformed)
	}
	if readErr != nil {
		f.Read = capture.ReadPart
		f.Why = joinWhy(f.Why, fmt.Sprintf("reading stopped after line %d: %v", n, readErr))
	}
	return nil
}

// eachLine calls f for every line, without its end. A line above maxLine is
// handed on cut.
func eachLine(r io.Reader, f func(n int, line []byte)) (lines int, err error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var buf []byte
	tooLong := false
	for {
		part, err := br.ReadSlice('\n')
		tooLong = tooLong || len(buf)+len(part) > maxLine
		if !tooLong {
			buf = append(buf, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if len(buf) > 0 {
			lines++
			f(lines, bytes.TrimRight(buf, "\r\n"))
			buf, tooLong = buf[:0], false
		}
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
	}
}
