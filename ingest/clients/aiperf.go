package clients

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// AIPerf keeps one folder a run: profile_export.jsonl has a line a request
// (only those of the profiling phase are measured), profile_export_aiperf.json
// the summary, the settings and the seed really used, inputs.json the prompts.
// Times are ns since the epoch, latencies carry their unit.
//
// usage_prompt_cache_read_tokens stands on a request only if the server sent
// the number. theoretical_prefix_cache_hit describes the corpus, not the
// server, and is not read.
const (
	aiClient                     = "aiperf"
	AIPerfCSV       capture.Kind = "aiperf-csv"
	AIPerfText      capture.Kind = "aiperf-text"
	AIPerfInputs    capture.Kind = "aiperf-inputs"
	AIPerfTelemetry capture.Kind = "aiperf-telemetry"
	AIPerfLog       capture.Kind = "aiperf-log"
	AIPerfMarker    capture.Kind = "aiperf-marker"
	aiCacheRead                  = "usage_prompt_cache_read_tokens"
)

func init() { register("aiperf", aiPerf) }

func aiPerf() []format.Format {
	return []format.Format{
		{Kind: capture.AIPerfJSONL, Sniff: sniffJSON('{', certain, `"metadata"`, `"benchmark_phase"`, `"metrics"`), Read: readAIPerfJSONL},
		{Kind: capture.AIPerfJSON, Sniff: sniffAIPerfJSON, Read: readAIPerfJSON},
		{Kind: AIPerfInputs, Sniff: sniffJSON('{', likely, `"data"`, `"session_id"`, `"payloads"`), Read: readAIPerfInputs},
		{Kind: AIPerfCSV, Sniff: sniffAIPerfCSV, Read: readAIPerfCSV},
		consoleFormat(AIPerfText, sniffAIPerfText, newAIPerfConsole),
		seen(AIPerfTelemetry, "AIPerf's own samples of the server's metrics; not read", sniffAIPerfTelemetry),
		seen(AIPerfLog, "AIPerf's log of itself; not read", func(in *format.Input) int {
			if hasAll(in.Head, " - INFO - ", "aiperf.") && hasAny(in.Head, "Starting AIPerf System") {
				return likely
			}
			return 0
		}),
		seen(AIPerfMarker, "a marker that the folder is complete; not read", sniffJSON('{', likely, `"ready"`, `"was_cancelled"`, `"partial"`)),
	}
}

func sniffAIPerfJSON(in *format.Input) int {
	if opens(in.Head) != '{' || !hasAny(in.Head, `"aiperf_version"`, `"run_info"`, `"total_usage_prompt_cache_read_tokens"`) ||
		hasAny(in.Head, `"endpoints_configured"`) && !hasAny(in.Head, `"request_throughput"`) {
		return 0
	}
	return certain
}

func sniffAIPerfTelemetry(in *format.Input) int {
	if opens(in.Head) == '{' && hasAll(in.Head, `"aiperf_version"`, `"endpoints_configured"`) && !hasAny(in.Head, `"request_throughput"`) ||
		hasAny(in.Head, "# AIPerf Server Metrics Export") {
		return certain
	}
	return 0
}

// inUnit converts a metric with its unit field to seconds.
func inUnit(m node) float64 {
	switch m.at("unit").str() {
	case "s", "sec", "seconds":
		return m.at("value").scaled(1)
	case "us":
		return m.at("value").scaled(1e-6)
	case "ns":
		return m.at("value").scaled(nano)
	}
	return m.at("value").scaled(milli)
}

// aiGroup is the run of a file that has the name AIPerf gives it.
func aiGroup(file string) string {
	return groupOf(aiClient, file, "profile_export.jsonl", "profile_export_aiperf.json", "profile_export_aiperf.csv",
		"profile_export_console.txt", "inputs.json")
}
