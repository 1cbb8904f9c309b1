package console

import "coldcase/ingest/capture"

// maxParts is the number of parts at which a file counts as interleaved. Then
// each kind has one part, from its first line to its last.
const maxParts = 32

// parts follows which kind of text the lines of a file belong to. A line that
// nobody claims belongs to the part that it stands in.
type parts struct {
	list []capture.Part // To is set when the next one starts
	hull []capture.Part
}

func (p *parts) claim(kind capture.Kind, n int) {
	for i := range p.hull {
		if p.hull[i].Kind == kind {
			p.hull[i].To = n
			goto part
		}
	}
	p.hull = append(p.hull, capture.Part{Kind: kind, Line: n, To: n})
part:
	if last := len(p.list) - 1; last >= 0 {
		if p.list[last].Kind == kind || len(p.list) > maxParts {
			return
		}
		p.list[last].To = n - 1
		if p.list[last].To < p.list[last].Line { // two kinds on one line
			p.list[last].To = n
		}
	}
	p.list = append(p.list, capture.Part{Kind: kind, Line: n})
}

// finish returns the parts of a file of so many lines, without the kinds that
// turned out to be nobody's, and the kind with the most lines.
func (p *parts) finish(lines int, keep func(capture.Kind) bool) ([]capture.Part, capture.Kind) {
	list := p.list
	if len(list) > maxParts {
		list = p.hull
	} else if len(list) > 0 {
		list[0].Line = 1
		list[len(list)-1].To = lines
	}
	var out []capture.Part
	size := map[capture.Kind]int{}
	for _, x := range list {
		if !keep(x.Kind) {
			if len(out) > 0 && len(p.list) <= maxParts {
				out[len(out)-1].To = x.To
			}
			continue
		}
		size[x.Kind] += x.To - x.Line + 1
		if n := len(out); n > 0 && out[n-1].Kind == x.Kind {
			out[n-1].To = x.To
			continue
		}
		out = append(out, x)
	}
	best := capture.UnknownKind
	for _, x := range out {
		if size[x.Kind] > size[best] {
			best = x.Kind
		}
	}
	if len(out) > 0 && len(p.list) <= maxParts {
		out[0].Line = 1
	}
	return out, best
}
