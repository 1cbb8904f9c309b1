package confirm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/plan"
)

// clientOf maps the name of a measuring program to the client that a sweep can
// start; "" where there is none.
var clientOf = map[string]string{
	"sglang.bench_serving": "sglang",
	"vllm bench serve":     "vllm",
	"coldcase":             "builtin",
}

// cellOverheadS is what a cell costs beside its requests, in seconds: the
// client's start, the idle gate, the canary and the flush.
const cellOverheadS = 20

// FromCapture makes a plan from the runs of a kit: the same client, dataset,
// lengths and caps, and as many prompts at each cap. Only the seeds and the
// flush change, and whatever the options change; every difference is written
// into the plan.
func FromCapture(c *capture.Capture, o Options) (*plan.Plan, error) {
	runs := kitRuns(c)
	if len(runs) == 0 {
		return nil, errors.New("--from: the capture has no run of a client with a known cap and number of prompts: give --caps and --prompts")
	}
	first := &runs[0].Merged
	kit := &plan.Kit{Client: first.Client, Seeds: kitSeeds(c), Points: kitPoints(runs)}
	if len(c.Sources) > runs[0].Capture {
		kit.Name = c.Sources[runs[0].Capture].Name
	}
	base := kitCaps(kit.Points)
	points, err := o.pointsFrom(base)
	if err != nil {
		return nil, err
	}
	seeds, err := freshSeeds(o.Seeds, kit.Seeds, seedStep(first.Workload.Dataset))
	if err != nil {
		return nil, err
	}
	p := &draft{&plan.Plan{Kit: kit, Workload: kitWorkload(runs), Client: clientOf[first.Client], Engine: first.Engine}}
	if p.Client == "" {
		p.Client = "builtin"
	}
	before := p.Workload
	p.fill(o, points, seeds)
	if o.RangeRatio < 0 {
		p.translateRatio()
	}
	words, lost := argumentsOf(runs, &p.Workload)
	if p.Client == clientOf[first.Client] {
		p.Workload.Arguments = words
		words = nil
	}
	p.DiffersFromKit = append(p.differences(before, base), lostArguments(words, lost)...)
	p.notesFrom(runs)
	p.estimate()
	p.expect(kit)
	return p.Plan, p.Check()
}

// kitRuns are the runs of the workload that most runs share, by cap.
func kitRuns(c *capture.Capture) []*capture.Run {
	groups := map[string][]*capture.Run{}
	var keys []string
	for _, r := range c.Runs {
		m := &r.Merged
		if r.Cell != nil || prompts(r) == 0 || !m.MaxConcurrency.Known {
			continue
		}
		key := fmt.Sprint(m.Client, "|", m.Engine, "|", m.Workload.Dataset, "|", deref(m.Workload.InputLen), "|", deref(m.Workload.OutputLen))
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], r)
	}
	var best []*capture.Run
	for _, k := range keys {
		if len(groups[k]) > len(best) {
			best = groups[k]
		}
	}
	slices.SortStableFunc(best, func(a, b *capture.Run) int { return cmp.Compare(capOf(a), capOf(b)) })
	return best
}

// prompts is the number of prompts that a run was told to send, else that it
// completed, 0 if neither is known.
func prompts(r *capture.Run) int {
	if n := r.Merged.Workload.Prompts; n != nil {
		return *n
	}
	if r.Merged.Requests != nil {
		return r.Merged.Requests.N
	}
	return deref(r.Merged.Completed)
}

// capOf is the cap of a run; a run without a limit could have all its prompts
// in flight.
func capOf(r *capture.Run) int {
	if r.Merged.MaxConcurrency.Unlimited {
		return prompts(r)
	}
	return r.Merged.MaxConcurrency.N
}

// kitSeeds are all seeds that the capture names, also those of commands
// without a result: their prompts may be in the cache.
func kitSeeds(c *capture.Capture) []int64 {
	seeds := []int64{}
	add := func(s *int64) {
		if s != nil && !slices.Contains(seeds, *s) {
			seeds = append(seeds, *s)
		}
	}
	for _, r := range c.Runs {
		add(r.Merged.Workload.Seed)
	}
	for _, k := range c.Commands {
		add(k.Workload.Seed)
	}
	slices.Sort(seeds)
	return seeds
}

func kitPoints(runs []*capture.Run) []plan.KitPoint {
	points := make([]plan.KitPoint, len(runs))
	for i, r := range runs {
		points[i] = plan.KitPoint{Run: r.ID, Cap: capOf(r), Prompts: prompts(r), Seed: r.Merged.Workload.Seed, DurationS: r.Merged.Duration}
		if f, ok := r.Merged.Printed[medianTTFT]; ok {
			points[i].MedianTTFT = floatPtr(f.Value)
		}
	}
	return points
}

// kitCaps is one point per cap, with the largest number of prompts sent there.
func kitCaps(kit []plan.KitPoint) []plan.Point {
	var points []plan.Point
	for _, k := range kit {
		if n := len(points); n > 0 && points[n-1].Cap == k.Cap {
			points[n-1].Prompts = max(points[n-1].Prompts, k.Prompts)
			continue
		}
		points = append(points, plan.Point{Cap: k.Cap, Prompts: k.Prompts})
	}
	return points
}

