package capture

// Sample is one line of a Prometheus text.
type Sample struct {
	Labels map[string]string
	Value  float64
	Line   int
}

// Snapshot is one scrape of a server's metrics.
type Snapshot struct {
	File    string
	Span    Span
	Engine  string // sglang, vllm or ""
	Series  map[string][]Sample
	Capture int
}

// Sum adds a series over all its label sets. ok is false if it is absent.
func (s *Snapshot) Sum(name string) (sum float64, ok bool) {
	if s == nil {
		return 0, false
	}
	for _, x := range s.Series[name] {
		sum += x.Value
	}
	return sum, len(s.Series[name]) > 0
}

// Line returns the line of the first sample of a series, 0 if it is absent.
func (s *Snapshot) Line(name string) int {
	if s == nil || len(s.Series[name]) == 0 {
		return 0
	}
	return s.Series[name][0].Line
}
