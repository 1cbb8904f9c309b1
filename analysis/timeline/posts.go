package timeline

import (
	"sort"

	"coldcase/ingest/capture"
)

// posts are the generation requests of a log that were answered with 200, the
// server's own warm-up left out. A log of a gigabyte has millions of them, so
// that only every so many access entries keep a running total.
type posts struct {
	log    *capture.ServerLog
	lives  []*Life
	totals []int32 // requests before access entry i * postStep
	n      int
}

const postStep = 256

func postsOf(log *capture.ServerLog, lives []*Life) posts {
	p := posts{log: log, lives: lives}
	for i, a := range log.Access.All() {
		if i%postStep == 0 {
			p.totals = append(p.totals, int32(p.n))
		}
		p.n += p.count(a)
	}
	return p
}

// count is the number of requests of one access entry.
func (p posts) count(a *capture.Access) int {
	if !generation(a.Path) || a.Status != 200 || int(a.Line) < lifeAt(p.lives, int(a.Line)).Ready {
		return 0
	}
	return int(a.N)
}

// line is the line of request i of an entry: those of a merged entry are spread
// evenly, since only their order and the entry's range matter.
func line(a *capture.Access, i int) int {
	if a.N <= 1 {
		return int(a.Line)
	}
	return int(a.Line) + int(a.To-a.Line)*i/int(a.N-1)
}

// before is the number of requests on lines before a line.
func (p posts) before(at int) int {
	k := sort.Search(p.log.Access.Len(), func(i int) bool { return int(p.log.Access.At(i).To) >= at })
	if k == p.log.Access.Len() {
		return p.n
	}
	n := p.until(k)
	if a := p.log.Access.At(k); p.count(a) > 0 {
		n += sort.Search(int(a.N), func(i int) bool { return line(a, i) >= at })
	}
	return n
}

// until is the number of requests before access entry k.
func (p posts) until(k int) int {
	n := int(p.totals[k/postStep])
	for _, a := range p.log.Access.Range(k/postStep*postStep, k) {
		n += p.count(a)
	}
	return n
}

// at is the line of request i of the log, i < n.
func (p posts) at(i int) int {
	block := sort.Search(len(p.totals), func(b int) bool { return int(p.totals[b]) > i }) - 1
	n := int(p.totals[block])
	for _, a := range p.log.Access.Range(block*postStep, p.log.Access.Len()) {
		c := p.count(a)
		if n+c > i {
			return line(a, i-n)
		}
		n += c
	}
	return 0
}

// PostsIn counts the generation requests of a range of lines.
func (t *Track) PostsIn(from, to int) int { return max(0, t.posts.before(to+1)-t.posts.before(from)) }

// post is the line of request i, counted from 0, of those from a line on to
// another; ok is false if there are fewer.
func (t *Track) post(from, to, i int) (line int, ok bool) {
	if i < 0 || i >= t.PostsIn(from, to) {
		return 0, false
	}
	return t.posts.at(t.posts.before(from) + i), true
}

// PostBefore is the line of the last request before a line.
func (t *Track) PostBefore(line int) (int, bool) {
	n := t.posts.before(line)
	if n == 0 {
		return 0, false
	}
	return t.posts.at(n - 1), true
}

// postStamp is the stamp of the first generation request between two lines.
func (t *Track) postStamp(from, to int) capture.Stamp {
	access := &t.Log.Access
	k := sort.Search(access.Len(), func(i int) bool { return int(access.At(i).To) >= from })
	for _, a := range access.Range(k, access.Len()) {
		if int(a.To) > to {
			break
		}
		if t.posts.count(a) > 0 {
			return a.Stamp
		}
	}
	return 0
}
