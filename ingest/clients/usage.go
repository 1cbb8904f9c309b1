package clients

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// usage is what a server's answer says about one request; -1 = not told.
type usage struct{ prompt, output, cached int32 }

// usageOf reads a usage object of an OpenAI-style answer. Cached tokens have
// three states: a number, null and absent; the last two are -1. A number
// stands under prompt_tokens_details (chat, completions), input_tokens_details
// (responses) or, for llama.cpp, in timings.cache_n beside the usage.
func usageOf(u node) usage {
	got := usage{prompt: u.at("prompt_tokens").tokens(), output: u.at("completion_tokens").tokens(), cached: -1}
	for _, path := range [][]string{{"prompt_tokens_details", "cached_tokens"}, {"input_tokens_details", "cached_tokens"}} {
		if c := u.at(path...).tokens(); c >= 0 {
			got.cached = c
		}
	}
	return got
}

// usageOfStream reads the usage out of the raw text of an answer: an event
// stream ("data: {...}" lines), or one JSON document. With several usages the
// last one is the total.
func usageOfStream(raw string) usage {
	got := usage{-1, -1, -1}
	for line := range strings.Lines(raw) {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
		if !strings.HasPrefix(line, "{") || !strings.Contains(line, `"usage"`) && !strings.Contains(line, `"timings"`) {
			continue
		}
		var v any
		if json.Unmarshal([]byte(line), &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
			continue
		}
		n := node{v}
		if u := n.at("usage"); u.object() != nil {
			got = usageOf(u)
		}
		if c := n.at("timings", "cache_n").tokens(); c >= 0 && got.cached < 0 {
			got.cached = c
		}
	}
	return got
}

// promptOf returns the prompt text of a request body: the prompt of
// completions, or the messages of chat in order. "" if the body holds none.
func promptOf(body node) string {
	if p := body.at("prompt").str(); p != "" {
		return p
	}
	if l := body.at("prompt").list(); len(l) == 1 {
		if s := (node{l[0]}).str(); s != "" {
			return s
		}
	}
	var all strings.Builder
	for _, m := range body.at("messages").each() {
		all.WriteString(m.at("role").str() + "\x00")
		if s := m.at("content").str(); s != "" {
			all.WriteString(s)
		}
		for _, part := range m.at("content").each("text") {
			all.WriteString(part.str())
		}
		all.WriteByte(0)
	}
	return all.String()
}

// bodyOf parses a request body that a client keeps as text.
func bodyOf(raw string) node {
	var v any
	if json.Unmarshal([]byte(raw), &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return node{}
	}
	return node{v}
}
