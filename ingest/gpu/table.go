package gpu

import (
	"regexp"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sniffTable(in *format.Input) int {
	head := string(in.Head)
	if strings.Contains(head, "| NVIDIA-SMI ") && strings.Contains(head, "GPU-Util") {
		return certain
	}
	return 0
}

// tableParser reads the plain table of nvidia-smi, once or repeated (-l): a
// GPU has two rows, its index and name, then temperature, power and
// utilization. The table names no clock and no throttle reason.
type tableParser struct {
	at     capture.Stamp
	device string
}

var (
	nameRow = regexp.MustCompile(`^\|\s+(\d+)\s+\S.*\|\s+[0-9A-F]{8}:`)
	useRow  = regexp.MustCompile(`^\|\s+\S+\s+(\d+)C\s+P\d+\s+(\S+)\s*/.*\|\s+(\S+)\s+\S+ *\|$`)
)

func (p *tableParser) line(n int, s string, into *series) bool {
	if t := stamp(s); t != 0 {
		p.at = t
		return true
	}
	if m := nameRow.FindStringSubmatch(s); m != nil {
		p.device = m[1]
		return true
	}
	if m := useRow.FindStringSubmatch(s); m != nil && p.device != "" {
		row := blank(n)
		row.Stamp, row.Temp, row.Power, row.Util = p.at, value(m[1]), value(m[2]), value(m[3])
		into.add(p.device, row)
		p.device = ""
	}
	return true
}

func (*tableParser) close(*series) string {
	return "the plain table names no clock and no throttle reason"
}
