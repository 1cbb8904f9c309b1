package causes

import (
	"math"
	"slices"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// busyUtil is the utilisation, in %, from which a sample counts as under load;
// without a utilisation column a clock of half the maximum does.
const busyUtil = 50

// Clock is what the GPU samples say about one run, or about all of a device's
// samples where the clocks of log and samples cannot be aligned.
type Clock struct {
	Device   string
	Samples  int     // under load
	SM       float64 // MHz, median under load
	Max      float64 // MHz, the device's maximum as stated or the highest seen
	Power    float64 // W, median under load, NaN if not sampled
	Util     float64 // %, median under load, NaN if not sampled
	Throttle []string
	Evidence []capture.Evidence
}

// Clocks joins GPU samples with a run by time: the stamps of its prefill lines,
// else the client's own start and end. Both are local clocks without a zone, so
// only an overlap joins them; with none the answer is nil.
func Clocks(c *capture.Capture, d *carryover.Run) []Clock {
	from, to, ok := runTime(d)
	if c == nil || !ok {
		return nil
	}
	var out []Clock
	for _, s := range c.GPU {
		if k, ok := clockBetween(c, s, from, to); ok {
			out = append(out, k)
		}
	}
	return out
}

// LoadClocks gives the clock under load over all samples of each device.
func LoadClocks(c *capture.Capture) []Clock {
	var out []Clock
	if c == nil {
		return nil
	}
	for _, s := range c.GPU {
		if k, ok := clockBetween(c, s, math.MinInt64, math.MaxInt64); ok {
			out = append(out, k)
		}
	}
	return out
}

// runTime is the time of a run in the stamps of the log, else of the client.
func runTime(d *carryover.Run) (from, to capture.Stamp, ok bool) {
	f := d.Facts
	if f == nil {
		return 0, 0, false
	}
	if f.Log != nil && f.LastBatch > f.FirstBatch && f.LastBatch <= f.Log.Batches.Len() {
		from, to = f.Log.Batches.At(f.FirstBatch).Stamp, f.Log.Batches.At(f.LastBatch-1).Stamp
		if from > 0 && to >= from {
			return from, to + 1000, true // stamps are whole seconds
		}
	}
	if f.Run != nil && f.Run.Merged.Start > 1e9 && f.Run.Merged.End > f.Run.Merged.Start {
		return capture.Stamp(f.Run.Merged.Start * 1000), capture.Stamp(f.Run.Merged.End * 1000), true
	}
	return 0, 0, false
}

func clockBetween(c *capture.Capture, s *capture.GPUSeries, from, to capture.Stamp) (Clock, bool) {
	k := Clock{Device: s.Device}
	for _, r := range s.Rows {
		k.Max = math.Max(k.Max, math.Max(number(r.SMClock), number(r.MaxClock)))
	}
	var sm, power, util []float64
	first := 0
	for _, r := range s.Rows {
		if r.Stamp < from || r.Stamp > to || !busy(r, k.Max) {
			continue
		}
		if first == 0 {
			first = r.Line
		}
		sm, power, util = append(sm, r.SMClock), append(power, r.Power), append(util, r.Util)
		if t := throttled(r.Throttle); t != "" && !slices.Contains(k.Throttle, t) {
			k.Throttle = append(k.Throttle, t)
		}
	}
	k.Samples, k.SM, k.Power, k.Util = len(latency.Sorted(sm)), latency.Median(sm), latency.Median(power), latency.Median(util)
	if k.Samples == 0 {
		return k, false
	}
	k.Evidence = []capture.Evidence{c.Quote(s.File, first)}
	return k, true
}

func number(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

func busy(r capture.GPUSample, top float64) bool {
	if math.IsNaN(r.SMClock) {
		return false
	}
	if !math.IsNaN(r.Util) {
		return r.Util >= busyUtil
	}
	return r.SMClock >= top/2
}

// throttled returns the reason of a sample if it is one that lowers a clock
// under load. 0x1 (idle) and 0 are not, nor are the words for them.
func throttled(reason string) string {
	s := strings.TrimSpace(strings.ToLower(reason))
	hex := strings.TrimLeft(strings.TrimPrefix(s, "0x"), "0")
	switch hex {
	case "", "1", "not active", "n/a", "[n/a]", "none", "idle", "-":
		return ""
	}
	return reason
}
