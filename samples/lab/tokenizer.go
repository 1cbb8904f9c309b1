package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// tokenizerWords is the size of the written vocabulary. The engines' random
// data sets draw where a prompt begins from it: few words would make prompts
// equal by chance.
const tokenizerWords = 100_000

// WriteTokenizer writes a tokenizer in the format of Hugging Face into dir,
// which it makes if need be. Its tokens are words between white space, as the
// lab counts them. A client that makes its prompts as text has to build them
// with it: with another tokenizer, 512 tokens of the client are some other
// number of tokens here, and its times are those of other prompts.
func WriteTokenizer(dir string) error {
	const unknown = "<unk>"
	words := make(map[string]int, tokenizerWords)
	words[unknown] = 0
	for i := 1; i < tokenizerWords; i++ {
		words["t"+strconv.Itoa(i)] = i
	}
	files := map[string]any{
		// Without a decoder, tokens are joined with blanks.
		"tokenizer.json": map[string]any{
			"version": "1.0",
			"added_tokens": []any{map[string]any{
				"id": 0, "content": unknown, "special": true,
				"single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
			}},
			"normalizer": nil, "pre_tokenizer": map[string]any{"type": "WhitespaceSplit"},
			"post_processor": nil, "decoder": nil, "truncation": nil, "padding": nil,
			"model": map[string]any{"type": "WordLevel", "vocab": words, "unk_token": unknown},
		},
		"tokenizer_config.json": map[string]any{
			"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": unknown,
			"clean_up_tokenization_spaces": false, "model_max_length": contextLen,
		},
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--tokenizer: %w", err)
	}
	for name, content := range files {
		b, err := json.Marshal(content)
		if err != nil {
			panic(err) // maps of strings and numbers always marshal
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return fmt.Errorf("--tokenizer: %w", err)
		}
	}
	return nil
}
