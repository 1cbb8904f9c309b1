package capture

// Run is one invocation of a benchmark client: the join of the results that
// describe it. Fields of Result that several files state are merged, the
// record winning over the text; a contradiction makes two runs, never one.
type Run struct {
	// ID is "file:line" of the result that stands first in Results; of several
	// runs on one line the later ones are "file:line#2" and so on.
	ID    string
	Spans []Span
	// Results are what the files say, records before texts before other
	// files; at least one, except for a run known from arguments alone.
	Results []*Result
	// Merged holds every fact of Results once.
	Merged Result
	// Before and After are the metrics scrapes around the run, nil if none
	// was found or if the pairing is not certain.
	Before, After *Snapshot
	// Command is the client invocation of a command file that made this run.
	Command *Command
	// CommandBy says what ties Command to the run: "output-file", "arguments"
	// or "" if there is none. Only these may lend the run its seed.
	CommandBy string
	// PresumedFrom names the files whose arguments this run is presumed to
	// share (docs/contracts.md 2); empty unless Merged.Workload is presumed.
	PresumedFrom []string
	// Cell is the sweep cell that made the run, nil outside of a sweep.
	Cell *Cell
	// Capture is the index into Capture.Sources of the folder it came from.
	Capture int
}

// Result is what one file says about one run of a client.
type Result struct {
	Span Span
	Kind Kind

	Client        string // sglang.bench_serving, sglang.rust, vllm bench serve, ...
	ClientVersion string
	Engine        string // the server's engine if the file tells it
	EngineVersion string
	Backend       string // as printed: sglang, sglang-oai, vllm, openai ...
	Model         string
	Label         string // tag or label

	// Group ties the files that a client wrote about one run where its own
	// layout says so (one folder a run): results of one capture with the same
	// Group are one run. "" where the layout does not tell; then figures decide.
	Group string
	// Partial marks a file that adds facts to the run of its Group and is no
	// run by itself: settings, prompt texts, percentiles.
	Partial bool
	// Quantiles is the rule of the printed percentiles: "" linear between
	// neighbours (type 7), "nearest-rank" the smallest value with p % at or
	// below it.
	Quantiles string

	Workload       Workload
	MaxConcurrency Cap
	RequestRate    Rate
	Completed      *int
	Failed         *int

	Duration     *float64 // s
	InputTokens  *int64   // as the client counts them (its plan, for SGLang)
	OutputTokens *int64

	// Printed are the client's summary figures under the names of SGLang's
	// record: mean_ttft_ms, median_ttft_ms, p90_ttft_ms, std_ttft_ms, the same
	// with tpot, itl, e2e_latency; concurrency, request_throughput,
	// input_throughput, output_throughput, max_concurrent_requests ...
	// Latencies are in ms, throughputs per second.
	Printed map[string]Figure

	CacheTotals *CacheTotals
	Requests    *Requests
	Server      *ServerInfo

	// Start and End are Unix seconds by the client's clock, 0 if not told.
	Start, End float64
	// Notes are remarks of the client that bear on the cache: "Cache flushed.",
	// "flush_cache returned 400 ...", warm-up texts.
	Notes []Evidence
}

// Figure is one printed number with its place.
type Figure struct {
	Value float64
	Line  int
	// Digits is the number of decimals printed, -1 for full precision.
	Digits int
}

// CacheTotals is a printed total of cached tokens over the measured requests.
// Reported is false when the number may only mean that the server sent none.
type CacheTotals struct {
	PromptTokens, CachedTokens int64
	Reported                   bool
	At                         Evidence
}

// Cap is the concurrency cap of a client.
type Cap struct {
	Known, Unlimited bool
	N                int
}

// Rate is the request rate of a client: a number per second, infinite, or from
// a trace.
type Rate struct {
	Known, Inf, Trace bool
	PerSecond         float64
}

