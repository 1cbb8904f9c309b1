package clients

import (
	"encoding/csv"
	"io"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sniffGuideCSV(in *format.Input) int {
	if hasAll(in.Head, "Run Info", "Time to First Token", "Strategy") {
		return certain
	}
	return 0
}

// readGuideCSV reads the CSV twin of the JSON: three header rows (group, name,
// statistic), then one row a benchmark. It gives the figures that tie it to the
// JSON, and the run itself where the JSON was not kept.
func readGuideCSV(in *format.Input, out *format.Output) error {
	return readTable(GuideLLMCSV, in, out, func(rows *csv.Reader) error {
		var header [3][]string
		for i := range header {
			row, err := rows.Read()
			if err != nil {
				return err
			}
			header[i] = row
		}
		for {
			row, err := rows.Read()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			line, _ := rows.FieldPos(0)
			out.Results = append(out.Results, guideCSVRow(in.Path, line, header, row))
		}
	})
}

func guideCSVRow(file string, line int, header [3][]string, row []string) *capture.Result {
	cell := func(group, name, stat string) node {
		for i := range row {
			if i < len(header[0]) && i < len(header[1]) && i < len(header[2]) &&
				header[0][i] == group && strings.HasPrefix(header[1][i], name) && (stat == "" || header[2][i] == stat) {
				return node{row[i]}
			}
		}
		return node{}
	}
	r := newResult(file, line, GuideLLMCSV, guideClient)
	r.Quantiles = nearestRank
	r.Label = cell("Benchmark", "Strategy", "").str()
	guideStrategyText(r, r.Label)
	r.Completed, r.Failed = cell("Request Counts", "Successful", "").count(), cell("Request Counts", "Errored", "").count()
	r.Duration = seconds(cell("Timings", "Duration", ""))
	r.Start = epoch(cell("Timings", "Start Time", "").str())
	r.End = epoch(cell("Timings", "End Time", "").str())
	for group, f := range map[string]struct {
		metric string
		unit   float64
	}{
		"Time to First Token":   {"ttft", 1},
		"Time per Output Token": {"tpot", 1},
		"Inter Token Latency":   {"itl", 1},
		"Request Latency":       {"e2e_latency", toMS},
	} {
		for name, stat := range map[string]string{"mean": "Mean", "median": "Median", "std": "Std Dev"} {
			figure(r, name+"_"+f.metric+"_ms", cell(group, "Successful", stat), f.unit, exact)
		}
	}
	return r
}
