package record

import (
	"context"
	"fmt"
	"time"
)

// refusal is a reason for which a cell is not measured.
type refusal struct{ why string }

func (r refusal) Error() string { return r.why }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// waitIdle waits until nothing runs or waits on the server, and has not for
// IdleHold.
func waitIdle(ctx context.Context, e engine, o *Options) error {
	deadline := time.Now().Add(o.IdleWait)
	var since time.Time
	for {
		running, waiting, err := e.load(ctx)
		if err != nil {
			return err
		}
		now := time.Now()
		switch {
		case running+waiting > 0:
			since = time.Time{}
			if now.After(deadline) {
				return refuse("the server is not idle: %d requests run and %d wait, after %s of waiting", running, waiting, o.IdleWait)
			}
		case since.IsZero():
			since = now
		}
		if !since.IsZero() && now.Sub(since) >= o.IdleHold {
			return nil
		}
		if err := pause(ctx, o.Poll); err != nil {
			return err
		}
	}
}
