package lab

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteTokenizer: what the tokenizer calls n tokens, the lab counts as n.
func TestWriteTokenizer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	s, err := New(Config{TokenizerDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Pre struct {
			Type string `json:"type"`
		} `json:"pre_tokenizer"`
		Decoder *struct{} `json:"decoder"`
		Model   struct {
			Type  string         `json:"type"`
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Pre.Type != "WhitespaceSplit" || doc.Decoder != nil || doc.Model.Type != "WordLevel" {
		t.Errorf("splits by %q, decodes by %v, model %q: tokens are not words", doc.Pre.Type, doc.Decoder, doc.Model.Type)
	}
	words := make([]string, len(doc.Model.Vocab))
	for w, id := range doc.Model.Vocab {
		if id < 0 || id >= len(words) || words[id] != "" {
			t.Fatalf("id %d of %q is out of range or given twice", id, w)
		}
		words[id] = w
	}
	if got := len(s.vocab.encode(strings.Join(words, " "))); got != tokenizerWords {
		t.Errorf("all %d words are %d tokens of the lab", tokenizerWords, got)
	}
	if _, err := os.Stat(filepath.Join(dir, "tokenizer_config.json")); err != nil {
		t.Error(err)
	}
	if _, err := New(Config{TokenizerDir: filepath.Join(dir, "tokenizer.json")}); err == nil || !strings.Contains(err.Error(), "--tokenizer") {
		t.Errorf("a file in place of the folder: %v", err)
	}
}
