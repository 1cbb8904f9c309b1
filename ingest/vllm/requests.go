package vllm

import (
	"bytes"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyrepr"
)

// isRequest reports whether a message is a line about one request.
func isRequest(msg []byte) bool {
	for _, start := range []string{"Received request ", "Request ", "Added request ", "Finished request ", "Generated response ", "Aborted request"} {
		if bytes.HasPrefix(msg, []byte(start)) {
			return start != "Request " || bytes.Contains(msg, []byte(" details: "))
		}
	}
	return false
}

// parseRequest reads the two lines that announce a request:
//
//	Received request ID: prompt: '...', params: ..., prompt_token_ids: [...], ...
//	Request ID details: prompt: '...', prompt_token_ids: [...], ...
//
// The first holds the prompt before v0.11.1 only. limit is the server's log
// limit in characters: 0 none, -1 not known.
func parseRequest(msg []byte, limit int) (capture.Asked, bool) {
	rest, ok := bytes.CutPrefix(msg, []byte("Received request "))
	end := []byte(": ")
	if !ok {
		if rest, ok = bytes.CutPrefix(msg, []byte("Request ")); !ok {
			return capture.Asked{}, false
		}
		end = []byte(" details: ")
	}
	id, fields, found := bytes.Cut(rest, end)
	if !found {
		id, fields = bytes.TrimRight(rest, ":."), nil
	}
	a := capture.Asked{RID: capture.HashText(string(id)), Tokens: -1, Index: -1, Whole: limit == 0}
	if prefix, index, ok := clientID(string(id)); ok {
		a.Prefix, a.Index = capture.HashText(prefix), index
	}
	fields = promptText(fields, limit, &a)
	promptIDs(fields, limit, &a)
	return a, true
}

// promptText hashes the prompt at the start of the fields and returns what
// follows it, so that nothing inside of a prompt is read as a field.
func promptText(fields []byte, limit int, a *capture.Asked) []byte {
	repr, ok := bytes.CutPrefix(fields, []byte("prompt: "))
	if !ok {
		return fields
	}
	value, n, err := pyrepr.Prefix(repr)
	if err != nil {
		return nil
	}
	if prompt, ok := value.(string); ok {
		a.Text = capture.HashText(prompt)
		a.Whole = limit == 0 || limit > 0 && len(prompt) < limit
	}
	return repr[n:]
}

// promptIDs counts and hashes the prompt's token ids.
func promptIDs(fields []byte, limit int, a *capture.Asked) {
	at := bytes.LastIndex(fields, []byte("prompt_token_ids: ["))
	if at < 0 {
		return
	}
	list := fields[at+len("prompt_token_ids: ["):]
	end := bytes.IndexByte(list, ']')
	if end < 0 {
		return
	}
	list = list[:end]
	a.IDs = capture.HashText(string(list))
	n := 0
	if len(list) > 0 {
		n = bytes.Count(list, []byte(",")) + 1
	}
	idsWhole := limit == 0 || limit > 0 && n < limit
	if idsWhole {
		a.Tokens = int32(n)
	}
	a.Whole = idsWhole && (a.Text == 0 || a.Whole)
}

// clientID takes a request id apart into the part that a client gives all
// requests of a run, and the index of the prompt:
//
//	cmpl-bench-1a2b3c4d-17-0-9f00aa11 -> "bench-1a2b3c4d-", 17
//
// Ids that the server drew (hexadecimal) have no such parts.
func clientID(id string) (prefix string, index int32, ok bool) {
	rest, completion := strings.CutPrefix(id, "cmpl-")
	if !completion {
		if rest, ok = strings.CutPrefix(id, "chatcmpl-"); !ok {
			return "", 0, false
		}
	}
	rest = cutRandomTail(rest)
	if completion { // the prompt's number inside of its request
		at := strings.LastIndexByte(rest, '-')
		if at < 0 || !digits(rest[at+1:]) {
			return "", 0, false
		}
		rest = rest[:at]
	}
	prefix = strings.TrimRight(rest, "0123456789")
	n, err := strconv.ParseInt(rest[len(prefix):], 10, 32)
	if err != nil || strings.Trim(prefix, "0123456789abcdef-") == "" {
		return "", 0, false
	}
	return prefix, int32(n), true
}

// cutRandomTail takes off the eight hexadecimal digits that the server appends
// since v0.14.
func cutRandomTail(id string) string {
	at := strings.LastIndexByte(id, '-')
	if at < 0 || len(id)-at-1 != 8 || strings.Trim(id[at+1:], "0123456789abcdef") != "" {
		return id
	}
	return id[:at]
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
