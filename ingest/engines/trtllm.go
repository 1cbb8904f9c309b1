package engines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyjson"
)

// TensorRT-LLM answers two lists, and reading either empties it on the server:
// a second reader of the same server leaves holes that nothing shows.
//
// GET /perf_metrics has one entry a request, with blocks and not tokens. GET
// /metrics has one entry an iteration: the tokens of context requests are those
// that were scheduled, so cached ones are not in them; tokensPerBlock is the
// size of a block.

// perfMetrics is an entry of /perf_metrics. Releases differ in whether the
// metrics stand in an object of their own.
type perfMetrics struct {
	KV      *kvMetrics `json:"kv_cache_metrics"`
	Metrics *struct {
		KV *kvMetrics `json:"kv_cache_metrics"`
	} `json:"perf_metrics"`
}

// kvMetrics are the blocks of one request.
type kvMetrics struct {
	Total  *int64 `json:"num_total_allocated_blocks"`
	Reused *int64 `json:"num_reused_blocks"`
	Missed *int64 `json:"num_missed_blocks"`
}

// iterationStats is an entry of /metrics.
type iterationStats struct {
	Iter *int64 `json:"iter"`
	KV   *struct {
		TokensPerBlock *int   `json:"tokensPerBlock"`
		MaxBlocks      *int64 `json:"maxNumBlocks"`
	} `json:"kvCacheStats"`
	Batching *struct {
		ContextReqs   *int32 `json:"numContextRequests"`
		ContextTokens *int32 `json:"numCtxTokens"`
		GenReqs       *int32 `json:"numGenRequests"`
	} `json:"inflightBatchingStats"`
}

// trtllm collects the entries of one file or text.
type trtllm struct {
	engineLog
	records int
	block   int // tokens of a block, 0 not stated
	pool    int64
	blockAt int
	reused  []reusedBlocks
}

// reusedBlocks is a request whose cached tokens wait for the size of a block.
type reusedBlocks struct {
	row    int
	blocks int64
}

func newTRTLLM() format.Machine { return &trtllm{engineLog: newEngineLog("trt-llm")} }

func trtllmFormats() []format.Format {
	return []format.Format{{Kind: capture.EngineLog, Sniff: sniffTRTLLM, Read: readTRTLLM}}
}

// sniffTRTLLM goes by the keys that only this engine's lists have.
func sniffTRTLLM(in *format.Input) int {
	head := bytes.TrimLeft(in.Head, " \t\r\n")
	if len(head) == 0 || head[0] != '[' && head[0] != '{' || !isTRTLLM(head) {
		return 0
	}
	return 85
}

func isTRTLLM(b []byte) bool {
	return bytes.Contains(b, []byte(`"num_reused_blocks"`)) ||
		bytes.Contains(b, []byte(`"kvCacheStats"`)) && bytes.Contains(b, []byte(`"inflightBatchingStats"`))
}

