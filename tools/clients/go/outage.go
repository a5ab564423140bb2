package jobstrand

import (
	"log/slog"
	"sync"
	"time"
)

// outage logs one line when the service goes away and one when it is back, however much is tried meanwhile.
type outage struct {
	log     *slog.Logger
	mu      sync.Mutex
	failing map[string]bool
	since   time.Time
}

// began says that this cannot be done, and is tried again.
func (o *outage) began(what string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.failing) == 0 {
		o.since = time.Now()
		o.log.Warn("the service does not answer; trying again until it does", "what", what, "error", err)
	}
	o.failing[what] = true
}

// ended says that this could be done, or is not tried any more.
func (o *outage) ended(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failing[what] && len(o.failing) == 1 {
		o.log.Warn("the service answers again", "after", time.Since(o.since).Round(time.Second))
	}
	delete(o.failing, what)
}
