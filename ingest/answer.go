package ingest

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// maxAnswer bounds a saved answer to a flush or a reset, in bytes.
const maxAnswer = 16 << 10

// maxBody is how much of an answer's body is kept, in characters.
const maxBody = 400

func answerFormats() []format.Format {
	return []format.Format{{Kind: capture.HTTPAnswer, Sniff: sniffAnswer, Read: readAnswer}}
}

var (
	statusLine = regexp.MustCompile(`^HTTP/[0-9.]+ ([0-9]{3})\b`)
	// trailer is what curl -w 'HTTP %{http_code}' leaves, with or without the
	// word, on a line of its own or behind the body.
	trailer = regexp.MustCompile(`(?:^|\n|[})."])\s*(?:(?i:http(?:[ _-]?(?:code|status))?[ :=]*))?([1-5][0-9]{2})\s*$`)
)

// noWorkers is Dynamo's answer where there was no worker to clear.
const noWorkers = "No active worker groups found"

// bodies are what engines say about a flush or a reset.
var bodies = []string{
	"Cache flushed.", "Flush cache failed.", "Timed out waiting for idle state.", "Another flush_cache is already in progress.",
	`"success"`, `"cleared_workers"`, `"failed_workers"`, noWorkers, `{"error":"Unauthorized"}`, `{"error":"Forbidden"}`, `"detail":"Not Found"`, `{"detail":"Method Not Allowed"}`,
}

func sniffAnswer(in *format.Input) int {
	if in.Size > maxAnswer || len(in.Head) > maxAnswer || bytes.Contains(in.Head, []byte("POST /")) {
		return 0
	}
	b := string(bytes.TrimSpace(in.Head))
	known := false
	for _, t := range bodies {
		known = known || strings.Contains(b, t)
	}
	switch {
	case statusLine.MatchString(b) && strings.Count(b, "\n") < 60:
		return 85
	case known && len(b) < 1024:
		return 80
	case trailer.MatchString("\n"+b) && strings.Count(b, "\n") < 3 && len(b) < 256 && strings.HasPrefix(strings.ToUpper(b[strings.LastIndexByte("\n"+b, '\n'):]), "HTTP"):
		return 75 // only the code was kept
	}
	return 0
}

// readAnswer reads one answer, or several that were appended to one file.
func readAnswer(in *format.Input, out *format.Output) error {
	r, err := in.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxAnswer))
	if err != nil {
		return err
	}
	row := out.File
	row.Kind = capture.HTTPAnswer
	row.Lines = bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		row.Lines++
	}
	line := 1
	for _, part := range answers(normalised(string(data))) {
		if a := parseAnswer(in.Path, line, part); a != nil {
			a.Capture = in.Capture
			out.Answers = append(out.Answers, a)
		}
		line += strings.Count(part, "\n")
	}
	return nil
}

func normalised(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// answers cuts a text in front of each status line.
func answers(s string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s); i++ {
		if (i == 0 || s[i-1] == '\n') && i > start && statusLine.MatchString(s[i:min(len(s), i+16)]) {
			parts = append(parts, s[start:i])
			start = i
		}
	}
	return append(parts, s[start:])
}

// parseAnswer reads status, headers and body. SGLang's text says "Cache
// flushed." beside a refusal too (v0.4.5.post3 to v0.5.9) and before that in
// any case, so that only a status or vLLM's success field tell; texts that
// name a failure do as well. Dynamo's front end answers 200 to every
// clear_kv_blocks: its lists of workers tell.
func parseAnswer(file string, line int, s string) *capture.Answer {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	a := &capture.Answer{File: file}
	body := s
	if m := statusLine.FindStringSubmatch(s); m != nil {
		a.Status, _ = strconv.Atoi(m[1])
		_, body, _ = strings.Cut(s, "\n\n")
	} else if m := trailer.FindStringSubmatchIndex(s); m != nil {
		a.Status, _ = strconv.Atoi(s[m[2]:m[3]])
	}
	a.Success, a.Engine = verdictOf(body)
	first, at := firstLine(s, line)
	a.At = text.Evidence(file, at, []byte(first))
	if r := []rune(text.Safe(strings.TrimSpace(body))); len(r) > maxBody {
		a.Body = string(r[:maxBody-1]) + "…"
	} else {
		a.Body = string(r)
	}
	return a
}

// verdictOf tells what a body says of success, and whose engine it is. Dynamo
// stands in front of several engines, and names none.
func verdictOf(body string) (success *bool, engine string) {
	no := false
	for _, t := range []string{"Flush cache failed.", "Timed out waiting for idle state.", "Another flush_cache is already in progress."} {
		if strings.Contains(body, t) {
			return &no, "sglang"
		}
	}
	if strings.Contains(body, "Cache flushed.") {
		return nil, "sglang"
	}
	if i := strings.IndexByte(body, '{'); i >= 0 {
		var o struct {
			Success *bool             `json:"success"`
			Cleared []json.RawMessage `json:"cleared_workers"`
			Failed  []json.RawMessage `json:"failed_workers"`
			Message string            `json:"message"`
		}
		if json.NewDecoder(strings.NewReader(body[i:])).Decode(&o) != nil {
			return nil, ""
		}
		switch {
		case o.Success != nil:
			return o.Success, "vllm"
		case o.Cleared != nil || o.Failed != nil || o.Message == noWorkers:
			all := len(o.Failed) == 0 && len(o.Cleared) > 0
			return &all, ""
		}
	}
	return nil, ""
}

// firstLine is the first line that is not blank, and its number.
func firstLine(s string, n int) (string, int) {
	for l := range strings.Lines(s) {
		if strings.TrimSpace(l) != "" {
			return strings.TrimRight(l, "\n"), n
		}
		n++
	}
	return "", n
}
