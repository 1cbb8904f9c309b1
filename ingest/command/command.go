// Package command reads command files: shell scripts and pasted command lines
// that start servers, run benchmark clients, flush caches and scrape metrics.
//
// A command file says what somebody meant to run, not what ran. Its facts are
// therefore used in two ways only: the order in which things stand, and the
// arguments of a client that the join ties to a result. Words are split as
// POSIX shells split them; variables, substitutions and loops are left as they
// stand, because their values are not in the file. Out of scope: YAML manifests,
// scripts in other languages, and everything a shell could compute.
package command

import (
	"bytes"
	"io"
	"path"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// maxBytes bounds a file of commands. Longer files are logs.
const maxBytes = 4 << 20

// Formats gives the rows for the table of formats.
func Formats() []format.Format {
	return []format.Format{{Kind: capture.CommandFile, Sniff: sniff, Read: read}}
}

// sniff looks for a script, by its first line or by what most of its statements
// are. The name only tells a script without a known command from a text.
func sniff(in *format.Input) int {
	if in.Size > maxBytes || bytes.Contains(in.Head, []byte("Benchmark Result =")) {
		return 0
	}
	statements := split(in.Head)
	known, shellish := 0, 0
	for _, s := range statements {
		if c := recognise(s.words); c.kind != "" {
			known++
			shellish++
		} else if len(s.words) == 0 || shellWords[path.Base(s.words[0])] || isAssignment(s.words[0]) {
			shellish++
		}
	}
	name := strings.ToLower(in.Path)
	script := strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash") || strings.HasSuffix(name, ".command.txt")
	switch {
	case isShebang(in.Head):
		return 90
	case known > 0 && script:
		return 90
	case known > 0 && shellish*10 >= len(statements)*7:
		return 75
	case script && len(statements) > 0 && shellish*10 >= len(statements)*5:
		return 60
	}
	return 0
}

func isShebang(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte("#!")) && bytes.Contains(line, []byte("sh"))
}

// shellWords are commands that scripts are otherwise made of.
var shellWords = map[string]bool{
	"set": true, "cd": true, "export": true, "source": true, ".": true, "sleep": true, "wait": true, "kill": true, "until": true,
	"while": true, "for": true, "do": true, "done": true, "if": true, "then": true, "else": true, "elif": true, "fi": true, "case": true,
	"esac": true, "function": true, "{": true, "}": true, "(": true, ")": true, "echo": true, "printf": true, "mkdir": true, "rm": true,
	"cp": true, "mv": true, "tee": true, "curl": true, "wget": true, "docker": true, "trap": true, "exit": true, "return": true,
	"local": true, "ulimit": true, "nvidia-smi": true, "pip": true, "uv": true, "module": true, "srun": true, "test": true, "[": true,
	"[[": true, "unset": true, "declare": true, "readonly": true, "true": true, "false": true, "eval": true, "pkill": true,
	"python": true, "python3": true, "bash": true, "sh": true, "cat": true, "grep": true, "date": true, "tail": true, "touch": true,
}

// built is a command with its line.
type built struct {
	*capture.Command
	line int
}

// buildAll builds the commands of a script, and marks those inside of loops.
func buildAll(statements []statement) []built {
	var out []built
	loops, waits := 0, 0
	var open []int // where the groups and loops begin that are open
	for _, s := range statements {
		switch s.words[0] {
		case "{", "for", "while", "until":
			open = append(open, len(out))
		case "}", "done":
			if n := len(open); n > 0 {
				for _, b := range out[open[n-1]:] {
					b.Ahead = b.Ahead || s.ahead
				}
				open = open[:n-1]
			}
		}
		switch s.words[0] {
		case "do":
			loops++
		case "done":
			loops = max(0, loops-1)
		case "wait":
			waits++
		}
		if c := build(s); c != nil {
			c.Repeats, c.Ahead, c.Waits = loops > 0, s.ahead, waits
			out = append(out, built{c, s.line})
		}
	}
	return out
}

func read(in *format.Input, out *format.Output) error {
	r, err := in.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxBytes))
	if err != nil {
		return err
	}
	row := out.File
	row.Kind = capture.CommandFile
	row.Lines = bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		row.Lines++
	}
	lines := bytes.Split(data, []byte{'\n'})
	for _, b := range buildAll(split(data)) {
		c := b.Command
		c.At = text.Evidence(in.Path, b.line, bytes.TrimSuffix(lines[b.line-1], []byte("\r")))
		c.Index = len(out.Commands)
		c.Capture = in.Capture
		c.Workload.From = evidenceOf(c)
		text.RedactArgs(c.Workload.Args)
		if c.Server != nil {
			c.Server.At = c.At
			text.RedactArgs(c.Server.Args)
			out.Infos = append(out.Infos, c.Server)
		}
		out.Commands = append(out.Commands, c)
	}
	return nil
}

// evidenceOf is where the arguments of a client stand; other commands have
// none.
func evidenceOf(c *capture.Command) capture.Evidence {
	if c.Kind == capture.CommandClient {
		return c.At
	}
	return capture.Evidence{}
}