// pointsFrom applies --caps and --prompts to the kit's points.
func (o *Options) pointsFrom(kit []plan.Point) ([]plan.Point, error) {
	caps := o.Caps
	if len(caps) == 0 {
		for _, p := range kit {
			caps = append(caps, p.Cap)
		}
	}
	if len(o.Prompts) > 0 {
		return pointsOf(caps, o.Prompts)
	}
	var n []int
	for _, c := range caps {
		i := slices.IndexFunc(kit, func(p plan.Point) bool { return p.Cap == c })
		if i < 0 {
			return nil, fmt.Errorf("--caps: the kit has no run at cap %d: give --prompts too", c)
		}
		n = append(n, kit[i].Prompts)
	}
	return pointsOf(caps, n)
}

func kitWorkload(runs []*capture.Run) plan.Workload {
	m := &runs[0].Merged
	w := m.Workload
	out := plan.Workload{
		Dataset: w.Dataset, InputLen: w.InputLen, OutputLen: w.OutputLen, RangeRatio: w.RangeRatio, Warmups: w.Warmups,
		Model: m.Model, Tokenizer: w.Tokenizer, DatasetPath: w.DatasetPath, Backend: m.Backend, RequestRate: "inf",
	}
	if m.RequestRate.Known && !m.RequestRate.Inf {
		out.RequestRate = m.RequestRate.PerSecond
	}
	return out
}

// translateRatio keeps fixed lengths fixed when a kit of vLLM's client is
// repeated with the built-in one, whose ratio means something else.
func (p *draft) translateRatio() {
	r := p.Workload.RangeRatio
	if clientOf[p.Kit.Client] != "vllm" || p.Client != "builtin" {
		return
	}
	spread := 0.0 // vLLM's default
	if r != nil {
		spread = *r
	}
	p.Workload.RangeRatio = floatPtr(1 - min(max(spread, 0), 1))
}

// differences lists what the sweep does otherwise than the kit.
func (p *draft) differences(kit plan.Workload, base []plan.Point) []string {
	d := []string{
		fmt.Sprintf("seeds: %s instead of %s", join(p.Seeds()), cmp.Or(join(p.Kit.Seeds), "seeds that the kit does not name")),
		"flush: the cache is emptied, and proved empty, before every fresh cell",
	}
	for _, pt := range p.Points() {
		i := slices.IndexFunc(base, func(b plan.Point) bool { return b.Cap == pt.Cap })
		switch {
		case i < 0:
			d = append(d, fmt.Sprintf("cap %d: not in the kit", pt.Cap))
		case base[i].Prompts != pt.Prompts:
			d = append(d, fmt.Sprintf("prompts: %d instead of %d at cap %d", pt.Prompts, base[i].Prompts, pt.Cap))
		}
	}
	for _, b := range base {
		if !slices.ContainsFunc(p.Points(), func(x plan.Point) bool { return x.Cap == b.Cap }) {
			d = append(d, fmt.Sprintf("cap %d: in the kit, not in the sweep", b.Cap))
		}
	}
	w := p.Workload
	diff := func(name string, was, is any) {
		if was != is {
			d = append(d, fmt.Sprintf("%s: %v instead of %v", name, is, was))
		}
	}
	diff("dataset", kit.Dataset, w.Dataset)
	diff("input_len", deref(kit.InputLen), deref(w.InputLen))
	diff("output_len", deref(kit.OutputLen), deref(w.OutputLen))
	diff("range_ratio", ratio(kit.RangeRatio), ratio(w.RangeRatio))
	if was := clientOf[p.Kit.Client]; was != p.Client {
		d = append(d, fmt.Sprintf("client: %s instead of %s", p.Client, cmp.Or(p.Kit.Client, "one that the kit does not name")))
		if p.Client == "builtin" {
			d = append(d, "prompts: random token ids of the asked lengths instead of the kit's dataset")
		}
	}
	return d
}

// notesFrom says what of the kit was not certain.
func (p *draft) notesFrom(runs []*capture.Run) {
	var presumed, unlimited []string
	for _, r := range runs {
		if r.Merged.Workload.Presumed {
			presumed = append(presumed, r.ID)
		}
		if r.Merged.MaxConcurrency.Unlimited {
			unlimited = append(unlimited, r.ID)
		}
	}
	if len(presumed) > 0 {
		p.Notes = append(p.Notes, "arguments presumed from files of the same pattern: "+strings.Join(presumed, ", "))
	}
	if len(unlimited) > 0 {
		p.Notes = append(p.Notes, "no cap in the kit, planned as a cap of all prompts: "+strings.Join(unlimited, ", "))
	}
	if p.Workload.InputLen == nil || p.Workload.OutputLen == nil {
		p.Notes = append(p.Notes, "the kit does not name its prompt and output lengths: the client's defaults stand, or give --input-len and --output-len")
	}
}

// estimate adds up the kit's durations at each cap, by the prompt.
func (p *draft) estimate() {
	total := 0.0
	for _, c := range p.Cells {
		found := false
		for _, k := range p.Kit.Points {
			if k.Cap == c.Cap && k.DurationS != nil && k.Prompts > 0 {
				total += *k.DurationS * float64(c.Prompts) / float64(k.Prompts)
				found = true
				break
			}
		}
		if !found {
			return
		}
		total += cellOverheadS
	}
	p.EstimateS = &total
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func ratio(f *float64) string {
	if f == nil {
		return "the client's default"
	}
	return fmt.Sprint(*f)
}

func join(list []int64) string {
	s := make([]string, len(list))
	for i, v := range list {
		s[i] = fmt.Sprint(v)
	}
	return strings.Join(s, ", ")
}
