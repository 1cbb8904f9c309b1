package carryover

import (
	"strconv"
	"strings"
)

// versionAtLeast compares a dotted version ("0.5.20", "v0.5.4.post1") with
// numbers; an unknown version is not at least anything.
func versionAtLeast(version string, want ...int) bool {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	if version == "" {
		return false
	}
	parts := strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '+' || r == '-' })
	for i, w := range want {
		if i >= len(parts) {
			return false
		}
		n, err := strconv.Atoi(strings.TrimRight(parts[i], "abcdefghijklmnopqrstuvwxyz"))
		if err != nil {
			return false
		}
		if n != w {
			return n > w
		}
	}
	return true
}
