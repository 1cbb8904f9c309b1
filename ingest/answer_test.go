package ingest

import (
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// TestAnswers holds SGLang's answers of v0.1.10 to v0.5.23 and vLLM's of 0.32,
// as curl keeps them with -i, with -w, or alone.
func TestAnswers(t *testing.T) {
	const flushText = "Cache flushed.\nPlease check backend logs for more details. (When there are running or waiting requests, the operation will not be performed.)\n"
	yes, no := true, false
	for _, c := range []struct {
		name, text string
		status     int
		success    *bool
		engine     string
	}{
		{"flushed, status kept", flushText + "HTTP 200\n", 200, nil, "sglang"},
		{"the same text beside a refusal", flushText + "HTTP 400\n", 400, nil, "sglang"},
		{"text alone is no proof", flushText, 0, nil, "sglang"},
		{"refused, with headers", "HTTP/1.1 400 Bad Request\r\nserver: uvicorn\r\ncontent-length: 20\r\n\r\nFlush cache failed.\n", 400, &no, "sglang"},
		{"timed out", "Timed out waiting for idle state.", 0, &no, "sglang"},
		{"another flush", "Another flush_cache is already in progress.\n400", 400, &no, "sglang"},
		{"reset", "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"success\":true}", 200, &yes, "vllm"},
		{"reset refused with 200", "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"success\":false}", 200, &no, "vllm"},
		{"body and code on one line", "{\"success\": false}200", 200, &no, "vllm"},
		{"old reset, no body", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, nil, ""},
		{"Dynamo cleared", "{\"cleared_workers\":[{\"name\":\"backend\"}],\"failed_workers\":[]}\nHTTP 200\n", 200, &yes, ""},
		{"Dynamo cleared one of two", "HTTP/1.1 200 OK\r\n\r\n{\"cleared_workers\":[{\"name\":\"a\"}],\"failed_workers\":[{\"name\":\"b\",\"error\":\"busy\"}]}", 200, &no, ""},
		{"Dynamo cleared none", "{\"cleared_workers\":[],\"failed_workers\":[]}", 0, &no, ""},
		{"Dynamo without a worker", "{\"message\":\"No active worker groups found\"}\n200", 200, &no, ""},
		{"code alone", "HTTP 401\n", 401, nil, ""},
		{"unauthorised", "HTTP/1.1 401 Unauthorized\n\n{\"error\":\"Unauthorized\"}", 401, nil, ""},
	} {
		in := &format.Input{Head: []byte(c.text), Size: int64(len(c.text))}
		if sniffAnswer(in) < certain {
			t.Errorf("%s: not recognised", c.name)
		}
		a := parseAnswer("flush.txt", 1, answers(normalised(c.text))[0])
		if a == nil || a.Status != c.status || a.Engine != c.engine || (a.Success == nil) != (c.success == nil) || a.Success != nil && *a.Success != *c.success {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

func TestAnswersInOneFile(t *testing.T) {
	dir := folder(t, "kit", map[string]string{"flush.txt": "HTTP/1.1 200 OK\n\n{\"success\":true}\nHTTP/1.1 400 Bad Request\n\nFlush cache failed.\n"})
	c := open(t, Options{}, dir)
	if len(c.Answers) != 2 || c.Answers[0].Status != 200 || c.Answers[1].Status != 400 || c.Answers[1].At.Line != 4 {
		t.Errorf("answers %+v", c.Answers)
	}
	if c.Files[0].Kind != capture.HTTPAnswer || c.Files[0].Lines != 6 {
		t.Errorf("file %s", row(c.Files[0]))
	}
}

func TestNoAnswers(t *testing.T) {
	for _, text := range []string{
		prefill, "HTTP requests are fun\n", "200\n", "[2026-10-17 14:20:00] INFO:     127.0.0.1:1 - \"POST /flush_cache HTTP/1.1\" 200 OK\n",
	} {
		if s := sniffAnswer(&format.Input{Head: []byte(text), Size: int64(len(text))}); s > 0 {
			t.Errorf("%q was taken for an answer (%d)", text, s)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\n\n{\"success\":true}")
	f.Add("Cache flushed.\nHTTP 200")
	f.Fuzz(func(t *testing.T, s string) {
		for _, part := range answers(s) {
			if a := parseAnswer("f", 1, part); a != nil && a.Status != 0 && (a.Status < 100 || a.Status > 999) {
				t.Errorf("status %d of %q", a.Status, part)
			}
		}
	})
}
