// Package latency reads the latencies of runs: quantiles as the clients print
// them, groups, waves, plateaus, what n allows, and the printed summaries taken
// apart. Requests of one run are not repeats: the run is the unit of
// comparison. Nothing here decides whether a cache made a group fast; the
// count says which prompts were warm, this package only lays the two beside
// each other.
package latency

import "coldcase/ingest/capture"

// Run is the latency section of one run in coldcase.notebook/1. Times are ms.
type Run struct {
	Run string `json:"run"`
	Cap *int   `json:"cap"`
	N   int    `json:"n"` // requests the figures are over
	// Printed are the client's figures by their record name, ms.
	Printed []Figure `json:"printed"`
	// Computed are type-7 quantiles and means of the per-request times; empty
	// without them.
	Computed []Figure `json:"computed"`
	// Mismatch lists printed figures that the per-request times do not give.
	Mismatch []string  `json:"mismatch"`
	Groups   []Group   `json:"groups"`
	Waves    []Wave    `json:"waves"`
	Plateaus []Plateau `json:"plateaus"`
	// SitsIn says for each printed figure which group it falls into, and how
	// that is known.
	SitsIn []SitsIn `json:"sits_in"`
	// Allowed are the percentiles that n carries at a 95 % bound.
	Allowed []string `json:"allowed"`
	// PrefillRate is the number of new tokens/s that the latencies imply: a
	// cold wave of the cap times the prompt length, divided by its time.
	PrefillRate *Rate `json:"prefill_rate"`
	// LogRate is the same from the server's own prefill lines.
	LogRate   *Rate       `json:"log_rate"`
	Predicted *CleanGuess `json:"predicted_clean"`
	Apart     *Apart      `json:"taken_apart"`
	Warnings  []string    `json:"warnings"`

	// TTFT in ms by prompt index (NaN where failed), nil without details; Hits
	// beside it: 0 unknown, 1 miss, 2 trace, 3 partial, 4 full.
	TTFT []float64 `json:"-"`
	Hits []uint8   `json:"-"`
}

// Figure is a named number with its place.
type Figure struct {
	Name     string            `json:"name"`
	Value    float64           `json:"value"`
	Evidence *capture.Evidence `json:"evidence"`
}

// Group is one cluster of first-token times.
type Group struct {
	Name   string  `json:"name"` // fast, slow, ...
	N      int     `json:"n"`
	Share  float64 `json:"share"`
	Low    float64 `json:"low_ms"`
	High   float64 `json:"high_ms"`
	Median float64 `json:"median_ms"`
	// Hits of the group where a per-prompt witness exists; -1 if none does.
	Hits int    `json:"hits"`
	By   string `json:"by"` // per-request or summary
}

// Wave is one wave of a closed loop: the requests admitted together.
type Wave struct {
	Index  int     `json:"index"`
	First  int     `json:"first"` // prompt index, 0-based
	N      int     `json:"n"`
	Median float64 `json:"median_ms"`
	Hits   int     `json:"hits"` // full and partial; -1 unknown
}

// Plateau is a stretch of the tail that is one prefill batch.
type Plateau struct {
	From     string  `json:"from"` // percentile names, as p90
	To       string  `json:"to"`
	Value    float64 `json:"value_ms"`
	Requests int     `json:"requests"` // at least so many requests lie on it
}

// SitsIn places one printed figure.
type SitsIn struct {
	Figure string  `json:"figure"`
	Value  float64 `json:"value_ms"`
	Group  string  `json:"group"` // group name, "edge" between two, or "unknown"
	By     string  `json:"by"`
}

// Rate is an implied prefill rate in new tokens/s.
type Rate struct {
	TokensPerS float64            `json:"tokens_per_s"`
	By         string             `json:"by"`
	Evidence   []capture.Evidence `json:"evidence"`

	// wave is the last first-token time of the cold waves that the rate was
	// read from, ms; 0 if it was read elsewhere.
	wave float64
	// OneWave is true if it was read from one cold wave alone: that wave need not
	// have started together, as one that follows warm waves, and the rate is then
	// too high.
	OneWave bool `json:"-"`
}

// CleanGuess is what a clean run of the same kit would read, by a queue model.
// It is a prediction, marked as one everywhere, never a correction.
type CleanGuess struct {
	Median float64 `json:"median_ms"`
	Mean   float64 `json:"mean_ms"`
	P90    float64 `json:"p90_ms"`
	// MedianLow and MedianHigh are the medians over the ways in which a wave
	// may fall into batches; the model alone cannot tell them apart.
	MedianLow  float64  `json:"median_low_ms"`
	MedianHigh float64  `json:"median_high_ms"`
	Parameters []Figure `json:"parameters"`
	Note       string   `json:"note"`
}

// Apart is a printed summary taken apart into groups that reproduce it.
type Apart struct {
	Groups   []Group  `json:"groups"`
	MeanBack float64  `json:"mean_back_ms"` // the mean that the groups give
	Text     []string `json:"text"`
	// SlowFirstWave is true if the groups need a first wave that is slower
	// than the cold waves after it.
	SlowFirstWave bool `json:"slow_first_wave"`
	// Warm is the number of warm prompts the arithmetic used, and WarmBy where
	// that number is from: count, prediction or claim.
	Warm   int    `json:"warm"`
	WarmBy string `json:"warm_by"`

	coldLevel float64 // ms, the last batch of a cold wave
	batches   int     // prefill batches a cold wave falls into
}

// Inversion says which statistic moves against the load.
type Inversion struct {
	Statistic string    `json:"statistic"`
	Runs      []string  `json:"runs"`
	Caps      []int     `json:"caps"`
	Values    []float64 `json:"values"`
	// Survives says whether it is still there without the contaminated
	// points: "yes", "no" or "unknown" (no clean points left to compare).
	Survives string `json:"survives"`
	MadeBy   string `json:"made_by"` // the run whose figure makes it, "" unknown
	Text     string `json:"text"`
}
