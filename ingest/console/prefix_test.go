package console

import (
	"strings"
	"testing"
)

func TestCommonPrefix(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"pod server [2026-11-29 1] a\npod server x\npod server y z\npod server\npod server [2026\n", "pod server "},
		{"> a\n>\n> b\n> c\n> d\n", "> "},
		{"    a\n\n    b\n      c\n    d\n", "    "},
		{"[2026-11-29 15:45:51] a\n[2026-11-29 15:45:52] b\n[2026-11-29 15:45:52] c\n[2026-11-29 15:45:53] d\n", ""},
		{"0: a\n0: b\n0: c\n", ""}, // too few
		{"abc1\nabc2\nabc3\nabc4\n", ""},
		{"0: a\n0: b\n1: c\n0: d\n", ""},
	} {
		if got := commonPrefix([]byte(c.head)); string(got) != c.want {
			t.Errorf("%q: %q, want %q", c.head, got, c.want)
		}
	}
	for _, c := range []struct{ prefix, line, want string }{
		{"", "a", "a"}, {"> ", "> a", "a"}, {"> ", ">", ""}, {"> ", "a", "a"}, {"0: ", "0: ", ""},
	} {
		if got := unprefix([]byte(c.prefix), []byte(c.line)); string(got) != c.want {
			t.Errorf("%q without %q: %q, want %q", c.line, c.prefix, got, c.want)
		}
	}
}

// What collectors put in front of a line is taken off, and their tasks are kept
// apart; lines of a log that look alike stay whole.
func TestCollectors(t *testing.T) {
	const line = "[2026-11-29 15:48:30] Prefill batch, #new-seq: 1"
	for _, c := range []struct{ head, service string }{
		{"2026-11-29T15:45:51.123456789Z stdout F ", ""},
		{"2026-11-29T16:45:51.123456789+01:00 stderr P ", ""},
		{"2026-11-29T15:45:51.123456Z 01O ", ""},
		{"2026-11-29T15:45:51.123456Z 00E+", ""},
		{"2026-11-29T15:45:51+0100 node-03 python3[12345]: ", ""},
		{"Nov 29 15:45:51 ", ""},
		{"Nov 29 15:45:51 node-03 docker[12345]: ", ""},
		{"server.log:120:", ""},
		{"logs/server.log:", ""},
		{"120:", ""},
		{"   120\t", ""},
		{"0: ", "task 0"},
		{"  12: ", "task 12"},
		{"[1,0]<stdout>:", "rank 0"},
		{"[12,3]<stderr>:", "rank 3"},
		{"[default7]:", "default7"},
		{"engine-1  | [default7]:", "engine-1"},
	} {
		if f := unframe([]byte(c.head + line)); string(f.text) != line || f.service != c.service {
			t.Errorf("%q: %q of %q, want the line of %q", c.head, f.text, f.service, c.service)
		}
	}
	for _, whole := range []string{
		line, "[1,0] text", "[default] text", "12 [2026 prompts]", "see note:[2026-11-29] x", "12:30 now", "0", "[1", "[12", " ",
		"Mean TTFT (ms):      12.00", "INFO:     127.0.0.1:5 - \"GET / HTTP/1.1\" 200 OK",
	} {
		if f := unframe([]byte(whole)); string(f.text) != whole || f.service != "" {
			t.Errorf("%q became %q of %q", whole, f.text, f.service)
		}
	}
	if strings.Contains(string(unprefix([]byte("a b "), []byte("a b a b c"))), "a b a b") {
		t.Error("a prefix was taken off twice or not at all")
	}
}
