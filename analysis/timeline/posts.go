package timeline

import (
	"sort"

	"coldcase/ingest/capture"
)

// posts are the generation requests of a log that were answered with 200, the
// server's own warm-up left out, as runs of access lines: a log of a gigabyte
// has millions of them.
type posts struct {
	log  *capture.ServerLog
	runs []postRun
}

// postRun is a run of n requests on the lines from to to, spread evenly; before
// is the number of requests in front of it, access the entry it comes from.
type postRun struct{ from, to, n, before, access int32 }

func postsOf(log *capture.ServerLog, lives []*Life) posts {
	p := posts{log: log}
	total := int32(0)
	for i, a := range log.Access.All() {
		if !generation(a.Path) || a.Status != 200 || int(a.Line) < lifeAt(lives, int(a.Line)).Ready {
			continue
		}
		p.runs = append(p.runs, postRun{a.Line, a.To, a.N, total, int32(i)})
		total += a.N
	}
	return p
}

// line is the line of request i of the run.
func (r postRun) line(i int) int {
	if r.n <= 1 {
		return int(r.from)
	}
	return int(r.from) + int(r.to-r.from)*i/int(r.n-1)
}

// before is the number of requests on lines before a line.
func (p posts) before(line int) int {
	k := sort.Search(len(p.runs), func(i int) bool { return int(p.runs[i].to) >= line })
	if k == len(p.runs) {
		if k == 0 {
			return 0
		}
		return int(p.runs[k-1].before + p.runs[k-1].n)
	}
	r := p.runs[k]
	return int(r.before) + sort.Search(int(r.n), func(i int) bool { return r.line(i) >= line })
}

// at is the line of request i of the log.
func (p posts) at(i int) int {
	k := sort.Search(len(p.runs), func(k int) bool { return int(p.runs[k].before+p.runs[k].n) > i })
	return p.runs[k].line(i - int(p.runs[k].before))
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
	i := sort.Search(len(t.posts.runs), func(i int) bool { return int(t.posts.runs[i].to) >= from })
	if i < len(t.posts.runs) && int(t.posts.runs[i].to) <= to {
		return t.Log.Access.At(int(t.posts.runs[i].access)).Stamp
	}
	return 0
}
