package notes

import (
	"math"

	"coldcase/ingest/capture"
)

// table gives the values of one table by type and remembers which keys were
// asked for.
type table struct {
	d      *decoder
	name   string
	values map[string]any
	asked  map[string]bool
	at     capture.Evidence
}

func (d *decoder) table(name string, values map[string]any) *table {
	return &table{d: d, name: name, values: values, asked: map[string]bool{}}
}

// rest reports the keys that nobody asked for.
func (t *table) rest() {
	for _, k := range sortedKeys(t.values) {
		if !t.asked[k] {
			t.d.problem("unknown key %s of %s", k, t.name)
		}
	}
}

// value gives the value of a key as T, and reports one of another type.
func value[T any](t *table, key, kind string) (v T, ok bool) {
	t.asked[key] = true
	raw, there := t.values[key]
	if !there {
		return v, false
	}
	if v, ok = raw.(T); !ok {
		t.d.problem("%s of %s is no %s", key, t.name, kind)
	}
	return v, ok
}

func (t *table) string(key string) string {
	s, _ := value[string](t, key, "string")
	return s
}

func (t *table) int(key string) *int {
	v, ok := value[int64](t, key, "whole number")
	if !ok || v < math.MinInt32 || v > math.MaxInt32 {
		return nil
	}
	n := int(v)
	return &n
}

func (t *table) float(key string) *float64 {
	if n, ok := t.values[key].(int64); ok {
		t.asked[key] = true
		f := float64(n)
		return &f
	}
	f, ok := value[float64](t, key, "number")
	if !ok {
		return nil
	}
	return &f
}

func (t *table) ints(key string) []int64 {
	list, _ := value[[]any](t, key, "list")
	var out []int64
	for _, v := range list {
		n, ok := v.(int64)
		if !ok {
			t.d.problem("%s of %s holds what is no whole number", key, t.name)
			return nil
		}
		out = append(out, n)
	}
	return out
}

func (t *table) strings(key string) []string {
	list, _ := value[[]any](t, key, "list")
	var out []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			t.d.problem("%s of %s holds what is no string", key, t.name)
			return nil
		}
		out = append(out, s)
	}
	return out
}
