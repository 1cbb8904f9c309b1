package command

import (
	"math"
	"strconv"
	"strings"
)

// options are the arguments behind a program, by option name without its
// dashes and with underscores, as argparse names them.
type options struct {
	values map[string]any // string, int64, float64, bool, or []any if given again
	rest   []string       // words that belong to no option
}

// parseOptions reads --name value, --name=value and -n value. A name without a
// value is true. That the word behind a name is its value is a guess for
// programs whose options are not known; switches says which never take one.
func parseOptions(words []string) options {
	o := options{values: map[string]any{}}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !isOption(w) {
			o.rest = append(o.rest, w)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(w, "-"), "=")
		name = strings.ReplaceAll(name, "-", "_")
		switch {
		case hasValue:
			o.add(name, scalar(value))
		case i+1 < len(words) && !isOption(words[i+1]) && !isSwitch(name):
			i++
			o.add(name, scalar(words[i]))
		default:
			o.add(name, true)
		}
	}
	return o
}

func isOption(w string) bool {
	if len(w) < 2 || w[0] != '-' {
		return false
	}
	_, err := strconv.ParseFloat(w, 64)
	return err != nil
}

// isSwitch tells options without a value.
func isSwitch(name string) bool {
	switch name {
	case "flush_cache", "output_details", "cache_report", "rust_client", "save_result", "save_detailed", "append_result", "ignore_eos",
		"tokenize_prompt", "trust_remote_code", "streaming", "stream", "use_server_token_count", "skip_server_warmup",
		"log_requests", "enforce_eager":
		return true
	}
	return strings.HasPrefix(name, "enable_") || strings.HasPrefix(name, "disable_") || strings.HasPrefix(name, "no_")
}

// add keeps a value; an option that is given several times keeps all.
func (o *options) add(name string, v any) {
	old, ok := o.values[name]
	if !ok {
		o.values[name] = v
		return
	}
	if list, ok := old.([]any); ok {
		o.values[name] = append(list, v)
		return
	}
	o.values[name] = []any{old, v}
}

// scalar types a word as Python would read the option.
func scalar(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(f) {
		return f
	}
	return s
}

// last gives the value of the first of the names that is there; of an option
// that is given again the last counts.
func (o options) last(names ...string) (any, bool) {
	for _, n := range names {
		v, ok := o.values[n]
		if !ok {
			continue
		}
		if list, ok := v.([]any); ok {
			v = list[len(list)-1]
		}
		return v, true
	}
	return nil, false
}

func (o options) string(names ...string) string {
	switch v, _ := o.last(names...); v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

func (o options) int64(names ...string) *int64 {
	if n, ok := o.lastInt(names...); ok {
		return &n
	}
	return nil
}

func (o options) int(names ...string) *int {
	n, ok := o.lastInt(names...)
	if !ok || n < math.MinInt32 || n > math.MaxInt32 {
		return nil
	}
	i := int(n)
	return &i
}

func (o options) lastInt(names ...string) (int64, bool) {
	v, _ := o.last(names...)
	n, ok := v.(int64)
	return n, ok
}

func (o options) float(names ...string) *float64 {
	switch v, _ := o.last(names...); v := v.(type) {
	case float64:
		return &v
	case int64:
		f := float64(v)
		return &f
	}
	return nil
}

// on gives true for a switch that is there, nil for one that is not.
func (o options) on(names ...string) *bool {
	v, ok := o.last(names...)
	if !ok {
		return nil
	}
	b := v != "false" && v != "False" && v != int64(0) && v != false
	return &b
}
