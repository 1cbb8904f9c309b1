package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"coldcase/samples/lab"
)

var labCommand = &command{
	name: "lab",
	usage: `Usage: coldcase lab [flags]

Serves a simulated engine with a real prefix cache: queue, batches, chunks, log,
metrics and answers are those of SGLang or vLLM, the model is not there. Clients
and the sweep run against it unchanged. The first line on standard output is the
address; an interrupt ends it.

Example:
  $ coldcase lab --engine vllm --log lab.log --fault flush-lies
`,
	run: runLab,
}

func runLab(t *terminal, c *command, args []string) error {
	f := c.flags()
	config := lab.Flags(f)
	if done, err := c.parse(t, f, args); done {
		return err
	}
	if f.NArg() > 0 {
		return wrongArguments(c, "no argument", f.Args())
	}
	ctx, stop := interruptible()
	defer stop()
	switch err := lab.Run(ctx, config, t.stdout, t.err); {
	case err == nil:
		return nil
	case errors.Is(err, lab.ErrDied):
		return exit(exitBadNews) // the lab said so itself
	default:
		return usageErrorf("lab: %w", err)
	}
}

// interruptible is a context that an interrupt or a request to end cancels.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}
