package degrade

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"coldcase/samples"
)

// truth is what is known of a capture (truth/1). Counts that were not recorded
// are nil.
type truth struct {
	Engine string    `json:"engine"`
	Exact  *bool     `json:"exact"`
	Runs   []trueRun `json:"runs"`
}

// trueRun is what is known of one run, in the order in which the runs ran.
type trueRun struct {
	Run            string            `json:"run"`
	Files          []string          `json:"files"`
	Seed           *int64            `json:"seed"`
	SeedInCapture  *bool             `json:"seed_in_capture"`
	Prompts        int               `json:"prompts"`
	MaxConcurrency *int              `json:"max_concurrency"`
	CachedTokens   *int64            `json:"sum_cached_tokens"`
	Full           *int64            `json:"full"`
	Partial        *int64            `json:"partial"`
	FullAtStart    *int64            `json:"full_at_start"`
	PartialAtStart *int64            `json:"partial_at_start"`
	WarmAtStart    *int64            `json:"warm_at_start"`
	WarmUpCached   []int64           `json:"warm_up_cached"`
	ByOrigin       map[string]*int64 `json:"by_origin"`
	Verdict        string            `json:"verdict"`
}

// judged reports whether the truth names a count and a verdict for the run.
func (r *trueRun) judged() bool { return r.WarmAtStart != nil && r.Verdict != "" }

// files is a capture in memory: content by path.
type files map[string][]byte

// recorded is one capture of testdata.
type recorded struct {
	group, name string
	truth       truth
	files       files
}

// sampleOf names the captures that the product embeds; they are not kept twice.
var sampleOf = map[string]string{
	"s22-incident-32b":      "inversion",
	"s22-incident-32b-lean": "inversion-lean",
	"s23-fresh-seeds-32b":   "clean-sweep",
}

// loaded keeps the captures from one test to the next.
var loaded []*recorded

// load reads every capture with its truth, by group and name.
func load(t testing.TB) []*recorded {
	t.Helper()
	if loaded != nil {
		return loaded
	}
	paths, err := filepath.Glob("testdata/truth/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []*recorded
	for _, p := range paths {
		r := &recorded{
			group: filepath.Base(filepath.Dir(p)),
			name:  strings.TrimSuffix(filepath.Base(p), ".json"),
		}
		content, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &r.truth); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if r.files, err = r.read(); err != nil {
			t.Fatalf("%s/%s: %v", r.group, r.name, err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		t.Fatal("testdata holds no truth")
	}
	loaded = all
	return all
}

func (r *recorded) read() (files, error) {
	if name, ok := sampleOf[r.name]; ok {
		return readSample(name)
	}
	packed, err := os.Open(filepath.Join("testdata", "captures", r.group, r.name+".tar.zst"))
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	return readArchive(packed)
}

func readSample(name string) (files, error) {
	from, err := samples.FS(name)
	if err != nil {
		return nil, err
	}
	out := files{}
	err = fs.WalkDir(from, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		out[p], err = fs.ReadFile(from, p)
		return err
	})
	return out, err
}

func readArchive(r io.Reader) (files, error) {
	stream, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	out := files{}
	for archive := tar.NewReader(stream); ; {
		member, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		var content bytes.Buffer
		if _, err := io.Copy(&content, archive); err != nil {
			return nil, err
		}
		out[member.Name] = content.Bytes()
	}
}
