package rules

import (
	"fmt"
	"slices"
	"strings"
)

// joinIDs prints a list of runs, at most four of them by name.
func joinIDs(ids []string) string {
	if len(ids) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:4], ", "), len(ids)-4)
	}
	return strings.Join(ids, ", ")
}

// percent prints a share.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// sortedNames returns the keys of a map in order.
func sortedNames[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
