package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// target is the one server that a sweep speaks to.
type target struct {
	url      string
	key      string // bearer token, "" = none
	adminKey string
	cell     string // named in the header of our own requests
	http     *http.Client
}

// errNoAnswer is an address that does not answer, errKey one that refuses the
// key.
var (
	errNoAnswer = errors.New("the server does not answer")
	errKey      = errors.New("the server refuses the key (401): set --api-key-env")
)

// roleHeader tells a server that looks at it (the lab does) who sends a
// request; real engines ignore it.
const roleHeader = "X-Coldcase"

// maxBody is the most that is read of an answer that is not a stream.
const maxBody = 64 << 20

func newTarget(o *Options) *target {
	t := &target{url: o.Server, key: os.Getenv(o.APIKeyEnv), adminKey: os.Getenv(o.AdminKeyEnv)}
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.Proxy = nil // the sweep speaks to the address that it was given
	tr.MaxIdleConnsPerHost = 4096
	tr.MaxIdleConns = 4096
	tr.DisableCompression = true
	// A redirect could lead to another address.
	t.http = &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return t
}

// answer is a whole HTTP answer.
type answer struct {
	status int
	body   []byte
}

// call sends one request and reads its whole answer.
func (t *target) call(ctx context.Context, method, path string, wait time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	res, err := t.send(ctx, method, path, nil, nil)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return answer{res.StatusCode, body}, nil
}

// send sends one request with the key.
func (t *target) send(ctx context.Context, method, path string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, t.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range header {
		req.Header[k] = v
	}
	key := t.key
	if t.adminKey != "" && isFlush(path) {
		key = t.adminKey
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := t.http.Do(req)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %s %s: %v", errNoAnswer, method, path, withoutURL(err))
	}
	return res, nil
}

func isFlush(path string) bool {
	return strings.HasPrefix(path, "/flush_cache") || strings.HasPrefix(path, "/reset_prefix_cache")
}

// withoutURL drops the wrapping of net/http, which repeats method and URL.
func withoutURL(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// getJSON reads a JSON answer into v; ok is false for any status but 200.
func (t *target) getJSON(ctx context.Context, path string, v any) (ok bool, err error) {
	a, err := t.call(ctx, http.MethodGet, path, 10*time.Second)
	if err != nil {
		return false, err
	}
	if a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
		return false, errKey
	}
	if a.status != http.StatusOK {
		return false, nil
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		return false, nil // another kind of server; detection goes on
	}
	return true, nil
}
