package jobstrand

import (
	"context"
	"sync"
	"time"
)

// room is for further jobs.
type room struct {
	free  int      // Places that nothing waits for.
	ahead int      // Jobs of quick topics that may wait beyond that.
	quick []string // Topics.
}

// inHand has the jobs that a worker holds, and the places at which it runs them: a job waits for a place, has it until its
// handler has ended, and is held until the service has been told of it. It is safe for use by several goroutines.
type inHand struct {
	places   int
	prefetch int // Jobs that may wait for a place; 0: as many as start soon; negative: none.
	topics   []string
	open     func()          // Opens a place, a goroutine that asks for the next job until there is none.
	went     chan struct{}   // There may be room.
	crowded  chan struct{}   // Jobs wait beyond the places.
	handlers context.Context // Of all handlers.

	mu        sync.Mutex
	isClosed  bool
	opened    int
	jobs      map[string]*Job
	waiting   []waitingJob
	expected  int                // Jobs that were asked for and may come.
	atWork    map[*Job]time.Time // Since when.
	forecast  forecast
	lastStart time.Time
	mark      time.Time // Since then starts have been counted; atOnce of them found a place free.
	starts    int
	atOnce    int
	asksAt    int // Somebody waits until so few jobs wait; negative: nobody does.
}

type waitingJob struct {
	job  *Job
	came time.Time
}

func signal(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// add takes jobs that were fetched. One that is held already has come again, so the lock of its former run is lost. Returns
// false when no job is started any more.
func (h *inHand) add(jobs []*Job) bool {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isClosed {
		return false
	}
	for _, job := range jobs {
		if former := h.jobs[job.ID]; former != nil {
			h.lose(former)
		}
		h.jobs[job.ID] = job
	}
	h.measure(now)
	h.atOnce = max(0, h.places-len(h.atWork))
	for _, job := range jobs {
		h.waiting = append(h.waiting, waitingJob{job, now})
	}
	for range min(h.places-h.opened, len(h.waiting)) {
		h.opened++
		h.open()
	}
	if len(h.waiting) > h.atOnce {
		signal(h.crowded)
	}
	return true
}

// expect says that so many more jobs, or fewer if it is negative, were asked for and may come.
func (h *inHand) expect(jobs int) {
	h.mu.Lock()
	h.expected += jobs
	h.mu.Unlock()
	signal(h.went)
}

// next returns the job that is to run now, with its context; nil: there is none, and the place is closed.
func (h *inHand) next() (*Job, context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		h.opened--
		return nil, nil
	}
	job := h.waiting[0].job
	h.waiting = h.waiting[1:]
	now := time.Now()
	h.lastStart = now
	h.atWork[job] = now
	h.starts++
	if len(h.waiting) == 0 {
		h.measure(now)
	}
	ctx, cancel := context.WithCancelCause(h.handlers)
	job.cancel = cancel
	return job, ctx
}

// freePlaceOf says that the handler of a job has ended.
func (h *inHand) freePlaceOf(job *Job) {
	h.mu.Lock()
	since, isAtWork := h.atWork[job]
	if isAtWork {
		delete(h.atWork, job)
		h.forecast.ended(job.HandlerType, time.Since(since))
	}
	cancel := job.cancel
	job.cancel = nil
	isAsked := len(h.waiting) <= h.asksAt
	h.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
	if isAsked {
		signal(h.went)
	}
}

// remove forgets jobs.
func (h *inHand) remove(jobs []*Job) {
	h.mu.Lock()
	for _, job := range jobs {
		if h.jobs[job.ID] == job {
			delete(h.jobs, job.ID)
		}
	}
	h.mu.Unlock()
	signal(h.went)
}

func (h *inHand) all() []*Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	jobs := make([]*Job, 0, len(h.jobs))
	for _, job := range h.jobs {
		jobs = append(jobs, job)
	}
	return jobs
}

// loseThose tells the handlers of those jobs that they are not held any more, and returns the jobs. Whose handler has ended is
// left out: the service may know of its result already.
func (h *inHand) loseThose(ids map[string]bool, among []*Job) []*Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	isWaiting := make(map[*Job]bool, len(h.waiting))
	for _, one := range h.waiting {
		isWaiting[one.job] = true
	}
	var lost []*Job
	for _, job := range among {
		_, isAtWork := h.atWork[job]
		if ids[job.ID] && h.jobs[job.ID] == job && (isAtWork || isWaiting[job]) {
			lost = append(lost, job)
			h.lose(job)
			delete(h.jobs, job.ID)
		}
	}
	signal(h.went)
	return lost
}

