package rules

import (
	"testing"

	"coldcase/ingest/capture"
)

// One model goes by the path that the server loads and by the names under which
// it answers; vLLM is told a list of them.
func TestSameModel(t *testing.T) {
	server := func(model string, served any) *capture.ServerInfo {
		s := &capture.ServerInfo{Model: model, Args: map[string]any{}}
		if served != nil {
			s.Args["served_model_name"] = served
		}
		return s
	}
	for _, c := range []struct {
		a, b *capture.ServerInfo
		want bool
	}{
		{server("/m/small", nil), server("/m/small", nil), true},
		{server("/m/small", []any{"tiny", "t"}), server("t", nil), true},
		{server("t", nil), server("/m/small", []string{"t"}), true},
		{server("/m/small", "tiny"), server("tiny", nil), true},
		{server("/m/small", nil), server("small", nil), true},
		{server("/m/small", nil), server("/n/small", nil), false},
		{server("/m/small", []any{"tiny"}), server("large", nil), false},
		{server("", nil), server("large", nil), true}, // not known is no difference
	} {
		if got := sameModel(c.a, c.b); got != c.want {
			t.Errorf("%s %v and %s %v: %v, want %v", c.a.Model, c.a.Args, c.b.Model, c.b.Args, got, c.want)
		}
	}
}
