package prom

import (
	"bytes"
	"strings"

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
	case class == lineSample && isServers(l.Text, name):
		m.s.line(l.N, l.Text)
		return format.Mine
	}
	return format.NotMine
}

// isServers reports whether a sample is one of a server: it has labels, or an
// engine's name, or is the start time of the process. A script that prints a
// word and a number prints none of these.
func isServers(line []byte, name string) bool {
	if bytes.IndexByte(line, '{') > 0 || name == "process_start_time_seconds" {
		return true
	}
	for _, e := range engines {
		if strings.HasPrefix(name, e.prefix) {
			return true
		}
	}
	return false
}

// Close hands over the scrapes.
func (m *machine) Close(file, service string, out *format.Output) capture.Counts {
	out.Snapshots = append(out.Snapshots, m.s.finish(file)...)
	return m.s.counts()
}
