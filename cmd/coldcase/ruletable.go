package main

import (
	"coldcase/analysis/rules"
)

// table reads the rules file, or returns nil for the table that is built in.
func (r *rulesFlag) table() (*rules.Table, error) {
	if r.file == "" {
		return nil, nil
	}
	text, err := readNamed(r.file)
	if err != nil {
		return nil, usageErrorf("--rules %s: %s", r.file, why(err))
	}
	table, err := rules.ParseTable(r.file, string(text))
	if err != nil {
		return nil, usageErrorf("--rules: %w", err)
	}
	return table, nil
}

// explainRule says what a rule looks for, with the thresholds in force.
func explainRule(t *terminal, id string, from *rulesFlag) error {
	table, err := from.table()
	if err != nil {
		return err
	}
	if table == nil {
		table = rules.DefaultTable()
	}
	text, err := rules.Explain(id, table)
	if err != nil {
		return usageErrorf("--explain: %w", err)
	}
	t.text(text)
	return nil
}