// Workload is what the client was told to send. Seed nil means that no file
// prints it; SeedDefault says that Seed is the client's documented default
// because its arguments were printed without one.
type Workload struct {
	// From is the line the arguments stand on; zero if there are none.
	From Evidence
	// Form is "namespace", "command", "record", "config" or "".
	Form string
	// Presumed marks arguments taken over from a file of the same pattern.
	Presumed bool
	// Args are all arguments as printed, by option name with underscores.
	Args map[string]any

	Dataset     string
	DatasetPath string
	Tokenizer   string
	Seed        *int64
	SeedDefault bool
	Prompts     *int
	InputLen    *int // asked prompt length, tokens
	OutputLen   *int
	RangeRatio  *float64
	PrefixLen   *int // declared shared prefix, tokens
	Warmups     *int // warm-up requests, all of them prompt 1
	WarmupsFrom string
	ReadyCheck  *bool // vLLM's single prompt test run, prompt 1 as well
	// ExtraRequests is how many requests at most the client sends before its
	// warm-up that hold none of its prompts, such as a connection test of a few
	// tokens; nil if it is not told. They are the run's own, and no traffic of
	// another client. ExtraFrom names where it is told.
	ExtraRequests *int
	ExtraFrom     string
	FlushAsked    *bool // the client was told to flush or reset after its warm-up
	TokenIDs      bool  // prompts are sent as token ids: lengths are exact
	CacheSalt     string
	Groups        *int // generated-shared-prefix: groups, prompts per group, and
	PerGroup      *int // the two lengths
	SystemLen     *int
	QuestionLen   *int
	Turns         *int // requests of one conversation, each the head of the next; nil where each prompt is one
	// Offset is where in its dataset the run starts: the row of a file, the
	// requests of the command before this run (evalscope), the number of the
	// benchmark of its run (GuideLLM). 0 is the start; nil is not told.
	Offset *int
	Target string // host:port the client talked to, "" if not told
}

// Grouped sets what generated-shared-prefix sends, which ignores the number of
// prompts that it is told: each turn of a conversation is a request, and its
// warm-up holds all turns of the first.
func (w *Workload) Grouped(turns *int) {
	w.Prompts, w.Turns = nil, nil
	if turns != nil && *turns > 1 {
		w.Turns = turns
	}
	if w.Groups == nil || w.PerGroup == nil {
		return
	}
	n := *w.Groups * *w.PerGroup
	if w.Turns != nil {
		n *= *turns
		if w.Warmups != nil {
			warm := *w.Warmups * *turns
			w.Warmups = &warm
		}
	}
	w.Prompts = &n
}

// Requests are per-request figures in prompt order. Slices are nil where the
// client does not tell, else of length N. Times are seconds. Cached is -1
// where the answer named no number.
type Requests struct {
	N        int
	TTFT     []float64
	E2E      []float64
	Start    []float64 // monotonic or epoch; only differences mean anything
	Queue    []float64 // client-side wait for a slot
	TPOT     []float64 // mean time per output token after the first
	MaxITL   []float64
	Chunks   []int32 // number of inter-token gaps
	Input    []int32 // prompt tokens; InputByServer says whose number
	Output   []int32
	Cached   []int32
	Failed   []bool
	TextHash []uint64 // of the prompt, where the file holds the prompt; 0 = none
	// InputByServer is true when Input is the server's count.
	InputByServer bool
	// InOrder is false when the file lists requests in another order than the
	// prompt list (by completion, say).
	InOrder bool
	// Line is the line of request i, nil when all stand on the result's line.
	Line []int32
}

// CommandKind says what a command of a command file does.
type CommandKind string

// What a command does. Only CommandClient makes a run.
const (
	CommandClient CommandKind = "client" // runs a benchmark client
	CommandServer CommandKind = "server" // starts a server
	CommandFlush  CommandKind = "flush"  // asks a server to flush or reset its cache
	CommandScrape CommandKind = "scrape" // reads a server's metrics
)

// Command is an invocation found in a command file. That it stands there does
// not say that it ran.
type Command struct {
	At       Evidence
	Kind     CommandKind
	Client   string
	Output   string   // the value of --output-file or --result-filename
	Stdout   []string // files its output was sent to
	Workload Workload
	Cap      Cap
	Rate     Rate
	// Repeats is true inside of a loop: it may have run more than once.
	Repeats bool
	// Ahead is true if the script goes on while it runs (&), until it waits;
	// Waits is how often the script had waited before.
	Ahead bool
	Waits int
	// Server holds the settings of a CommandServer.
	Server *ServerInfo
	// Target is host:port of the server that a flush, a scrape or a server
	// command names, "" if it names none.
	Target string
	// Index orders the commands of one file, all kinds together.
	Index int
	// Capture is the index into Capture.Sources of the folder it came from.
	Capture int
}
