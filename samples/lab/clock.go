package lab

import (
	"sync"
	"time"
)

// clock turns simulated work into waiting, and stamps the log.
type clock struct {
	speed float64

	mu      sync.Mutex
	virtual bool
	now     time.Time // of a virtual clock
	debt    time.Duration
}

// sleepStep is the shortest real sleep. Shorter work is added up first, since
// a timer cannot be trusted below it.
const sleepStep = 200 * time.Microsecond

func newClock(speed float64, start time.Time) *clock {
	return &clock{speed: speed, virtual: !start.IsZero(), now: start}
}

// Now is the time that the log shows.
func (c *clock) Now() time.Time {
	if !c.virtual {
		return time.Now()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// work spends simulated time.
func (c *clock) work(d time.Duration) {
	c.mu.Lock()
	if c.virtual {
		c.now = c.now.Add(d)
	}
	c.debt += c.real(d)
	sleep := c.debt
	if sleep < sleepStep {
		sleep = 0
	}
	c.debt -= sleep
	c.mu.Unlock()
	if sleep > 0 {
		time.Sleep(sleep)
	}
}

// real is the real length of a simulated duration.
func (c *clock) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) / c.speed)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
