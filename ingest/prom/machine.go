package prom

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// machine reads samples that stand between the other lines of a console. It is
// stricter than the file reader: only lines that look like an engine's metric
// are its own, and a line that it does not know is somebody else's.
type machine struct {
	s scraper
}

// Kind is the kind of the lines.
func (m *machine) Kind() capture.Kind { return capture.PrometheusText }

// Line takes sample and type lines.
func (m *machine) Line(l format.Line) format.Claim {
	switch class, name, _ := classify(l.Text); {
	case class == lineType:
		m.s.line(l.N, l.Text)
		return format.Mine
	case class == lineSample && looksLikeMetric(l.Text, name):
		m.s.line(l.N, l.Text)
		return format.Mine
	}
	return format.NotMine
}

// Close hands over the scrapes.
func (m *machine) Close(file, service string, out *format.Output) capture.Counts {
	out.Snapshots = append(out.Snapshots, m.s.finish(file)...)
	return m.s.counts()
}
