package lab

import "strings"

// The faults by name.
const (
	faultRefuseFlush = "refuse-flush"
	faultFlushLies   = "flush-lies"
	faultSlowIdle    = "slow-idle"
	faultDrop        = "drop"
	faultErrors      = "errors"
	faultDie         = "die"
	faultEvict       = "evict"
	faultTraffic     = "traffic"
	faultNoReport    = "no-report"
	faultRanks       = "ranks"
)

// A fault is one way in which the server misbehaves.
type fault struct {
	name, does string
}

var faults = []fault{
	{faultRefuseFlush, "refuses every flush or reset"},
	{faultFlushLies, "says that the cache was flushed and keeps it"},
	{faultSlowIdle, "stays busy for two seconds after its last answer"},
	{faultDrop, "cuts the connection of every 7th request in the middle"},
	{faultErrors, "answers every 7th request with status 500"},
	{faultDie, "ends after --die-after requests"},
	{faultEvict, "drops the older half of its cache whenever it becomes idle"},
	{faultTraffic, "serves another client at the same time"},
	{faultNoReport, "names cached tokens neither in answers nor in counters"},
	{faultRanks, "two data-parallel ranks, one of which does not flush"},
}

// faultEvery is the period of the faults drop and errors, in requests.
const faultEvery = 7

// slowIdleSeconds is how long the fault slow-idle keeps the server busy, in
// simulated seconds.
const slowIdleSeconds = 2

// FaultNames lists the faults in the order of the help text.
func FaultNames() []string {
	names := make([]string, len(faults))
	for i, f := range faults {
		names[i] = f.name
	}
	return names
}

// FaultHelp describes the faults, one a line.
func FaultHelp() string {
	var b strings.Builder
	for i, f := range faults {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.name)
		b.WriteString(strings.Repeat(" ", 14-len(f.name)))
		b.WriteString(f.does)
	}
	return b.String()
}
