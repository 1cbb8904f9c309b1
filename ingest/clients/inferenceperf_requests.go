package clients

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sniffIPRequests(in *format.Input) int {
	if opens(in.Head) != '[' || !hasAll(in.Head, `"start_time"`, `"end_time"`) || !hasAny(in.Head, `"request"`, `"info"`) {
		return 0
	}
	if hasAny(in.Head, `"request_metrics"`, `"response_metrics"`, `"output_token_times"`) {
		return certain
	}
	return likely
}

func readIPRequests(in *format.Input, out *format.Output) error {
	return readJSON(capture.InferencePerfJSON, in, out, func(doc *document) error {
		var rs []request
		err := doc.elements(func(int) error {
			n, err := doc.value()
			if err == nil {
				rs = append(rs, ipRequest(n))
			}
			return err
		})
		if err != nil || len(rs) == 0 {
			return err
		}
		r := newResult(in.Path, 1, capture.InferencePerfJSON, ipClient)
		r.Group, r.Label = ipGroup(in.Path), folderLabel(in.Path)
		done, failed, input, output := tally(rs)
		r.Completed, r.Failed, r.InputTokens, r.OutputTokens = &done, &failed, input, output
		r.Workload.Prompts = ptr(len(rs))
		r.Duration = span(rs)
		r.Requests = collect(rs)
		// The list is kept as requests were started, which with one worker is
		// the order of the prompts.
		r.Requests.InOrder, r.Requests.InputByServer = ascending(rs), r.Requests.Cached != nil
		out.Results = append(out.Results, r)
		return nil
	})
}

// span is the time from the first start to the last end, which the summary
// prints as benchmark_time_seconds.
func span(rs []request) *float64 {
	from, to := -1.0, -1.0
	for _, q := range rs {
		if q.start < 0 || q.e2e < 0 {
			continue
		}
		if from < 0 || q.start < from {
			from = q.start
		}
		to = max(to, q.start+q.e2e)
	}
	if from < 0 {
		return nil
	}
	return ptr(to - from)
}

func ascending(rs []request) bool {
	for i := 1; i < len(rs); i++ {
		if rs[i].start < rs[i-1].start {
			return false
		}
	}
	return true
}

func ipRequest(n node) request {
	q := untold()
	q.start = n.at("start_time").scaled(1)
	end := n.at("end_time").scaled(1)
	q.hash = promptHash(promptOf(bodyOf(n.at("request").str())))
	info := n.at("info")
	answer := info.at("response_metrics")

	u := usageOf(firstObject(answer.at("server_usage"), info.at("server_usage")))
	if u.cached < 0 {
		if raw := usageOfStream(n.at("response").str()); raw.cached >= 0 || u.prompt < 0 {
			u = raw
		}
	}
	q.input, q.output, q.cached = u.prompt, u.output, u.cached
	q.mute = u.prompt < 0 && u.cached < 0
	if q.input < 0 {
		q.input = firstNode(info.at("request_metrics", "text", "input_tokens"), info.at("input_tokens")).tokens()
	}
	if q.output < 0 {
		q.output = firstNode(answer.at("output_tokens"), info.at("output_tokens")).tokens()
	}
	if n.at("error").v != nil {
		q.failed = true
		return q
	}
	if q.start >= 0 && end >= q.start {
		q.e2e = end - q.start
	}
	times := firstNode(answer.at("output_token_times"), info.at("output_token_times")).each()
	if len(times) > 0 {
		if t := times[0].scaled(1); t >= q.start && q.start >= 0 {
			q.ttft = t - q.start
		}
		q.chunks = int32(len(times) - 1)
	}
	return q
}
