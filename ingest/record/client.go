package record

import (
	"context"
	"strings"

	"coldcase/ingest/plan"
)

// The clients that a sweep can run.
const (
	clientBuiltin = "builtin"
	clientSGLang  = "sglang"
	clientVLLM    = "vllm"
)

// clientResult is what the sweep itself needs of a client's result; the rest
// is for ingest to read.
type clientResult struct {
	file       string
	completed  *int
	warmups    *int  // requests beside the prompts; nil = not known
	cached     []int // by prompt, -1 where not told; nil if no prompt tells
	input      []int // prompt tokens by prompt
	firstError string
}

func (r *clientResult) inputOf(i, otherwise int) int {
	if i < len(r.input) && r.input[i] > 0 {
		return r.input[i]
	}
	return otherwise
}

// measureWith runs the plan's client.
func (s *session) measureWith(ctx context.Context, cell *plan.Cell, doc *cellDoc) (*clientResult, error) {
	switch s.plan.Client {
	case clientBuiltin:
		return s.builtin(ctx, cell, doc)
	case clientSGLang:
		return s.external(ctx, cell, doc, s.sglangCommand(cell))
	case clientVLLM:
		return s.external(ctx, cell, doc, s.vllmCommand(cell))
	}
	return s.external(ctx, cell, doc, s.templateCommand(cell))
}

// checkClient refuses clients that do not fit the engine.
func (s *session) checkClient() error {
	c := s.plan.Client
	if c == clientBuiltin || c == clientSGLang || c == clientVLLM {
		return nil
	}
	if !strings.Contains(c, "{") {
		return usage("--client %q: want builtin, sglang, vllm, or a command template with at least {seed} and {out}", c)
	}
	for _, need := range []string{"{seed}", "{out}"} {
		if !strings.Contains(c, need) {
			return usage("--client: the command template has no %s", need)
		}
	}
	return nil
}
