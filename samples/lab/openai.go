package lab

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// openAIRequest is what the lab reads of the OpenAI routes.
type openAIRequest struct {
	Model               string          `json:"model"`
	Prompt              json.RawMessage `json:"prompt"`
	Messages            []chatMessage   `json:"messages"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stream              bool            `json:"stream"`
	StreamOptions       struct {
		IncludeUsage         bool `json:"include_usage"`
		ContinuousUsageStats bool `json:"continuous_usage_stats"`
	} `json:"stream_options"`
	RoutedDPRank *int `json:"routed_dp_rank"`
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// text is the content of a message: a text, or a list of parts with texts.
func (m chatMessage) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) == nil {
		for _, p := range parts {
			s += " " + p.Text
		}
	}
	return s
}

func (o *openAIRequest) maxTokens() int {
	switch {
	case o.MaxTokens != nil:
		return *o.MaxTokens
	case o.MaxCompletionTokens != nil:
		return *o.MaxCompletionTokens
	}
	return 16
}

func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	var o openAIRequest
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error()))
		return
	}
	tokens, err := s.prompt(o.Prompt)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error()))
		return
	}
	s.answerOpenAI(w, r, &o, tokens, "text_completion", "cmpl", func(text string, finish any) any {
		return map[string]any{"index": 0, "text": text, "logprobs": nil, "finish_reason": finish}
	})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var o openAIRequest
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error()))
		return
	}
	text := ""
	for _, m := range o.Messages {
		text += " <|" + m.Role + "|> " + m.text()
	}
	tokens := s.vocab.encode(text + " <|assistant|>")
	object, key := "chat.completion", "message"
	if o.Stream {
		object, key = "chat.completion.chunk", "delta"
	}
	s.answerOpenAI(w, r, &o, tokens, object, "chatcmpl", func(text string, finish any) any {
		return map[string]any{"index": 0, key: map[string]any{"role": "assistant", "content": text}, "logprobs": nil, "finish_reason": finish}
	})
}

// answerOpenAI serves one request of either route; choice shapes one choice.
func (s *Server) answerOpenAI(w http.ResponseWriter, r *http.Request, o *openAIRequest, tokens []int32, object, id string, choice func(string, any) any) {
	q := newRequest(tokens, o.maxTokens())
	q.stream = o.Stream
	q.rank = -1
	if o.RoutedDPRank != nil && *o.RoutedDPRank < len(s.ranks) {
		q.rank = *o.RoutedDPRank
	}
	if !s.accept(w, r, q) {
		return
	}
	envelope := func(choices []any, usage any) map[string]any {
		return map[string]any{
			"id": fmt.Sprintf("%s-%d", id, q.seq), "object": object, "created": s.started.Unix(), "model": s.cfg.Model,
			"choices": choices, "usage": usage,
		}
	}
	if !o.Stream {
		text, failed := "", ""
		if !s.stream(w, r, q, func(e event) {
			text, failed = text+tokenText(e.token), e.err
		}) {
			return
		}
		if failed != "" {
			writeJSON(w, http.StatusInternalServerError, errorBody(failed))
			return
		}
		writeJSON(w, http.StatusOK, envelope([]any{choice(text, "length")}, s.usage(q, q.maxNew)))
		return
	}
	send := startStream(w)
	sendJSON := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // maps of strings and numbers always marshal
		}
		send(string(b))
	}
	n, failed := 0, false
	if !s.stream(w, r, q, func(e event) {
		if e.err != "" {
			sendJSON(errorBody(e.err))
			failed = true
			return
		}
		n++
		var finish, usage any
		if e.done {
			finish = "length"
		}
		if o.StreamOptions.ContinuousUsageStats {
			usage = s.usage(q, n)
		}
		sendJSON(envelope([]any{choice(tokenText(e.token), finish)}, usage))
	}) {
		return
	}
	if o.StreamOptions.IncludeUsage && !failed {
		sendJSON(envelope([]any{}, s.usage(q, q.maxNew)))
	}
	send("[DONE]")
}

// usage is the usage object of both engines: since SGLang v0.5.22 and vLLM of
// June 2026 a zero is reported as a zero.
func (s *Server) usage(q *request, generated int) map[string]any {
	u := map[string]any{
		"prompt_tokens": len(q.tokens), "completion_tokens": generated, "total_tokens": len(q.tokens) + generated,
		"prompt_tokens_details": nil,
	}
	if !s.cfg.has(faultNoReport) {
		u["prompt_tokens_details"] = map[string]any{"cached_tokens": q.cached}
	}
	return u
}
