package join

import (
	"path"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
)

// What ties a command to a run.
const (
	byOutput    = "output-file"
	byArguments = "arguments"
)

// commands ties the client commands of command files to the runs of c. It
// returns runs for the commands that ran, as far as the files show, and left no
// result.
//
// A command lends a run its arguments, its seed among them, so that a tie must
// leave no second reading: if commands with different seeds could have made a
// run, the run has no seed.
func commands(c *capture.Capture) []*capture.Run {
	var clients []*capture.Command
	for _, cmd := range c.Commands {
		if cmd.Kind == capture.CommandClient {
			clients = append(clients, cmd)
		}
	}
	if len(clients) == 0 {
		return nil
	}
	for _, file := range byFile(c.Runs) {
		tieFile(file, pool(clients, c.Runs, file[0].Capture))
	}
	return resultless(c, clients)
}

// pool gives the commands of a capture. If it has none, those of captures
// without results: results and kit may be given as two arguments.
func pool(all []*capture.Command, runs []*capture.Run, index int) []*capture.Command {
	withRuns := map[int]bool{}
	for _, r := range runs {
		withRuns[r.Capture] = true
	}
	var own, others []*capture.Command
	for _, c := range all {
		switch {
		case c.Capture == index:
			own = append(own, c)
		case !withRuns[c.Capture]:
			others = append(others, c)
		}
	}
	if own == nil {
		return others
	}
	return own
}

