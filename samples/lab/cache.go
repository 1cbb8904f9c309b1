package lab

import (
	"container/heap"
	"encoding/binary"
	"hash/maphash"
)

// cache is a prefix cache at page granularity: a tree in which the path to a
// page spells the tokens before it. Only whole pages are kept. Pages that a
// running request uses are locked; the others form the LRU from which room is
// made, leaves first, so that the start of a prompt survives longest.
//
// A page is found by the hash of its tokens and of its parent. Both engines
// keep trees that give the same answer to "how many tokens of this prompt are
// here": SGLang v0.5.22 a radix tree cut to pages, vLLM v0.32 a chain of block
// hashes.
type cache struct {
	pageSize int
	pages    map[pageKey]*page
	root     page
	clock    uint64 // order of use
	seed     maphash.Seed
	lru      pageHeap
	buf      []byte
}

type pageKey struct {
	parent *page
	tokens uint64 // hash of the page's tokens
}

// page is one page of tokens in the tree.
type page struct {
	key      pageKey
	children int
	locks    int
	used     uint64 // clock of the last use
	owner    int64  // sequence number of the request that left it here
	gone     bool   // removed from the tree
}

func newCache(pageSize int) *cache {
	return &cache{pageSize: pageSize, pages: map[pageKey]*page{}, seed: maphash.MakeSeed()}
}

// tokens is the number of tokens held.
func (c *cache) tokens() int { return len(c.pages) * c.pageSize }

// match returns the pages that hold the longest known prefix of at most limit
// tokens, and marks them as used.
func (c *cache) match(tokens []int32, limit int) []*page {
	c.clock++
	var path []*page
	at := &c.root
	for n := c.pageSize; n <= limit && n <= len(tokens); n += c.pageSize {
		next := c.pages[c.key(at, tokens[n-c.pageSize:n])]
		if next == nil {
			break
		}
		c.touch(next)
		path = append(path, next)
		at = next
	}
	return path
}

// insert adds the whole pages of tokens below the path that is already known
// and returns the full path. added is the number of pages that were new.
func (c *cache) insert(tokens []int32, owner int64) (path []*page, added int) {
	c.clock++
	at := &c.root
	for n := c.pageSize; n <= len(tokens); n += c.pageSize {
		key := c.key(at, tokens[n-c.pageSize:n])
		p := c.pages[key]
		if p == nil {
			p = &page{key: key, owner: owner}
			c.pages[key] = p
			at.children++
			added++
		}
		c.touch(p)
		path = append(path, p)
		at = p
	}
	if len(path) > 0 {
		c.offer(path[len(path)-1])
	}
	return path, added
}

func (c *cache) lock(path []*page) {
	for _, p := range path {
		p.locks++
	}
}

func (c *cache) unlock(path []*page) {
	for _, p := range path {
		p.locks--
	}
	if len(path) > 0 {
		c.offer(path[len(path)-1])
	}
}

// evict removes at least n tokens of unlocked pages, oldest leaves first, and
// returns how many it could remove.
func (c *cache) evict(n int) (removed int) {
	for removed < n && c.lru.Len() > 0 {
		e := heap.Pop(&c.lru).(lruEntry)
		p := e.page
		if p.gone || p.children > 0 || p.locks > 0 {
			continue // offered again when it becomes a free leaf
		}
		if p.used != e.used {
			c.offer(p)
			continue
		}
		c.remove(p)
		removed += c.pageSize
	}
	return removed
}

// clear empties the cache. No page may be locked.
func (c *cache) clear() {
	c.pages = map[pageKey]*page{}
	c.root = page{}
	c.lru = nil
}

func (c *cache) remove(p *page) {
	delete(c.pages, p.key)
	p.gone = true
	parent := p.key.parent
	parent.children--
	if parent != &c.root && parent.children == 0 {
		c.offer(parent)
	}
}

func (c *cache) touch(p *page) { p.used = c.clock }

// offer makes a page a candidate for eviction if it is a free leaf.
func (c *cache) offer(p *page) {
	if !p.gone && p.children == 0 && p.locks == 0 {
		heap.Push(&c.lru, lruEntry{p, p.used})
	}
}

func (c *cache) key(parent *page, tokens []int32) pageKey {
	c.buf = c.buf[:0]
	for _, t := range tokens {
		c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(t))
	}
	return pageKey{parent, maphash.Bytes(c.seed, c.buf)}
}

// lruEntry is a candidate for eviction with the use that put it there.
type lruEntry struct {
	page *page
	used uint64
}

type pageHeap []lruEntry

func (h pageHeap) Len() int           { return len(h) }
func (h pageHeap) Less(i, j int) bool { return h[i].used < h[j].used }
func (h pageHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *pageHeap) Push(x any)        { *h = append(*h, x.(lruEntry)) }
func (h *pageHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}
