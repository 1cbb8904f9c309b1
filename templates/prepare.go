package templates

import (
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/templates/mdx"
)

// prepare returns a copy of nb in which every string is cleaned of controls and
// bidirectional marks and, where names are to be masked, of host names, user
// paths and addresses; where longest is not 0, texts are cut to so many bytes. The
// notebook that was given is not touched.
func prepare(nb *analysis.Notebook, opts Options, longest int) *analysis.Notebook {
	change := mdx.Clean
	if opts.masks() {
		change = func(s string) string { return mask(mdx.Clean(s)) }
	}
	if longest > 0 {
		whole := change
		change = func(s string) string { return cut(whole(s), longest) }
	}
	c := copier{change: keepApart(nb, change)}
	return c.copy(reflect.ValueOf(nb)).Interface().(*analysis.Notebook)
}

// cut shortens a text to at most n bytes, between two words, so that no number
// loses its digits.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:n]
	if at := strings.LastIndexAny(s, " \n"); at >= 0 {
		return s[:at] + " …"
	}
	return strings.TrimRight(strings.ToValidUTF8(s, ""), "0123456789.,-") + "…"
}

// masks reports whether names are to be masked.
func (o Options) masks() bool { return o.Mode == Publish && !o.KeepNames }

// keepApart returns change for all texts but the ids of runs that it would make
// alike: these get a number, wherever they stand.
func keepApart(nb *analysis.Notebook, change func(string) string) func(string) string {
	if nb.Count == nil {
		return change
	}
	alike := map[string][]string{}
	for _, r := range nb.Count.Runs {
		alike[change(r.ID)] = append(alike[change(r.ID)], r.ID)
	}
	taken := map[string]bool{}
	for name := range alike {
		taken[name] = true
	}
	names := map[string]string{}
	var ids []string
	for _, r := range nb.Count.Runs {
		name := change(r.ID)
		if len(alike[name]) < 2 || names[r.ID] != "" {
			continue
		}
		names[r.ID] = free(name, taken)
		ids = append(ids, r.ID)
	}
	find := anyOf(ids)
	if find == nil {
		return change
	}
	return func(s string) string {
		var b strings.Builder
		at := 0
		for _, m := range find.FindAllStringIndex(s, -1) {
			b.WriteString(change(s[at:m[0]]) + names[s[m[0]:m[1]]])
			at = m[1]
		}
		if at == 0 {
			return change(s)
		}
		return b.String() + change(s[at:])
	}
}

// free returns name with the first number that makes it one of its own, and
// takes it.
func free(name string, taken map[string]bool) string {
	for n := 1; ; n++ {
		s := name + " (" + strconv.Itoa(n) + ")"
		if !taken[s] {
			taken[s] = true
			return s
		}
	}
}

// copier makes a deep copy of a value with every string changed.
type copier struct{ change func(string) string }

// factsType is what analysis passes on to analysis; the report does not read it.
var factsType = reflect.TypeFor[*carryover.Facts]()

func (c copier) copy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		out := reflect.New(v.Type()).Elem()
		out.SetString(c.change(v.String()))
		return out
	case reflect.Pointer:
		if v.IsNil() || v.Type() == factsType {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(c.copy(v.Elem()))
		return out
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		return c.copy(v.Elem())
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Float64 || v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
		return out
	case reflect.Map:
		return c.copyMap(v)
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v) // unexported fields come along as they are
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(c.copy(v.Field(i)))
			}
		}
		return out
	}
	return v
}

// copyMap copies a map. Keys that the change makes alike are kept apart, in the
// order of the keys as they were.
func (c copier) copyMap(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return v
	}
	keys := v.MapKeys()
	sort.Slice(keys, func(a, b int) bool { return keys[a].String() < keys[b].String() })
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	taken := map[string]bool{}
	for _, k := range keys {
		key := c.copy(k)
		if key.Kind() == reflect.String {
			if name := key.String(); taken[name] {
				key.SetString(free(name, taken))
			} else {
				taken[name] = true
			}
		}
		out.SetMapIndex(key, c.copy(v.MapIndex(k)))
	}
	return out
}

// masking replaces what it finds.
type masking struct {
	find *regexp.Regexp
	with string
}

// masks are what a published page leaves out, in order.
var masks = sync.OnceValue(func() []masking {
	return []masking{
		{regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/'",)]+`), "${1}[host]"},
		{regexp.MustCompile(`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(:\d+)?\b`), "[address]"},
		{regexp.MustCompile(`(?i)(^|[^0-9a-z:])((?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:)+:[0-9a-f:]*|::1)`), "${1}[address]"},
		{regexp.MustCompile(`(/home|/Users|/root|/data/home)(/[^/\s'",:)]+)?`), "[home]"},
		{regexp.MustCompile(`~/`), "[home]/"},
		{regexp.MustCompile(`(?i)([A-Z]:\\Users\\)[^\\\s'",]+`), "[home]"},
		{regexp.MustCompile(`(?i)\b(host(?:name)?['"]?\s*[=:]\s*['"]?)[a-z0-9][a-z0-9._-]*`), "${1}[host]"},
		{regexp.MustCompile(`(?i)(--host[= ])\S+`), "${1}[host]"},
		{regexp.MustCompile(`(?i)\b[a-z0-9_.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+`), "[name]@[host]"},
		{regexp.MustCompile(`(?i)\b[a-z0-9-]+(\.[a-z0-9-]+)*\.(internal|local|lan|corp|cluster|intra)\b`), "[host]"},
	}
})

func mask(s string) string {
	for _, m := range masks() {
		s = m.find.ReplaceAllString(s, m.with)
	}
	return s
}
