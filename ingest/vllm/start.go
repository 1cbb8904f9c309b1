package vllm

import (
	"bytes"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyrepr"
	"coldcase/ingest/text"
)

// start takes a line about the server's start. It reports whether the line is
// one.
//
// A life begins with the first of: the banner, the version line, the arguments,
// the engine's configuration. What else of these comes before the server is
// ready belongs to the same life; the same kind a second time, or any of them
// after the server was ready or had stopped, begins the next.
func (m *serverLog) start(n int, at capture.Stamp, msg []byte) bool {
	switch {
	case bytes.Contains(msg[:min(len(msg), 120)], []byte("█")):
		return m.banner(n, at, msg)
	case bytes.HasPrefix(msg, []byte("vLLM API server version ")), bytes.HasPrefix(msg, []byte("vLLM server version ")):
		s := m.life(n, at, msg, partVersion)
		_, version, _ := bytes.Cut(msg, []byte(" version "))
		version, model, _ := bytes.Cut(version, []byte(", serving model "))
		s.Info.Version = firstWord(version)
		setText(&s.Info.Model, firstWord(model))
	case bytes.HasPrefix(msg, []byte("non-default args: ")):
		m.arguments(n, at, msg, msg[len("non-default args: "):])
	case bytes.HasPrefix(msg, []byte("args: Namespace(")):
		m.arguments(n, at, msg, msg[len("args: "):])
	case bytes.HasPrefix(msg, []byte("Initializing a")) && bytes.Contains(msg, []byte(" with config: ")):
		m.engineConfig(n, at, msg)
	case bytes.Contains(msg, []byte(" KV cache size: ")):
		m.pool(n, msg)
	case bytes.HasPrefix(msg, []byte("# GPU blocks: ")):
		m.blocks(n, msg)
	case bytes.HasPrefix(msg, []byte("Setting attention block size to ")):
		if size := wholeNumber(msg[len("Setting attention block size to "):]); size > 0 && m.current() != nil {
			m.current().Info.PageSize = &size
		}
	case bytes.Contains(msg, []byte("Development endpoints are enabled")):
		if s := m.current(); s != nil {
			s.Info.DevMode = ptr(true)
		}
	case bytes.HasPrefix(msg, []byte("Starting vLLM ")):
		m.ready(n, at)
	default:
		return false
	}
	return true
}

// startPart is what a start line tells; each stands once in a life.
type startPart uint8

const (
	partBanner startPart = 1 << iota
	partVersion
	partArgs
	partConfig // may repeat: one line an engine
)

// life gives the start that a line belongs to, a new one if need be.
func (m *serverLog) life(n int, at capture.Stamp, msg []byte, part startPart) *capture.Start {
	s := m.current()
	if s == nil || s.Ready > 0 || m.stopped || m.told&part != 0 && part != partConfig {
		m.log.Starts = append(m.log.Starts, capture.Start{Line: n, Stamp: at})
		s = m.current()
		s.Info.Engine = "vllm"
		s.Info.At = text.Evidence("", n, msg)
		m.told, m.stopped = 0, false
		m.logLimit = -1
	}
	m.told |= part
	return s
}

// ready marks the line at which the server serves.
func (m *serverLog) ready(n int, at capture.Stamp) {
	m.event()
	if s := m.current(); s != nil && s.Ready == 0 {
		s.Ready = n
	}
	m.mark(n, at, capture.MarkReady, 0)
}

func (m *serverLog) current() *capture.Start {
	if len(m.log.Starts) == 0 {
		return nil
	}
	return &m.log.Starts[len(m.log.Starts)-1]
}

// banner reads the drawn name of the program, which has the version and the
// model beside it (v0.12 on).
func (m *serverLog) banner(n int, at capture.Stamp, msg []byte) bool {
	if _, version, ok := bytes.Cut(msg, []byte(" version ")); ok {
		m.life(n, at, msg, partBanner).Info.Version = firstWord(version)
	}
	if _, model, ok := bytes.Cut(msg, []byte(" model ")); ok {
		if s := m.current(); s != nil && s.Ready == 0 {
			setText(&s.Info.Model, firstWord(model))
		}
	}
	return true
}

// arguments reads "non-default args: {...}" (v0.9 on) or "args: Namespace(...)".
// What the former does not name has its default.
func (m *serverLog) arguments(n int, at capture.Stamp, line, repr []byte) {
	s := m.life(n, at, line, partArgs)
	args, err := reprMap(repr)
	if args == nil {
		return
	}
	text.RedactArgs(args)
	info := &s.Info
	info.At = text.Evidence("", n, line)
	info.Args = args
	setText(&info.Model, stringArg(args, "model"))
	if size := intArg(args, "block_size"); size != nil && *size > 0 {
		info.PageSize = size
	}
	if on, ok := args["enable_prefix_caching"].(bool); ok {
		info.PrefixCache = &on
	}
	if off, ok := args["no_enable_prefix_caching"].(bool); ok && off {
		info.PrefixCache = ptr(false)
	}
	info.TPSize = either(intArg(args, "tensor_parallel_size"), info.TPSize)
	info.PPSize = either(intArg(args, "pipeline_parallel_size"), info.PPSize)
	info.DPSize = either(intArg(args, "data_parallel_size"), info.DPSize)
	if err == nil { // all arguments were read, so what is absent is off
		report, _ := args["enable_prompt_tokens_details"].(bool)
		info.CacheReport = &report
		m.logLimit = 0
	}
	if limit := intArg(args, "max_log_len"); limit != nil {
		m.logLimit = *limit
	}
	if connector, ok := args["kv_transfer_config"]; ok && connector != nil {
		info.CacheKind = joinKind(info.CacheKind, connectorKind(connector))
	}
	if spec, ok := args["speculative_config"]; ok && spec != nil && strings.Contains(strings.ToLower(pyText(spec)), "eagle") {
		info.CacheKind = joinKind(info.CacheKind, "eagle")
	}
}

