package text

import (
	"regexp"
	"strings"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// hints are parts of every string that redaction could change; most lines have
// none and are returned as they are.
var hints = []string{"key", "secret", "passw", "passphrase", "token", "auth", "bearer", "cookie", "credential", "header", "-h", "://",
	"sk-", "hf_", "gh", "github_", "xox", "akia", "aiza", "eyj", "nvapi-", "gsk_", "glpat-"}

// Redact replaces the values of key-like names, header values, bearer tokens,
// credentials in URLs and strings in the shape of a known kind of key.
func Redact(s string) string {
	if !hinted(s) {
		return s
	}
	s = headerList.ReplaceAllStringFunc(s, redactHeaderList)
	s = redactNamed(s)
	s = headerFlag.ReplaceAllStringFunc(s, redactHeaderFlag)
	s = bearer.ReplaceAllString(s, "${1} "+Redacted)
	s = urlUser.ReplaceAllString(s, "${1}"+Redacted+"@")
	return keyShape.ReplaceAllString(s, "${1}"+Redacted)
}

func hinted(s string) bool {
	lower := strings.ToLower(s)
	for _, h := range hints {
		if strings.Contains(lower, h) {
			return true
		}
	}
	return false
}

var (
	// headerList is the header option of a client as Python prints it: a list
	// of lines, or a mapping.
	headerList = regexp.MustCompile(`(?i)\bheaders?\\*["']?\s*[=:]\s*(?:\[[^\]]*\]|\{[^}]*\})`)
	// headerFlag is a header on a command line.
	headerFlag = regexp.MustCompile(`(?:(?:^|\s)-H\s*|(?i:--headers?)[= ]\s*)(?:"[^"]*"|'[^']*'|[^\s"']+)`)
	bearer     = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}`)
	urlUser    = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/?#@"'<>]+@`)
	keyShape   = regexp.MustCompile(`(^|[^A-Za-z0-9_-])(?:sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|gh[opsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}|nvapi-[\w-]{20,}|gsk_\w{20,}|glpat-[\w-]{16,})`)
)

func redactHeaderList(m string) string {
	open := strings.IndexAny(m, "[{")
	if harmlessValue("header", m[open+1:len(m)-1]) {
		return m
	}
	return m[:open] + Redacted
}

// harmlessHeaders may stand in a quote with their values.
var harmlessHeaders = map[string]bool{"content-type": true, "accept": true, "host": true, "user-agent": true, "connection": true}

func redactHeaderFlag(m string) string {
	i := strings.IndexAny(m, ":=")
	if strings.HasPrefix(strings.TrimSpace(strings.ToLower(m)), "--header") {
		flag := strings.IndexAny(m, "= ")
		if i = strings.IndexAny(m[flag+1:], ":="); i >= 0 {
			i += flag + 1
		}
	}
	if i < 0 {
		return m
	}
	name := m[strings.LastIndexAny(m[:i], " \t'\"=H")+1 : i]
	value := strings.Trim(m[i+1:], " '\"")
	if harmlessHeaders[strings.ToLower(name)] || harmlessValue(name, value) {
		return m
	}
	end := ""
	if last := m[len(m)-1]; last == '"' || last == '\'' {
		end = string(last)
	}
	return m[:i+1] + " " + Redacted + end
}
