package sglang

import "coldcase/ingest/capture"

// A sheaf takes up to sheafMost lines at once; fewer at first and after a line
// that needed a closer look, since what was sorted behind that is sorted again.
const (
	sheafLeast = 8
	sheafMost  = 128
)

// sheaf are consecutive lines of a text, sorted by what their first words say.
type sheaf struct {
	most     int // lines to sort at once
	n        int
	used     int                  // control characters that end the lines
	places   [sheafMost + 1]place // the last one is that of the line behind them
	decodes  kindLines
	accesses kindLines
	prefills kindLines
	before   [sheafMost + 1]uint8 // access lines in front of each prefill line

	running, queue int32 // the most that a decode line says, -1 none
	batches        int   // of the section, before the sheaf

	usual
}

// place is where a line stands in the text.
type place struct {
	start    int32
	from, to int32 // its message, without bracket and line end
}

// kindLines are the lines of one kind, as indexes into places.
type kindLines struct {
	n int
	k [sheafMost + 1]uint8
}

func (l *kindLines) all() []uint8 { return l.k[:l.n] }

// cut drops the lines from index k on.
func (l *kindLines) cut(k int) {
	for l.n > 0 && int(l.k[l.n-1]) >= k {
		l.n--
	}
}

// sort fills the sheaf with the next lines of a text, up to one that is of no
// kind or of another second.
func (x *sheaf) sort(s *section, l *lines) {
	var head [bracketLen]byte
	head[0], head[bracketLen-2], head[bracketLen-1] = '[', ']', ' '
	copy(head[1:], s.parser.stamps.text[:])
	first, middle, last := word(head[:]), word(head[8:]), word(head[bracketLen-8:])
	second := word(head[bracketLen-10:])
	text := l.text
	x.batches, x.most = len(s.batches), max(x.most, sheafLeast)
	if fast {
		x.usual.follow(s, l)
	}
	stray := l.stray(l.at)
	x.decodes.n, x.accesses.n, x.prefills.n = 0, 0, 0
	k := x.sortUsual(l, stray, x.most)
	most := x.most
	if k >= sheafLeast {
		most = k
	} else if fast {
		most = sheafLeast
	}
	used, start := k, l.at
	if k > 0 {
		start = int(x.places[k].start)
	}
	decodes, accesses, prefills := x.decodes.n, x.accesses.n, x.prefills.n
	for k < most && used < len(l.ends) && len(text)-start >= skimRoom {
		b := (*[skimRoom]byte)(text[start:])
		if (word(b[:])^first)|(word(b[8:])^middle) != 0 {
			break
		}
		at := bracketLen
		if word(b[bracketLen-8:]) != last {
			if word(b[bracketLen-10:]) != second {
				break
			}
			if at = s.parser.stamps.tail(b[:maxBracket], stampLen+1, &s.ev); at == 0 {
				break
			}
		}
		end, behind := int(l.ends[used]), used+1
		next := end + 1
		if text[end] != '\n' {
			if behind == len(l.ends) || int(l.ends[behind]) != next || text[end] != '\r' || text[next] != '\n' {
				break
			}
			next++
			behind++
		}
		m := text[start+at:]
		decode, access, prefill := 0, 0, 0
		switch m[0] {
		case 'D':
			decode = opens(m, decodeHead)
		case 'I':
			access = opens(m, accessHead) & s.ev.seen.opens(m[len(accessHead):])
		case 'P':
			prefill = opens(m, prefillHead)
		}
		if decode|access|prefill == 0 && speaks[m[0]] {
			break
		}
		if stray < end {
			if stray = l.stray(start); stray < end && decode != 0 {
				break // another line may be glued to this one
			}
		}
		p := &x.places[k]
		p.start, p.from, p.to = int32(start), int32(start+at), int32(end)
		x.decodes.k[decodes] = uint8(k)
		x.accesses.k[accesses] = uint8(k)
		x.prefills.k[prefills] = uint8(k)
		x.before[prefills] = uint8(accesses)
		decodes += decode
		accesses += access
		prefills += prefill
		k++
		start, used = next, behind
	}
	x.places[k].start = int32(start)
	x.n, x.used, x.decodes.n, x.accesses.n, x.prefills.n = k, used, decodes, accesses, prefills
}

