package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"coldcase/ingest/capture"
	"coldcase/templates"
)

var verifyCommand = &command{
	name: "verify",
	usage: `Usage: coldcase verify [flags] REPORT CAPTURE...

Rebuilds the notebook from the captures and says whether REPORT, a page that
coldcase report wrote, still follows from them: the hash of every file, of the
captures, of the notebook, and the page itself, byte by byte. The names of the
captures may have changed. Ends with 1 if anything differs, and prints what.

Example:
  $ coldcase verify inversion.html ./inversion
`,
	run: runVerify,
}

func runVerify(t *terminal, c *command, args []string) error {
	var from captureFlags
	var rules rulesFlag
	f := c.flags()
	rules.register(f)
	from.register(f)
	if done, err := c.parse(t, f, args); done {
		return err
	}
	args = f.Args()
	if len(args) == 0 {
		return wrongArguments(c, "a REPORT and its CAPTURE", args)
	}
	name := args[0]
	page, err := readNamed(name)
	if err != nil {
		return usageErrorf("open report %s: %s", name, why(err))
	}
	stamp, err := templates.FindStamp(page)
	if err != nil {
		return usageErrorf("read report %s: %w", name, err).hint("verify reads the HTML page that coldcase report wrote")
	}
	from.hash = true
	from.names = oldNames(args[1:], stamp.Captures)
	got, err := from.open(t, c, args[1:])
	if err != nil {
		return err
	}
	onlyOldReports(got, stamp.Reports)
	diffs := compareCaptures(stamp, got)
	diffs = append(diffs, compareGiven("rules", stamp, rules.file)...)
	diffs = append(diffs, compareGiven("notes", stamp, from.notes)...)
	more, err := compareNotebook(t, stamp, page, got, &rules, &from)
	if err != nil {
		return err
	}
	diffs = append(diffs, more...)
	if len(diffs) == 0 {
		t.printf("%s follows from the capture: %s, notebook sha256 %s\n", name, plural(len(stamp.Files), "file"), stamp.Notebook)
		return nil
	}
	for _, d := range diffs {
		t.printf("%s\n", d)
	}
	t.say("%s does not follow from the capture: %s", name, plural(len(diffs), "difference"))
	return exit(exitBadNews)
}

// oldNames are the names that the captures had when the report was made: the
// notebook names files by their capture, and a folder may have been renamed
// since. Another number of captures has none; the comparison says so.
func oldNames(paths []string, captures []capture.Source) []string {
	if len(paths) != len(captures) {
		return nil
	}
	names := make([]string, len(captures))
	for i, c := range captures {
		names[i] = c.Name
	}
	return names
}

// onlyOldReports takes out of the inventory the reports that were not in the
// capture yet when the report under test was made, itself among them.
func onlyOldReports(c *capture.Capture, old []string) {
	c.Files = slices.DeleteFunc(c.Files, func(f *capture.File) bool {
		return f.Kind == capture.ColdcaseReport && !slices.Contains(old, f.Path)
	})
}

// compareCaptures compares the files and the captures by their hashes, the
// captures by their place among the arguments.
func compareCaptures(stamp *templates.Stamp, c *capture.Capture) []string {
	var diffs []string
	if len(stamp.Captures) != len(c.Sources) {
		diffs = append(diffs, fmt.Sprintf("the report is made from %s, %d given", plural(len(stamp.Captures), "capture"), len(c.Sources)))
	}
	now := map[string]string{}
	for _, f := range c.Files {
		now[f.Path] = f.SHA256
	}
	for _, path := range stamp.Reports {
		if _, there := now[path]; !there {
			diffs = append(diffs, fmt.Sprintf("%s: a report of coldcase lay there, and does no longer", path))
		}
		delete(now, path)
	}
	for _, f := range stamp.Files {
		sum, there := now[f.Path]
		delete(now, f.Path)
		switch {
		case !there:
			diffs = append(diffs, fmt.Sprintf("%s: in the report, not in the capture", f.Path))
		case sum != f.SHA256:
			diffs = append(diffs, fmt.Sprintf("%s: sha256 was %s, is %s", f.Path, f.SHA256, sum))
		}
	}
	for _, f := range c.Files {
		if _, left := now[f.Path]; left {
			diffs = append(diffs, fmt.Sprintf("%s: in the capture, not in the report", f.Path))
		}
	}
	for i, s := range stamp.Captures {
		if i < len(c.Sources) && hashText(s.SHA256) != hashText(c.Sources[i].SHA256) {
			diffs = append(diffs, fmt.Sprintf("capture %d: sha256 was %s, is %s", i+1, hashText(s.SHA256), hashText(c.Sources[i].SHA256)))
		}
	}
	return diffs
}

// compareGiven compares a rules or notes file that the report was made with
// against the one that was given now.
func compareGiven(what string, stamp *templates.Stamp, file string) []string {
	was := stamp.Options[what]
	is, err := hashGiven(what, file)
	switch {
	case err != nil:
		return []string{err.Error()}
	case was == is:
		return nil
	case is == "":
		return []string{fmt.Sprintf("the report was made with --%s, sha256 %s; none given", what, was)}
	case was == "":
		return []string{fmt.Sprintf("the report was made without --%s", what)}
	}
	return []string{fmt.Sprintf("--%s %s: sha256 was %s, is %s", what, file, was, is)}
}

// compareNotebook builds the notebook and the page again.
func compareNotebook(t *terminal, stamp *templates.Stamp, page []byte, c *capture.Capture, rules *rulesFlag, from *captureFlags) ([]string, error) {
	nb, err := analyze(c, rules, from)
	if err != nil {
		return nil, err
	}
	hash, err := templates.Hash(nb)
	if err != nil {
		return nil, fmt.Errorf("hash the notebook: %w", err)
	}
	if hash != stamp.Notebook {
		by := ""
		if stamp.Version != version {
			by = fmt.Sprintf(" (made by version %s, this is %s)", stamp.Version, version)
		}
		return []string{fmt.Sprintf("notebook: sha256 was %s, is %s%s", stamp.Notebook, hash, by)}, nil
	}
	var again bytes.Buffer
	err = templates.HTML(&again, nb, templates.Options{
		Mode:      templates.Mode(stamp.Options["mode"]),
		Answers:   templates.Answers(stamp.Options["answers"]),
		Charts:    templates.Charts(stamp.Options["charts"]),
		KeepNames: stamp.Options["keep-names"] == "true",
	})
	if err != nil {
		t.say("the page itself is not compared: %s", err)
		return nil, nil
	}
	made, err := templates.FindStamp(again.Bytes())
	switch {
	case err != nil:
		return nil, err
	case made.ECharts != stamp.ECharts:
		t.say("the page itself is not compared: it holds another copy of ECharts than this build")
	case !bytes.Equal(again.Bytes(), page):
		return []string{"the page: the notebook follows, but the page is not the one that it gives"}, nil
	}
	return nil, nil
}

func hashText(sum *string) string {
	if sum == nil {
		return "not computed"
	}
	return *sum
}

func sha256Of(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
