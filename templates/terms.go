package templates

import (
	"bytes"
	"html"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"coldcase/templates/mdx"
)

// term is a word of the report that the glossary (words-list in the texts)
// defines under the heading with this id.
type term struct {
	id    string
	match *regexp.Regexp
	// ours is a word that a reader of the field need not know: it is linked in
	// every section that uses it. The field's own words are linked once.
	ours bool
}

// terms are tried at each place in this order, so that a longer word comes
// before one that it begins with.
var terms = sync.OnceValue(func() []term {
	return []term{
		ours("queue-model", `queue model`),
		ours("range-ratio", `range ratios?`),
		ours("equal-or-unrelated", `equal or unrelated`),
		ours("warm-and-cold", `(?:warm|cold) (?:prompts?|requests?|ones|waves?|half)`),
		ours("wave", `(?:opening |first )?waves?|closed loop`),
		ours("group", `(?:fast|slow|one) groups?|groups? of requests|groups`),
		ours("plateau", `plateaus?`),
		ours("inversion", `inversions?`),
		ours("contaminated-clean-unknown", `contaminated`),
		ours("sweep-cell-and-arm", `(?:fresh|repeat) (?:arm|cells?|runs?)|sweeps?|cells?`),
		ours("kit", `kits?`),
		ours("refused", `refused|refuses`),
		ours("claim", `claimed|claims?`),
		ours("range", `ranges?`),
		ours("n", `n too small`),
		ours("witness", `witness(?:es)?`),
		ours("window", `windows?`),
		ours("token-pool", `token pool|token usage|evict(?:ed|ion)|retraction|preemption|chunks?`),
		ours("full-hit", `full hits?`),
		ours("partial-hit-and-trace", `partial hits?|traces?`),
		ours("cached-at-start", `cached at start`),
		ours("presumed-stated-predicted", `predicted|prediction|presumed`),
		field("prefix-cache", `prefix cache`),
		field("prefill", `prefill`),
		field("warm-up", `warm-ups?`),
		field("flush", `flush(?:ed|es)?`),
		field("ttft", `TTFT|first[- ]token`),
		field("seed", `seeds?`),
	}
})

func ours(id, words string) term  { return term{id, wholeWord(words), true} }
func field(id, words string) term { return term{id, wholeWord(words), false} }

func wholeWord(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + words + `)`) }

// glossaryMark is the heading of the first entry: what stands from here on are
// the definitions themselves.
var glossaryMark = []byte("\n### " + firstEntry + "\n")

const firstEntry = "Run, prompt and point"

// linkTerms makes a link to its definition of the first mention of each term in
// each section of a report, so that a definition is one click away wherever a
// reader comes in. It touches prose and tables alone: headings, folds' heads,
// code, quoted lines and links stay as they are, and so does a report without a
// glossary.
func linkTerms(src []byte) []byte {
	end := bytes.Index(src, glossaryMark)
	if end < 0 {
		return src
	}
	var out bytes.Buffer
	l := newLinker(markdownLink)
	fence, begun := "", false
	for _, line := range bytes.SplitAfter(src[:end], []byte("\n")) {
		s := string(line)
		switch ticks := leadingTicks(s); {
		case fence != "":
			if ticks != "" && len(ticks) >= len(fence) && strings.TrimSpace(s) == ticks {
				fence = ""
			}
		case ticks != "":
			fence = ticks
		case strings.HasPrefix(s, "# "):
			begun = true
		case strings.HasPrefix(s, "## "):
			l.section = map[string]bool{}
		case !begun: // the line above the title names captures
		case strings.HasPrefix(s, "#"), strings.HasPrefix(s, "<"), strings.HasPrefix(s, "> [!"), strings.HasPrefix(s, "- [ ]"), strings.HasPrefix(s, "!["):
		default:
			s = l.line(s)
		}
		out.WriteString(s)
	}
	out.Write(src[end:])
	return out.Bytes()
}

func leadingTicks(s string) string {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	if n < 3 {
		return ""
	}
	return s[:n]
}

// linker remembers which terms were linked in this section and in this report,
// and how a link is written.
type linker struct {
	section, page map[string]bool
	mark          func(word, id string) string
}

func newLinker(mark func(word, id string) string) linker {
	return linker{map[string]bool{}, map[string]bool{}, mark}
}

func markdownLink(word, id string) string { return "[" + word + "](#" + id + ")" }

// htmlTerms links the terms of one text of a block, which is escaped here.
func htmlTerms(text string) template.HTML {
	l := newLinker(func(word, id string) string { return `<a href="#` + id + `">` + word + "</a>" })
	return template.HTML(l.line(html.EscapeString(text)))
}

