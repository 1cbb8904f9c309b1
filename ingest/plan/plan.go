// Package plan is the document that a sweep registers before its first
// request: what will be sent, in which order, what is expected and what would
// refute it. analysis/confirm writes and judges plans, ingest/record runs them;
// neither needs the other. Out of scope: choosing what to run.
package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Schema names the document of plan.json.
const Schema = "coldcase.plan/1"

// The arms of a sweep.
const (
	Fresh  = "fresh"  // a seed that the server has not seen, behind a proved flush
	Repeat = "repeat" // the seed of the cell before it, with no flush: meant to be warm
)

// Plan is coldcase.plan/1: what will be sent, in which order, what is expected
// and what would refute it, written down before the first request.
type Plan struct {
	Schema    string   `json:"schema"`
	Server    string   `json:"server"` // URL, "" until a run fixes it
	Engine    string   `json:"engine"` // sglang, vllm or "" (found when run)
	Client    string   `json:"client"` // builtin, sglang, vllm or a command template
	OrderSeed uint64   `json:"order_seed"`
	Cells     []Cell   `json:"cells"`
	Workload  Workload `json:"workload"`
	// DiffersFromKit lists every difference from the kit that the plan was made
	// from; empty without a kit.
	DiffersFromKit []string `json:"differs_from_kit"`
	Expectation    string   `json:"expectation"`
	RefutedIf      string   `json:"refuted_if"`
	Test           Test     `json:"test"`
	// NotCarried names, per cap, the percentiles that its number of prompts
	// cannot carry at a 95 % bound.
	NotCarried []string `json:"not_carried"`
	Notes      []string `json:"notes"`
	// EstimateS is the expected length in seconds by the kit's durations, nil
	// without them.
	EstimateS *float64 `json:"estimate_s"`
	Kit       *Kit     `json:"kit"`
}

// Cell is one run of the client.
type Cell struct {
	ID      string `json:"id"`
	Cap     int    `json:"cap"` // most requests in flight
	Prompts int    `json:"prompts"`
	Seed    int64  `json:"seed"`
	Arm     string `json:"arm"`
}

// Workload is what each cell sends. Nil and "" mean that the client's default
// stands, as it did in the kit.
type Workload struct {
	Dataset     string   `json:"dataset"`
	InputLen    *int     `json:"input_len"`  // tokens
	OutputLen   *int     `json:"output_len"` // tokens
	RangeRatio  *float64 `json:"range_ratio"`
	RequestRate any      `json:"request_rate"` // "inf" or requests per second
	Warmups     *int     `json:"warmups"`      // of the client itself, prompt 1
	Model       string   `json:"model"`
	Tokenizer   string   `json:"tokenizer"`
	DatasetPath string   `json:"dataset_path"`
	Backend     string   `json:"backend"`
	// Arguments are further words of the kit's command line that the same
	// client gets again.
	Arguments []string `json:"client_arguments,omitempty"`
}

// Test is the expectation in a form that can be evaluated.
type Test struct {
	// Kind is InversionGone: the statistic fell from LowCap to HighCap in the
	// kit and does so no longer; or OrderHolds: it does not fall.
	Kind      string `json:"kind"`
	Statistic string `json:"statistic"`
	LowCap    int    `json:"low_cap"`
	HighCap   int    `json:"high_cap"`
}

// The kinds of Test.
const (
	InversionGone = "inversion-gone"
	OrderHolds    = "order-holds"
)

// Kit is what the plan was made from.
type Kit struct {
	Name   string     `json:"name"`
	Client string     `json:"client"`
	Seeds  []int64    `json:"seeds"`
	Points []KitPoint `json:"points"`
}

// KitPoint is one run of the kit.
type KitPoint struct {
	Run        string   `json:"run"`
	Cap        int      `json:"cap"`
	Prompts    int      `json:"prompts"`
	Seed       *int64   `json:"seed"`
	MedianTTFT *float64 `json:"median_ttft_ms"`
	DurationS  *float64 `json:"duration_s"`
}

