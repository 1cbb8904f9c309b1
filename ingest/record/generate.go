package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// reply is what one generation request gave.
type reply struct {
	sent      time.Time
	first     time.Time // first event that carries a token, as the engines' own clients count it
	firstText time.Time // first event with text in it
	chunks    []time.Time
	end       time.Time

	prompt *int // as the server counted it
	cached *int // nil = not told
	rank   *int
	output int

	token, hasText bool // of the event read last
}

// keep takes over numbers of an event; later events win.
func (r *reply) keep(prompt, cached, rank *int) {
	if prompt != nil {
		r.prompt = prompt
	}
	if cached != nil {
		r.cached = cached
	}
	if rank != nil {
		r.rank = rank
	}
}

// generate sends one prompt and reads its stream. The clock starts just before
// the request is written; an event counts from the moment its line was read.
func generate(ctx context.Context, t *target, e engine, role string, prompt []int32, maxNew, rank int) (*reply, error) {
	path, body, header := e.request(prompt, maxNew, rank)
	if header == nil {
		header = http.Header{}
	}
	header.Set(roleHeader, "role="+role+" cell="+t.cell)
	r := &reply{chunks: make([]time.Time, 0, maxNew), sent: time.Now()}
	res, err := t.send(ctx, http.MethodPost, path, body, header)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
		if res.StatusCode == http.StatusUnauthorized {
			return r, errKey
		}
		return r, fmt.Errorf("POST %s: status %d: %s", path, res.StatusCode, shorten(text))
	}
	if err := r.read(res.Body, e); err != nil {
		return r, fmt.Errorf("POST %s: %w", path, err)
	}
	return r, nil
}

// errCut is a stream that ended before its end.
var errCut = errors.New("the stream ended early")

// read takes the events of a stream: lines that start with "data:", blank
// lines and comments left out, "[DONE]" the end.
func (r *reply) read(body io.Reader, e engine) error {
	br := bufio.NewReaderSize(body, 64<<10)
	for {
		line, err := br.ReadSlice('\n')
		now := time.Now()
		if errors.Is(err, bufio.ErrBufferFull) {
			rest, more := br.ReadBytes('\n')
			line, err = append(bytes.Clone(line), rest...), more
		}
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok {
			data = bytes.TrimSpace(data)
			if bytes.Equal(data, []byte("[DONE]")) {
				return r.finish(now)
			}
			r.token, r.hasText = false, false
			if err := e.event(data, r); err != nil {
				return err
			}
			r.stamp(now)
		}
		if err != nil {
			if len(r.chunks) > 0 && errors.Is(err, io.EOF) {
				return errCut
			}
			return fmt.Errorf("%w: %v", errCut, err)
		}
	}
}

// decodeEvent reads the JSON of one event. It runs between two events of a
// stream whose times are measured, so it uses the faster decoder; what that one
// is strict about does not matter here.
func decodeEvent(data []byte, v any) error {
	if err := json.Unmarshal(data, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("event of the stream: %w", err)
	}
	return nil
}

// stamp books the time of an event.
func (r *reply) stamp(now time.Time) {
	if !r.token {
		return
	}
	if r.first.IsZero() {
		r.first = now
	}
	if r.firstText.IsZero() && r.hasText {
		r.firstText = now
	}
	r.chunks = append(r.chunks, now)
	r.end = now
}

func (r *reply) finish(now time.Time) error {
	if r.first.IsZero() {
		return errors.New("the answer holds no token")
	}
	if r.end.IsZero() {
		r.end = now
	}
	if r.output == 0 {
		r.output = len(r.chunks)
	}
	return nil
}
