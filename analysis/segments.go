package analysis

import (
	"coldcase/analysis/carryover"
)

// Segments parts the prompts of one run (the sequences of a window) by what is
// known of their prefix. The proved hits stand by origin; together with
// Possible and NotCached they add up to Total, so that a bar of them is exactly
// as long as the run.
type Segments struct {
	Run   string `json:"run"`
	Total int64  `json:"total"` // prompts, or the sequences that a window proves

	EarlierRun  int64 `json:"earlier_run"`
	OtherClient int64 `json:"other_client"`
	WarmUp      int64 `json:"warm_up"`
	InRun       int64 `json:"in_run"`
	Unknown     int64 `json:"unknown"` // proved hits whose origin is not known

	// Possible are prompts that may have been hits: no evidence rules it out.
	Possible int64 `json:"possible"`
	// NotCached are prompts that are proved to be no hits of any origin.
	NotCached int64 `json:"not_cached"`

	// Hits are the full and partial hits by their place in the client's list,
	// counted from 0; empty unless a witness names the tokens of each prompt.
	Hits []Stretch `json:"hits"`
}

// Stretch is a run of neighbouring prompts, both ends included.
type Stretch struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// maxStretches bounds the stretches that are listed of one run; hits that are
// strewn over more are not listed at all.
const maxStretches = 8

// PartPrompts parts the prompts of every run and window.
func PartPrompts(d *carryover.Document) []Segments {
	out := []Segments{}
	for _, r := range d.Runs {
		out = append(out, segmentsOf(r))
	}
	return out
}

func segmentsOf(r *carryover.Run) Segments {
	o := r.Origins
	s := Segments{Run: r.ID, Total: r.Sequences.Low, Hits: hitStretches(r),
		EarlierRun: o.EarlierRun.Low, OtherClient: o.OtherClient.Low, WarmUp: o.WarmUp.Low, InRun: o.InRun.Low, Unknown: o.Unknown.Low}
	// Hits that are proved to be at start, but not whose they are.
	s.Unknown = max(s.Unknown, r.AtStart.Low-s.EarlierRun-s.OtherClient)
	if r.Prompts != nil {
		s.Total = int64(*r.Prompts)
	}
	proved := s.EarlierRun + s.OtherClient + s.WarmUp + s.InRun + s.Unknown
	s.Total = max(s.Total, proved)
	most := s.Total
	if h := mostHits(r); h != nil {
		most = min(most, max(*h, proved))
	}
	s.Possible, s.NotCached = most-proved, s.Total-most
	return s
}

// mostHits is an upper bound of the hits of every origin, nil for none. A hit
// is at start, from the warm-up or from inside the run: the bounds of these
// three add up to one, and so do the bounds of all origins; the lower one
// holds.
func mostHits(r *carryover.Run) *int64 {
	o := r.Origins
	place := sumHigh(r.AtStart.High, o.WarmUp.High, o.InRun.High)
	origin := sumHigh(o.EarlierRun.High, o.OtherClient.High, o.WarmUp.High, o.InRun.High, o.Unknown.High)
	switch {
	case place == nil:
		return origin
	case origin == nil || *place < *origin:
		return place
	}
	return origin
}

func sumHigh(highs ...*int64) *int64 {
	sum := int64(0)
	for _, h := range highs {
		if h == nil {
			return nil
		}
		sum += *h
	}
	return &sum
}

// hitStretches lists the hits of a per-prompt witness as stretches.
func hitStretches(r *carryover.Run) []Stretch {
	out := []Stretch{}
	if r.Facts == nil {
		return out
	}
	for i, h := range r.Facts.HitByPrompt {
		switch {
		case h != carryover.PartialHit && h != carryover.FullHit:
		case len(out) > 0 && out[len(out)-1].Last == i-1:
			out[len(out)-1].Last = i
		case len(out) == maxStretches:
			return []Stretch{}
		default:
			out = append(out, Stretch{i, i})
		}
	}
	return out
}
