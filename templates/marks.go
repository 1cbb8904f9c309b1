package templates

import "regexp"

// piece is a stretch of a quoted line, marked or not.
type piece struct {
	Text string
	Mark bool
}

// deciding are the fields of log lines, arguments and counters that a count of
// cached prompts rests on.
var deciding = regexp.MustCompile(
	`#new-seq: ?\d+|#new-token: ?\d+|#cached-token: ?\d+` +
		`|\b(?:dataset_name|dataset|seed|num_prompts|flush_cache|max_concurrency|random_range_ratio|warmup_requests|num_warmups|random_input_len|random_input|cached_tokens|prompt_tokens)['"]?[=:] ?(?:'[^']{0,80}'|"[^"]{0,80}"|[^\s,)}'"]{1,40})` +
		`|--(?:seed|dataset-name|num-prompts|max-concurrency|flush-cache|random-range-ratio|num-warmups|warmup-requests)\b(?:[ =](?:[^\s-]\S{0,40}))?` +
		`|[Pp]refix cache hit rate: ?[\d.]+%?|[Cc]ache flushed\S*|[Ff]lush(?:ed)? cache|enable_prefix_caching=\w+|disable_radix_cache=\w+` +
		`|(?:sglang|vllm):(?:cached_tokens_total|prefix_cache_hits_total|prefix_cache_queries_total|prompt_tokens_total|cache_hit_rate)\S*(?: \S+)?` +
		`|(?:Mean|Median|P90|P95|P99) TTFT \(ms\): +[\d.]+`)

// markFields cuts a quoted line into pieces, those that decide marked.
func markFields(s string) []piece {
	var out []piece
	at := 0
	for _, m := range deciding.FindAllStringIndex(s, -1) {
		if m[0] > at {
			out = append(out, piece{s[at:m[0]], false})
		}
		out = append(out, piece{s[m[0]:m[1]], true})
		at = m[1]
	}
	if at < len(s) {
		out = append(out, piece{s[at:], false})
	}
	return out
}
