package vllm

import (
	"bytes"
	"time"

	"coldcase/ingest/capture"
)

// frame is a log line taken apart:
//
//	[prefix] [(process pid=N)] LEVEL MM-DD HH:MM:SS [file:line] message
//
// The opening bracket is missing before v0.7.4, the process tag before v0.10.
// A line without a time (uvicorn's, a print) has only a message.
type frame struct {
	process string // EngineCore_DP1 ..., "" if the line names none
	level   string
	when    clock
	msg     []byte
}

// clock is the time of a line. Lines name no year and no zone.
type clock struct {
	month, day, hour, min, sec int
}

func (c clock) known() bool { return c.month > 0 }

// maxPrefix bounds how far into a line the time is looked for.
const maxPrefix = 200

var levels = [...]string{"INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL"}

// parseFrame takes a line apart. It never fails: what has no frame is message.
func parseFrame(line []byte) frame {
	for i := 5; i+14 <= len(line) && i < maxPrefix; i++ {
		if line[i+2] != '-' || line[i+5] != ' ' || line[i+8] != ':' || line[i+11] != ':' {
			continue
		}
		when, ok := parseClock(line[i : i+14])
		if !ok {
			continue
		}
		level, at := levelBefore(line[:i])
		if level == "" {
			continue
		}
		return frame{process: processTag(line[:at]), level: level, when: when, msg: message(line[i+14:])}
	}
	process, rest := leadingTag(line)
	return frame{process: process, msg: rest}
}

func parseClock(b []byte) (clock, bool) {
	var v [5]int
	for i := range v {
		hi, lo := b[3*i]-'0', b[3*i+1]-'0'
		if hi > 9 || lo > 9 {
			return clock{}, false
		}
		v[i] = int(hi)*10 + int(lo)
	}
	c := clock{v[0], v[1], v[2], v[3], v[4]}
	ok := c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= 31 && c.hour < 24 && c.min < 60 && c.sec < 61
	return c, ok
}

// levelBefore is the level word that ends b, and where it begins.
func levelBefore(b []byte) (string, int) {
	if len(b) == 0 || b[len(b)-1] != ' ' {
		return "", 0
	}
	b = bytes.TrimRight(b, " ")
	for _, level := range levels {
		if bytes.HasSuffix(b, []byte(level)) {
			return level, len(b) - len(level)
		}
	}
	return "", 0
}

// message is what follows "[file:line] " or, in old versions, "file:line] ".
func message(b []byte) []byte {
	const maxSource = 120
	end := bytes.Index(b[:min(len(b), maxSource)], []byte("]"))
	if end < 0 {
		return bytes.TrimLeft(b, " ")
	}
	return bytes.TrimPrefix(b[end+1:], []byte(" "))
}

// processTag is the name in the last "(name pid=N)" of b.
func processTag(b []byte) string {
	at := bytes.LastIndexByte(b, '(')
	if at < 0 {
		return ""
	}
	name, _ := leadingTag(b[at:])
	return name
}

// leadingTag takes "(name pid=N) " off the start of b.
func leadingTag(b []byte) (name string, rest []byte) {
	if len(b) == 0 || b[0] != '(' {
		return "", b
	}
	end := bytes.IndexByte(b, ')')
	pid := bytes.Index(b, []byte(" pid="))
	if end < 0 || pid < 0 || pid > end {
		return "", b
	}
	return string(b[1:pid]), bytes.TrimLeft(b[end+1:], " ")
}

// fromServer reports whether a process is one of a server. Since v0.10.2 the
// clients tag their lines as well.
func fromServer(process string) bool {
	for _, name := range []string{"APIServer", "ApiServer", "EngineCore", "Engine", "Worker", "VllmWorker", "RayWorker", "DPCoordinator", "Frontend"} {
		if len(process) >= len(name) && process[:len(name)] == name {
			return true
		}
	}
	return false
}

// fromClient reports whether a process is a benchmark client.
func fromClient(process string) bool {
	return process == "MainProcess" || process == "Bench"
}

// rankOf reads the ranks of a process name: EngineCore_DP1, EngineCore_1,
// Worker_DP0_TP3.
func rankOf(process string) capture.Rank {
	rank := capture.NoRank
	for part := range bytes.SplitSeq([]byte(process), []byte("_")) {
		name := bytes.TrimRight(part, "0123456789")
		n, ok := smallNumber(part[len(name):])
		if !ok {
			continue
		}
		switch string(name) {
		case "", "DP":
			rank.DP = n
		case "TP":
			rank.TP = n
		case "PP":
			rank.PP = n
		case "EP":
			rank.EP = n
		}
	}
	return rank
}

func smallNumber(b []byte) (int8, bool) {
	if len(b) == 0 || len(b) > 2 {
		return 0, false
	}
	n := int8(0)
	for _, c := range b {
		n = n*10 + int8(c-'0')
	}
	return n, true
}

// baseYear stands for the year that no line names. It is a leap year.
const baseYear = 2000

// calendar turns times without a year into stamps that move forward over New
// Year. Processes write to one log, so a line may be a little late.
type calendar struct {
	year       int // years since baseYear
	month, day int // of the latest line
}

func (c *calendar) stamp(t clock) capture.Stamp {
	if !t.known() {
		return 0
	}
	year := c.year
	switch {
	case c.year > 0 && c.month == 1 && c.day == 1 && t.month == 12 && t.day == 31:
		year-- // late by a moment, from before New Year
	case t.month >= c.month:
		c.month, c.day = t.month, t.day
	case c.month-t.month > 1:
		c.year++
		year, c.month, c.day = c.year, t.month, t.day
	}
	at := time.Date(baseYear+year, time.Month(t.month), t.day, t.hour, t.min, t.sec, 0, time.UTC)
	return capture.Stamp(at.UnixMilli())
}
