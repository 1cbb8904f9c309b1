package text

import (
	"regexp"
	"strings"
)

// secretName finds names that may hold a secret; isSecretName decides.
var secretName = regexp.MustCompile(`(?i)[a-z0-9_.-]*(?:key|secret|password|passwd|passphrase|authorization|credential|cookie|token)s?`)

// keyNames and tokenNames are the ends of names whose value is a secret: a
// plain "key" may be a cache key, a plain word "…token" a token of the model.
var (
	keyNames   = regexp.MustCompile(`(?i)(?:api|access|private|secret|auth|account|signing|encryption|license|ssh|master)[_.-]?keys?$`)
	tokenNames = regexp.MustCompile(`(?i)^(?:.*[_.-])?(?:hf|hub|huggingface|access|auth|api|bearer|refresh|session|secret|security|github|gh|gitlab|wandb|private|personal|client|oauth|jwt|csrf|vault|admin|service|deploy|bot|slack|id)[_.-]?token$`)
	envName    = regexp.MustCompile(`^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)$`)
)

// isSecretName tells whether a value under the name is a secret.
func isSecretName(name string) bool {
	name = strings.TrimLeft(name, "-.")
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "token"):
		return lower == "token" || tokenNames.MatchString(name) || envName.MatchString(name)
	case strings.HasSuffix(lower, "tokens"):
		return false // a number of tokens, or the tokens themselves
	case strings.HasSuffix(lower, "key"), strings.HasSuffix(lower, "keys"):
		return keyNames.MatchString(name) || envName.MatchString(name) || lower == "apikey"
	}
	return strings.Contains(lower, "secret") || strings.Contains(lower, "passw") || strings.Contains(lower, "passphrase") ||
		isHeaderName(lower) || strings.HasSuffix(lower, "credential") || strings.HasSuffix(lower, "credentials")
}

// isHeaderName tells the header lines whose value is more than one word.
func isHeaderName(lower string) bool {
	return strings.HasSuffix(lower, "authorization") || strings.HasSuffix(lower, "cookie")
}

// redactNamed replaces the values behind secret names: name=value, name: value,
// "name": "value", --name value, '--name', 'value'.
func redactNamed(s string) string {
	var b strings.Builder
	done := 0
	for _, m := range secretName.FindAllStringIndex(s, -1) {
		if m[0] < done || m[1] < len(s) && isNameByte(s[m[1]]) || !isSecretName(s[m[0]:m[1]]) {
			continue
		}
		if m[0] > 0 && s[m[0]-1] == '#' {
			continue // a counter of a server log: "#token: full=640"
		}
		from, to := valueAfter(s, s[m[0]:m[1]], m[1])
		if from == to || harmlessValue(s[m[0]:m[1]], s[from:to]) {
			continue
		}
		b.WriteString(s[done:from])
		b.WriteString(Redacted)
		done = to
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var (
	assigned = regexp.MustCompile(`^\\*["']?\s*(?:=>|[:=])\s*`)
	listed   = regexp.MustCompile(`^\\*["']\s*,\s*`)
	spaced   = regexp.MustCompile(`^[ \t]+`)
)

// valueAfter gives the bounds of the value behind a name that ends at i, an
// empty range if none is there.
func valueAfter(s, name string, i int) (from, to int) {
	rest := s[i:]
	flag := strings.HasPrefix(name, "-")
	switch {
	case assigned.MatchString(rest):
		i += len(assigned.FindString(rest))
	case flag && listed.MatchString(rest):
		i += len(listed.FindString(rest))
	case flag && spaced.MatchString(rest):
		i += len(spaced.FindString(rest))
	default:
		return i, i
	}
	for i < len(s) && s[i] == '\\' {
		i++
	}
	if i == len(s) {
		return i, i
	}
	switch c := s[i]; c {
	case '"', '\'', '`':
		return i + 1, closing(s, i+1, string(c))
	case '[', '(', '{':
		end := closing(s, i+1, map[byte]string{'[': "]", '(': ")", '{': "}"}[c])
		return i, min(end+1, len(s))
	}
	stop := " \t\n,;&)]}\"'`"
	if isHeaderName(strings.ToLower(name)) {
		stop = "\n,]}\"'`" // a scheme and a token, or several cookies
	}
	if j := strings.IndexAny(s[i:], stop); j >= 0 {
		return i, i + j
	}
	return i, len(s)
}

// closing gives the place of the closing mark, without the backslashes in
// front of it; the end of s if the mark was cut off.
func closing(s string, i int, mark string) int {
	j := strings.Index(s[i:], mark)
	if j < 0 {
		return len(s)
	}
	j += i
	for j > i && s[j-1] == '\\' {
		j--
	}
	return j
}

var (
	number   = regexp.MustCompile(`^[+-]?[0-9][0-9_.]*%?$`)
	variable = regexp.MustCompile(`^\$(?:\w+|\{\w+\})$`)
)

// harmlessValue tells values that hold no secret: nothing, a word of a
// language, a variable of a shell, the next flag, what was redacted before,
// and, under the name of a token, a number.
func harmlessValue(name, v string) bool {
	v = strings.TrimSpace(v)
	switch strings.ToLower(v) {
	case "", "none", "null", "true", "false", "nil", "undefined", Redacted, strings.Trim(Redacted, "[]"):
		return true
	}
	if strings.HasSuffix(strings.ToLower(name), "token") && number.MatchString(v) {
		return true
	}
	return variable.MatchString(v) || strings.HasPrefix(v, "--")
}
