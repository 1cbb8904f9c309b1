package sglang

import (
	"bytes"
	"encoding/json"
	"fmt"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// requestMetrics is the format of the files of --export-metrics-to-file
// (0.5.5.post3 and later): one object a finished request, health checks left
// out, in the order in which they ended.
var requestMetrics = format.Format{Kind: capture.SGLangRequestMetrics, Sniff: sniffMetrics, Read: readMetrics}

func sniffMetrics(in *format.Input) int {
	head := bytes.TrimLeft(in.Head, " \t\r\n\xef\xbb\xbf")
	if bytes.HasPrefix(head, []byte(`{"request_parameters"`)) {
		return 95
	}
	if bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"request_parameters"`)) && bytes.Contains(head, []byte(`"cached_tokens"`)) {
		return 80
	}
	return 0
}

// metricsRow is the part of a row that is read. Its request_parameters, a JSON
// string with the prompt in it, is passed over.
type metricsRow struct {
	ID         string  `json:"id"`
	Prompt     *int32  `json:"prompt_tokens"`
	Completion *int32  `json:"completion_tokens"`
	Cached     *int32  `json:"cached_tokens"`
	Retracted  *int16  `json:"num_retractions"`
	Received   float64 `json:"request_received_ts"`
}

func readMetrics(in *format.Input, out *format.Output) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	served := &capture.ServedFile{File: in.Path, Capture: in.Capture}
	lines := newLineReader(f)
	var bad []int
	for lines.next() {
		if len(bytes.TrimSpace(lines.start)) == 0 {
			continue
		}
		var row metricsRow
		dec := json.NewDecoder(lines)
		if err := dec.Decode(&row); err != nil || row.Prompt == nil {
			bad = append(bad, lines.n)
			continue
		}
		served.Rows.Append(row.served(lines.n))
	}
	if lines.err != nil {
		return lines.err
	}
	out.Served = append(out.Served, served)
	row := out.File
	row.Kind, row.Read, row.Lines = capture.SGLangRequestMetrics, capture.ReadAll, lines.n
	row.Counts = capture.Counts{{Key: "records", N: served.Rows.Len()}, {Key: "malformed", N: len(bad)}}
	if len(bad) > 0 {
		row.Read, row.Why = capture.ReadPart, fmt.Sprintf("%d malformed records: %s", len(bad), lineList(bad))
	}
	return nil
}

func (r *metricsRow) served(line int) capture.Served {
	s := newServed()
	s.Line = int32(line)
	s.Prompt = *r.Prompt
	if r.Cached != nil {
		s.Cached = *r.Cached
	}
	if r.Completion != nil {
		s.Output = *r.Completion
	}
	if r.Retracted != nil && *r.Retracted >= 0 {
		s.Tries = *r.Retracted + 1
	}
	s.RID, s.Health = requestID(r.ID)
	s.Stamp = capture.Stamp(r.Received * 1000)
	return s
}
