package vllm

import (
	"fmt"
	"strconv"
	"strings"
)

// This file reads single values of an argument map as Python printed it or as
// a command line gave it (then all of them are strings).

func stringArg(args map[string]any, name string) string {
	s, _ := args[name].(string)
	return s
}

// intArg is nil where the argument is absent, None, or no whole number.
func intArg(args map[string]any, name string) *int {
	n := int64Arg(args, name)
	if n == nil {
		return nil
	}
	i := int(*n)
	return &i
}

func int64Arg(args map[string]any, name string) *int64 {
	switch v := args[name].(type) {
	case int64:
		return &v
	case float64:
		if n := int64(v); float64(n) == v {
			return &n
		}
	case string:
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return &n
		}
	}
	return nil
}

func floatArg(args map[string]any, name string) *float64 {
	switch v := args[name].(type) {
	case int64:
		f := float64(v)
		return &f
	case float64:
		return &v
	case string:
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return &f
		}
	}
	return nil
}

// pyText prints any value, to search in it.
func pyText(v any) string { return fmt.Sprint(v) }

// wholeNumber is the number at the start of b, thousands commas taken out; 0 if
// there is none.
func wholeNumber(b []byte) int {
	n := 0
	for _, c := range b {
		if c == ',' {
			continue
		}
		if c < '0' || c > '9' || n > 1<<40 {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// firstWord is b up to its first blank.
func firstWord(b []byte) string {
	word, _, _ := strings.Cut(strings.TrimSpace(string(b)), " ")
	return word
}

// setText sets an empty field; a fact that was told already stays.
func setText(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// either is a unless it is nil.
func either(a, b *int) *int {
	if a != nil {
		return a
	}
	return b
}

func ptr[T any](v T) *T { return &v }