// readTRTLLM reads a file of such lists, one after the other.
func readTRTLLM(in *format.Input, out *format.Output) error {
	r, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer r.Close()
	m := &trtllm{engineLog: newEngineLog("trt-llm")}
	lines := &lineCounter{r: r}
	d := jsontext.NewDecoder(pyjson.NewReader(lines), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	readErr := m.decode(d, 1)
	if _, err := io.Copy(io.Discard, lines); err != nil && readErr == nil {
		readErr = err
	}
	f := out.File
	f.Kind, f.Read, f.Lines = capture.EngineLog, capture.ReadAll, lines.lines()
	if readErr != nil {
		m.malformed++
		m.log.Complete = false
		f.Read, f.Why = capture.ReadPart, fmt.Sprintf("reading stopped after record %d: %v", m.records, readErr)
	}
	m.Close(in.Path, "", out)
	f.Counts.Add("records", m.records)
	f.Counts.Add("malformed", m.malformed)
	return nil
}

// decode reads entries, in lists or not, all said to stand on one line.
func (m *trtllm) decode(d *jsontext.Decoder, line int) error {
	for {
		switch d.PeekKind() {
		case '[', ']':
			if _, err := d.ReadToken(); err != nil {
				return err
			}
		case '{':
			v, err := d.ReadValue()
			if err != nil {
				return err
			}
			m.entry(v, line)
		default:
			_, err := d.ReadToken()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
}

// entry takes one object of either list.
func (m *trtllm) entry(v jsontext.Value, line int) {
	var p perfMetrics
	if err := json.Unmarshal(v, &p); err == nil {
		kv := p.KV
		if kv == nil && p.Metrics != nil {
			kv = p.Metrics.KV
		}
		if kv != nil {
			m.records++
			m.perRequest(kv, line)
			return
		}
	}
	var it iterationStats
	if err := json.Unmarshal(v, &it); err == nil && it.KV != nil {
		m.records++
		m.iteration(it, line)
		return
	}
	m.malformed++
}

// perRequest adds a request. A part of a block may have been reused too, so
// blocks bound its cached tokens and do not name them, unless none was reused.
func (m *trtllm) perRequest(kv *kvMetrics, line int) {
	m.mine(line)
	row := capture.Served{Line: int32(line), Prompt: -1, Cached: -1, Output: -1}
	if kv.Reused != nil {
		if *kv.Reused == 0 {
			row.Cached = 0
		} else {
			m.reused = append(m.reused, reusedBlocks{m.log.Served.Len(), *kv.Reused})
		}
	}
	m.addRequest(row)
}

func (m *trtllm) iteration(it iterationStats, line int) {
	m.mine(line)
	if it.KV.TokensPerBlock != nil && *it.KV.TokensPerBlock > 0 && m.block == 0 {
		m.block, m.blockAt = *it.KV.TokensPerBlock, line
		if it.KV.MaxBlocks != nil {
			m.pool = *it.KV.MaxBlocks * int64(m.block)
		}
	}
	if it.Batching == nil || it.Batching.ContextReqs == nil || it.Batching.ContextTokens == nil {
		return
	}
	row := capture.Iteration{Line: int32(line), ContextReqs: *it.Batching.ContextReqs,
		ContextTokens: *it.Batching.ContextTokens, GenReqs: -1, EngineID: -1}
	if it.Batching.GenReqs != nil {
		row.GenReqs = *it.Batching.GenReqs
	}
	m.log.Iterations.Append(row)
}

// Line takes a line of a text that is one of the lists.
func (m *trtllm) Line(l format.Line) format.Claim {
	line := bytes.TrimSpace(l.Text)
	if len(line) == 0 || line[0] != '[' && line[0] != '{' || !isTRTLLM(line) {
		return format.NotMine
	}
	d := jsontext.NewDecoder(bytes.NewReader(pyjson.Quote(line)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := m.decode(d, l.N); err != nil {
		return m.damaged(l.N, "request")
	}
	return m.mine(l.N)
}

// Close turns reused blocks into tokens where the same file states their size,
// and hands over the log with the settings it states.
func (m *trtllm) Close(file, service string, out *format.Output) capture.Counts {
	if m.block > 0 {
		for _, r := range m.reused {
			if tokens := r.blocks * int64(m.block); r.blocks > 0 && r.blocks < math.MaxInt32 && tokens > 0 && tokens < math.MaxInt32 {
				m.log.Served.At(r.row).Cached = int32(tokens)
			}
		}
		info := &capture.ServerInfo{At: capture.Evidence{File: file, Line: m.blockAt}, Engine: "trt-llm", PageSize: &m.block}
		if m.pool > 0 {
			info.PoolTokens = &m.pool
		}
		out.Infos = append(out.Infos, info)
	}
	return m.engineLog.Close(file, service, out)
}

// lineCounter counts the lines that pass.
type lineCounter struct {
	r    io.Reader
	n    int
	last byte
}

// Read implements io.Reader.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += bytes.Count(p[:n], []byte("\n"))
	if n > 0 {
		c.last = p[n-1]
	}
	return n, err
}

func (c *lineCounter) lines() int {
	if c.last != 0 && c.last != '\n' {
		return c.n + 1
	}
	return c.n
}