// byFile groups runs by the file of their first result: the records of one file
// were appended in the order in which the runs ran.
func byFile(runs []*capture.Run) [][]*capture.Run {
	var out [][]*capture.Run
	index := map[string]int{}
	for _, r := range runs {
		f := r.Spans[0].File
		i, ok := index[f]
		if !ok {
			i = len(out)
			index[f] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// tieFile ties the runs of one file.
func tieFile(runs []*capture.Run, clients []*capture.Command) {
	// A command that names the file, of a record or of a text, comes before
	// any that only has fitting arguments.
	named := make([][]*capture.Command, len(runs))
	names := false
	for i, r := range runs {
		named[i] = namedBy(r, clients)
		names = names || len(named[i]) > 0
	}
	if names {
		for i, cs := range once(inOrder(runs, named)) {
			tie(runs[i], cs, byOutput)
		}
		return
	}
	// Without a name, the commands that write to one file stand for it as a
	// whole: their order must give the records' order.
	var options [][][]*capture.Command
	for _, group := range byDestination(clients) {
		fitting := make([][]*capture.Command, len(runs))
		for i, r := range runs {
			fitting[i] = fittingOf(r, group)
		}
		if len(runs) == 1 || len(group) >= len(runs) {
			if o := inOrder(runs, fitting); all(o) {
				options = append(options, o)
			}
		}
	}
	choice := make([][]*capture.Command, len(runs))
	for i, r := range runs {
		for _, o := range options {
			choice[i] = append(choice[i], o[i]...)
		}
		if choice[i] == nil {
			choice[i] = fittingOf(r, clients)
		}
	}
	for i, cs := range once(choice) {
		tie(runs[i], cs, byArguments)
	}
}

// once takes a command away from runs of which more than one has it alone:
// outside of a loop one command makes one record, and which of them it made is
// not shown.
func once(options [][]*capture.Command) [][]*capture.Command {
	only := map[*capture.Command]int{}
	for _, cs := range options {
		if len(cs) == 1 {
			only[cs[0]]++
		}
	}
	out := make([][]*capture.Command, len(options))
	for i, cs := range options {
		if len(cs) != 1 || cs[0].Repeats || only[cs[0]] == 1 {
			out[i] = cs
		}
	}
	return out
}

func all(o [][]*capture.Command) bool {
	for _, cs := range o {
		if len(cs) == 0 {
			return false
		}
	}
	return true
}

// namedBy gives the commands that name a file of the run as their output and
// whose arguments fit. A command whose path leads to that very file comes
// before one that has only the name in common.
func namedBy(r *capture.Run, clients []*capture.Command) []*capture.Command {
	var exact, base []*capture.Command
	for _, c := range clients {
		if !fits(r, c) {
			continue
		}
		for _, x := range r.Results {
			switch named(c, x.Span.File) {
			case 2:
				exact = append(exact, c)
			case 1:
				base = append(base, c)
			default:
				continue
			}
			break
		}
	}
	if exact != nil {
		return exact
	}
	return base
}

// named tells how a command names a file: 2 by its path from the command file's
// folder, 1 by its last element alone, 0 not at all.
func named(c *capture.Command, file string) int {
	best := 0
	for _, out := range append([]string{c.Output}, c.Stdout...) {
		out = path.Clean(strings.ReplaceAll(out, `\`, "/"))
		if out == "." {
			continue
		}
		full := path.Join(path.Dir(c.At.File), out)
		plain := trimPacking(file)
		switch {
		case full == plain || strings.HasPrefix(plain, full+"/"):
			return 2
		case path.Base(out) == path.Base(plain):
			best = 1
		}
	}
	return best
}

func trimPacking(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".zst")
}

// byDestination groups commands by the file that they append to; a command
// without one is alone.
func byDestination(clients []*capture.Command) [][]*capture.Command {
	var out [][]*capture.Command
	index := map[string]int{}
	for _, c := range clients {
		i, ok := index[c.At.File+"\x00"+c.Output]
		if !ok || c.Output == "" {
			i = len(out)
			index[c.At.File+"\x00"+c.Output] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

func fittingOf(r *capture.Run, clients []*capture.Command) []*capture.Command {
	var out []*capture.Command
	for _, c := range clients {
		if fits(r, c) {
			out = append(out, c)
		}
	}
	return out
}

// tie ties a run to its command, or, where several are left, takes over what
// they agree on.
func tie(r *capture.Run, cs []*capture.Command, by string) {
	if len(cs) == 0 {
		return
	}
	first := *cs[0]
	w := first.Workload
	for _, c := range cs[1:] {
		w = common(w, c.Workload)
		if c.Cap != first.Cap {
			first.Cap = capture.Cap{}
		}
		if c.Rate != first.Rate {
			first.Rate = capture.Rate{}
		}
	}
	r.CommandBy = by
	if len(cs) == 1 {
		r.Command = cs[0]
	} else {
		// One of several: what they share holds, their place does not.
		first.Workload, first.Index = w, -1
		r.Command = &first
	}
	lend(r, w, first.Cap, first.Rate)
}

// lend fills what the run's own files do not say. The Rust client keeps its
// seed to itself, and a command that names one says what was meant, not what
// the client drew from it: its runs have no seed.
func lend(r *capture.Run, w capture.Workload, limit capture.Cap, rate capture.Rate) {
	m := &r.Merged
	if r.Command.Client == "sglang.rust" || m.Client == "sglang.rust" {
		w.Seed, w.SeedDefault = nil, false
	}
	w.Args = nil
	if forms[m.Workload.Form] < forms[w.Form] {
		m.Workload.Form, m.Workload.From = w.Form, w.From
	}
	fillWorkload(&m.Workload, &w)
	fill(&m.Client, r.Command.Client)
	if !m.MaxConcurrency.Known {
		m.MaxConcurrency = limit
	}
	if !m.RequestRate.Known {
		m.RequestRate = rate
	}
}

// resultless gives runs for commands that left no result although the script
// went on: they stand before a command of the same file that is tied to a run.
// A command to which any untied run could belong is none of them.
func resultless(c *capture.Capture, clients []*capture.Command) []*capture.Run {
	tied := map[*capture.Command]bool{}
	last := map[string]int{} // the last command of a file that left a result
	for _, r := range c.Runs {
		if r.Command != nil && r.Command.Index >= 0 {
			tied[r.Command] = true
			f := r.Command.At.File
			last[f] = max(last[f], r.Command.Index)
		}
	}
	var out []*capture.Run
	for _, cmd := range clients {
		if tied[cmd] || cmd.Index >= last[cmd.At.File] || cmd.Workload.Prompts == nil || anyUntied(c.Runs, cmd) {
			continue
		}
		r := &capture.Run{
			ID:      cmd.At.File + ":" + strconv.Itoa(cmd.At.Line),
			Spans:   []capture.Span{{File: cmd.At.File, Line: cmd.At.Line}},
			Command: cmd, CommandBy: byOutput, Capture: cmd.Capture,
		}
		r.Merged = capture.Result{Span: r.Spans[0], Kind: capture.CommandFile, Client: cmd.Client}
		lend(r, cmd.Workload, cmd.Cap, cmd.Rate)
		out = append(out, r)
	}
	return out
}

// anyUntied tells whether a run that is not surely another command's could be
// this command's.
func anyUntied(runs []*capture.Run, cmd *capture.Command) bool {
	for _, r := range runs {
		if (r.Command == nil || r.Command.Index < 0) && fits(r, cmd) {
			return true
		}
	}
	return false
}
