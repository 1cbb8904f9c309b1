package sglang

import (
	"bytes"

	"coldcase/ingest/format"
)

// Texts are often kept in part: the last lines of a terminal, or the few lines
// that somebody quoted. A part of a result block is recognised by the heading of
// a latency section with at least two of its labels below it; rows of the main
// block that stand directly above the heading belong to it. One label in a
// sentence, or labels without a heading, are no report.

// excerptRows is the number of labels below a heading that make an excerpt.
const excerptRows = 2

// openExcerpt starts a block at a line that can only stand inside of one, and
// reports whether it did.
func (m *BenchText) openExcerpt(n int, b []byte) bool {
	if title, ok := heading(b, '-'); ok {
		if !latencySection(title) {
			return false
		}
	} else if i := bytes.IndexByte(b, ':'); i <= 0 || i > maxLabel || !isMainLabel(b[:i]) {
		return false
	}
	m.cur = newBlock(n)
	m.cur.excerpt = true
	return true
}

func isMainLabel(label []byte) bool {
	return labels[string(label)] != "" || ownLabels[string(label)] || otherLabels[string(label)]
}

// excerptRow reads a line while an excerpt is open. Any line that is neither of
// the block nor a remark of the client ends it; ok is false for such a line.
func (m *BenchText) excerptRow(n int, b []byte) (c format.Claim, ok bool) {
	x := m.cur
	c = x.row(n, b)
	switch {
	case x.foreign:
		// Another client's report: its lines are passed over up to its end.
		if _, _, isRow := row(b); isRow {
			return format.NotMine, true
		}
		if _, isHeading := heading(b, '-'); isHeading {
			return format.NotMine, true
		}
	case c == format.Malformed && !x.isReport():
		return format.Weak, true
	case c == format.Malformed:
		m.malformed++
		return c, true
	case c != format.NotMine:
		return c, true
	}
	if c := m.remark(n, b); c != format.NotMine {
		return c, true
	}
	m.endBlock()
	return format.NotMine, false
}

// isReport reports whether the block can be taken for a report of SGLang's
// client: by a label of its own, or, in an excerpt, by its shape.
func (b *block) isReport() bool {
	if b.excerpt {
		return b.inSection >= excerptRows
	}
	return b.confirmed
}
