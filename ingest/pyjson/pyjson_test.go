package pyjson

import (
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReader(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"a": NaN}`, `{"a": "NaN"}`},
		{`{"a":Infinity,"b":-Infinity}`, `{"a":"Infinity","b":"-Infinity"}`},
		{`[-1.5, 1e-5, -0, -NaN]`, `[-1.5, 1e-5, -0, -"NaN"]`},
		{`{"NaN":"Infinity and \"NaN\""}`, `{"NaN":"Infinity and \"NaN\""}`},
		{`{"a":"\\",  "b":NaN}`, `{"a":"\\",  "b":"NaN"}`},
		{"[null, true]\n[Infinity]\n", "[null, true]\n[\"Infinity\"]\n"},
		{`Inf`, `Inf`},
		{`--Infinity`, `-"-Infinity"`},
		{``, ``},
	}
	for _, tt := range tests {
		for name, r := range map[string]io.Reader{
			"whole":       strings.NewReader(tt.in),
			"byte a time": iotest.OneByteReader(strings.NewReader(tt.in)),
		} {
			got, err := io.ReadAll(NewReader(r))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s: %q -> %q, %v; want %q", name, tt.in, got, err, tt.want)
			}
		}
		if got := string(Quote([]byte(tt.in))); got != tt.want {
			t.Errorf("Quote(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestReaderError(t *testing.T) {
	got, err := io.ReadAll(NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("[1,2]")))))
	if err != iotest.ErrTimeout || string(got) != "[" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestFloat(t *testing.T) {
	for in, want := range map[any]float64{1.5: 1.5, int64(2): 2, "inf": math.Inf(1), "-Infinity": math.Inf(-1)} {
		if f, ok := Float(in); !ok || f != want {
			t.Errorf("Float(%v) = %v, %v", in, f, ok)
		}
	}
	if f, ok := Float("NaN"); !ok || !math.IsNaN(f) {
		t.Errorf("Float(NaN) = %v, %v", f, ok)
	}
	for _, in := range []any{nil, true, "8", ""} {
		if f, ok := Float(in); ok {
			t.Errorf("Float(%v) = %v", in, f)
		}
	}
}

// FuzzReader holds the filter against the decoder: what was JSON before is the
// same bytes after, and the cut of the reads changes nothing.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`{"a":[NaN,-Infinity,"NaN"]}`, `"\\\"Infinity"`, `[1e5,-2]`, "N", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		whole, err := io.ReadAll(NewReader(strings.NewReader(s)))
		if err != nil {
			t.Fatal(err)
		}
		single, err := io.ReadAll(NewReader(iotest.OneByteReader(strings.NewReader(s))))
		if err != nil || string(single) != string(whole) {
			t.Fatalf("%q: whole %q, byte a time %q, %v", s, whole, single, err)
		}
		if json.Valid([]byte(s)) && string(whole) != s {
			t.Fatalf("%q was JSON and became %q", s, whole)
		}
	})
}
