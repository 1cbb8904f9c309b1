package gpu

import (
	"fmt"
	"math"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// sniffCSV knows a header by its query names, and a file without a header by
// rows that all start with nvidia-smi's time.
func sniffCSV(in *format.Input) int {
	first := firstLine(in.Head)
	cells := split(first)
	if len(cells) < 2 {
		return 0
	}
	switch {
	case hasMeasure(cells):
		return certain
	case stamp(cells[0]) != 0 && !math.IsNaN(value(cells[1])):
		return likely
	case stamp(cells[0]) != 0 && len(cells) > 3 && strings.Contains(first, "MHz"):
		return likely
	}
	return 0
}

// field is what a column of the CSV holds.
type field int

const (
	other field = iota
	timeField
	smClock
	maxClock
	power
	util
	temp
	mask
	reason // one reason, Active or Not Active
	index
	bus
	uuid
	name
)

// column reads a header cell, whose unit may follow in brackets. The graphics
// clock stands for the SM clock where the query has only that one.
func column(cell string) field {
	cell, _, _ = strings.Cut(strings.ToLower(cell), " [")
	switch cell {
	case "timestamp":
		return timeField
	case "clocks.current.sm", "clocks.sm", "clocks.current.graphics", "clocks.gr":
		return smClock
	case "clocks.max.sm", "clocks.max.graphics", "clocks.max.gr":
		return maxClock
	case "power.draw", "power.draw.average", "power.draw.instant":
		return power
	case "utilization.gpu":
		return util
	case "temperature.gpu":
		return temp
	case "clocks_event_reasons.active", "clocks_throttle_reasons.active":
		return mask
	case "index":
		return index
	case "pci.bus_id", "gpu_bus_id":
		return bus
	case "uuid", "gpu_uuid":
		return uuid
	case "name", "gpu_name":
		return name
	}
	if strings.HasPrefix(cell, "clocks_event_reasons.") || strings.HasPrefix(cell, "clocks_throttle_reasons.") {
		if !strings.HasSuffix(cell, ".supported") {
			return reason
		}
	}
	return other
}

// csvParser reads --query-gpu output. Without a header the columns are taken
// by the form of their values, which close says.
type csvParser struct {
	header []string
	fields []field
	guess  string
}

func (p *csvParser) line(n int, s string, into *series) bool {
	cells := split(s)
	switch {
	case s == "":
		return true
	case p.fields == nil && stamp(cells[0]) == 0 && hasMeasure(cells):
		p.header, p.fields = cells, nil
		for _, c := range cells {
			p.fields = append(p.fields, column(c))
		}
		return true
	case p.header != nil && s == strings.Join(p.header, ", "):
		return true // a second query appended to the file
	case p.fields == nil:
		p.fields, p.guess = byForm(cells)
	}
	if len(cells) != len(p.fields) {
		return false
	}
	row, device := p.row(n, cells)
	into.add(device, row)
	return true
}

// hasMeasure reports whether a header names something that is measured; index
// and name alone could be any table's.
func hasMeasure(cells []string) bool {
	for _, c := range cells {
		if f := column(c); f > timeField && f < index {
			return true
		}
	}
	return false
}

func (p *csvParser) row(n int, cells []string) (row capture.GPUSample, device string) {
	row = blank(n)
	var active []string
	told, best := false, other
	for i, f := range p.fields {
		switch f {
		case timeField:
			row.Stamp = stamp(cells[i])
		case smClock:
			if math.IsNaN(row.SMClock) || strings.Contains(p.title(i), "sm") {
				row.SMClock = value(cells[i])
			}
		case maxClock:
			if math.IsNaN(row.MaxClock) || strings.Contains(p.title(i), "sm") {
				row.MaxClock = value(cells[i])
			}
		case power:
			row.Power = value(cells[i])
		case util:
			row.Util = value(cells[i])
		case temp:
			row.Temp = value(cells[i])
		case mask:
			row.Throttle = throttle(cells[i])
		case reason:
			told = told || strings.HasSuffix(cells[i], "Active")
			if cells[i] == "Active" {
				active = append(active, reasonName(p.title(i)))
			}
		case index, bus, uuid, name:
			if best == other || f < best {
				device, best = cells[i], f
			}
		}
	}
	if row.Throttle == "" && told {
		row.Throttle = joinReasons(active)
	}
	return row, device
}

func (p *csvParser) title(i int) string {
	if i < len(p.header) {
		return strings.ToLower(p.header[i])
	}
	return ""
}

func reasonName(title string) string {
	_, name, _ := strings.Cut(title, ".")
	return name
}

func (p *csvParser) close(*series) string { return p.guess }

// byForm names the columns of a file without a header. nvidia-smi prints power
// with two decimals, masks in hex and clocks as whole MHz in steps of 15; with
// units in the cells those decide. The first clock is taken for the SM clock.
func byForm(cells []string) (fields []field, why string) {
	fields = make([]field, len(cells))
	var said []string
	take := func(i int, f field, name string) {
		for _, have := range fields {
			if have == f {
				return
			}
		}
		fields[i] = f
		if name != "" {
			said = append(said, fmt.Sprintf("column %d as %s", i+1, name))
		}
	}
	for i, c := range cells {
		v := value(c)
		switch {
		case stamp(c) != 0:
			take(i, timeField, "")
		case strings.HasPrefix(c, "0x"):
			take(i, mask, "the throttle reasons")
		case strings.HasSuffix(c, " MHz"):
			take(i, smClock, "the SM clock")
		case strings.HasSuffix(c, " W"):
			take(i, power, "power")
		case strings.HasSuffix(c, " %"):
			take(i, util, "utilization")
		case strings.Count(c, ".") == 1 && len(c)-strings.IndexByte(c, '.') == 3 && !math.IsNaN(v):
			take(i, power, "power")
		case v >= 120 && v <= 3600 && math.Mod(v, 15) == 0:
			take(i, smClock, "the SM clock")
		}
	}
	return fields, "no header: read by the form of the values: " + strings.Join(said, ", ")
}

func split(s string) []string {
	cells := strings.Split(s, ",")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}
