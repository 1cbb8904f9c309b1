package carryover

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// slowLRU is the same cache as a plain list, the least recent first.
type slowLRU struct {
	pool    int64
	ids     []int
	tokens  map[int]int64
	evicted int64
}

func (c *slowLRU) used() (n int64) {
	for _, id := range c.ids {
		n += c.tokens[id]
	}
	return n
}

func (c *slowLRU) put(id int, tokens int64) {
	if i := slices.Index(c.ids, id); i >= 0 {
		c.ids = append(slices.Delete(c.ids, i, i+1), id)
		return
	}
	c.ids = append(c.ids, id)
	c.tokens[id] = tokens
	for c.pool > 0 && c.used() > c.pool && len(c.ids) > 1 {
		c.evicted += c.tokens[c.ids[0]]
		c.ids = c.ids[1:]
	}
}

func TestLRUAgainstList(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 300 {
		pool := r.Int64N(40)
		fast, slow := lru{}, slowLRU{pool: pool, tokens: map[int]int64{}}
		fast.size(&pool)
		fast.clear()
		for range 60 {
			id, tokens := r.IntN(12), 1+r.Int64N(9)
			fast.put(id, tokens)
			slow.put(id, tokens)
			for id := range 12 {
				if fast.has(id) != slices.Contains(slow.ids, id) {
					t.Fatalf("pool %d: prompt %d is there %v, in the list %v", pool, id, fast.has(id), slow.ids)
				}
			}
			if fast.used != slow.used() || fast.evicted != slow.evicted {
				t.Fatalf("pool %d: %d used, %d evicted, the list has %d and %d", pool, fast.used, fast.evicted, slow.used(), slow.evicted)
			}
		}
	}
}

func TestLRUWithoutPool(t *testing.T) {
	var c lru
	c.size(nil)
	for id := range 1000 {
		c.put(id, 1<<20)
	}
	if !c.has(0) || c.evicted != 0 {
		t.Errorf("a pool of unknown size: the first prompt is there %v, %d tokens evicted", c.has(0), c.evicted)
	}
	c.clear()
	if c.has(0) || c.has(999) {
		t.Error("prompts are there after a flush")
	}
}
