package carryover

import (
	"math"

	"coldcase/analysis/nesting"
	"coldcase/ingest/capture"
)

// lens bounds the lengths in tokens, as the server counts them, of the prompts
// of one run.
type lens struct {
	lo, hi int64 // hi == open: not known
	exact  bool  // every prompt has its own known length (perPrompt)
	by     string
}

const (
	// retokenSlack widens the client's plan where prompts are sent as text:
	// the server encodes it anew. The incident's prompts of 512 read 492 and
	// 510; a quarter is beyond any tokenizer seen.
	retokenSlack = 0.25
	retokenRoom  = 8
	// chatRoom is what a chat template may add.
	chatRoom = 256
)

// lensOf collects what is known of the lengths of a run's prompts.
func lensOf(r *capture.Run) lens {
	m := &r.Merged
	if q := m.Requests; q != nil && serverCounted(m) && len(q.Input) > 0 {
		if l, ok := listed(q.Input); ok {
			l.exact, l.by = true, "the server's count per request"
			return l
		}
	}
	l := planned(m)
	if h, ok := histogramLens(r); ok {
		lo, hi := max(l.lo, h.lo), min(l.hi, h.hi)
		if lo <= hi {
			l.lo, l.hi = lo, hi
		} else {
			l = h
		}
	}
	if q := m.Requests; l.by == "" && q != nil && len(q.Input) > 0 {
		if p, ok := listed(q.Input); ok {
			l = widen(p, 0)
			l.by = "the client's count per request"
		}
	}
	return l
}

// serverCounted reports whether the prompt lengths of the record are the
// server's own. SGLang's client writes them from 0.5.21 on where the answer
// carries them, which /generate always does; the argument rust_client came with
// 0.5.22 and stands in the arguments that the client prints.
func serverCounted(m *capture.Result) bool {
	if m.Requests == nil {
		return false
	}
	if m.Requests.InputByServer {
		return true
	}
	_, recent := m.Workload.Args["rust_client"]
	return m.Client == "sglang.bench_serving" && m.Workload.Form == "namespace" &&
		(recent || versionAtLeast(m.ClientVersion, 0, 5, 21)) && (m.Backend == "sglang" || m.Backend == "sglang-native")
}

// listed is the range of a list of lengths; ok is false if one is missing.
func listed(input []int32) (lens, bool) {
	l := lens{lo: open}
	for _, n := range input {
		if n <= 0 {
			return lens{}, false
		}
		l.lo, l.hi = min(l.lo, int64(n)), max(l.hi, int64(n))
	}
	return l, true
}

// planned derives bounds from what the client was told to send.
func planned(m *capture.Result) lens {
	w := &m.Workload
	unknown := lens{lo: 1, hi: open}
	if w.Groups != nil && w.SystemLen != nil && w.QuestionLen != nil {
		n := int64(*w.SystemLen + *w.QuestionLen)
		room := int64(0)
		if chat(m) {
			room = chatRoom
		}
		l := widen(lens{lo: n, hi: n}, room)
		if w.Turns != nil {
			l.hi = open // what was said before comes again, answers and all
		}
		l.by = "the arguments"
		return l
	}
	if w.InputLen == nil {
		return unknown
	}
	n := float64(*w.InputLen)
	if w.PrefixLen != nil {
		n += float64(*w.PrefixLen)
	}
	lo, hi := n, n
	switch {
	case w.RangeRatio == nil && m.Client == "":
		return unknown
	case w.RangeRatio != nil && nesting.For(m.Client).SymmetricRatio:
		lo, hi = n*(1-*w.RangeRatio), n*(1+*w.RangeRatio)
	case w.RangeRatio != nil:
		lo = n * *w.RangeRatio
	}
	l := lens{lo: max(1, int64(math.Floor(lo))), hi: max(1, int64(math.Ceil(hi)))}
	l.by = "the arguments"
	if w.TokenIDs {
		return l
	}
	room := int64(0)
	if chat(m) {
		room = chatRoom
	}
	by := l.by
	l = widen(l, room)
	l.by = by
	return l
}

func chat(m *capture.Result) bool {
	for _, s := range []string{m.Backend, argString(m.Workload.Args, "endpoint"), argString(m.Workload.Args, "backend")} {
		if containsFold(s, "chat") {
			return true
		}
	}
	return nesting.For(m.Client).Chat
}