// Decode reads a plan.json.
func Decode(data []byte) (*Plan, error) {
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	if p.Schema != Schema {
		return nil, fmt.Errorf("plan: schema %q, want %q", p.Schema, Schema)
	}
	return &p, p.Check()
}

// Encode is the text of plan.json.
func (p *Plan) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	return append(b, '\n'), nil
}

// Check refuses a plan that cannot be run as it stands.
func (p *Plan) Check() error {
	if len(p.Cells) == 0 {
		return errors.New("plan: no cells")
	}
	ids := map[string]bool{}
	for i, c := range p.Cells {
		switch {
		case !safeID(c.ID) || ids[c.ID]:
			return fmt.Errorf("plan: cell %d: id %q is not usable as a folder name, or used twice", i+1, c.ID)
		case c.Cap < 1 || c.Prompts < 1:
			return fmt.Errorf("plan: cell %s: cap and prompts must be at least 1", c.ID)
		case c.Arm != Fresh && c.Arm != Repeat:
			return fmt.Errorf("plan: cell %s: arm %q, want %s or %s", c.ID, c.Arm, Fresh, Repeat)
		case c.Arm == Repeat && (i == 0 || p.Cells[i-1].Seed != c.Seed || p.Cells[i-1].Prompts < c.Prompts):
			return fmt.Errorf("plan: cell %s repeats nothing: the cell before it must send the same prompts", c.ID)
		}
		ids[c.ID] = true
	}
	if p.Kit != nil {
		for _, c := range p.Cells {
			if slices.Contains(p.Kit.Seeds, c.Seed) {
				return fmt.Errorf("plan: cell %s: seed %d is one of the kit's: its prompts would not be fresh", c.ID, c.Seed)
			}
		}
	}
	return nil
}

// Point is a cap and its number of prompts.
type Point struct{ Cap, Prompts int }

// Points lists the caps of a plan in ascending order.
func (p *Plan) Points() []Point {
	var list []Point
	for _, c := range p.Cells {
		if !slices.ContainsFunc(list, func(x Point) bool { return x.Cap == c.Cap }) {
			list = append(list, Point{c.Cap, c.Prompts})
		}
	}
	slices.SortFunc(list, func(a, b Point) int { return a.Cap - b.Cap })
	return list
}

// Seeds lists the fresh seeds in ascending order.
func (p *Plan) Seeds() []int64 {
	var list []int64
	for _, c := range p.Cells {
		if !slices.Contains(list, c.Seed) {
			list = append(list, c.Seed)
		}
	}
	slices.Sort(list)
	return list
}

// HasCap reports whether the plan has a cell at cap n.
func (p *Plan) HasCap(n int) bool {
	for _, c := range p.Cells {
		if c.Cap == n {
			return true
		}
	}
	return false
}

// Same reports whether two plans are what a person agreed to once: they may
// differ in server, engine and client, which are filled in when a plan is
// registered.
func (p *Plan) Same(q *Plan) bool {
	x, y := *p, *q
	x.Server, x.Engine, x.Client = y.Server, y.Engine, y.Client
	a, errA := x.Encode()
	b, errB := y.Encode()
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// Blocks parts the cells where a cap comes again, so that a block has each cap
// once and every repeat cell lies in the block of the cell that it repeats.
func (p *Plan) Blocks() [][]Cell {
	var blocks [][]Cell
	seen := map[int]bool{}
	for i, c := range p.Cells {
		if i == 0 || c.Arm == Fresh && seen[c.Cap] {
			blocks = append(blocks, nil)
			clear(seen)
		}
		seen[c.Cap] = true
		blocks[len(blocks)-1] = append(blocks[len(blocks)-1], c)
	}
	return blocks
}

// safeID reports whether an id is one path element without surprises.
func safeID(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	for _, r := range id {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return false
		}
	}
	return true
}
