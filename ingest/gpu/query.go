package gpu

import (
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sniffQuery(in *format.Input) int {
	if strings.Contains(firstLine(in.Head), "NVSMI LOG") {
		return certain
	}
	return 0
}

// queryParser reads "nvidia-smi -q": an indented tree of "name : value", one
// sample a GPU and log. Sections are told apart by their title and indent.
type queryParser struct {
	at      capture.Stamp
	device  string
	row     *capture.GPUSample
	section string
	indent  int
	active  []string
	told    bool
}

func (p *queryParser) line(n int, s string, into *series) bool {
	indent := len(s) - len(strings.TrimLeft(s, " "))
	key, val, isPair := strings.Cut(s, " : ")
	key, val = strings.TrimSpace(key), strings.TrimSpace(val)
	switch {
	case strings.Contains(s, "NVSMI LOG"):
		p.flush(into)
	case isPair && key == "Timestamp":
		p.at = stamp(val)
	case indent == 0 && strings.HasPrefix(s, "GPU "):
		p.flush(into)
		row := blank(n)
		row.Stamp = p.at
		p.row, p.device = &row, strings.TrimSpace(strings.TrimPrefix(s, "GPU "))
	case p.row == nil || key == "":
	case !isPair && indent <= 8:
		p.section, p.indent = key, indent
	case isPair:
		if indent <= p.indent {
			p.section = ""
		}
		p.pair(key, val)
	}
	return true
}

func (p *queryParser) pair(key, val string) {
	switch p.section + "/" + key {
	case "Clocks/SM":
		p.row.SMClock = value(val)
	case "Max Clocks/SM":
		p.row.MaxClock = value(val)
	case "GPU Power Readings/Average Power Draw", "GPU Power Readings/Power Draw", "Power Readings/Power Draw":
		p.row.Power = value(val)
	case "Utilization/Gpu", "Utilization/GPU":
		p.row.Util = value(val)
	case "Temperature/GPU Current Temp":
		p.row.Temp = value(val)
	}
	switch p.section {
	case "Clocks Event Reasons", "Clocks Throttle Reasons":
		p.told = p.told || strings.HasSuffix(val, "Active")
		if val == "Active" {
			p.active = append(p.active, queryReason(key))
		}
	}
}

// queryReason gives a reason the name that the CSV has for it.
func queryReason(key string) string {
	name := strings.ReplaceAll(strings.ToLower(key), " ", "_")
	if name == "idle" {
		return "gpu_idle"
	}
	return name
}

func (p *queryParser) flush(into *series) {
	if p.row == nil {
		return
	}
	if p.told {
		p.row.Throttle = joinReasons(p.active)
	}
	into.add(p.device, *p.row)
	*p = queryParser{at: p.at}
}

func (p *queryParser) close(into *series) string {
	p.flush(into)
	return ""
}