func widen(l lens, room int64) lens {
	l.lo = max(1, int64(float64(l.lo)*(1-retokenSlack)))
	if l.hi != open {
		l.hi = int64(float64(l.hi)*(1+retokenSlack)) + retokenRoom + room
	}
	return l
}

// histogramLens bounds the lengths of all requests between two scrapes by the
// buckets in which they fall.
func histogramLens(r *capture.Run) (lens, bool) {
	h := capture.NewDelta(r.Before, r.After).PromptLengths()
	if !h.OK || h.Count == 0 {
		return lens{}, false
	}
	l := lens{lo: open, by: "the prompt length histogram"}
	below, n := 0.0, 0.0
	for _, b := range h.Buckets {
		if b.N > n {
			l.lo = min(l.lo, int64(below)+1)
			l.hi = open
			if !math.IsInf(b.LE, 1) {
				l.hi = int64(b.LE)
			}
		}
		below, n = b.LE, b.N
	}
	return l, l.lo != open
}

// sizes are the hit thresholds of docs/contracts.md 2 for one range of
// lengths: what a full hit holds, and from where on a hit counts at all.
type sizes struct {
	page           int64 // 1 if unknown
	pageKnown      bool
	plain          bool  // the cache kind reuses a prompt up to its last token
	minLen, maxLen int64 // of the prompts
	fullLo, fullHi int64 // cached tokens of a full hit
	newFull        int64 // most new tokens of a full hit
	hitLo, hitHi   int64 // least cached tokens of any hit, for the shortest and the longest prompt
	longestPartial int64 // most cached tokens of a partial hit
	crumb          int64 // most cached tokens of what is no hit; open if not known
	neverHit       bool  // prompts too short to count
	short          bool  // the lengths are told, and may be as short as that
}

// unknownPage is the largest page that a backend forces (FlashMLA 64, Ascend
// and TRT-LLM MLA 128); with an unknown page a full hit may leave that much.
const unknownPage = 128

func sizesOf(l lens, page int64, pageKnown, plain bool) sizes {
	s := sizes{page: page, pageKnown: pageKnown, plain: plain, short: l.by != ""}
	s.of(l.lo, l.hi)
	return s
}

// of sets the thresholds for lengths from lo to hi.
func (s *sizes) of(lo, hi int64) {
	s.minLen, s.maxLen = lo, hi
	page := s.page
	rest := page
	if !s.pageKnown {
		rest = unknownPage
	}
	s.fullLo = max(0, s.minLen-rest)
	if s.pageKnown {
		s.fullLo = fullHit(s.minLen, page)
	}
	s.newFull = rest
	s.fullHi, s.longestPartial = open, open
	if s.maxLen != open {
		s.fullHi = s.maxLen - 1
		if s.pageKnown {
			s.fullHi = fullHit(s.maxLen, page)
		}
		s.longestPartial = max(0, s.fullHi-1)
	}
	if !s.plain {
		// Sliding window, Mamba checkpoints, EAGLE: the kind keeps less, and
		// how much less is not told; a full hit then looks like a partial one.
		s.fullLo, s.newFull = hitFrom(s.minLen, page), s.maxLen
	}
	s.hitLo = hitFrom(s.minLen, page)
	s.fullLo = max(s.fullLo, s.hitLo)
	s.hitHi = open
	if s.maxLen != open {
		s.hitHi = hitFrom(s.maxLen, page)
	}
	s.crumb = open
	if s.hitHi != open {
		s.crumb = (s.hitHi - 1) / page * page // caches hand out whole pages
	}
	s.neverHit = s.maxLen < max(16, page)
}

// fullHit is the most that a prompt of n tokens can take from a paged cache:
// its last token is always computed.
func fullHit(n, page int64) int64 { return (n - 1) / page * page }

// hitFrom is the least number of cached tokens that makes a hit of a prompt of
// n tokens: one page, 16 tokens and 5 % of it.
func hitFrom(n, page int64) int64 { return max(page, 16, ceilDiv(n, 20)) }

// classify names the hit of one prompt of exactly n tokens.
func classify(cached, n, page int64, plain bool) Hit {
	switch {
	case cached <= 0:
		return Miss
	case n < max(16, page) || cached < hitFrom(n, page):
		return Trace
	case cached >= fullHit(n, page) || (!plain && cached >= n-n/4):
		return FullHit
	}
	return PartialHit
}
