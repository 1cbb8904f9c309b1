package sglang

import (
	"bytes"
	"encoding/json"
	"io"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyjson"
	"coldcase/ingest/text"
)

// serverInfos is the format of a saved /server_info answer.
var serverInfos = format.Format{Kind: capture.SGLangServerInfo, Sniff: sniffInfo, Read: readInfo}

func sniffInfo(in *format.Input) int {
	head := bytes.TrimLeft(in.Head, " \t\r\n\xef\xbb\xbf")
	if len(head) == 0 || head[0] != '{' || bytes.Contains(head, []byte(`"dataset_name"`)) {
		return 0
	}
	score := 0
	for _, key := range []string{`"model_path"`, `"disable_radix_cache"`, `"schedule_policy"`, `"chunked_prefill_size"`, `"page_size"`, `"mem_fraction_static"`} {
		if bytes.Contains(head, []byte(key)) {
			score++
		}
	}
	switch {
	case score >= 4:
		return 90
	case score >= 2:
		return 65
	}
	return 0
}

func readInfo(in *format.Input, out *format.Output) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, maxInfo))
	if err != nil {
		return err
	}
	row := out.File
	row.Kind, row.Read = capture.SGLangServerInfo, capture.ReadAll
	row.Lines = bytes.Count(doc, []byte("\n"))
	if len(doc) > 0 && doc[len(doc)-1] != '\n' {
		row.Lines++
	}
	var args map[string]any
	if err := json.Unmarshal(pyjson.Quote(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))), &args); err != nil {
		row.Read, row.Why = capture.ReadNone, "malformed: "+err.Error()
		row.Counts = capture.Counts{{Key: "records", N: 0}, {Key: "malformed", N: 1}}
		return nil
	}
	info := serverInfo(args)
	info.At = text.Evidence(in.Path, 1, doc[:min(len(doc), evidenceBytes)])
	out.Infos = append(out.Infos, info)
	row.Counts = capture.Counts{{Key: "records", N: 1}, {Key: "malformed", N: 0}}
	return nil
}

// serverInfo reads the body of /server_info or /get_server_info: all server
// arguments, the scheduler's numbers, and once more the arguments for each
// data-parallel rank, which are dropped.
func serverInfo(args map[string]any) *capture.ServerInfo {
	delete(args, "internal_states")
	info := argsInfo(args)
	if start, ok := args["startup_time"].(map[string]any); ok {
		if f := floatOf(start, "tokenizer_e2e"); f != nil {
			info.StartupTime = *f
		}
	}
	return &info
}
