package rules

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed rules.toml
var defaultRules string

// DefaultTOML is the embedded rules file as --print-rules prints it.
func DefaultTOML() string { return defaultRules }

// Table holds what each rule is worth and where its limits lie.
type Table struct{ settings map[string]setting }

// setting is one rule's entry: the state when it fires, the state beyond its
// second limit, what a finding forbids, and its limits.
type setting struct {
	severity, high, scope string
	limits                map[string]float64
}

// Off reports whether a rule is switched off.
func (t *Table) Off(id string) bool { return t.settings[id].severity == "off" }

// limit returns a limit by name. Every name that a rule asks for stands in the
// embedded file, which a test checks.
func (s *setting) limit(name string) float64 { return s.limits[name] }

var (
	severities = []string{Block, Warn, Info, Unknown, "off"}
	scopes     = []string{"capture", "comparison", "number", "claim"}
)

// DefaultTable returns the embedded table.
func DefaultTable() *Table {
	t := &Table{settings: map[string]setting{}}
	if err := t.merge("rules.toml", defaultRules, true); err != nil {
		panic("rules: embedded table: " + err.Error())
	}
	return t
}

// ParseTable reads a rules file over the embedded table: what it leaves out
// keeps its default. name is used in errors, which name the line where the file
// is not TOML, and the rule and key where its content is wrong.
func ParseTable(name, text string) (*Table, error) {
	t := DefaultTable()
	if err := t.merge(name, text, false); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Table) merge(name, text string, add bool) error {
	var file map[string]map[string]any
	if _, err := toml.Decode(text, &file); err != nil {
		var p toml.ParseError
		if errors.As(err, &p) {
			return fmt.Errorf("%s: line %d: %s", name, p.Position.Line, p.Message)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	ids := make([]string, 0, len(file))
	for id := range file {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		s, known := t.settings[id]
		if !known && !add {
			return fmt.Errorf("%s: no rule %s", name, id)
		}
		limits := map[string]float64{}
		for k, v := range s.limits {
			limits[k] = v
		}
		s.limits = limits
		if err := s.set(file[id], add); err != nil {
			return fmt.Errorf("%s: rule %s: %w", name, id, err)
		}
		t.settings[id] = s
	}
	return nil
}

// set takes over the keys of one rule.
func (s *setting) set(keys map[string]any, add bool) error {
	names := make([]string, 0, len(keys))
	for k := range keys {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		switch k {
		case "severity", "high", "scope":
			if err := s.setWord(k, keys[k]); err != nil {
				return err
			}
		default:
			if _, known := s.limits[k]; !known && !add {
				return fmt.Errorf("no key %q", k)
			}
			n, err := toNumber(keys[k])
			if err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
			s.limits[k] = n
		}
	}
	return nil
}

func (s *setting) setWord(key string, value any) error {
	word, ok := value.(string)
	allowed := severities
	if key == "scope" {
		allowed = scopes
	}
	if !ok || !slices.Contains(allowed, word) {
		return fmt.Errorf("%s: %v is not one of %s", key, value, strings.Join(allowed, ", "))
	}
	switch key {
	case "severity":
		s.severity = word
	case "high":
		s.high = word
	case "scope":
		s.scope = word
	}
	return nil
}

func toNumber(v any) (float64, error) {
	switch n := v.(type) {
	case float64:
		return n, nil
	case int64:
		return float64(n), nil
	}
	return 0, fmt.Errorf("%v is not a number", v)
}
