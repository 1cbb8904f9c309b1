package pyrepr

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		src  string
		want any
	}{
		{"None", nil},
		{" True ", true},
		{"7", int64(7)},
		{"-7", int64(-7)},
		{"1_000", int64(1000)},
		{"0x1f", int64(31)},
		{"007", int64(7)},
		{"1e-05", 1e-05},
		{"60.0", 60.0},
		{"inf", math.Inf(1)},
		{"-inf", math.Inf(-1)},
		{"99999999999999999999", 1e20},
		{`'it''s'`, "its"},
		{`"it's"`, "it's"},
		{`'a\'b\\\n\x41\u00e9\101\q'`, "a'b\\\nAéA\\q"},
		{`r'C:\new'`, `C:\new`},
		{`b'\xff\x00'`, "ÿ\x00"},
		{`['a', 2, (3,), (4), ()]`, List{"a", int64(2), Tuple{int64(3)}, int64(4), Tuple{}}},
		{`{1, 2}`, Set{int64(1), int64(2)}},
		{`set()`, &Call{Name: "set"}},
		{`{}`, &Dict{}},
		{`{(64, 64, 1): 1.0, 'x': {}}`, &Dict{Items: []Item{
			{Tuple{int64(64), int64(64), int64(1)}, 1.0}, {"x", &Dict{}}}}},
		{`Namespace(backend='sglang', seed=7, header=['A: b'], f=<function <lambda> at 0x7f1>)`, &Call{Name: "Namespace", Args: []Arg{
			{"backend", "sglang"}, {"seed", int64(7)}, {"header", List{"A: b"}}, {"f", Opaque("<function <lambda> at 0x7f1>")}}}},
		{`ServerArgs(model_path='m/x', page_size=1, ...)`, &Call{Name: "ServerArgs", Truncated: true, Args: []Arg{
			{"model_path", "m/x"}, {"page_size", int64(1)}}}},
		{`N(a=1, …, b=2)`, &Call{Name: "N", Truncated: true, Args: []Arg{{"a", int64(1)}, {"b", int64(2)}}}},
		{`N(dtype=torch.bfloat16, t=Optional[int], p=PosixPath('/x'), q=datetime.datetime(2026, 1, 2))`, &Call{Name: "N", Args: []Arg{
			{"dtype", Opaque("torch.bfloat16")}, {"t", Opaque("Optional[int]")},
			{"p", &Call{Name: "PosixPath", Args: []Arg{{"", "/x"}}}},
			{"q", &Call{Name: "datetime.datetime", Args: []Arg{{"", int64(2026)}, {"", int64(1)}, {"", int64(2)}}}}}}},
		{"N(a=1,\n  b=2,\n)", &Call{Name: "N", Args: []Arg{{"a", int64(1)}, {"b", int64(2)}}}},
	}
	for _, test := range tests {
		got, err := Parse([]byte(test.src))
		if err != nil {
			t.Errorf("Parse(%s): %v", test.src, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Parse(%s): -want +got\n%s", test.src, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		src        string
		offset     int
		incomplete bool
	}{
		{"", 0, true},
		{"Namespace(seed=7", 16, true},
		{"Namespace(seed=", 15, true},
		{"['a'", 4, true},
		{"'abc", 4, true},
		{`'abc\`, 4, true},
		{"{'a'", 4, true},
		{"<object at", 10, true},
		{"[1 2]", 3, false},
		{"{'a': 1, 'b'}", 12, false},
		{"N(a=1) x", 7, false},
		{"[1.2.3]", 1, false},
		{"N(a=$)", 4, false},
		{strings.Repeat("[", 100), MaxDepth + 1, false},
	}
	for _, test := range tests {
		_, err := Parse([]byte(test.src))
		e, ok := err.(*SyntaxError)
		if !ok {
			t.Errorf("Parse(%q): error %v, want a SyntaxError", test.src, err)
			continue
		}
		if e.Offset != test.offset || e.Incomplete != test.incomplete {
			t.Errorf("Parse(%q): offset %d incomplete %v (%s), want %d %v", test.src, e.Offset, e.Incomplete, e.Msg, test.offset, test.incomplete)
		}
	}
}

// A clipped call keeps the arguments before the cut, and never the argument
// that the cut may have shortened.
func TestClipped(t *testing.T) {
	const src = "ServerArgs(model_path='m/x', page_size=16, random_seed=9182"
	v, _, err := Prefix([]byte(src))
	if !Incomplete(err) {
		t.Fatalf("error %v, want an incomplete one", err)
	}
	want := map[string]any{"model_path": "m/x", "page_size": int64(16)}
	if diff := cmp.Diff(want, v.(*Call).Map()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPrefix(t *testing.T) {
	const src = `{'a': 1} tail`
	_, n, err := Prefix([]byte(src))
	if err != nil || n != len(`{'a': 1}`) {
		t.Errorf("Prefix: %d bytes, error %v", n, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`Namespace(a='x', b=[1, 2.5, None], c={(1, 2): "y"}, d=<f at 0x1>, ...)`, `{'a', b'\x00'}`, `N(a=(1,), b=-inf`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, n, err := Prefix([]byte(s))
		if n < 0 || n > len(s) {
			t.Fatalf("%d bytes of %d", n, len(s))
		}
		if err != nil {
			return
		}
		// What was read prints as something that reads back the same.
		text := Format(v)
		again, err := Parse([]byte(text + " "))
		if err != nil {
			t.Fatalf("%q printed as %q: %v", s, text, err)
		}
		if Format(again) != text {
			t.Fatalf("%q printed as %q, then as %q", s, text, Format(again))
		}
	})
}
