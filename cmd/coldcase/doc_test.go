package main

import (
	"bufio"
	"context"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDocumentation runs every command that the documents show: the lines that
// start with "$ " in blocks marked sh, in the package comment, and in the
// examples of the usage texts. The commands of one document run one after the
// other in a folder of their own. A documented command may bring bad news; it
// may not be a usage error.
//
// A line that ends with "&" runs until the document ends. Blocks with another
// mark (console, text) show what cannot run here: real servers and clients. The
// tutorial is one script without prompts, which package lab runs whole.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(docs, "../../README.md") {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		script := shellBlocks(string(content))
		if script == "" || filepath.Base(file) == "tutorial.md" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			lines := promptLines(script, "")
			if len(lines) == 0 {
				t.Fatal("a sh block shows no command behind \"$ \"")
			}
			runLines(t, lines)
		})
	}
	t.Run("package comment", func(t *testing.T) {
		t.Parallel()
		runLines(t, packageLines(t))
	})
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := promptLines(c.usage, "  ")
			if len(lines) == 0 {
				t.Fatal("the usage text has no example")
			}
			runLines(t, append(usageSetup[c.name], lines...))
		})
	}
}

// usageSetup makes what the example of a command expects to be there.
var usageSetup = map[string][]string{
	"verify": {"coldcase samples extract inversion ./inversion", "coldcase report ./inversion -o inversion.html"},
}

// runLines runs the lines by a shell, with the command under test in its path.
func runLines(t *testing.T, lines []string) {
	t.Helper()
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for _, line := range lines {
		if endless(line) {
			background(t, ctx, dir, strings.TrimSuffix(line, "&"))
			continue
		}
		timed, cancel := context.WithTimeout(ctx, 2*time.Minute)
		cmd := exec.CommandContext(timed, "sh", "-c", line)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		cancel()
		if code := cmd.ProcessState.ExitCode(); err != nil && code != exitBadNews {
			t.Errorf("$ %s\nexit code %d\n%s", line, code, out)
		}
	}
}

func endless(line string) bool {
	return strings.HasSuffix(line, "&") || strings.HasPrefix(line, "coldcase lab")
}

// background starts a command, waits for its first line, and lets it run until
// the context ends.
func background(t *testing.T, ctx context.Context, dir, line string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+line)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("$ %s: %v", line, err)
	}
	t.Cleanup(func() { cmd.Wait() })
	if !bufio.NewScanner(out).Scan() {
		t.Errorf("$ %s: ended without a line", line)
	}
}

// shellBlocks returns what stands in the sh blocks of a Markdown text.
func shellBlocks(markdown string) string {
	var blocks strings.Builder
	inside := false
	for line := range strings.Lines(markdown) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = strings.TrimSpace(line) == "```sh"
		case inside:
			blocks.WriteString(line)
		}
	}
	return blocks.String()
}

// promptLines returns what follows "$ " behind an indentation.
func promptLines(text, indent string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if command, ok := strings.CutPrefix(line, indent+"$ "); ok {
			lines = append(lines, command)
		}
	}
	return lines
}

func packageLines(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	lines := promptLines(file.Doc.Text(), "\t")
	if len(lines) == 0 {
		t.Fatal("the package comment shows no command")
	}
	return lines
}
