// Package record runs a planned sweep against a server and writes a capture
// folder that every other command reads.
//
// The idea is that a cell counts only if its cold start was proved by outcome.
// Each fresh cell goes: idle, a warm-up with prompts of its own, a private
// canary prompt twice (the second time it must be cached: the cache is on and
// can be seen), a flush, the canary once more, which must show no cached
// token, counters, the client, idle, counters, the slice of the server's log.
// What a flush answered is written down and proves nothing. Anything in doubt
// makes a cell refused or failed, with the reason; such a cell is never green,
// and running again takes it up.
//
// Files are written whole or not at all, and a cell that has not ended says
// so, so that a crash at any moment leaves every finished cell as it was.
//
// The package speaks to the one address it was given. Keys come from the
// environment and are never written. Out of scope: starting servers (but for
// --restart-cmd), other engines than SGLang and vLLM, and any judgement of the
// results, which belongs to analysis.
package record
