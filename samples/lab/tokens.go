package lab

import (
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
)

// vocabulary maps words to token ids and back. A word's id is a hash, so that
// it does not depend on what was seen before; the words are kept so that ids
// can be turned back into text.
type vocabulary struct {
	mu    sync.Mutex
	words map[int32]string
}

// Ids of words lie above those of generated tokens.
const (
	firstWordToken = 100_000
	wordTokens     = 1 << 24
)

// encode splits text at white space and gives each word its id.
func (v *vocabulary) encode(text string) []int32 {
	fields := strings.Fields(text)
	ids := make([]int32, len(fields))
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.words == nil {
		v.words = map[int32]string{}
	}
	for i, w := range fields {
		h := fnv.New32a()
		h.Write([]byte(w))
		ids[i] = firstWordToken + int32(h.Sum32()%wordTokens)
		v.words[ids[i]] = w
	}
	return ids
}

// decode turns ids into text that encodes to as many tokens.
func (v *vocabulary) decode(ids []int32) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	words := make([]string, len(ids))
	for i, id := range ids {
		if w, ok := v.words[id]; ok {
			words[i] = w
		} else {
			words[i] = "t" + strconv.Itoa(int(id))
		}
	}
	return strings.Join(words, " ")
}

// tokenText is the text of one generated token.
func tokenText(id int32) string { return " t" + strconv.Itoa(int(id)) }