// engineConfig reads "Initializing a V1 LLM engine (v0.32.0) with config: ...".
// Its seed is the engine's, for sampling; it says nothing about prompts.
func (m *serverLog) engineConfig(n int, at capture.Stamp, msg []byte) {
	s := m.life(n, at, msg, partConfig)
	head, config, _ := bytes.Cut(msg, []byte(" with config: "))
	if _, version, ok := bytes.Cut(head, []byte("(v")); ok {
		version, _, _ = bytes.Cut(version, []byte(")"))
		setText(&s.Info.Version, string(version))
	}
	info := &s.Info
	setText(&info.Model, strings.Trim(configValue(config, "model"), `'"`))
	switch configValue(config, "enable_prefix_caching") {
	case "True":
		info.PrefixCache = ptr(true)
	case "False":
		info.PrefixCache = ptr(false)
	}
	if size := wholeNumber([]byte(configValue(config, "block_size"))); size > 0 {
		info.PageSize = &size
	}
	info.TPSize = either(info.TPSize, configInt(config, "tensor_parallel_size"))
	info.PPSize = either(info.PPSize, configInt(config, "pipeline_parallel_size"))
	info.DPSize = either(info.DPSize, configInt(config, "data_parallel_size"))
	if strings.Contains(strings.ToLower(configValue(config, "speculative_config")), "eagle") {
		info.CacheKind = joinKind(info.CacheKind, "eagle")
	}
}

// pool reads "GPU KV cache size: 123,456 tokens". Each engine prints one.
func (m *serverLog) pool(n int, msg []byte) {
	_, size, _ := bytes.Cut(msg, []byte(" KV cache size: "))
	size, _, found := bytes.Cut(size, []byte(" tokens"))
	tokens, err := strconv.ParseInt(strings.ReplaceAll(string(size), ",", ""), 10, 64)
	if !found || err != nil {
		return
	}
	if s := m.current(); s != nil {
		s.Info.PoolTokens = &tokens
	}
	m.mark(n, 0, capture.MarkPool, tokens)
}

// blocks reads the old engine's "# GPU blocks: 7716, # CPU blocks: 2048".
func (m *serverLog) blocks(n int, msg []byte) {
	blocks := wholeNumber(msg[len("# GPU blocks: "):])
	s := m.current()
	if s == nil || s.Info.PageSize == nil || blocks <= 0 {
		return
	}
	tokens := int64(blocks) * int64(*s.Info.PageSize)
	s.Info.PoolTokens = &tokens
	m.mark(n, 0, capture.MarkPool, tokens)
}

// configValue is the value of a key at the top of "key=value, key=value, ...",
// "" if the key is not there. Nested values are skipped by their brackets.
func configValue(config []byte, key string) string {
	depth, from := 0, 0
	for i := 0; i <= len(config); i++ {
		if i < len(config) {
			switch config[i] {
			case '(', '[', '{', '<':
				depth++
			case ')', ']', '}', '>':
				depth--
			}
			if config[i] != ',' || depth > 0 {
				continue
			}
		}
		name, value, ok := bytes.Cut(bytes.TrimLeft(config[from:i], " "), []byte("="))
		if ok && string(name) == key {
			return string(value)
		}
		from = i + 1
	}
	return ""
}

func configInt(config []byte, key string) *int {
	if n := wholeNumber([]byte(configValue(config, key))); n > 0 {
		return &n
	}
	return nil
}

// connectorKind names the tier behind a connector.
func connectorKind(config any) string {
	name := strings.ToLower(pyText(config))
	switch {
	case strings.Contains(name, "lmcache"):
		return "lmcache"
	case strings.Contains(name, "offload"):
		return "offload"
	}
	return "connector"
}

func joinKind(kinds, kind string) string {
	if kinds == "" || kinds == kind {
		return kind
	}
	return kinds + "+" + kind
}

// reprMap reads a Python dict or a call with named arguments as a map. The map
// may hold what was whole even when err is set.
func reprMap(repr []byte) (map[string]any, error) {
	value, _, err := pyrepr.Prefix(repr)
	switch v := value.(type) {
	case *pyrepr.Dict:
		return v.Map(), err
	case *pyrepr.Call:
		return v.Map(), err
	}
	return nil, err
}
