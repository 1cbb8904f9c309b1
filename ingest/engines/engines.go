// Package engines reads logs of engines other than SGLang and vLLM, one file an
// engine, for what they say about cached tokens.
//
// Where an engine names the cached tokens of one request (llama.cpp, TGI,
// TensorRT-LLM), that request becomes a row of a ServerLog. Where it names only
// a rate (LMDeploy, MAX), the line becomes a Stat, which proves that hits exist
// and counts none. Everything else is inventory.
//
// The grain differs. A full hit is all tokens but one in llama.cpp, and whole
// blocks in TensorRT-LLM, which tells blocks and not tokens; nothing here turns
// one into the other without a block size that the file states.
//
// Out of scope: Ollama, which hides cached tokens in its prompt count, and
// Dynamo, whose counters are read as Prometheus text and whose answer to a
// clear is read as an answer.
package engines

import (
	"bytes"
	"math"
	"strconv"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// Machines returns constructors of the machines, one an engine.
func Machines() []func() format.Machine {
	return []func() format.Machine{newLlamaCPP, newLMDeploy, newTGI, newMAX, newTRTLLM}
}

// Formats returns the formats of whole files.
func Formats() []format.Format { return trtllmFormats() }

// engineLog is what the machines share: the log being filled, and the counts.
type engineLog struct {
	log  capture.ServerLog
	seen bool // a line that only this engine prints

	stat, request, access, malformed int
}

func newEngineLog(engine string) engineLog {
	return engineLog{log: capture.ServerLog{Engine: engine, MaxRunning: -1, MaxQueue: -1, Complete: true}}
}

// Kind is the kind of the lines.
func (e *engineLog) Kind() capture.Kind { return capture.EngineLog }

// mine notes a recognised line.
func (e *engineLog) mine(n int) format.Claim {
	e.seen = true
	if e.log.Span.Line == 0 {
		e.log.Span.Line = n
	}
	e.log.Span.To = n
	return format.Mine
}

// damaged notes a recognised line whose number is missing or may be cut.
func (e *engineLog) damaged(n int, class string) format.Claim {
	e.mine(n)
	e.malformed++
	e.log.Damaged = append(e.log.Damaged, capture.Damage{Line: n, Class: class, NewSeq: -1})
	return format.Malformed
}

// addStat appends a line that has a hit rate.
func (e *engineLog) addStat(s capture.Stat) {
	e.stat++
	e.log.Stats = append(e.log.Stats, s)
}

// addRequest appends a request.
func (e *engineLog) addRequest(s capture.Served) {
	e.request++
	s.Tries = 1
	e.log.Served.Append(s)
}

// Close hands over the log.
func (e *engineLog) Close(file, service string, out *format.Output) capture.Counts {
	if !e.seen {
		return nil
	}
	e.log.File, e.log.Service, e.log.Span.File = file, service, file
	for i := range e.log.Starts {
		e.log.Starts[i].Info.At.File = file
	}
	out.Logs = append(out.Logs, &e.log)
	var c capture.Counts
	c.Add("stat", e.stat)
	c.Add("access", e.access)
	c.Add("request", e.request)
	c.Add("malformed", e.malformed)
	return c
}

// noStat is a Stat that says nothing yet.
func noStat(line int) capture.Stat {
	return capture.Stat{Line: line, EngineID: -1, PromptRate: -1, GenRate: -1, Running: -1, Waiting: -1, KVUsage: -1, HitRate: -1}
}

// numberAfter is the whole number behind the first key in b, blanks between
// them allowed. whole is false if there is none, or if b ends with it: it may
// then be cut.
func numberAfter(b []byte, key string) (n int32, whole bool) {
	_, rest, found := bytes.Cut(b, []byte(key))
	if !found {
		return -1, false
	}
	rest = bytes.TrimLeft(rest, " ")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	v, err := strconv.ParseInt(string(rest[:end]), 10, 32)
	if err != nil || end == len(rest) {
		return -1, false
	}
	return int32(v), true
}

// sum is a + b, -1 if that is more tokens than a prompt can have.
func sum(a, b int32) int32 {
	if a > math.MaxInt32-b {
		return -1
	}
	return a + b
}

// percentAfter is the percentage behind a key. It must have its percent sign.
func percentAfter(b []byte, key string) (v float64, whole bool) {
	_, rest, found := bytes.Cut(b, []byte(key))
	if !found {
		return -1, false
	}
	number, _, found := bytes.Cut(rest, []byte("%"))
	v, err := strconv.ParseFloat(string(bytes.TrimSpace(number)), 64)
	if !found || err != nil || v < 0 {
		return -1, false
	}
	return v, true
}

// floatAfter is the number behind a key, -1 if there is none.
func floatAfter(b []byte, key string) float64 {
	_, rest, found := bytes.Cut(b, []byte(key))
	if !found {
		return -1
	}
	rest = bytes.TrimLeft(rest, " ")
	end := 0
	for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] == '.') {
		end++
	}
	v, err := strconv.ParseFloat(string(rest[:end]), 64)
	if err != nil {
		return -1
	}
	return v
}
