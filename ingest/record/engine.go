package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"coldcase/ingest/capture"
)

// engine is what differs between the servers.
type engine interface {
	name() string
	// describe reads version and settings.
	describe(ctx context.Context) (serverFacts, error)
	// load is the number of running and waiting requests.
	load(ctx context.Context) (running, waiting int, err error)
	// flush asks once. wait is how long the server may wait for idle itself.
	flush(ctx context.Context, wait time.Duration) (flushAnswer, error)
	// request builds a streaming generation request for a rank; -1 = any.
	request(prompt []int32, maxNew, rank int) (path string, body []byte, header http.Header)
	// event reads one event of the stream into the reply.
	event(data []byte, r *reply) error
	// tally reads the counters that a sweep needs.
	tally(m *capture.Snapshot) tally
}

// serverFacts are what a server says about itself.
type serverFacts struct {
	version  string
	model    string
	pageSize int // 0 = not told
	ranks    int
	cacheOff bool
	// life changes when the server is restarted; "" if nothing tells.
	life string
}

// tally are counters at one moment. Absent ones are nil.
type tally struct {
	requests *float64 // finished generation requests
	prompt   *float64 // prompt tokens
	cached   *float64 // prompt tokens served from the cache
	byRank   []float64
}

// flushAnswer is what a flush replied.
type flushAnswer struct {
	Asked    string `json:"asked"`
	Status   int    `json:"status"`
	Body     string `json:"body"`
	Answered string `json:"answered"` // done, refused, unknown
	At       string `json:"at"`
}

// What a flush can answer.
const (
	saidDone    = "done"
	saidRefused = "refused"
	saidUnknown = "unknown"
)

// errNoFlush is a server without the endpoint.
var errNoFlush = errors.New("the server has no endpoint to empty its cache (404)")

// detect finds out which engine answers.
func detect(ctx context.Context, t *target, want string) (engine, error) {
	var models struct {
		Data []struct {
			ID      string `json:"id"`
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	ok, err := t.getJSON(ctx, "/v1/models", &models)
	if err != nil {
		return nil, err
	}
	found := ""
	if ok && len(models.Data) > 0 {
		found = strings.ToLower(models.Data[0].OwnedBy)
	}
	if found != "sglang" && found != "vllm" {
		found, err = detectByRoute(ctx, t)
		if err != nil {
			return nil, err
		}
	}
	if want != "" && want != "auto" {
		if found != "" && found != want {
			return nil, usage("--engine %s: the server is %s", want, found)
		}
		found = want
	}
	switch found {
	case "sglang":
		return &sglang{t: t}, nil
	case "vllm":
		return &vllm{t: t}, nil
	}
	return nil, fmt.Errorf("%s is neither SGLang nor vLLM as far as it tells: give --engine", t.url)
}

// detectByRoute tells the engines apart by the routes that only one has.
func detectByRoute(ctx context.Context, t *target) (string, error) {
	var info map[string]any
	for _, route := range []struct{ path, key, name string }{
		{"/server_info", "page_size", "sglang"}, {"/get_server_info", "page_size", "sglang"}, {"/version", "version", "vllm"},
	} {
		ok, err := t.getJSON(ctx, route.path, &info)
		if err != nil {
			return "", err
		}
		if _, has := info[route.key]; ok && has {
			return route.name, nil
		}
	}
	return "", nil
}

// scrape reads the metrics as they are.
func scrape(ctx context.Context, t *target) ([]byte, error) {
	a, err := t.call(ctx, http.MethodGet, "/metrics", 15*time.Second)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, fmt.Errorf("GET /metrics: status %d", a.status)
	}
	return a.body, nil
}

// version compares dotted versions by their first three numbers.
func versionAtLeast(have, want string) bool {
	h, w := versionParts(have), versionParts(want)
	for i := range w {
		if h[i] != w[i] {
			return h[i] > w[i]
		}
	}
	return true
}

func versionParts(v string) (parts [3]int) {
	for i, s := range strings.SplitN(strings.TrimPrefix(v, "v"), ".", 3) {
		digits := 0
		for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
			digits++
		}
		parts[i], _ = strconv.Atoi(s[:digits])
	}
	return parts
}

// lifeOf is a short name for values that a restart changes.
func lifeOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil || string(b) == "null" {
		return ""
	}
	h := fnv.New64a()
	h.Write(b)
	return fmt.Sprintf("%016x", h.Sum64())
}

// sum adds a series up, nil if it is absent.
func sum(m *capture.Snapshot, names ...string) *float64 {
	for _, n := range names {
		if v, ok := m.Sum(n); ok {
			return &v
		}
	}
	return nil
}
