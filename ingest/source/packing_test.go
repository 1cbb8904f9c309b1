package source

import (
	"bytes"
	"strings"
	"testing"
)

func TestDamagedCompression(t *testing.T) {
	text := strings.Repeat("a line of a log that goes on\n", 5000)
	packed := gzipOf(t, []byte(text))
	broken := bytes.Clone(packed)
	broken[len(broken)-5] ^= 0xff
	for _, c := range []struct {
		name    string
		data    []byte
		trouble string
	}{
		{"cut", packed[:len(packed)/2], "the compressed data ends early"},
		{"wrong checksum", broken, "the compressed data is damaged: wrong checksum"},
		{"cut zstd", zstdOf(t, []byte(text))[:20], "the compressed data ends early"},
		{"whole", packed, ""},
	} {
		tree, err := Open(write(t, t.TempDir(), "x.log", c.data), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, trouble := textOf(t, tree.Entries[0])
		if trouble != c.trouble {
			t.Errorf("%s: trouble %q, want %q", c.name, trouble, c.trouble)
		}
		if !strings.HasPrefix(text, got) || c.name == "cut" && got == "" {
			t.Errorf("%s: %d bytes, no beginning of the text", c.name, len(got))
		}
	}
}

func TestDecompressionIsBounded(t *testing.T) {
	bomb := gzipOf(t, make([]byte, 4<<20))
	limits := Limits{FileBytes: 3 << 20, Ratio: 100, RatioFrom: 1 << 20}
	for _, c := range []struct {
		name   string
		limits Limits
		want   string
	}{
		{"ratio", limits, "decompresses more than 100 fold"},
		{"size", Limits{FileBytes: 1 << 20}, "more than 1048576 bytes"},
	} {
		tree, err := Open(write(t, t.TempDir(), "x.gz", bomb), Options{Limits: c.limits})
		if err != nil {
			t.Fatal(err)
		}
		got, trouble := textOf(t, tree.Entries[0])
		if !strings.Contains(trouble, c.want) || len(got) == 0 || len(got) > 2<<20 {
			t.Errorf("%s: %d bytes, trouble %q", c.name, len(got), trouble)
		}
	}
}

func TestEncodings(t *testing.T) {
	for name, data := range map[string]string{
		"utf-8 with mark": "\xef\xbb\xbfgrüße\n",
		"utf-16 little":   "\xff\xfeg\x00r\x00\xfc\x00\xdf\x00e\x00\n\x00",
		"utf-16 big":      "\xfe\xff\x00g\x00r\x00\xfc\x00\xdf\x00e\x00\n",
		"plain":           "grüße\n",
	} {
		tree, err := Open(write(t, t.TempDir(), "x.txt", []byte(data)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, trouble := textOf(t, tree.Entries[0]); got != "grüße\n" || trouble != "" {
			t.Errorf("%s: %q, %q", name, got, trouble)
		}
	}
}
