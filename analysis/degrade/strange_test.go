package degrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis"
)

// open ends of what rules tell, by capture: there the whole capture is not
// counted exactly, and only has to hold the truth.
var openEnds = map[string]string{
	"r04-sharegpt": "conversations of a dataset may open alike: which hits the run made itself is not told",
	"r17-gsp":      "which prompts share a group with the warm-up, or with an earlier run, the texts alone would tell",
}

// strangeKinds is what is left of the captures that were recorded after the
// count had been written.
var strangeKinds = []kind{
	{"silent-log", 1, logs(false, func(log []byte, _ *rand.Rand) []byte { return silenced(log) })},
	{"silent-log-no-stamps", 1, logs(false, func(log []byte, _ *rand.Rand) []byte { return unstamped(silenced(log)) })},
	{"no-stamps", 1, logs(false, func(log []byte, _ *rand.Rand) []byte { return unstamped(log) })},
	{"rotated", 1, rotated},
	{"rotated-silent", 1, func(base, full files, r *rand.Rand) (files, map[string]string) {
		quiet, _ := logs(false, func(log []byte, _ *rand.Rand) []byte { return silenced(log) })(base, full, r)
		return rotated(quiet, full, r)
	}},
	{"records-with-details", 1, func(_, full files, r *rand.Rand) (files, map[string]string) {
		return only(isRecord)(full, full, r)
	}},
	{"records-and-log", 1, func(_, full files, r *rand.Rand) (files, map[string]string) {
		return only(anyOf(isRecord, isLog))(full, full, r)
	}},
	{"no-after-metrics", 1, only(func(name string) bool { return !isMetrics(name) || !strings.Contains(name, "after") })},
	{"log-twice", 1, func(base, _ files, _ *rand.Rand) (files, map[string]string) {
		out := files{}
		for name, content := range base {
			out[name] = content
			if isLog(name) {
				out["copy-of-"+name] = content
			}
		}
		return out, nil
	}},
}

// silenced takes the access lines out of a log, as --log-level-http warning
// does.
func silenced(log []byte) []byte {
	return filterLines(log, func(line []byte) bool { return !bytes.Contains(line, []byte("HTTP/1.1")) })
}

// unstamped takes the times off a log's lines.
func unstamped(log []byte) []byte {
	var out [][]byte
	for line := range bytes.Lines(log) {
		if _, rest, ok := bytes.Cut(line, []byte("] ")); ok && line[0] == '[' {
			line = rest
		}
		out = append(out, line)
	}
	return bytes.Join(out, nil)
}

// rotated cuts a log in two at a line, the older part with a number.
func rotated(base, _ files, _ *rand.Rand) (files, map[string]string) {
	out := files{}
	for name, content := range base {
		if !isLog(name) {
			out[name] = content
			continue
		}
		at := bytes.IndexByte(content[len(content)*6/10:], '\n') + len(content)*6/10 + 1
		out[name+".1"], out[name] = content[:at], content[at:]
	}
	return out, nil
}

// Captures of kinds that nobody had when the count was written: conversations,
// a longer input of the same seed, a pool that evicts in part, a server that
// writes no access lines with and without another client, shared prefixes.
func TestStrangeCaptures(t *testing.T) {
	paths, err := filepath.Glob("testdata/strange/truth/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no captures", err)
	}
	for _, p := range paths {
		rec := &recorded{name: strings.TrimSuffix(filepath.Base(p), ".json")}
		content, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &rec.truth); err != nil {
			t.Fatal(p, err)
		}
		packed, err := os.Open(filepath.Join("testdata/strange/captures", rec.name+".tar.zst"))
		if err != nil {
			t.Fatal(err)
		}
		rec.files, err = readArchive(packed)
		packed.Close()
		if err != nil {
			t.Fatal(p, err)
		}
		if openEnds[rec.name] != "" {
			no := false
			rec.truth.Exact = &no
		}
		vs := []*variant{wholeOf(rec)}
		base := files{}
		for name, content := range rec.files {
			base[name] = withoutDetails(name, content)
		}
		for _, k := range strangeKinds {
			left, names := k.make(base, rec.files, seeded(rec.name, k.name, 0))
			vs = append(vs, &variant{kind: k.name, files: left, names: names, truth: rec.truth})
		}
		for _, v := range vs {
			t.Run(fmt.Sprintf("%s/%s", rec.name, v.kind), func(t *testing.T) {
				for _, f := range judge(v, analysis.Count(open(t, v))).faults {
					t.Error(f)
				}
			})
		}
	}
}
