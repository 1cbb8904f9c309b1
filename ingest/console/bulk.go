package console

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/sglang"
)

// bulkSize is the size from which a log is read in blocks, in bytes.
const bulkSize = 4 << 20

// bulk reads a large log of one SGLang server without frames by several
// goroutines. It reports false if the text is something else, or turns out to
// be, and has to be read line by line.
func (c *console) bulk(in *format.Input, out *format.Output, t *trial) (bool, error) {
	if in.At == nil || in.Size < bulkSize || t.framed || len(t.active) != 1 || t.kinds[capture.SGLangServerLog] != t.mine {
		return false, nil
	}
	b, ok, err := sglang.ReadBulk(in.At, in.Size, sglang.Hooks{Clean: cleanLine, Foreign: c.foreign})
	if !ok || err != nil {
		return false, err
	}
	r := newReading(nil, nil)
	r.lines = b.Lines
	for _, d := range b.Damaged() {
		r.malformed[capture.SGLangServerLog] = append(r.malformed[capture.SGLangServerLog], d.Line)
	}
	r.parts.claim(capture.SGLangServerLog, 1)
	r.services[""] = &service{machines: []*machine{{
		Machine: bulkLog{b}, kind: capture.SGLangServerLog, log: true, mine: 1,
	}}}
	r.order = append(r.order, r.services[""])
	r.close(in, out)
	return true, nil
}

// bulkLog is a log that has been read, as a machine.
type bulkLog struct{ *sglang.Bulk }

func (bulkLog) Kind() capture.Kind            { return capture.SGLangServerLog }
func (bulkLog) Line(format.Line) format.Claim { return format.NotMine }
func (b bulkLog) Close(file, _ string, out *format.Output) capture.Counts {
	return b.Bulk.Close(file, out)
}

// cleanLine does for one line what physical does, but for services.
func cleanLine(line []byte, each func([]byte)) bool {
	f := unframe(line)
	if f.service != "" || f.stamp != 0 {
		return false
	}
	parts := segments(f.text)
	if parts == nil {
		each(f.text)
		return true
	}
	for _, p := range parts {
		each(p)
	}
	return true
}

// foreign makes a test for lines that only the slow path reads: framed ones,
// and those that another machine knows. The machines are used up by it.
func (c *console) foreign() func([]byte) bool {
	var others []format.Machine
	for _, make := range c.machines {
		if m := make(); m.Kind() != capture.SGLangServerLog {
			others = append(others, m)
		}
	}
	n := 0
	return func(line []byte) bool {
		if unframe(line).framed {
			return true
		}
		if _, _, ok := loggerPrefix(line); ok {
			return true
		}
		n++
		for _, m := range others {
			if c := m.Line(format.Line{N: n, Text: line}); c == format.Mine || c == format.Malformed {
				return true
			}
		}
		return false
	}
}