func (l linker) line(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := opaque(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if i == 0 || boundary(s[i-1]) && s[i-1] != '.' {
			if t, n := l.at(s, i); n > 0 {
				b.WriteString(l.mark(s[i:i+n], t.id))
				l.section[t.id], l.page[t.id] = true, true
				i += n
				continue
			}
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// at returns the term that stands at i and is still to be linked, and its
// length.
func (l linker) at(s string, i int) (term, int) {
	for _, t := range terms() {
		n := len(t.match.FindString(s[i:]))
		if n == 0 || !ends(s[i+n:]) || partOfLabel(s, i, n) {
			continue
		}
		if l.section[t.id] || !t.ours && l.page[t.id] {
			return t, 0
		}
		return t, n
	}
	return term{}, 0
}

// boundary reports whether a byte may stand beside a word: a file's name or a
// longer word's letters may not.
func boundary(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80:
		return false
	}
	return !strings.ContainsRune("/_.-\\=", rune(c)) || c == '.'
}

// partOfLabel reports whether the word belongs to the label of a run, as in
// "cap 4 seed 7 kit": labels stay whole.
func partOfLabel(s string, i, n int) bool {
	digitBehind := i+n+1 < len(s) && s[i+n] == ' ' && isDigit(s[i+n+1])
	digitBefore := i >= 2 && s[i-1] == ' ' && isDigit(s[i-2])
	switch word := strings.ToLower(s[i : i+n]); word {
	case "seed":
		return digitBehind
	case "kit":
		return digitBefore
	case "window":
		return i+n < len(s) && s[i+n] == ' ' && strings.ContainsAny(firstWord(s[i+n+1:]), ":/")
	}
	return false
}

// ends reports whether a word may end in front of s: the point of a file's name
// is no full stop.
func ends(s string) bool {
	if s == "" {
		return true
	}
	if s[0] == '\\' { // an escaped sign
		return len(s) > 1 && s[1] != '_'
	}
	return boundary(s[0]) && (s[0] != '.' || len(s) == 1 || boundary(s[1]))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func firstWord(s string) string { w, _, _ := strings.Cut(s, " "); return w }

// opaque returns the length of what stands at the start of s and is not prose:
// code, a link, an escaped character.
func opaque(s string) int {
	switch s[0] {
	case '\\':
		return min(2, len(s))
	case '`':
		ticks := s[:len(s)-len(strings.TrimLeft(s, "`"))]
		if end := strings.Index(s[len(ticks):], ticks); end >= 0 {
			return len(ticks)*2 + end
		}
		return len(ticks)
	case '&': // of escaped HTML
		if m := entity.FindString(s); m != "" {
			return len(m)
		}
	case '[':
		if m := link.FindString(s); m != "" {
			return len(m)
		}
	}
	return 0
}

var (
	link   = regexp.MustCompile(`^\[[^\]]*\]\([^)]*\)`)
	entity = regexp.MustCompile(`^&[#a-z0-9]+;`)
)

// definition is one entry of the glossary.
type definition struct{ ID, Word, Text string }

// glossary reads the entries of the texts' words-list.
func glossary() []definition {
	var b bytes.Buffer
	if err := texts().ExecuteTemplate(&b, "words-list", nil); err != nil {
		return nil // a test fails first
	}
	var out []definition
	for _, entry := range strings.Split("\n"+b.String(), "\n### ")[1:] {
		word, text, _ := strings.Cut(entry, "\n")
		out = append(out, definition{mdx.Slug(word), word, strings.TrimSpace(text)})
	}
	return out
}

// shortest are the terms that a report on two printed pages defines, as far as
// it uses them and has room: the least known first.
var shortest = []string{"contaminated-clean-unknown", "cached-at-start", "sweep-cell-and-arm", "kit", "claim", "wave", "queue-model", "inversion", "warm-and-cold"}

// shortRoom is how many bytes of definitions such a report has room for.
const shortRoom = 440

// shortWords are the first sentences of the definitions of our terms that a
// text uses.
func shortWords(text string) mdx.Safe {
	l := newLinker(markdownLink)
	for _, line := range strings.Split(text, "\n") {
		l.line(line)
	}
	entries := map[string]definition{}
	for _, d := range glossary() {
		entries[d.ID] = d
	}
	var out []string
	room := shortRoom
	for _, id := range shortest {
		d := entries[id]
		first, _, _ := strings.Cut(d.Text, ". ")
		if first = "**" + d.Word + "**: " + strings.TrimRight(first, ".") + "."; l.section[id] && len(first) <= room {
			out = append(out, first)
			room -= len(first)
		}
	}
	return mdx.Safe(strings.Join(out, " "))
}
