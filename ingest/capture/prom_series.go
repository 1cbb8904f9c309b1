package capture

import (
	"sort"
	"strings"
)

// rankLabels are the labels under which SGLang's scheduler repeats one number
// for every process that works on the same request. Data-parallel ranks
// (dp_rank) and vLLM's engines serve requests of their own and are not here.
var rankLabels = [...]string{"pp_rank", "tp_rank", "moe_ep_rank", "attn_cp_rank"}

// Total adds a series over its label sets, each request counted once: samples
// that differ only in a rank label of the scheduler are copies, and the lowest
// rank stands for all of them. lines are the lines that were added. ok is false
// if the series is absent.
func (s *Snapshot) Total(name string) (sum float64, lines []int, ok bool) {
	return s.total(name, nil)
}

// total is Total over the samples that keep accepts; a nil keep accepts all.
func (s *Snapshot) total(name string, keep func(Sample) bool) (sum float64, lines []int, ok bool) {
	if s == nil {
		return 0, nil, false
	}
	for _, x := range onePerRequest(s.Series[name]) {
		if keep != nil && !keep(x) {
			continue
		}
		sum += x.Value
		lines = append(lines, x.Line)
		ok = true
	}
	return sum, lines, ok
}

// onePerRequest drops the copies that other ranks of the scheduler print.
func onePerRequest(samples []Sample) []Sample {
	if !ranked(samples) {
		return samples
	}
	best := make(map[string]int)
	var order []string
	for i, x := range samples {
		key := labelKey(x.Labels, rankLabels[:]...)
		j, seen := best[key]
		if !seen {
			order = append(order, key)
		}
		if !seen || rankOf(x) < rankOf(samples[j]) {
			best[key] = i
		}
	}
	kept := make([]Sample, 0, len(order))
	for _, key := range order {
		kept = append(kept, samples[best[key]])
	}
	return kept
}

func ranked(samples []Sample) bool {
	for _, x := range samples {
		for _, label := range rankLabels {
			if _, has := x.Labels[label]; has {
				return true
			}
		}
	}
	return false
}

// rankOf is a text that sorts like the rank: shorter numbers first.
func rankOf(x Sample) string {
	var b strings.Builder
	for _, label := range rankLabels {
		v := x.Labels[label]
		b.WriteByte(byte('0' + min(len(v), 9)))
		b.WriteString(v)
		b.WriteByte(' ')
	}
	return b.String()
}

// labelKey is a label set as one text, without the labels named.
func labelKey(labels map[string]string, without ...string) string {
	names := make([]string, 0, len(labels))
next:
	for name := range labels {
		for _, w := range without {
			if name == w {
				continue next
			}
		}
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(labels[name])
		b.WriteByte(0)
	}
	return b.String()
}

// hasPrefix reports whether any series of the scrape begins with prefix.
func (s *Snapshot) hasPrefix(prefix string) bool {
	if s == nil {
		return false
	}
	for name := range s.Series {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
