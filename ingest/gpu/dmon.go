package gpu

import (
	"strings"

	"coldcase/ingest/format"
)

func sniffDmon(in *format.Input) int {
	first := strings.Fields(strings.TrimPrefix(firstLine(in.Head), "#"))
	has := map[string]bool{}
	for _, f := range first {
		has[f] = true
	}
	if has["gpu"] && (has["pclk"] || has["pwr"]) && strings.HasPrefix(firstLine(in.Head), "#") {
		return certain
	}
	return 0
}

// dmonParser reads "nvidia-smi dmon": a header of names and one of units, both
// behind #, repeated every screen. sm is the utilization of the SMs in %, pclk
// their clock in MHz; pviol and tviol say that power or heat held the clock
// down. Date and time are there only with -o DT.
type dmonParser struct{ names []string }

func (p *dmonParser) line(n int, s string, into *series) bool {
	if s = strings.TrimSpace(s); s == "" {
		return true
	}
	if rest, ok := strings.CutPrefix(s, "#"); ok {
		if names := strings.Fields(rest); len(names) > 0 && !strings.Contains(rest, "Idx") {
			p.names = names
		}
		return true
	}
	cells := strings.Fields(s)
	if p.names == nil || len(cells) != len(p.names) {
		return false
	}
	row, date, clock, device := blank(n), "", "", ""
	var active []string
	told := false
	for i, c := range cells {
		switch p.names[i] {
		case "Date":
			date = c
		case "Time":
			clock = c
		case "gpu":
			device = c
		case "pwr":
			row.Power = value(c)
		case "gtemp":
			row.Temp = value(c)
		case "sm":
			row.Util = value(c)
		case "pclk":
			row.SMClock = value(c)
		case "pviol", "tviol":
			v := value(c)
			told = told || v >= 0
			if v > 0 {
				active = append(active, map[string]string{"pviol": "power_violation", "tviol": "thermal_violation"}[p.names[i]])
			}
		}
	}
	row.Stamp = stamp(date + " " + clock)
	if told {
		row.Throttle = joinReasons(active)
	}
	into.add(device, row)
	return true
}

func (*dmonParser) close(*series) string { return "" }
