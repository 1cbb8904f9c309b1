package capture

import (
	"math"
	"sort"
	"strconv"
)

// Histogram is the growth of a Prometheus histogram between two scrapes.
// Buckets are cumulative, by rising upper bound; the last is +Inf.
type Histogram struct {
	Series  string
	Buckets []Bucket
	Count   float64 // observations, -1 if neither _count nor the bucket of +Inf is there
	Sum     float64 // of the values observed, -1 if there is no _sum
	OK      bool
	Why     string
}

// Bucket says how many new observations were at most LE.
type Bucket struct {
	LE float64
	N  float64
	// Before and After are the first lines of the bucket in each scrape; Before
	// is 0 if the series did not exist yet.
	Before, After int
}

// Histogram takes the difference of a histogram, added over its label sets.
// Bounds are read as numbers, since servers let their users change them.
func (d Delta) Histogram(name string) Histogram {
	h := Histogram{Series: name, Count: -1, Sum: -1}
	if id := d.identity; !id.Same {
		h.Why = id.Why
		return h
	}
	if !d.Before.hasPrefix(family(name)) {
		h.Why = "the earlier scrape holds no " + family(name) + " series at all"
		return h
	}
	before, after := buckets(d.Before, name), buckets(d.After, name)
	if len(after) == 0 {
		h.Why = "no series " + name + "_bucket"
		return h
	}
	if len(before) > 0 && len(before) != len(after) {
		h.Why = name + " has other buckets in the two scrapes"
		return h
	}
	for le, a := range after {
		b, had := before[le]
		if !had && len(before) > 0 {
			h.Why = name + " has other buckets in the two scrapes"
			return h
		}
		h.Buckets = append(h.Buckets, Bucket{LE: le, N: a.n - b.n, Before: b.line, After: a.line})
	}
	sort.Slice(h.Buckets, func(i, j int) bool { return h.Buckets[i].LE < h.Buckets[j].LE })
	for i, b := range h.Buckets {
		if b.N < 0 || i > 0 && b.N < h.Buckets[i-1].N {
			h.Why = name + " has buckets that fall: they are not of one server"
			h.Buckets = nil
			return h
		}
	}
	if last := h.Buckets[len(h.Buckets)-1]; math.IsInf(last.LE, 1) {
		h.Count = last.N
	}
	if count := d.Counter(name + "_count"); count.OK {
		h.Count = count.Value
	}
	if sum := d.Counter(name + "_sum"); sum.OK {
		h.Sum = sum.Value
	}
	h.OK = true
	return h
}

// AtMost is the number of new observations in the largest bucket whose bound is
// not above limit, with that bucket; ok is false if there is no such bucket.
func (h Histogram) AtMost(limit float64) (b Bucket, ok bool) {
	if !h.OK {
		return Bucket{}, false
	}
	for _, x := range h.Buckets {
		if x.LE <= limit {
			b, ok = x, true
		}
	}
	return b, ok
}

// Covering is the smallest bucket whose bound is not below limit: every
// observation of at most limit is in it.
func (h Histogram) Covering(limit float64) (b Bucket, ok bool) {
	if !h.OK {
		return Bucket{}, false
	}
	for _, x := range h.Buckets {
		if x.LE >= limit {
			return x, true
		}
	}
	return Bucket{}, false
}

type bucketSum struct {
	n    float64
	line int
}

func buckets(s *Snapshot, name string) map[float64]bucketSum {
	m := make(map[float64]bucketSum)
	if s == nil {
		return m
	}
	for _, x := range onePerRequest(s.Series[name+"_bucket"]) {
		le, err := strconv.ParseFloat(x.Labels["le"], 64)
		if err != nil || math.IsNaN(le) {
			continue
		}
		b := m[le]
		b.n += x.Value
		if b.line == 0 {
			b.line = x.Line
		}
		m[le] = b
	}
	return m
}
