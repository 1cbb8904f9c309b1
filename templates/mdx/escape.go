// Package mdx is the report's Markdown: one source that reads well as it is on
// code hosts and renders to the page. Values enter the source through templates
// that escape every printed pipeline, so that an author of a template cannot
// forget it; raw HTML stays off, but for folds.
//
// Beyond plain Markdown with tables the dialect knows four things, all of them
// legible where they are not understood: folds (<details> with a <summary>
// line), alerts ("> [!WARNING]"), pictures by their id, and blocks, which stand
// for a richer piece of the page.
//
// Out of scope: links to other places, inline HTML, pictures from outside.
package mdx

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe is Markdown made by this program: it is not escaped again.
type Safe string

// Clean makes text safe to show anywhere: invalid UTF-8 and control characters
// become U+FFFD, terminal sequences are dropped, and so is everything that can
// change the order or the look of the text around it: bidirectional overrides,
// line separators, byte order marks. Newline and tab stay.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	s = dropTerminal(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r >= 0x7F && r <= 0x9F,
			r == 0x2028 || r == 0x2029 || r == 0xFEFF,
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E || r == 0x200F || r == 0x061C,
			r == 0xFFFE || r == 0xFFFF:
			return '\uFFFD'
		}
		return r
	}, s)
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\n' && s[i] != '\t' || s[i] >= 0x7F {
			return false
		}
	}
	return true
}

// dropTerminal removes ANSI sequences: ESC [ parameters final-byte.
func dropTerminal(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		j := i + 2
		for j < len(s) && s[j] >= 0x20 && s[j] < 0x40 {
			j++
		}
		if j < len(s) {
			_, size := utf8.DecodeRuneInString(s[j:])
			j += size
		}
		s = s[j:]
	}
}

// Escape makes text safe inside a Markdown paragraph, heading, list item or
// table cell: it shows as it is, on one line.
func Escape(s string) string {
	s = strings.Join(strings.FieldsFunc(Clean(s), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
	s = strings.TrimFunc(s, unicode.IsSpace)
	var b strings.Builder
	for i, r := range s {
		if needsBackslash(s, i, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func needsBackslash(s string, i int, r rune) bool {
	switch r {
	case '\\', '`', '*', '{', '}', '[', ']', '<', '>', '#', '!', '|', '~', '&', '$', '@':
		return true
	case '_':
		return i == 0 || i == len(s)-1 || !isWord(s[i-1]) || !isWord(s[i+1])
	case '/': // http:// must not become a link
		return i > 0 && s[i-1] == ':'
	case '-', '+', '=': // a list or a heading rule at the start of a line
		return i == 0
	case '.', ')':
		return leadingNumber(s[:i]) && (i+1 == len(s) || s[i+1] == ' ') || r == '.' && strings.HasSuffix(strings.ToLower(s[:i]), "www")
	}
	return false
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// leadingNumber reports whether s is digits alone, as in front of an item of a
// numbered list.
func leadingNumber(s string) bool {
	if s == "" || len(s) > 9 {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// Fence returns text as a fenced code block of a language whose fence is longer
// than any run of backticks in it.
func Fence(language, text string) Safe {
	text = Clean(strings.TrimRight(text, "\n"))
	longest, run := 2, 0
	for _, r := range text {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	return Safe(fence + language + "\n" + text + "\n" + fence)
}

// Code returns text as inline code.
func Code(s string) Safe {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if s == "" {
		return ""
	}
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	// A bar would end a table cell even inside code; it is shown as a broken bar.
	s = strings.ReplaceAll(s, "|", "¦")
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return Safe(fence + s + fence)
}

// Summary opens a fold with its heading; EndFold closes it.
func Summary(s string) Safe {
	return Safe("<details>\n<summary>" + summaryText(s) + "</summary>\n")
}

// OpenSummary opens a fold that is unfolded from the start.
func OpenSummary(s string) Safe {
	return Safe("<details open>\n<summary>" + summaryText(s) + "</summary>\n")
}

func summaryText(s string) string {
	return html.EscapeString(strings.Join(strings.Fields(Clean(s)), " "))
}

// EndFold closes the fold opened last.
const EndFold Safe = "\n</details>"

// Value prints v for a template: Safe as it is, all else escaped.
func Value(v any) Safe {
	if s, ok := v.(Safe); ok {
		return s
	}
	return Safe(Escape(fmt.Sprint(v)))
}
