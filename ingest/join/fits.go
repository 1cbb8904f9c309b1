package join

import (
	"strings"

	"coldcase/ingest/capture"
)

// fits tells whether a run can be what a command made: nothing that both state
// differs. What the command leaves to a variable or a default fits anything.
func fits(r *capture.Run, c *capture.Command) bool {
	m, w := &r.Merged, &r.Merged.Workload
	if !sameClient(m, c) || !sameEngine(m.Backend, c) {
		return false
	}
	if m.MaxConcurrency.Known && c.Cap.Known && m.MaxConcurrency != c.Cap || !sameRate(m.RequestRate, c.Rate) {
		return false
	}
	if w.Dataset != "" && c.Workload.Dataset != "" && w.Dataset != c.Workload.Dataset {
		return false
	}
	if differ(w.Seed, c.Workload.Seed) || differ(w.RangeRatio, c.Workload.RangeRatio) ||
		differ(w.InputLen, c.Workload.InputLen) || differ(w.OutputLen, c.Workload.OutputLen) {
		return false
	}
	return fitsPrompts(m, c.Workload.Prompts)
}

// fitsPrompts compares the number of prompts, which a record does not hold: it
// has the number completed, and with details that of all requests. A run that
// lost a fifth of its requests is the most that is taken for incomplete.
func fitsPrompts(m *capture.Result, asked *int) bool {
	switch {
	case asked == nil:
		return true
	case m.Workload.Prompts != nil:
		return *m.Workload.Prompts == *asked
	case m.Requests != nil && m.Requests.N > 0:
		return m.Requests.N == *asked
	case m.Completed == nil:
		return true
	case m.Failed != nil:
		return *m.Completed+*m.Failed == *asked
	}
	return *m.Completed <= *asked && *m.Completed*5 >= *asked*4
}

// sameClient compares the clients, as far as the result tells its own.
func sameClient(m *capture.Result, c *capture.Command) bool {
	if m.Client == "" || m.Client == c.Client {
		return true
	}
	// The Python module starts the Rust client as well, and vLLM's reports do
	// not tell their two clients apart.
	return family(m.Client) == family(c.Client) && (m.Client == "" || !strings.Contains(m.Client+c.Client, "rust"))
}

func family(client string) string {
	switch {
	case strings.HasPrefix(client, "sglang"):
		return "sglang"
	case strings.HasPrefix(client, "vllm"):
		return "vllm"
	}
	return client
}

// sameEngine compares the backend that a result prints with the one that the
// command asks for.
func sameEngine(backend string, c *capture.Command) bool {
	asked, ok := c.Workload.Args["backend"].(string)
	return !ok || backend == "" || asked == backend || strings.Contains(asked, "$")
}

// common keeps what two workloads agree on.
func common(a, b capture.Workload) capture.Workload {
	keepText(&a.Dataset, b.Dataset)
	keepText(&a.DatasetPath, b.DatasetPath)
	keepText(&a.Tokenizer, b.Tokenizer)
	keepText(&a.Target, b.Target)
	keep(&a.Seed, b.Seed)
	keep(&a.Prompts, b.Prompts)
	keep(&a.InputLen, b.InputLen)
	keep(&a.OutputLen, b.OutputLen)
	keep(&a.RangeRatio, b.RangeRatio)
	keep(&a.PrefixLen, b.PrefixLen)
	keep(&a.Warmups, b.Warmups)
	keep(&a.ReadyCheck, b.ReadyCheck)
	keep(&a.FlushAsked, b.FlushAsked)
	keep(&a.Groups, b.Groups)
	keep(&a.PerGroup, b.PerGroup)
	keep(&a.SystemLen, b.SystemLen)
	keep(&a.QuestionLen, b.QuestionLen)
	keep(&a.Offset, b.Offset)
	if a.Turns == nil || b.Turns != nil && *b.Turns > *a.Turns {
		a.Turns = b.Turns // that there may be turns is what matters
	}
	a.TokenIDs = a.TokenIDs && b.TokenIDs
	a.SeedDefault = a.SeedDefault && b.SeedDefault
	return a
}

func keep[T comparable](a **T, b *T) {
	if *a != nil && (b == nil || **a != *b) {
		*a = nil
	}
}

func keepText(a *string, b string) {
	if *a != b {
		*a = ""
	}
}
