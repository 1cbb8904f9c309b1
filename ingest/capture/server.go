package capture

// ServerInfo are the settings of a server as a start line, a /server_info
// answer or a metrics label state them. Empty or nil: not stated.
type ServerInfo struct {
	At       Evidence
	Engine   string
	Version  string
	Model    string
	PageSize *int // SGLang page size, vLLM block size
	// HitAlignment is vLLM's cache_hit_alignment_tokens where it is a number.
	HitAlignment *int
	PrefixCache  *bool // false: radix cache disabled, prefix caching off
	PoolTokens   *int64
	ChunkedSize  *int // chunked prefill size, <= 0 off
	DPSize       *int
	TPSize       *int
	PPSize       *int
	Policy       string // schedule policy
	CacheKind    string // "" plain; "swa", "mamba", "eagle", "hicache", "lmcache" ... joined with +
	CacheReport  *bool  // usage names cached tokens
	Metrics      *bool
	DevMode      *bool // vLLM development endpoints
	StartupTime  float64
	Args         map[string]any
	// Capture is the index into Capture.Sources of a server_info answer.
	Capture int
}

// ServerLog is what one server's log, or one service of a mixed console, says.
// All lists are in file order; Line is the 1-based line of the file (or of the
// original, for an excerpt).
type ServerLog struct {
	File    string
	Service string // compose service or part name, "" if the file is one server's
	Engine  string // sglang, vllm, ...
	Version string
	Span    Span // first and last line read as this log

	Batches    List[Batch]
	Access     List[Access]
	Served     List[Served]
	Asked      List[Asked]
	Flushes    []Flush
	Starts     []Start
	Marks      []Mark
	Stats      []Stat
	Iterations List[Iteration]
	Damaged    []Damage

	Decodes    int
	MaxRunning int // largest #running-req of a decode line, -1 if none
	MaxQueue   int
	// Hosts are the client addresses that Access.Host indexes.
	Hosts []string
	// Complete is false when lines were left out (a bound that bit, a damaged
	// member): counts from this log then have no upper bound.
	Complete bool
	// Excerpts lists the pieces when the file is made of excerpts.
	Excerpts []Excerpt
	Capture  int
}

// Start is a server start: settings and the line of the start.
type Start struct {
	Line  int
	Stamp Stamp
	Info  ServerInfo
	// Ready is the line at which the server said that it serves, 0 if absent.
	Ready int
}

// Stamp is a log time in milliseconds since the epoch, read as if it were UTC
// (logs name no zone); 0 = none. Logs without a date count from day 0 and move
// forward at midnight.
type Stamp int64

// Rank names the process that wrote a line; -1 = not told.
type Rank struct{ DP, PP, TP, EP, CP int8 }

// NoRank is the rank of a line that names none.
var NoRank = Rank{-1, -1, -1, -1, -1}

// Batch is one SGLang prefill line. Counters are as printed; -1 = the line has
// no such key.
type Batch struct {
	Line       int32
	Pending    int32 // #pending-token
	Stamp      Stamp
	NewSeq     int32
	NewToken   int32
	Cached     int32
	Running    int32
	Queue      int32
	Replay     int32
	Throughput float32 // input throughput, token/s; -1 none
	Usage      float32 // token usage, -1 none
	HitRate    float32 // cumulative "cache hit rate" of old versions, %; -1 none
	Rank       Rank
	Old        bool // "Prefill batch." form (before 0.5.4)
	Graph      int8 // cuda graph: 1 true, 0 false, -1 not told
}

// Path classes of an access line.
type Path uint8

// The paths that matter for placing runs.
const (
	PathOther Path = iota
	PathGenerate
	PathCompletions
	PathChat
	PathFlush // flush_cache or reset_prefix_cache
	PathModels
	PathModelInfo
	PathServerInfo
	PathMetrics
	PathHealth
	PathHealthGenerate
	PathTokenize
	PathLoad
)

// Access is a run of N consecutive access lines of one path, status and host,
// with no other event of the log between them.
type Access struct {
	Line, To int32
	N        int32
	Path     Path
	Query    bool // the URL carried a query
	Status   int16
	Host     uint16
	Stamp    Stamp
}

// Served is a per-request line: ReqTimeStats, Finish, or a row of SGLang's
// request metrics.
type Served struct {
	Line   int32
	Prompt int32 // prompt tokens, -1 unknown
	Cached int32 // -1 unknown
	Output int32
	Stamp  Stamp
	Tries  int16 // attempts, 1 normally
	Health bool  // a health check by its request id
	RID    uint64
}

// FlushKind is what a flush line says.
type FlushKind uint8

// What a flush line says.
const (
	FlushDone FlushKind = iota
	FlushRefused
	FlushAskedOnly // "Resetting prefix cache..."
	FlushTimeout
)

// Flush is a line of the engine about a flush or reset.
type Flush struct {
	Line  int
	Stamp Stamp
	Kind  FlushKind
	Rank  Rank
}

// MarkKind is a class of other telling lines.
type MarkKind uint8

// Other telling lines.
const (
	MarkReady MarkKind = iota
	MarkRetract
	MarkPool
	MarkTree
	MarkStop
	MarkPreempt
	MarkEvict
	MarkError
)

// Mark is another line that bears on the count.
type Mark struct {
	Line  int
	Stamp Stamp
	Kind  MarkKind
	N     int64
}

// Stat is a vLLM periodic stats line. Rates are -1 where the line has none.
type Stat struct {
	Line       int
	Stamp      Stamp
	EngineID   int
	PromptRate float64 // tokens/s
	GenRate    float64
	Running    int
	Waiting    int
	KVUsage    float64 // %
	HitRate    float64 // %, a rolling window of 1,000 requests
}

// Iteration is a vLLM iteration line: tokens scheduled, not cached.
type Iteration struct {
	Line          int32
	Stamp         Stamp
	ContextReqs   int32
	ContextTokens int32
	GenReqs       int32
	Dummy         bool
	EngineID      int8
}

// Damage is a malformed prefill, decode, stats or access line.
type Damage struct {
	Line   int
	Stamp  Stamp
	Class  string // prefill, decode, stat, access
	NewSeq int    // #new-seq if it was whole, else -1
}

// Excerpt is a piece of a longer file, by notes.
type Excerpt struct {
	File      string
	Line, To  int // lines of the file in the capture
	FirstLine int // number of Line in the original
	Run       string
}

// Answer is an http-answer file: what a flush or reset replied.
type Answer struct {
	At      Evidence
	File    string
	Status  int   // 0 if the file does not say
	Success *bool // {"success": ...}, or by text; nil = not told
	Engine  string
	Body    string
	Capture int
}
