package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed texts.toml
var ruleTexts string

// text is what --explain prints of a rule.
type text struct{ What, Why, Needs, Source string }

// texts reads the embedded explanations.
func texts() map[string]text {
	out := map[string]text{}
	if _, err := toml.Decode(ruleTexts, &out); err != nil {
		panic("rules: embedded texts: " + err.Error())
	}
	return out
}

// IDs returns the ids of all rules in order.
func IDs() []string {
	var out []string
	for _, r := range all {
		out = append(out, r.id)
	}
	return out
}

// Explain describes a rule by id or name: what, why, the evidence it needs, its
// limits in the given table, and its source. Letters may be of either case.
func Explain(id string, t *Table) (string, error) {
	for _, r := range all {
		if !strings.EqualFold(r.id, id) && !strings.EqualFold(r.name, id) {
			continue
		}
		s, x := t.settings[r.id], texts()[r.id]
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s\n\n%s\n%s\n\nevidence needed: %s\nstate when it fires: %s", r.id, r.name, x.What, x.Why, x.Needs, s.severity)
		if s.high != "" {
			fmt.Fprintf(&b, ", beyond the second limit %s", s.high)
		}
		fmt.Fprintf(&b, "\nscope: %s\n", s.scope)
		for _, k := range sortedNames(s.limits) {
			fmt.Fprintf(&b, "limit %s: %g\n", k, s.limits[k])
		}
		fmt.Fprintf(&b, "source: %s\n", x.Source)
		return b.String(), nil
	}
	return "", fmt.Errorf("no rule %q: rules are %s to %s", id, all[0].id, all[len(all)-1].id)
}
