package plan

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Summary prints a plan in the form that a person agrees to.
func (p *Plan) Summary(w io.Writer) error {
	b := &strings.Builder{}
	fresh, repeat, requests := 0, 0, 0
	for _, c := range p.Cells {
		if c.Arm == Repeat {
			repeat++
		} else {
			fresh++
		}
		requests += c.Prompts
	}
	fmt.Fprintf(b, "%d cells: %d fresh, %d repeat; %d prompts in all; client %s\n", len(p.Cells), fresh, repeat, requests, p.Client)
	fmt.Fprintf(b, "workload: %s, %s tokens in, %s tokens out\n", orDefault(p.Workload.Dataset), lenText(p.Workload.InputLen), lenText(p.Workload.OutputLen))
	if a := p.Workload.Arguments; len(a) > 0 {
		fmt.Fprintf(b, "as in the kit: %s\n", strings.Join(a, " "))
	}
	for _, pt := range p.Points() {
		fmt.Fprintf(b, "  cap %d: %d prompts\n", pt.Cap, pt.Prompts)
	}
	fmt.Fprintf(b, "seeds: %s; order shuffled by seed %d\n", p.seedText(), p.OrderSeed)
	if p.EstimateS != nil {
		fmt.Fprintf(b, "time: about %s, by the kit's durations\n", (time.Duration(*p.EstimateS) * time.Second).Round(time.Second))
	}
	list(b, "differs from the kit", p.DiffersFromKit)
	list(b, "not carried", p.NotCarried)
	list(b, "note", p.Notes)
	fmt.Fprintf(b, "expected: %s\nrefuted if: %s\n", p.Expectation, p.RefutedIf)
	fmt.Fprintf(b, "this flushes the server's cache %d times\n", fresh)
	_, err := io.WriteString(w, b.String())
	return err
}

func list(b *strings.Builder, name string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(b, "%s: %s\n", name, l)
	}
}

func lenText(n *int) string {
	if n == nil {
		return "default"
	}
	return fmt.Sprint(*n)
}

func orDefault(s string) string {
	if s == "" {
		return "default"
	}
	return s
}

// seedText lists the seeds for a person.
func (p *Plan) seedText() string {
	var s []string
	for _, n := range p.Seeds() {
		s = append(s, fmt.Sprint(n))
	}
	return strings.Join(s, ", ")
}
