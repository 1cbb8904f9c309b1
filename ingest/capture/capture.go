package capture

// Capture is everything that was read of one or several CAPTURE arguments.
type Capture struct {
	Sources []Source
	Files   []*File // sorted by path
	// Runs stand in the order of the capture: by path, then line. The order in
	// which they ran is for analysis to find.
	Runs      []*Run
	Logs      []*ServerLog
	Snapshots []*Snapshot // all of them, also those paired with runs
	Answers   []*Answer
	Commands  []*Command
	Infos     []*ServerInfo // /server_info files
	Served    []*ServedFile // request-metrics files
	GPU       []*GPUSeries
	Notes     Notes
	Plans     []*Plan
	Quoter    Quoter
}

// ServedFile holds the rows of a request-metrics file.
type ServedFile struct {
	File    string
	Rows    List[Served]
	Capture int
}

// GPUSeries are clock, power and throttle samples of one device.
type GPUSeries struct {
	File   string
	Device string
	Rows   []GPUSample
}

// GPUSample is one row. Missing values are NaN.
type GPUSample struct {
	Line     int
	Stamp    Stamp
	SMClock  float64 // MHz
	MaxClock float64
	Power    float64 // W
	Util     float64 // %
	Temp     float64
	Throttle string
}

// Notes is coldcase.toml (docs/contracts.md 7). Everything in it is stated,
// never measured.
type Notes struct {
	File     string
	Order    []string
	Engine   string
	PageSize *int
	Facts    map[string]any            // [facts]
	Runs     map[string]map[string]any // [runs."file"]
	Claims   []Claim
	Excerpts []Excerpt
	Points   []Points
}

// Claim is a count that a document states.
type Claim struct {
	Run     string
	Prompts int
	Source  string
	At      Evidence
}

// Points is one row of a table of results without its files.
type Points struct {
	Label, Engine, Model, Hardware, Step string
	Seeds                                []int64
	Requests                             *int
	Cap                                  *int
	MedianTTFT, Low, High                *float64 // ms
	At                                   Evidence
}

// Plan and Cell are the record of a sweep (docs/contracts.md 6).
type Plan struct {
	File  string
	JSON  map[string]any
	Cells []*Cell
}

// Cell is one cell.json of a sweep.
type Cell struct {
	File, ID, State, Why, Arm string
	Cap, Prompts              int
	Seed                      int64
	Life                      string // of the server, as the sweep told lives apart; "" not told
	FlushProved               bool
	ProvedLine                int // of File, where it says whether the flush was proved; 0 if it does not
	JSON                      map[string]any
}
