package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// unknownCell stands in a table where a number is not known; the foot of the
// table says so. An unknown number is never printed as 0.
const unknownCell = "?"

// writeCountText prints a count document for a person: the table of runs and
// windows, then what stands behind each verdict, then the files that were not
// read in full.
func writeCountText(w io.Writer, doc *carryover.Document) {
	if len(doc.Runs) == 0 {
		fmt.Fprintln(w, "no run and no server log line was found")
	} else {
		writeRunTable(w, doc.Runs)
		for _, r := range doc.Runs {
			writeRunReasons(w, r)
		}
	}
	writeUnread(w, doc.Files)
}

func writeRunTable(w io.Writer, runs []*carryover.Run) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "run\tcap\tseed\tprompts\tcached at start\tgrade\torigins\tpredicted\tverdict")
	for _, r := range runs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			runName(r), cell(r.MaxConcurrency), seedCell(r.Seed), promptsCell(r),
			interval(r.AtStart.Low, r.AtStart.High), r.AtStart.Grade,
			originsCell(r.Origins), predictedCell(r.Predicted), r.Verdict)
	}
	table.Flush()
	fmt.Fprintf(w, "\n%s: not known. Cached at start counts prompts; a verdict needs a grade of bounded or better.\n", unknownCell)
}

func writeRunReasons(w io.Writer, r *carryover.Run) {
	fmt.Fprintf(w, "\n%s: %s\n", runName(r), r.Verdict)
	for _, why := range r.Why {
		fmt.Fprintf(w, "  %s\n", why)
	}
	for _, wit := range r.Witnesses {
		fmt.Fprintf(w, "  %s: %s (%s)%s%s\n", wit.Name, interval(wit.Low, wit.High), wit.Grade, note(wit.Note), place(wit.Evidence))
	}
	for _, c := range r.Claims {
		fmt.Fprintf(w, "  claimed: %d (%s:%d)\n", c.Prompts, c.Evidence.File, c.Evidence.Line)
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(w, "  conflict between %s: %s\n", strings.Join(c.Between, " and "), c.Text)
	}
}

func writeUnread(w io.Writer, files []*capture.File) {
	first := true
	for _, f := range files {
		if f.Read == capture.ReadAll || f.Kind == capture.ColdcaseReport {
			continue
		}
		if first {
			fmt.Fprintln(w, "\nnot read, or not read in full:")
			first = false
		}
		fmt.Fprintf(w, "  %s (%s): %s%s\n", f.Path, f.Kind, f.Read, note(f.Why))
	}
}

// runName is the id, marked where it is not a run of a client.
func runName(r *carryover.Run) string {
	if r.Kind == "run" {
		return r.ID
	}
	return r.ID + " (" + r.Kind + ")"
}

// interval prints the bounds of a count: "64", "16 to 64", "29 or more", or
// that nothing is known.
func interval(low int64, high *int64) string {
	switch {
	case high == nil && low == 0:
		return unknownCell
	case high == nil:
		return fmt.Sprintf("%d or more", low)
	case *high == low:
		return strconv.FormatInt(low, 10)
	default:
		return fmt.Sprintf("%d to %d", low, *high)
	}
}

func originsCell(o carryover.Origins) string {
	var parts []string
	for _, p := range []struct {
		name   string
		bounds carryover.Bounds
	}{
		{"earlier run", o.EarlierRun},
		{"warm-up", o.WarmUp},
		{"in-run", o.InRun},
		{"other client", o.OtherClient},
		{"unknown", o.Unknown},
	} {
		if p.bounds.High != nil && *p.bounds.High == 0 {
			continue
		}
		parts = append(parts, p.name+" "+interval(p.bounds.Low, p.bounds.High))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func predictedCell(p *carryover.Prediction) string {
	if p == nil {
		return unknownCell
	}
	return interval(p.Low, p.High)
}

// promptsCell is the number of prompts, with the completed ones in front where
// some are missing.
func promptsCell(r *carryover.Run) string {
	switch {
	case r.Kind != "run":
		return "-" // a window has no prompts
	case r.Prompts == nil && r.Completed == nil:
		return unknownCell
	case r.Prompts == nil:
		return fmt.Sprintf("%d of %s", *r.Completed, unknownCell)
	case r.Completed == nil:
		return fmt.Sprintf("%s of %d", unknownCell, *r.Prompts)
	case *r.Completed != *r.Prompts:
		return fmt.Sprintf("%d of %d", *r.Completed, *r.Prompts)
	}
	return strconv.Itoa(*r.Prompts)
}

func seedCell(seed *int64) string {
	if seed == nil {
		return unknownCell
	}
	return strconv.FormatInt(*seed, 10)
}

func cell(v any) string {
	if v == nil {
		return unknownCell
	}
	return fmt.Sprint(v)
}

func note(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

func place(evidence []capture.Evidence) string {
	if len(evidence) == 0 {
		return ""
	}
	return fmt.Sprintf(" [%s:%d]", evidence[0].File, evidence[0].Line)
}