// lose is called under the lock.
func (h *inHand) lose(job *Job) {
	job.isLost.Store(true)
	if job.cancel != nil {
		job.cancel(ErrLost)
	}
	kept := make([]waitingJob, 0, len(h.waiting))
	for _, one := range h.waiting {
		if one.job != job {
			kept = append(kept, one)
		}
	}
	h.waiting = kept
}

// close lets no further job start. Returns those that wait.
func (h *inHand) close() []*Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isClosed = true
	unstarted := make([]*Job, 0, len(h.waiting))
	for _, one := range h.waiting {
		unstarted = append(unstarted, one.job)
	}
	h.waiting = nil
	return unstarted
}

// atWorkNow returns how many handlers run.
func (h *inHand) atWorkNow() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.atWork)
}

// waitForRoom returns the room that there is now, or as soon as there may be some. `ofSome`: also when only some topics may be
// fetched, to wait. While results cannot be told, no more work begins than as much again as may be held.
func (h *inHand) waitForRoom(ctx context.Context, ofSome bool) room {
	for {
		h.mu.Lock()
		found := h.room(ofSome)
		h.asksAt = -1
		if found.free+found.ahead > 0 || ctx.Err() != nil {
			h.mu.Unlock()
			return found
		}
		h.asksAt = h.soon() / 2
		h.mu.Unlock()
		// Runs that go on become long without a word.
		timer := time.NewTimer(500 * time.Millisecond)
		select {
		case <-h.went:
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// surplus takes back what waits and will not start soon after all, the last first: others may run it.
func (h *inHand) surplus(done <-chan struct{}) []*Job {
	h.mu.Lock()
	isEmpty := len(h.waiting) == 0 || h.prefetch != 0
	h.mu.Unlock()
	if isEmpty {
		select {
		case <-h.crowded:
		case <-done:
		}
		return nil
	}
	timer := time.NewTimer(ahead / 2)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-done:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.takeSurplus(time.Now())
}

func (h *inHand) takeSurplus(now time.Time) []*Job {
	if len(h.waiting) == 0 || now.Sub(h.waiting[0].came) < ahead {
		return nil
	}
	if now.Sub(h.lastStart) >= ahead {
		for job, since := range h.atWork {
			h.forecast.takesAtLeast(job.HandlerType, now.Sub(since))
		}
	}
	var surplus []*Job
	for soon := h.soon(); len(h.waiting) > soon; {
		last := len(h.waiting) - 1
		surplus = append(surplus, h.waiting[last].job)
		h.waiting = h.waiting[:last]
	}
	return surplus
}

func (h *inHand) measure(now time.Time) {
	if h.starts > h.atOnce {
		h.forecast.drained(h.starts-h.atOnce, now.Sub(h.mark))
	}
	h.mark, h.starts, h.atOnce = now, 0, 0
}

// soon returns how many jobs may wait for a place.
func (h *inHand) soon() int {
	if h.prefetch != 0 {
		return max(0, h.prefetch)
	}
	stuck, longAgo := 0, time.Now().Add(-ahead)
	for _, since := range h.atWork {
		if since.Before(longAgo) {
			stuck++
		}
	}
	return h.forecast.starts(h.places - stuck)
}

func (h *inHand) room(ofSome bool) room {
	quick := h.topics
	if h.prefetch == 0 {
		quick = h.forecast.quick(h.topics)
	}
	soon := 0
	if len(quick) == len(h.topics) || (len(quick) > 0 && ofSome) {
		soon = h.soon()
	}
	left := 2*(h.places+soon) - len(h.jobs) - h.expected
	unused := h.places - len(h.atWork) - len(h.waiting) - h.expected
	free := max(0, min(unused, left))
	more := soon + min(0, unused)
	// Less than half of what may wait would make many small requests.
	if more <= 0 || 2*more < soon {
		return room{free, 0, quick}
	}
	return room{free, max(0, min(more, left-free)), quick}
}