// opens is 1 if a line opens with a text, 0 if not.
func opens(m []byte, head string) int {
	if hasPrefix(m, head) {
		return 1
	}
	return 0
}

// cut drops the lines from index k on.
func (x *sheaf) cut(k int, l *lines) {
	x.n, x.used = k, 0
	for x.used < len(l.ends) && l.ends[x.used] < uint32(x.places[k].start) {
		x.used++
	}
	x.decodes.cut(k)
	x.accesses.cut(k)
	x.prefills.cut(k)
}

// known reads the lines of each kind, the first line of the sheaf being line n,
// and returns the index of a line that needs a closer look, x.n if none does.
// Only batches are added to the section, in place of those of a try before.
func (x *sheaf) known(s *section, text []byte, n int) int {
	x.running, x.queue = -1, -1
	for i := x.usualDecodes(text, 0); i < x.decodes.n; i = x.usualDecodes(text, i+1) {
		p := &x.places[x.decodes.k[i]]
		running, queue := skimDecode(text[p.from:p.to])
		if running < 0 {
			return int(x.decodes.k[i])
		}
		x.running, x.queue = max(x.running, running), max(x.queue, queue)
	}
	for i := x.usualAccesses(text, 0); i < x.accesses.n; i = x.usualAccesses(text, i+1) {
		p := &x.places[x.accesses.k[i]]
		if !skimAccess(text[p.from:p.to], &s.ev.seen) {
			return int(x.accesses.k[i])
		}
	}
	s.batches = s.batches[:x.batches]
	for _, k := range x.prefills.all() {
		p := &x.places[k]
		s.batches = append(s.batches, untold)
		b := &s.batches[len(s.batches)-1]
		b.Line = int32(n + int(k))
		b.Stamp, b.Rank = s.bracket(text, p)
		if !skimPrefill(text[p.from:], int(p.to-p.from), b) {
			return int(k)
		}
	}
	return x.n
}

// bracket returns what the bracket of a line says. Its second is that of the
// line that was parsed last.
func (s *section) bracket(text []byte, p *place) (capture.Stamp, capture.Rank) {
	s.ev.Stamp, s.ev.Rank = s.parser.stamps.value, capture.NoRank
	if p.from-p.start != bracketLen {
		s.parser.stamps.tail(text[p.start:p.from], stampLen+1, &s.ev)
	}
	return s.ev.Stamp, s.ev.Rank
}

// take files the lines of the sheaf, all of which are known, and moves l behind
// them. Runs of access lines end at prefill lines.
func (x *sheaf) take(s *section, n int, l *lines) {
	from := 0
	for i := range x.prefills.n {
		x.takeAccesses(s, n, l, from, int(x.before[i]))
		from = int(x.before[i])
		s.runOpen = false
	}
	x.takeAccesses(s, n, l, from, x.accesses.n)
	s.counts[ClassDecode] += x.decodes.n
	s.counts[ClassAccess] += x.accesses.n
	s.counts[ClassPrefill] += x.prefills.n
	s.counts[ClassOther] += x.n - x.decodes.n - x.accesses.n - x.prefills.n
	s.running, s.queue = max(s.running, x.running), max(s.queue, x.queue)
	s.wrapped = wrap{kind: ClassOther}
	if p := &x.prefills; p.n > 0 && int(p.k[p.n-1]) == x.n-1 {
		s.wrapped = wrap{kind: ClassPrefill, n: n + x.n - 1}
	}
	s.claimed(n)
	s.claimed(n + x.n - 1)
	s.known = s.known || x.decodes.n+x.accesses.n+x.prefills.n > 0
	l.at, l.ends = int(x.places[x.n].start), l.ends[x.used:]
}

// takeAccesses files access lines that no prefill line parts.
func (x *sheaf) takeAccesses(s *section, n int, l *lines, from, to int) {
	if from == to {
		return
	}
	if !s.runOpen {
		k := int(x.accesses.k[from])
		s.bracket(l.text, &x.places[k])
		s.ev.Access = s.ev.seen.line
		s.addAccess(n+k, &s.ev)
		from++
	}
	if from < to {
		a := &s.access[len(s.access)-1]
		a.To = int32(n + int(x.accesses.k[to-1]))
		a.N += int32(to - from)
	}
}
