package clients

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"coldcase/ingest/format"
)

// maxYAML bounds a YAML document, and maxYAMLNodes the nodes that its aliases
// may unfold to: settings are some KiB.
const (
	maxYAML      = 16 << 20
	maxYAMLNodes = 1 << 20
)

// yamlFile reads a YAML file as a tree, with its number of lines.
func yamlFile(in *format.Input) (n node, lines int, err error) {
	body, err := in.Open()
	if err != nil {
		return node{}, 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	defer body.Close()
	c := &lineCounter{r: body}
	text, err := io.ReadAll(io.LimitReader(c, maxYAML))
	if err != nil {
		return node{}, 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	if _, err := io.Copy(io.Discard, c); err != nil {
		return node{}, 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	return parseYAML(text), c.total(), nil
}

// parseYAML reads a YAML text; the zero node if it is not valid. Tags are
// looked through, so that a dump of Python objects reads as what they hold.
func parseYAML(text []byte) node {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 {
		return node{}
	}
	left := maxYAMLNodes
	return node{yamlValue(root.Content[0], &left)}
}

func yamlValue(y *yaml.Node, left *int) any {
	if *left--; *left < 0 {
		return nil
	}
	switch y.Kind {
	case yaml.AliasNode:
		return yamlValue(y.Alias, left)
	case yaml.SequenceNode:
		list := make([]any, 0, len(y.Content))
		for _, c := range y.Content {
			list = append(list, yamlValue(c, left))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(y.Content); i += 2 {
			m[y.Content[i].Value] = yamlValue(y.Content[i+1], left)
		}
		if d, ok := m["__dict__"].(map[string]any); ok {
			return d // a Python object
		}
		return m
	}
	return yamlScalar(y)
}

func yamlScalar(y *yaml.Node) any {
	if y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		return y.Value
	}
	switch strings.ToLower(y.Value) {
	case "", "~", "null":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if f, err := strconv.ParseFloat(y.Value, 64); err == nil {
		return f
	}
	return y.Value
}
