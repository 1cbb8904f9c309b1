package main

import (
	"coldcase/analysis"
	"coldcase/ingest/capture"
)

// analyze builds the notebook of a capture. Files that a person gave beside it
// change its content, so the notebook names them by their hash.
func analyze(c *capture.Capture, rules *rulesFlag, from *captureFlags) (*analysis.Notebook, error) {
	options := analysis.Options{Version: version}
	var err error
	if options.Rules, err = rules.table(); err != nil {
		return nil, err
	}
	if options.RulesHash, err = hashGiven("rules", rules.file); err != nil {
		return nil, err
	}
	if options.NotesHash, err = hashGiven("notes", from.notes); err != nil {
		return nil, err
	}
	return analysis.Analyze(c, options), nil
}

// hashGiven is the sha256 of a file that a flag names, "" if none is named.
func hashGiven(flag, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	content, err := readNamed(file)
	if err != nil {
		return "", usageErrorf("--%s %s: %s", flag, file, why(err))
	}
	return sha256Of(content), nil
}
