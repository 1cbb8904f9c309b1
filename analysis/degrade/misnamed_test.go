package degrade

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis"
)

// Metrics under the name of another run do not make a wrong count where the
// client recorded what was cached: its numbers are not read in the light of
// lines that are another run's.
func TestMisnamedMetrics(t *testing.T) {
	tried := 0
	for _, rec := range load(t) {
		if !hasDetails(rec) {
			continue
		}
		names := runsWithMetrics(rec.files)
		for i, a := range names {
			for _, b := range names[:i] {
				v := &variant{kind: a + " as " + b, files: files{}, truth: rec.truth}
				for name, content := range rec.files {
					run, role, scraped := strings.Cut(name, ".metrics-")
					switch {
					case scraped && run == a:
						name = b + ".metrics-" + role
					case scraped && run == b:
						name = a + ".metrics-" + role
					}
					v.files[name] = content
				}
				tried++
				t.Run(rec.name+"/"+v.kind, func(t *testing.T) {
					for _, f := range judge(v, analysis.Count(open(t, v))).faults {
						t.Error(f)
					}
				})
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d tried", tried)
	}
}

// A report whose run is not told from another of one size in the log is not
// counted by the other's lines where its own totals speak against them.
func TestReportAmongOtherRuns(t *testing.T) {
	for _, rec := range load(t) {
		if rec.name != "s12-other-traffic" {
			continue
		}
		v := &variant{kind: "one report", files: files{}, truth: rec.truth}
		for _, name := range []string{"server.log", "kit.sh", "run2-other-prompts.txt"} {
			v.files[name] = rec.files[name]
		}
		doc := analysis.Count(open(t, v))
		for _, r := range doc.Runs {
			if r.Kind == "run" && r.Source[0].File == "run2-other-prompts.txt" && (r.AtStart.Low > 0 || r.Verdict == "contaminated") {
				t.Errorf("at start from %d on, %s; nothing was", r.AtStart.Low, r.Verdict)
			}
		}
	}
}

// hasDetails reports whether the client's records hold cached tokens.
func hasDetails(rec *recorded) bool {
	for name, content := range rec.files {
		if isRecord(name) && strings.Contains(string(content), `"cached_tokens"`) {
			return true
		}
	}
	return false
}

func runsWithMetrics(fs files) []string {
	runs := map[string]bool{}
	for name := range fs {
		if run, _, ok := strings.Cut(name, ".metrics-"); ok {
			runs[run] = true
		}
	}
	return slices.Sorted(maps.Keys(runs))
}
