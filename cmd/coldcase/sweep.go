package main

import (
	"bytes"
	"context"
	"errors"

	"coldcase/ingest/plan"
	"coldcase/ingest/record"
)

var sweepCommand = &command{
	name: "sweep",
	usage: `Usage: coldcase sweep plan [--from CAPTURE] [flags] -o FILE
       coldcase sweep run --plan FILE --server URL --out DIR --yes [flags]
       coldcase sweep run --server URL --out DIR --yes [flags of plan]
       coldcase sweep status DIR

Settles a suspicion by running again. plan writes down the cells, their order,
what is expected and what would refute it; with --from it changes nothing of the
kit but the seeds and the flush. run sends them and proves each flush by its
outcome; on a DIR that holds a sweep it resumes. It flushes the server's prefix
cache, and does so only with --yes. The result is a capture: report KIT DIR puts
both together. run ends with 1 if a cell was refused or failed, status too.

Example:
  $ coldcase sweep plan --caps 8,32 --seeds 1,2,3 --input-len 512 --output-len 128 -o plan.json
`,
	run: runSweep,
}

func runSweep(t *terminal, c *command, args []string) error {
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch verb {
	case "plan":
		return sweepPlan(t, c, args[1:])
	case "run":
		return sweepRun(t, c, args[1:])
	case "status":
		return sweepStatus(t, c, args[1:])
	case "-h", "--help":
		_, err := c.parse(t, c.flags(), args)
		return err
	}
	return wrongArguments(c, "plan, run or status", args)
}

func sweepPlan(t *terminal, c *command, args []string) error {
	var flags planFlags
	f := c.flags()
	flags.register(f)
	f.StringVar(&flags.Server, "server", "", "`URL` of the server, if it is known already")
	f.StringVar(&flags.Engine, "engine", "auto", "auto, sglang or vllm")
	f.StringVar(&flags.Client, "client", "", "builtin, sglang, vllm, or a command `TEMPLATE`; without it the kit's")
	export := f.String("export", "", "write the plan as a job array for `SCHEDULER`: slurm or k8s")
	output := f.StringP("output", "o", "", "write the plan to `FILE`; - is standard output")
	if done, err := c.parse(t, f, args); done {
		return err
	}
	if f.NArg() > 0 {
		return wrongArguments(c, "plan with flags only", f.Args())
	}
	if *output == "" {
		return usageErrorf("sweep plan: no output named").hint("-o FILE writes the plan to FILE, -o - to standard output")
	}
	p, err := flags.make(t)
	if err != nil {
		return err
	}
	text, err := planText(p, *export)
	if err != nil {
		return err
	}
	if *output == "-" {
		t.text(string(text))
		return nil
	}
	if err := writeFile(*output, text); err != nil {
		return err
	}
	return p.Summary(t.err)
}

// planText is the plan as a document, or as the job array of a scheduler.
func planText(p *plan.Plan, scheduler string) ([]byte, error) {
	if scheduler == "" {
		return p.Encode()
	}
	var b bytes.Buffer
	if err := p.Export(&b, scheduler); err != nil {
		return nil, usageErrorf("sweep plan: %w", err)
	}
	return b.Bytes(), nil
}

func sweepRun(t *terminal, c *command, args []string) error {
	var plan planFlags
	f := c.flags()
	file := f.String("plan", "", "run the plan in `FILE`")
	options := record.Flags(f)
	plan.register(f)
	if done, err := c.parse(t, f, args); done {
		return err
	}
	if f.NArg() > 0 {
		return wrongArguments(c, "run with flags only", f.Args())
	}
	plan.Server, plan.Engine, plan.Client = options.Server, options.Engine, options.Client
	var err error
	switch {
	case *file != "" && plan.given(f):
		return usageErrorf("sweep run: --plan %s and the flags of a plan exclude each other", *file)
	case *file != "":
		options.Plan, err = readPlan(*file)
	case plan.given(f):
		options.Plan, err = plan.make(t)
	}
	if err != nil {
		return err
	}
	ctx, stop, release := record.Interrupts(context.Background(), t.err)
	defer release()
	options.Stop = stop
	options.Terminal = t.interactive()
	switch err := record.Run(ctx, *options, t.err); {
	case err == nil:
		return nil
	case errors.Is(err, record.ErrUsage):
		return usageErrorf("sweep run: %w", err)
	default:
		return &failure{code: exitBadNews, err: err}
	}
}

func sweepStatus(t *terminal, c *command, args []string) error {
	f := c.flags()
	if done, err := c.parse(t, f, args); done {
		return err
	}
	if f.NArg() != 1 {
		return wrongArguments(c, "status and the folder of a sweep", f.Args())
	}
	s, err := record.Status(f.Arg(0))
	if err != nil {
		return usageErrorf("sweep status: %w", err)
	}
	if err := s.Print(&t.out); err != nil {
		return err
	}
	if s.Bad() {
		return exit(exitBadNews)
	}
	return nil
}

func readPlan(file string) (*plan.Plan, error) {
	text, err := readNamed(file)
	if err != nil {
		return nil, usageErrorf("--plan %s: %s", file, why(err))
	}
	p, err := plan.Decode(text)
	if err != nil {
		return nil, usageErrorf("--plan %s: %w", file, err)
	}
	return p, nil
}
