package vllm

import (
	"bytes"

	"coldcase/ingest/format"
	"coldcase/ingest/pyrepr"
	"coldcase/ingest/text"
)

// maxWrapped bounds a wrapped Namespace, in bytes.
const maxWrapped = 64 << 10

// sglangOptions are options that only SGLang's client has.
var sglangOptions = []string{
	"flush_cache", "disable_ignore_eos", "disable_stream", "warmup_requests", "extra_request_body",
	"apply_chat_template", "gsp_num_groups", "sharegpt_context_len", "return_logprob",
}

// namespace reads the line of arguments.
func (m *benchText) namespace(n int, line []byte) format.Claim {
	value, _, err := pyrepr.Prefix(line)
	if pyrepr.Incomplete(err) && len(line) < maxWrapped {
		m.wrapped, m.wrappedLine = bytes.Clone(line), n
		m.end()
		return format.Mine
	}
	return m.take(n, line, value)
}

// unwrap adds a line to a wrapped Namespace. It reports whether the line
// belongs to it; a line that plainly begins something else ends it.
func (m *benchText) unwrap(n int, line []byte) bool {
	if bytes.HasPrefix(line, []byte("Namespace(")) || isHeadline(line) || len(m.wrapped)+len(line) > maxWrapped {
		m.cutNamespace()
		return false
	}
	m.wrapped = append(append(m.wrapped, ' '), line...)
	value, _, err := pyrepr.Prefix(m.wrapped)
	if pyrepr.Incomplete(err) {
		return true
	}
	whole, from := m.wrapped, m.wrappedLine
	m.wrapped = nil
	m.take(from, whole, value)
	return true
}

// cutNamespace takes what was whole of a Namespace that never ended.
func (m *benchText) cutNamespace() {
	value, _, _ := pyrepr.Prefix(m.wrapped)
	whole := m.wrapped
	m.wrapped = nil
	m.malformed++
	m.take(m.wrappedLine, whole, value)
}

func (m *benchText) take(n int, line []byte, value any) format.Claim {
	m.end()
	call, ok := value.(*pyrepr.Call)
	if !ok {
		m.malformed++
		return format.Malformed
	}
	args := call.Map()
	for _, name := range sglangOptions {
		if _, has := args[name]; has {
			m.where, m.theirs = foreign, true
			return format.NotMine
		}
	}
	m.theirs = false
	r := m.begin(n)
	r.Backend = stringArg(args, "backend")
	r.Engine = engineOf(r.Backend)
	r.Model = stringArg(args, "model")
	r.Label = stringArg(args, "label")
	r.Workload, r.MaxConcurrency, r.RequestRate = Arguments(args, FormNamespace)
	r.Workload.From = text.Evidence("", n, line)
	m.rust = false
	return format.Mine
}
