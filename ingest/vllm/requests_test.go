package vllm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
)

func TestRequestLines(t *testing.T) {
	tests := []struct {
		name, msg string
		limit     int
		want      capture.Asked
	}{
		{
			"prompt in the line", `Received request cmpl-ab12-0: prompt: 'one, two: (three)', params: SamplingParams(n=1, temperature=0.0, max_tokens=8), prompt_token_ids: [11, 12, 13], prompt_embeds shape: None, lora_request: None, prompt_adapter_request: None.`, 0,
			capture.Asked{RID: capture.HashText("cmpl-ab12-0"), Index: -1, Tokens: 3, Text: capture.HashText("one, two: (three)"), IDs: capture.HashText("11, 12, 13"), Whole: true},
		},
		{
			"client's id", `Received request cmpl-bench-1a2b3c4d-17-0-9f00aa11: params: SamplingParams(n=1, max_tokens=8), lora_request: None.`, 0,
			capture.Asked{RID: capture.HashText("cmpl-bench-1a2b3c4d-17-0-9f00aa11"), Prefix: capture.HashText("bench-1a2b3c4d-"), Index: 17, Tokens: -1, Whole: true},
		},
		{
			"details", `Request cmpl-1-0 details: prompt: "it's", prompt_token_ids: [1], prompt_embeds shape: None.`, 0,
			capture.Asked{RID: capture.HashText("cmpl-1-0"), Index: -1, Tokens: 1, Text: capture.HashText("it's"), IDs: capture.HashText("1"), Whole: true},
		},
		{
			"cut to the log limit", `Received request r: prompt: 'abcd', params: P(), prompt_token_ids: [1, 2, 3, 4], lora_request: None.`, 4,
			capture.Asked{RID: capture.HashText("r"), Index: -1, Tokens: -1, Text: capture.HashText("abcd"), IDs: capture.HashText("1, 2, 3, 4")},
		},
		{
			"below the log limit", `Received request r: prompt: 'abc', params: P(), prompt_token_ids: [1, 2, 3], lora_request: None.`, 4,
			capture.Asked{RID: capture.HashText("r"), Index: -1, Tokens: 3, Text: capture.HashText("abc"), IDs: capture.HashText("1, 2, 3"), Whole: true},
		},
		{
			"limit not known", `Received request r: prompt: 'abc', params: P(), prompt_token_ids: None, lora_request: None.`, -1,
			capture.Asked{RID: capture.HashText("r"), Index: -1, Tokens: -1, Text: capture.HashText("abc")},
		},
		{
			"fields inside of the prompt", `Received request r: prompt: 'x, prompt_token_ids: [9, 9], y', params: P(), prompt_token_ids: [5], lora_request: None.`, 0,
			capture.Asked{RID: capture.HashText("r"), Index: -1, Tokens: 1, Text: capture.HashText("x, prompt_token_ids: [9, 9], y"), IDs: capture.HashText("5"), Whole: true},
		},
		{
			"prompt cut by the end of the line", `Received request r: prompt: 'x, prompt_token_ids: [9, 9]`, 0,
			capture.Asked{RID: capture.HashText("r"), Index: -1, Tokens: -1, Whole: true},
		},
		{"id alone", "Received request r.", 0, capture.Asked{RID: capture.HashText("r"), Index: -1, Tokens: -1, Whole: true}},
	}
	for _, tt := range tests {
		got, ok := parseRequest([]byte(tt.msg), tt.limit)
		if diff := cmp.Diff(tt.want, got); diff != "" || !ok {
			t.Errorf("%s: (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestClientID(t *testing.T) {
	tests := []struct {
		id, prefix string
		index      int32
		ok         bool
	}{
		{"cmpl-bench-1a2b3c4d-17-0", "bench-1a2b3c4d-", 17, true},
		{"cmpl-bench-1a2b3c4d-17-0-9f00aa11", "bench-1a2b3c4d-", 17, true},
		{"chatcmpl-bench-1a2b3c4d-5", "bench-1a2b3c4d-", 5, true},
		{"chatcmpl-bench-1a2b3c4d-5-12345678", "bench-1a2b3c4d-", 5, true},
		{"cmpl-benchmark-serving12-0", "benchmark-serving", 12, true},
		{"cmpl-3f2a9c00d1e24b7c9a0011223344aabb-0", "", 0, false},
		{"chatcmpl-3f2a9c00-d1e2-4b7c-9a00-112233445566", "", 0, false},
		{"cmpl-", "", 0, false},
		{"embd-bench-1-0", "", 0, false},
		{"cmpl-bench-99999999999-0", "", 0, false},
	}
	for _, tt := range tests {
		prefix, index, ok := clientID(tt.id)
		if ok != tt.ok || ok && (prefix != tt.prefix || index != tt.index) {
			t.Errorf("%s: %q %d %v", tt.id, prefix, index, ok)
		}
	}
}

// TestNoPromptTextIsKept: a request line holds a user's text. Nothing of the
// model may.
func TestNoPromptTextIsKept(t *testing.T) {
	log, counts := readLog(t, `INFO 07-01 08:00:00 [logger.py:43] Received request r-0: prompt: 'the quick brown fox', params: SamplingParams(stop=['brown']), prompt_token_ids: [1, 2], lora_request: None.
DEBUG 07-01 08:00:00 [logger.py:43] Request r-0 details: prompt: 'the quick brown fox', prompt_token_ids: [1, 2], prompt_embeds shape: None.
INFO 07-01 08:00:00 [async_llm.py:43] Added request r-0.
INFO 07-01 08:00:09 [logger.py:79] Generated response r-0: output: ' quick answer', output_token_ids: [3], finish_reason: length`)
	if counts.Get("request") != 4 || log.Asked.Len() != 1 {
		t.Errorf("%d request lines, %d requests", counts.Get("request"), log.Asked.Len())
	}
	if s := pyText(*log); strings.Contains(s, "quick") || strings.Contains(s, "brown") {
		t.Error("the log keeps text of a prompt or an answer")
	}
	if a := log.Asked.At(0); a.Text != capture.HashText("the quick brown fox") || a.Line != 1 {
		t.Errorf("%+v", a)
	}
}
