// Package gpu reads what nvidia-smi says about clocks, power and throttling:
// --query-gpu CSV, dmon, -q and the plain table.
//
// A value that a GPU or its driver does not report ([N/A], -, "Not Found") is
// NaN, never 0. Throttle reasons come under two names: drivers call them
// clocks_event_reasons today and clocks_throttle_reasons before.
//
// Out of scope: joining samples to a log by time, and what a low clock means.
package gpu

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// Kinds of files beside capture.NvidiaSMICSV.
const (
	NvidiaSMIDmon  capture.Kind = "nvidia-smi-dmon"
	NvidiaSMIQuery capture.Kind = "nvidia-smi-q"
	NvidiaSMITable capture.Kind = "nvidia-smi-table"
)

const (
	certain = 95
	likely  = 65
	maxLine = 1 << 20
)

// Formats returns the readers of this package.
func Formats() []format.Format {
	return []format.Format{
		{Kind: capture.NvidiaSMICSV, Sniff: sniffCSV, Read: reader(capture.NvidiaSMICSV, func() parser { return &csvParser{} })},
		{Kind: NvidiaSMIDmon, Sniff: sniffDmon, Read: reader(NvidiaSMIDmon, func() parser { return &dmonParser{} })},
		{Kind: NvidiaSMIQuery, Sniff: sniffQuery, Read: reader(NvidiaSMIQuery, func() parser { return &queryParser{} })},
		{Kind: NvidiaSMITable, Sniff: sniffTable, Read: reader(NvidiaSMITable, func() parser { return &tableParser{} })},
	}
}

// parser reads one form line by line.
type parser interface {
	// line reports false for a line of the form that is damaged.
	line(n int, s string, into *series) bool
	// close ends the text and says what was taken on trust, "" for nothing.
	close(into *series) (why string)
}

// series collects samples by device, in the order of the devices' first line.
type series struct {
	all     []*capture.GPUSeries
	byName  map[string]*capture.GPUSeries
	samples int
}

func (s *series) add(device string, row capture.GPUSample) {
	g := s.byName[device]
	if g == nil {
		g = &capture.GPUSeries{Device: text.Safe(device)}
		s.byName[device] = g
		s.all = append(s.all, g)
	}
	g.Rows = append(g.Rows, row)
	s.samples++
}

// blank is a sample of which nothing is known.
func blank(line int) capture.GPUSample {
	nan := math.NaN()
	return capture.GPUSample{Line: line, SMClock: nan, MaxClock: nan, Power: nan, Util: nan, Temp: nan}
}

// reader builds the reader of one form. Bad lines are counted and named.
func reader(kind capture.Kind, open func() parser) func(*format.Input, *format.Output) error {
	return func(in *format.Input, out *format.Output) error {
		body, err := in.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", in.Path, err)
		}
		defer body.Close()
		p, found := open(), &series{byName: map[string]*capture.GPUSeries{}}
		r, n := bufio.NewReaderSize(body, maxLine), 0
		var bad []string
		malformed := 0
		for {
			raw, err := r.ReadSlice('\n')
			if len(raw) > 0 {
				n++
			}
			tooLong := errors.Is(err, bufio.ErrBufferFull)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
			if len(raw) > 0 && (tooLong || !p.line(n, strings.TrimRight(text.Clean(string(raw)), "\r\n "), found)) {
				if malformed++; malformed <= 20 {
					bad = append(bad, strconv.Itoa(n))
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", in.Path, err)
			}
		}
		why := p.close(found)
		for _, g := range found.all {
			g.File = in.Path
		}
		out.GPU = append(out.GPU, found.all...)
		f := out.File
		f.Kind, f.Read, f.Lines, f.Why = kind, capture.ReadAll, n, why
		f.Parts = []capture.Part{{Kind: kind, Line: 1, To: max(n, 1)}}
		f.Counts.Add("samples", found.samples)
		f.Counts.Add("malformed", malformed)
		if malformed > 0 {
			f.Read = capture.ReadPart
			f.Why = strings.TrimPrefix(why+"; ", "; ") + fmt.Sprintf("%d damaged lines: %s", malformed, strings.Join(bad, ", "))
		}
		return nil
	}
}

// value reads a number with or without its unit ("1980 MHz", "94 %"); NaN for
// whatever the driver prints in place of a number.
func value(s string) float64 {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	f, err := strconv.ParseFloat(strings.TrimRight(s, "%WC"), 64)
	if err != nil || math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// stampLayouts are the forms in which nvidia-smi prints a time, without a zone.
var stampLayouts = []string{"2006/01/02 15:04:05.000", "2006/01/02 15:04:05", "20060102 15:04:05", "Mon Jan _2 15:04:05 2006"}

// stamp reads a time; 0 if it is none.
func stamp(s string) capture.Stamp {
	s = strings.Join(strings.Fields(s), " ")
	for _, layout := range stampLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return capture.Stamp(t.UnixMilli())
		}
	}
	return 0
}

// reasons are the bits of the active throttle (event) reasons.
var reasons = []struct {
	bit  uint64
	name string
}{
	{0x1, "gpu_idle"}, {0x2, "applications_clocks_setting"}, {0x4, "sw_power_cap"}, {0x8, "hw_slowdown"},
	{0x10, "sync_boost"}, {0x20, "sw_thermal_slowdown"}, {0x40, "hw_thermal_slowdown"},
	{0x80, "hw_power_brake_slowdown"}, {0x100, "display_clock_setting"},
}

// throttle names the reasons of a mask: "none", or names joined with +; "" if
// the cell holds no mask.
func throttle(s string) string {
	hex, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(s)), "0x")
	if !ok {
		return ""
	}
	mask, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		return ""
	}
	var names []string
	for _, r := range reasons {
		if mask&r.bit != 0 {
			names = append(names, r.name)
			mask &^= r.bit
		}
	}
	if mask != 0 {
		names = append(names, fmt.Sprintf("0x%x", mask))
	}
	return joinReasons(names)
}

func joinReasons(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "+")
}

// firstLine is the first line of a file that is not blank.
func firstLine(head []byte) string {
	for line := range bytes.Lines(head) {
		if s := strings.TrimSpace(text.Clean(string(line))); s != "" {
			return s
		}
	}
	return ""
}
