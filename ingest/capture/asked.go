package capture

import "hash/fnv"

// Asked is a line on which a server says that a request came in. Prompts are
// kept as hashes: equal texts are equal prompts, and no text leaves the log.
type Asked struct {
	Line  int32
	Stamp Stamp
	RID   uint64 // hash of the request id
	// Prefix is the hash of the part of the request id that the client gave
	// all requests of one run (vLLM's --request-id-prefix), 0 if there is none;
	// Index is the prompt's place in the client's list, -1 unknown.
	Prefix uint64
	Index  int32
	Tokens int32  // prompt tokens, -1 unknown
	Text   uint64 // hash of the prompt text, 0 if the line has none
	IDs    uint64 // hash of the prompt's token ids, 0 if the line has none
	// Whole is false where the server may have cut the text or the ids to its
	// log limit: equal hashes are then only equal beginnings.
	Whole bool
}

// HashText is the hash (FNV-1a, 64 bits) by which texts of a capture are
// compared. It is never 0, which stands for "no text".
func HashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // a hash.Hash never returns an error
	if sum := h.Sum64(); sum != 0 {
		return sum
	}
	return 1
}
