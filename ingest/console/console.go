// Package console reads any text that is made of lines: a server's log, the
// output of a benchmark client, or a terminal in which both were started.
//
// What it does itself is little. It takes the frames off each line (compose and
// kubectl names, times of a log collector, colours, progress bars), keeps the
// services of one file apart, and offers each line to a set of machines, one
// per kind and service, which do the reading. A line that no machine knows is
// "other". The kinds are not known here: package ingest says which machines
// there are.
//
// A large log of one SGLang server without frames, by far the most common large
// file, is read in blocks by several goroutines (bulk.go).
//
// Out of scope: Prometheus texts and files of one JSON document or record a
// line, which have readers of their own, and envelopes around every line, which
// package ingest takes off before.
package console

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// MaxLine is the length at which a line is left out, in bytes. Request lines
// that hold a prompt and all its token ids stay below it.
const MaxLine = 16 << 20

// Format returns the reader of texts that uses the machines given. The order
// of the constructors decides between machines that both know a line.
func Format(machines ...func() format.Machine) format.Format {
	c := &console{machines: machines}
	return format.Format{Kind: capture.UnknownKind, Sniff: c.sniff, Read: c.read}
}

type console struct {
	machines []func() format.Machine
}

// sniff reads the head on trial. A text in which nothing is known yet is still
// worth reading to its end, but any other reader is surer.
func (c *console) sniff(in *format.Input) int {
	head := bytes.TrimLeft(in.Head, " \t\r\n\xef\xbb\xbf")
	t := c.trial(in.Head)
	switch {
	case t.mine > 0:
		return 70
	case len(head) == 0 || head[0] == '{' || head[0] == '<':
		return 0
	}
	return 1
}

// trial feeds the whole lines of a head to machines that are thrown away.
type trial struct {
	mine   int            // lines that some machine knows for sure
	active map[string]int // by service: the log machine that knew most lines
	framed bool           // some line had a frame that only the slow path takes off
	kinds  map[capture.Kind]int
	prefix []byte // that every line carries, taken off before they were tried
}

// wholeLines leaves out the line in which a head ends.
func wholeLines(head []byte) []byte {
	whole := bytes.LastIndexByte(head, '\n')
	if whole < 0 || len(head) < format.HeadSize {
		whole = len(head)
	}
	return head[:whole]
}

// tryHead tries the whole lines of a head, without a prefix that they share.
func (c *console) tryHead(head, prefix []byte) *trial {
	r := newReading(c.machines, nil)
	r.prefix = prefix
	t := &trial{active: map[string]int{}, kinds: map[capture.Kind]int{}, prefix: prefix}
	n := 0
	for rest := wholeLines(head); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		n++
		if r.physical(n, line) {
			t.framed = true
		}
	}
	for name, s := range r.services {
		best, most := -1, 0
		for i, m := range s.machines {
			t.mine += m.mine
			t.kinds[m.kind] += m.mine
			if m.log && m.mine > most {
				best, most = i, m.mine
			}
		}
		t.active[name] = best
	}
	return t
}

func (c *console) read(in *format.Input, out *format.Output) error {
	t := c.trial(in.Head)
	if done, err := c.bulk(in, out, t); done || err != nil {
		return err
	}
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	r := newReading(c.machines, t.active)
	r.prefix = t.prefix
	err = r.all(f)
	r.close(in, out)
	return err
}

// all feeds every line of a stream.
func (r *reading) all(f io.Reader) error {
	br := bufio.NewReaderSize(f, 256<<10)
	var long []byte // a line that is longer than the buffer, so far
	for {
		b, err := br.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long) <= MaxLine {
				long = append(long, b...)
			}
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case len(b) == 0 && len(long) == 0:
			return nil
		}
		r.lines++
		if len(long) > 0 {
			if len(long)+len(b) > MaxLine {
				r.tooLong = append(r.tooLong, r.lines)
				long = nil
				continue
			}
			b = append(long, b...)
			long = long[:0]
		}
		r.physical(r.lines, bytes.TrimSuffix(b, []byte("\n")))
		if err != nil {
			return nil
		}
	}
}
