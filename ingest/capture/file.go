package capture

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Kind names what a file, or a part of one, was read as (docs/contracts.md 3).
type Kind string

// The kinds of docs/contracts.md 3. More may be added; none is renamed.
const (
	SGLangJSONL          Kind = "sglang-jsonl"
	SGLangBenchText      Kind = "sglang-bench-text"
	SGLangServerLog      Kind = "sglang-server-log"
	SGLangServerInfo     Kind = "sglang-server-info"
	SGLangRequestMetrics Kind = "sglang-request-metrics"
	VLLMJSON             Kind = "vllm-json"
	VLLMBenchText        Kind = "vllm-bench-text"
	VLLMServerLog        Kind = "vllm-server-log"
	PrometheusText       Kind = "prometheus-text"
	GuideLLMJSON         Kind = "guidellm-json"
	AIPerfJSONL          Kind = "aiperf-jsonl"
	AIPerfJSON           Kind = "aiperf-json"
	GenAIPerfJSON        Kind = "genai-perf-json"
	GenAIBenchJSON       Kind = "genai-bench-json"
	InferencePerfJSON    Kind = "inference-perf-json"
	EvalScopeJSON        Kind = "evalscope-json"
	LLMPerfJSON          Kind = "llmperf-json"
	NvidiaSMICSV         Kind = "nvidia-smi-csv"
	HTTPAnswer           Kind = "http-answer"
	EngineLog            Kind = "engine-log"
	CommandFile          Kind = "command"
	ColdcaseNotes        Kind = "coldcase-notes"
	ColdcasePlan         Kind = "coldcase-plan"
	ColdcaseCell         Kind = "coldcase-cell"
	ColdcaseReport       Kind = "coldcase-report"
	UnknownKind          Kind = "unknown"
)

// ReadState says how much of a file was read: all, part or none.
type ReadState string

// How much of a file was read.
const (
	ReadAll  ReadState = "all"
	ReadPart ReadState = "part"
	ReadNone ReadState = "none"
)

// Part is a range of lines of one kind inside a file that mixes kinds.
type Part struct {
	Kind Kind `json:"kind"`
	Line int  `json:"line"`
	To   int  `json:"to"`
}

// Count is one entry of Counts.
type Count struct {
	Key string
	N   int
}

// Counts are the lines of a file by class, in the order in which they print.
type Counts []Count

// Get returns the count of a class, 0 if the kind of file has no such class.
func (c Counts) Get(key string) int {
	for _, e := range c {
		if e.Key == key {
			return e.N
		}
	}
	return 0
}

// Add adds n to a class, appending the class if it is new.
func (c *Counts) Add(key string, n int) {
	for i := range *c {
		if (*c)[i].Key == key {
			(*c)[i].N += n
			return
		}
	}
	*c = append(*c, Count{key, n})
}

// MarshalJSON writes the counts as one object with its keys in order.
func (c Counts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range c {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := json.Marshal(e.Key)
		if err != nil {
			return nil, err
		}
		b.Write(k)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(e.N))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// File is one row of the inventory: what was found, what was read of it, and
// why the rest was not.
type File struct {
	Path   string    `json:"path"`
	Kind   Kind      `json:"kind"`
	Parts  []Part    `json:"parts"`
	Read   ReadState `json:"read"`
	Why    string    `json:"why"`
	Lines  int       `json:"lines"`
	Counts Counts    `json:"counts"`

	// Size in bytes as stored, and the sha256 of those bytes in hex; the hash
	// is empty unless it was asked for.
	Size   int64  `json:"-"`
	SHA256 string `json:"-"`
}

// Source is one CAPTURE argument. SHA256 is the capture's hash of
// docs/contracts.md 1, nil unless it was asked for.
type Source struct {
	Name   string  `json:"name"`
	SHA256 *string `json:"sha256"`
}
