package templates

import (
	"regexp"
	"strings"
	"testing"
)

// TestTermsAreDefined: every term has its entry in the glossary, and every
// entry but those that are linked by hand has its term.
func TestTermsAreDefined(t *testing.T) {
	byHand := map[string]bool{"run-prompt-and-point": true, "grade": true, "cap": true, "page": true}
	entries := map[string]bool{}
	for _, d := range glossary() {
		entries[d.ID] = true
		if d.Text == "" {
			t.Errorf("%s: no definition", d.Word)
		}
	}
	if !entries[glossary()[0].ID] || glossary()[0].Word != firstEntry {
		t.Errorf("the glossary begins with %q, want %q", glossary()[0].Word, firstEntry)
	}
	for _, one := range terms() {
		if !entries[one.id] {
			t.Errorf("term %s has no entry", one.id)
		}
		delete(entries, one.id)
	}
	for id := range entries {
		if !byHand[id] {
			t.Errorf("entry %s is linked from nowhere", id)
		}
	}
}

// TestTermsAreLinked: the first mention in each section is a link, and nothing
// but prose is touched.
func TestTermsAreLinked(t *testing.T) {
	rest := "\n### " + firstEntry + "\n\nwave\n"
	for name, c := range map[string]struct{ in, want string }{
		"before the title":      {"kit\n\n# A\n", "kit\n\n# A\n"},
		"first of a section":    {"# A\n\n## B\n\nA wave, a wave.\n\n## C\n\nThe queue model.\n", "# A\n\n## B\n\nA [wave](#wave), a wave.\n\n## C\n\nThe [queue model](#queue-model).\n"},
		"again in the next":     {"# A\n\n## B\n\nwave\n\n## C\n\nwave\n", "# A\n\n## B\n\n[wave](#wave)\n\n## C\n\n[wave](#wave)\n"},
		"a field's word once":   {"# A\n\n## B\n\nflush\n\n## C\n\nflush\n", "# A\n\n## B\n\n[flush](#flush)\n\n## C\n\nflush\n"},
		"the longer word":       {"# A\n\nA range ratio has no range.\n", "# A\n\nA [range ratio](#range-ratio) has no [range](#range).\n"},
		"part of a word":        {"# A\n\nkitten, wavelet, a-wave, wave-x, kit.sh, x/kit, kit\\_a\n", "# A\n\nkitten, wavelet, a-wave, wave-x, kit.sh, x/kit, kit\\_a\n"},
		"the end of a sentence": {"# A\n\nThe kit. A wave!\n", "# A\n\nThe [kit](#kit). A [wave](#wave)!\n"},
		"code and links":        {"# A\n\n`wave` [the wave](#x) ``a ` kit``\n", "# A\n\n`wave` [the wave](#x) ``a ` kit``\n"},
		"fences":                {"# A\n\n````\nwave\n```\nkit\n````\nwave\n", "# A\n\n````\nwave\n```\nkit\n````\n[wave](#wave)\n"},
		"heads":                 {"# A kit\n\n### wave\n\n<summary>wave</summary>\n- [ ] wave\n", "# A kit\n\n### wave\n\n<summary>wave</summary>\n- [ ] wave\n"},
		"labels of runs":        {"# A\n\ncap 4 seed 7 kit, window a.log:3-9\n", "# A\n\ncap 4 seed 7 kit, window a.log:3-9\n"},
		"escaped":               {"# A\n\n\\[wave\\] \\`kit\\`\n", "# A\n\n\\[[wave](#wave)\\] \\`[kit](#kit)\\`\n"},
	} {
		if got := string(linkTerms([]byte(c.in + rest))); got != c.want+rest {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want+rest)
		}
		if got := string(linkTerms([]byte(c.in))); got != c.in {
			t.Errorf("%s: linked without a glossary:\n%s", name, got)
		}
	}
}

// TestTermsOfReports takes the links out again: what is left is the report as
// it was, and every link has its target.
func TestTermsOfReports(t *testing.T) {
	linked := regexp.MustCompile(`\[([^\]]*)\]\(#([a-z-]+)\)`)
	for name, nb := range allNotebooks(t) {
		for _, mode := range []Mode{Review, Case} {
			md := markdown(t, nb, Options{Mode: mode})
			for _, m := range linked.FindAllStringSubmatch(md, -1) {
				id := m[2]
				found := strings.HasPrefix(id, "figure-") || strings.HasPrefix(id, "what-")
				for _, d := range glossary() {
					found = found || d.ID == id
				}
				if !found {
					t.Errorf("%s %s: [%s](#%s) leads nowhere", name, mode, m[1], id)
				}
			}
			before, _, _ := strings.Cut(md, "### "+firstEntry)
			for word, id := range map[string]string{"queue model": "queue-model", "repeat arm": "sweep-cell-and-arm"} {
				if strings.Contains(quotedMarkdown.ReplaceAllString(before, " "), word) && !strings.Contains(before, "](#"+id+")") {
					t.Errorf("%s %s: %q stands without a link to its definition", name, mode, word)
				}
			}
		}
	}
}

func TestShortWords(t *testing.T) {
	got := string(shortWords("a wave of prompts that were cached at start, after a flush"))
	for _, want := range []string{"**Wave**: ", "**Cached at start**: "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
	if strings.Contains(got, "**Flush**") || strings.Contains(got, "**Kit**") {
		t.Errorf("words of the field, or words that are not used: %q", got)
	}
	if got := shortWords("nothing of ours"); got != "" {
		t.Errorf("got %q of a text without terms", got)
	}
}

func TestTermsInBlocks(t *testing.T) {
	got := string(htmlTerms(`the kit's <b> & "wave"`))
	if want := `the <a href="#kit">kit</a>&#39;s &lt;b&gt; &amp; &#34;<a href="#wave">wave</a>&#34;`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
