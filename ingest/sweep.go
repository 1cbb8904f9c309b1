package ingest

import (
	"bytes"
	"encoding/json"
	"io"
	"path"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// maxPlan bounds the documents of a sweep, in bytes.
const maxPlan = 16 << 20

// sweepFormats are the documents that a sweep leaves in its folder.
func sweepFormats() []format.Format {
	return []format.Format{
		{Kind: capture.ColdcasePlan, Sniff: sniffSchema("coldcase.plan/"), Read: readPlan},
		{Kind: capture.ColdcaseCell, Sniff: sniffSchema("coldcase.cell/"), Read: readCell},
		{Kind: capture.ColdcaseCell, Sniff: sniffSchema("coldcase.flush/"), Read: readFlush},
	}
}

func sniffSchema(schema string) func(in *format.Input) int {
	return func(in *format.Input) int {
		head := in.Head[:min(len(in.Head), 512)]
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"`+schema)) {
			return 100
		}
		return 0
	}
}

func readPlan(in *format.Input, out *format.Output) error {
	tree, _, err := document(in, out, capture.ColdcasePlan)
	if tree == nil {
		return err
	}
	out.Plans = append(out.Plans, &capture.Plan{File: in.Path, JSON: tree})
	return nil
}

func readCell(in *format.Input, out *format.Output) error {
	tree, data, err := document(in, out, capture.ColdcaseCell)
	if tree == nil {
		return err
	}
	c := &capture.Cell{File: in.Path, JSON: tree}
	c.ID, _ = tree["id"].(string)
	c.State, _ = tree["state"].(string)
	c.Why, _ = tree["why"].(string)
	flush, _ := tree["flush"].(map[string]any)
	c.FlushProved, _ = flush["proved"].(bool)
	c.Life, _ = c.JSON["server_life"].(string)
	if i := bytes.Index(data, []byte(`"proved"`)); i >= 0 {
		c.ProvedLine = 1 + bytes.Count(data[:i], []byte{'\n'})
	}
	describeCell(c, tree)
	out.Cells = append(out.Cells, c)
	return nil
}

// readFlush reads flush.json, which has the answers and the canary at length.
// cell.json, written after it, says what came of them; a reader needs no more.
func readFlush(in *format.Input, out *format.Output) error {
	_, _, err := document(in, out, capture.ColdcaseCell)
	return err
}

// document reads one JSON object and gives its bytes too; nil if it is none,
// which the row then says.
func document(in *format.Input, out *format.Output, kind capture.Kind) (tree map[string]any, data []byte, err error) {
	r, err := in.Open()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	data, err = io.ReadAll(io.LimitReader(r, maxPlan))
	if err != nil {
		return nil, nil, err
	}
	row := out.File
	row.Kind = kind
	row.Lines = bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		row.Lines++
	}
	if err := json.Unmarshal(data, &tree); err != nil {
		row.Read, row.Why = capture.ReadNone, text.Safe(err.Error())
		return nil, nil, nil
	}
	text.RedactArgs(tree)
	return tree, data, nil
}

// describeCell fills what a plan or a cell says of the run.
func describeCell(c *capture.Cell, tree map[string]any) {
	if s, ok := tree["arm"].(string); ok {
		c.Arm = s
	}
	if n, ok := tree["cap"].(float64); ok {
		c.Cap = int(n)
	}
	if n, ok := tree["prompts"].(float64); ok {
		c.Prompts = int(n)
	}
	if n, ok := tree["seed"].(float64); ok {
		c.Seed = int64(n)
	}
}

// addCell adds a cell to the plan in whose folder it lies, with what the plan
// says of it; without a plan to one that holds only cells.
func addCell(c *capture.Capture, cell *capture.Cell) {
	plan := planOf(c, cell)
	if plan == nil {
		plan = &capture.Plan{File: cell.File}
		c.Plans = append(c.Plans, plan)
	}
	for _, v := range listOf(plan.JSON["cells"]) {
		if row, ok := v.(map[string]any); ok && row["id"] == cell.ID {
			describeCell(cell, row)
		}
	}
	plan.Cells = append(plan.Cells, cell)
}

// planOf finds the plan in the nearest folder above a cell.
func planOf(c *capture.Capture, cell *capture.Cell) *capture.Plan {
	for dir := path.Dir(cell.File); ; dir = path.Dir(dir) {
		for _, p := range c.Plans {
			if path.Dir(p.File) == dir && p.JSON != nil {
				return p
			}
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return l
}
