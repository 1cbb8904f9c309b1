package sglang

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
)

// ownClient is the client that a sweep has built in. Its record has the shape
// of bench_serving's and adds what that leaves out (docs/sweep.md): seed,
// number of prompts, time of each send, hash of each prompt, and null where
// the server named no cached tokens.
const ownClient = "coldcase"

// ownNumbers are keys of its record that are arguments and facts, no figures.
var ownNumbers = map[string]bool{
	"seed": true, "num_prompts": true, "warmup_requests": true, "page_size": true, "start_time": true, "failed": true,
}

// ownDetails are the arrays that only this record has.
type ownDetails struct {
	start  []float64 // seconds since start_time
	hashes []uint64
}

// array reads an array of its own; ok is false for those of other records.
func (d *ownDetails) array(name string) (each func(*jsontext.Decoder) error, ok bool) {
	switch name {
	case "start_times":
		return func(dec *jsontext.Decoder) error {
			f, err := readFloat(dec)
			d.start = append(d.start, f)
			return err
		}, true
	case "prompt_hashes":
		return func(dec *jsontext.Decoder) error {
			h := uint64(0) // none
			if dec.PeekKind() != '"' {
				d.hashes = append(d.hashes, h)
				return dec.SkipValue()
			}
			t, err := dec.ReadToken()
			if err == nil {
				if n, bad := strconv.ParseUint(t.String(), 16, 64); bad == nil {
					h = n
				}
			}
			d.hashes = append(d.hashes, h)
			return err
		}, true
	}
	return nil, false
}

// own fills what the record of the built-in client tells beyond the rest.
func (r *record) own() {
	res, w := &r.res, &r.res.Workload
	res.EngineVersion, _ = r.args["engine_version"].(string)
	if v, ok := r.args["seed"].(float64); ok && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		n := int64(v)
		w.Seed = &n
	}
	w.Prompts = intOf(r.args, "num_prompts")
	w.Warmups = intOf(r.args, "warmup_requests")
	w.TokenIDs, _ = r.args["tokenize_prompt"].(bool)
	if w.Warmups != nil {
		w.WarmupsFrom = "the record"
	}
	no := false
	w.FlushAsked = &no // a sweep flushes before it starts this client
	if f := floatOf(r.args, "start_time"); f != nil && res.Duration != nil {
		res.Start, res.End = *f, *f+*res.Duration
	}
	if n := intOf(r.args, "page_size"); n != nil {
		res.Server = &capture.ServerInfo{At: w.From, Engine: res.Engine, Version: res.EngineVersion, Model: res.Model, PageSize: n}
	}
	if c := res.CacheTotals; c != nil {
		c.Reported = true // written only if every answer named its number
	}
	if n := intOf(r.args, "failed"); n != nil {
		res.Failed = n
	}
	q := res.Requests
	if q == nil {
		return
	}
	q.InputByServer, _ = r.args["input_by_server"].(bool)
	if len(r.detail.own.start) == q.N {
		q.Start = r.detail.own.start
	}
	if len(r.detail.own.hashes) == q.N {
		q.TextHash = r.detail.own.hashes
	}
	if len(r.detail.cached) == q.N {
		q.Cached = r.detail.cached
	}
}
