package carryover

import (
	"container/list"
	"fmt"
)

// lru is the model of a prefix cache for the replay: prompts by identity, the
// least recently used ones leaving first when the pool is full (SGLang's
// default eviction; vLLM frees blocks in the same order).
type lru struct {
	pool    int64 // tokens, 0 not known: nothing is evicted
	used    int64
	evicted int64
	order   *list.List // front: most recent
	at      map[int]*list.Element
}

type entry struct {
	id     int
	tokens int64
}

func (c *lru) size(pool *int64) {
	if pool != nil {
		c.pool = *pool
	}
}

func (c *lru) clear() {
	c.order, c.at, c.used, c.evicted = list.New(), map[int]*list.Element{}, 0, 0
}

func (c *lru) has(id int) bool { return c.at[id] != nil }

func (c *lru) put(id int, tokens int64) {
	if c.order == nil {
		c.clear()
	}
	if e := c.at[id]; e != nil {
		c.order.MoveToFront(e)
		return
	}
	c.at[id] = c.order.PushFront(entry{id, tokens})
	c.used += tokens
	for c.pool > 0 && c.used > c.pool && c.order.Len() > 1 {
		last := c.order.Back()
		x := last.Value.(entry)
		c.order.Remove(last)
		delete(c.at, x.id)
		c.used -= x.tokens
		c.evicted += x.tokens
	}
}

// note says what the pool did to a prediction.
func (c *lru) note(f *forecast) []string {
	switch {
	case len(f.from) == 0:
		return nil
	case c.pool == 0:
		return []string{"the size of the pool is not known: nothing is assumed to be evicted"}
	case c.evicted > 0:
		return []string{fmt.Sprintf("the pool holds %d tokens, and the runs sent about %d more than that", c.pool, c.evicted)}
	}
	return nil
}
