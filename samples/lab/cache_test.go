package lab

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// slowCache is the cache said in another way: all whole-page prefixes that are
// present, as strings of tokens, with the time of their last use.
type slowCache struct {
	page  int
	at    uint64
	known []slowPrefix
}

type slowPrefix struct {
	tokens []int32
	used   uint64
}

func (c *slowCache) find(tokens []int32) int {
	return slices.IndexFunc(c.known, func(p slowPrefix) bool { return slices.Equal(p.tokens, tokens) })
}

func (c *slowCache) match(tokens []int32, limit int) (n int) {
	c.at++
	for n+c.page <= min(limit, len(tokens)) {
		i := c.find(tokens[:n+c.page])
		if i < 0 {
			break
		}
		c.known[i].used = c.at
		n += c.page
	}
	return n
}

func (c *slowCache) insert(tokens []int32) {
	c.at++
	for n := c.page; n <= len(tokens); n += c.page {
		i := c.find(tokens[:n])
		if i < 0 {
			c.known = append(c.known, slowPrefix{tokens: slices.Clone(tokens[:n])})
			i = len(c.known) - 1
		}
		c.known[i].used = c.at
	}
}

// evict removes pages that no longer prefix extends, oldest first.
func (c *slowCache) evict(n int) (removed int) {
	for removed < n && len(c.known) > 0 {
		oldest := -1
		for i, p := range c.known {
			leaf := !slices.ContainsFunc(c.known, func(o slowPrefix) bool {
				return len(o.tokens) > len(p.tokens) && slices.Equal(o.tokens[:len(p.tokens)], p.tokens)
			})
			if leaf && (oldest < 0 || p.used < c.known[oldest].used) {
				oldest = i
			}
		}
		c.known = slices.Delete(c.known, oldest, oldest+1)
		removed += c.page
	}
	return removed
}

func TestCacheAgainstSlowOracle(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		pageSize := 1 + rng.IntN(4)
		fast, slow := newCache(pageSize), &slowCache{page: pageSize}
		for op := range 120 {
			tokens := make([]int32, rng.IntN(14))
			for i := range tokens {
				tokens[i] = rng.Int32N(2) // a small alphabet, so that prefixes meet
			}
			switch rng.IntN(5) {
			case 0, 1:
				fast.insert(tokens, int64(op))
				slow.insert(tokens)
			case 2, 3:
				limit := len(tokens) - rng.IntN(2)
				got, want := len(fast.match(tokens, limit))*pageSize, slow.match(tokens, limit)
				if got != want {
					t.Fatalf("seed %d, step %d: match(%v, %d) = %d, want %d", seed, op, tokens, limit, got, want)
				}
			case 4:
				n := rng.IntN(8)
				if got, want := fast.evict(n), slow.evict(n); got != want {
					t.Fatalf("seed %d, step %d: evict(%d) = %d, want %d", seed, op, n, got, want)
				}
			}
			if got, want := fast.tokens(), len(slow.known)*pageSize; got != want {
				t.Fatalf("seed %d, step %d: %d tokens held, want %d", seed, op, got, want)
			}
		}
	}
}

func TestLockedPagesAreNotEvicted(t *testing.T) {
	c := newCache(2)
	path, added := c.insert([]int32{1, 2, 3, 4}, 7)
	if added != 2 || path[1].owner != 7 {
		t.Fatalf("insert: %d pages added, owner %d", added, path[1].owner)
	}
	c.lock(path)
	if got := c.evict(4); got != 0 {
		t.Errorf("evicted %d tokens of locked pages", got)
	}
	c.unlock(path)
	if got := c.evict(4); got != 4 {
		t.Errorf("evicted %d tokens after unlock, want 4", got)
	}
}
