package degrade

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// What a file is to the harness. The names are those of the recorded captures:
// the harness knows its own data, the readers under test go by content.

func isLog(name string) bool {
	if strings.HasSuffix(name, ".log") {
		return !strings.HasSuffix(name, "benchmark.log") && !strings.HasSuffix(name, "aiperf.log")
	}
	return strings.Contains(name, "server") && strings.HasSuffix(name, ".txt")
}

func isRecord(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json")
}

func isMetrics(name string) bool {
	return (strings.Contains(name, "metrics") || strings.HasSuffix(name, ".prom")) &&
		!strings.HasSuffix(name, "lifecycle_metrics.json") && !strings.Contains(name, "request-metrics")
}

func isText(name string) bool {
	return strings.HasSuffix(name, ".txt") && !isMetrics(name) && !isLog(name)
}

func isKit(name string) bool { return strings.HasSuffix(name, ".sh") }

// detailKeys are the arrays of SGLang's and vLLM's records that hold one value
// a request, and the cache report beside them.
var detailKeys = map[string]bool{
	"input_lens": true, "output_lens": true, "ttfts": true, "itls": true, "generated_texts": true,
	"errors": true, "cached_tokens": true, "cached_tokens_details": true, "start_times": true,
	"latencies": true, "queue_times": true, "cache_report": true,
}

// cachedKey matches the keys of other clients that name cached tokens or hold a
// request's raw answer.
var cachedKey = regexp.MustCompile(`cached?_(tokens|read)|cache_read|prompt_tokens_details|response|usage_prompt_cache`)

// withoutDetails takes from one file all that names the cached tokens of single
// requests, and from a text report its cache section.
func withoutDetails(name string, content []byte) []byte {
	switch {
	case isRecord(name):
		return stripRecords(content)
	case isLog(name):
		return stripRequestLines(content)
	case isText(name):
		return stripCacheSection(content)
	}
	return content
}

func stripRecords(content []byte) []byte {
	trimmed := bytes.TrimSpace(content)
	if bytes.Contains(trimmed, []byte("\n")) && (trimmed[0] == '{' || trimmed[0] == '[') {
		if out, err := stripJSON(trimmed, nil); err == nil {
			return append(out, '\n')
		}
	}
	var out bytes.Buffer
	for _, line := range bytes.Split(bytes.TrimRight(content, "\n"), []byte("\n")) {
		if short, err := stripJSON(line, detailKeys); err == nil {
			line = short
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// bareNumber is what Python writes for numbers that JSON has no word for.
var bareNumber = regexp.MustCompile(`([:,\[]\s*)(-?Infinity|NaN)\b`)

const bareMark = "bare number "

// stripJSON copies one JSON value without the members whose keys name cached
// tokens, at any depth, and without those of top at its top level. The order of
// the rest stays.
func stripJSON(value []byte, top map[string]bool) ([]byte, error) {
	value = bareNumber.ReplaceAll(value, []byte(`$1"`+bareMark+`$2"`))
	var out bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	to := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))
	for {
		kind, size := in.StackIndex(in.StackDepth())
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		isKey := kind == '{' && size%2 == 0 && token.Kind() == '"'
		if isKey && (cachedKey.MatchString(token.String()) || in.StackDepth() == 1 && top[token.String()]) {
			if err := in.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
	}
	back := regexp.MustCompile(`"` + bareMark + `(-?Infinity|NaN)"`)
	return bytes.TrimSpace(back.ReplaceAll(out.Bytes(), []byte("$1"))), nil
}

// requestLine matches the server's log lines about single requests.
var requestLine = regexp.MustCompile(`Finish: |ReqTimeStats|Req Time Stats|Receive: |cached_input_len|['"]cached_tokens['"]`)

func stripRequestLines(content []byte) []byte {
	return filterLines(content, func(line []byte) bool { return !requestLine.Match(line) })
}

// stripCacheSection takes the cache part out of a text report.
func stripCacheSection(content []byte) []byte {
	skip := false
	return filterLines(content, func(line []byte) bool {
		switch {
		case bytes.Contains(line, []byte("Cache Hit Details")):
			skip = true
			return false
		case skip && (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("==="))):
			skip = false
		}
		return !skip && !bytes.Contains(line, []byte("otal cached tokens")) && !bytes.Contains(line, []byte("ache hit rate"))
	})
}

func filterLines(content []byte, keep func(line []byte) bool) []byte {
	var out [][]byte
	for _, line := range bytes.Split(content, []byte("\n")) {
		if keep(line) {
			out = append(out, line)
		}
	}
	return bytes.Join(out, []byte("\n"))
}
