package carryover

import "coldcase/ingest/capture"

// Grade says how a number is known, best first (docs/contracts.md 2).
type Grade string

// The grades, best first.
const (
	PerPrompt Grade = "per-prompt"
	PerBatch  Grade = "per-batch"
	Bounded   Grade = "bounded"
	Predicted Grade = "predicted"
	Suspected Grade = "suspected"
	None      Grade = "none"
)

// Interval bounds a count. High nil means that there is no upper bound.
type Interval struct {
	Low   int64  `json:"low"`
	High  *int64 `json:"high"`
	Grade Grade  `json:"grade"`
}

// Bounds is an interval without a grade, as origins and predictions use it.
type Bounds struct {
	Low  int64  `json:"low"`
	High *int64 `json:"high"`
}

// Document is coldcase.count/1.
type Document struct {
	Schema   string           `json:"schema"`
	Captures []capture.Source `json:"captures"`
	Files    []*capture.File  `json:"files"`
	Runs     []*Run           `json:"runs"`
}

// Run is one run or window of the count document. Pointers that are nil print
// as null: not known.
type Run struct {
	ID             string         `json:"id"`
	Kind           string         `json:"kind"` // run or window
	Engine         *string        `json:"engine"`
	EngineVersion  *string        `json:"engine_version"`
	Client         *string        `json:"client"`
	Source         []capture.Span `json:"source"`
	Dataset        *string        `json:"dataset"`
	Seed           *int64         `json:"seed"`
	MaxConcurrency any            `json:"max_concurrency"` // int, "unlimited" or nil
	RequestRate    any            `json:"request_rate"`    // float64, "inf", "trace" or nil
	Prompts        *int           `json:"prompts"`
	Completed      *int           `json:"completed"`
	Sequences      Interval       `json:"sequences"`
	PageSize       *int           `json:"page_size"`
	PrefixCache    string         `json:"prefix_cache"` // on, off, unknown
	Flush          string         `json:"flush"`        // none, proved, refused, claimed, unknown
	AtStart        Interval       `json:"at_start"`
	Cached         Interval       `json:"cached"`
	PartlyCached   Interval       `json:"partly_cached"`
	CachedTokens   Interval       `json:"cached_tokens"`
	Origins        Origins        `json:"origins"`
	Predicted      *Prediction    `json:"predicted"`
	Claims         []Claim        `json:"claims,omitempty"`
	Witnesses      []Witness      `json:"witnesses"`
	Conflicts      []Conflict     `json:"conflicts"`
	Verdict        string         `json:"verdict"` // contaminated, clean, unknown
	Why            []string       `json:"why"`
	Facts          *Facts         `json:"-"`
}

// Origins bounds the prompts with a full or partial hit by where it came from.
type Origins struct {
	EarlierRun  Bounds `json:"earlier_run"`
	WarmUp      Bounds `json:"warm_up"`
	InRun       Bounds `json:"in_run"`
	OtherClient Bounds `json:"other_client"`
	Unknown     Bounds `json:"unknown"`
}

// Prediction is what the arguments and the order of runs imply.
type Prediction struct {
	Low    int64    `json:"low"`
	High   *int64   `json:"high"`
	Tokens Bounds   `json:"tokens"`
	From   []string `json:"from"` // ids of the runs that sent the prompts before
	Note   string   `json:"note"`
}

// Claim is a count that a document in the capture states.
type Claim struct {
	Prompts  int              `json:"prompts"`
	Evidence capture.Evidence `json:"evidence"`
}

// Witness is one independent source of a count. Its interval bounds the
// prompts cached at start.
type Witness struct {
	Name     string             `json:"name"`
	Low      int64              `json:"low"`
	High     *int64             `json:"high"`
	Grade    Grade              `json:"grade"`
	Note     string             `json:"note"`
	Evidence []capture.Evidence `json:"evidence"`
}

// Conflict is a contradiction between two sources. Nothing is clamped.
type Conflict struct {
	Between []string `json:"between"`
	Text    string   `json:"text"`
}

// Facts are what the count learned of a run beyond the document: for the
// causes, the rules, the latency analysis and the report.
type Facts struct {
	// Run is the client's side, nil for a window.
	Run *capture.Run
	// Order is the position among the runs as they ran, from 0; OrderBy says
	// what that rests on: "log", "counters", "commands", "stated", "capture".
	Order   int
	OrderBy string
	// Life numbers the server life, -1 unknown.
	Life int
	// FirstOfLife is true if no earlier requests but the server's own warm-up
	// are seen in this life before the run.
	FirstOfLife bool
	// Log and the batch range of the run's certain place on it; Log is nil if
	// the run was not placed or has several feasible places.
	Log                   *capture.ServerLog
	FirstBatch, LastBatch int // half-open range [FirstBatch, LastBatch)
	WarmupBatches         int // of these, the batches before the first prompt
	// HitByPrompt tells per prompt, in prompt order, the hit class of a
	// per-prompt witness in prompt order; nil if none exists.
	HitByPrompt []Hit
	// Foreign is the number of requests in the run's time that are neither
	// its prompts, its warm-ups nor health checks; -1 unknown.
	Foreign int
	// Health is the number of health checks in the run's time, -1 unknown.
	Health int
	// SameSeedAs lists ids of earlier runs whose prompt set this run repeats
	// in whole or in part by its arguments.
	SameSeedAs []string
	// EmptyAtStart is true if the cache was proved empty; EmptyBy says how.
	EmptyAtStart bool
	EmptyBy      string
	// Server is the merged view of the server's settings for this run.
	Server capture.ServerInfo

	// lines bounds the full hits of one prefill line by its batch index.
	lines func(i int) span
}

// Hit is the class of one prompt's prefix.
type Hit uint8

// Hit classes of docs/contracts.md 2.
const (
	HitUnknown Hit = iota
	Miss
	Trace
	PartialHit
	FullHit
)
