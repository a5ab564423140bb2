package jobstrand

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	jobsPerRequest  = 1000                   // Which is one transaction.
	look            = 800 * time.Millisecond // How often it is asked whether jobs that run for longer than that are held still.
	bytesPerRequest = 4 * 1024 * 1024        // Of results: with one more the request is still shorter than the service takes.
)

// desk is between a service and a worker: it fetches jobs, prolongs their locks, tells what became of them.
type desk struct {
	client  *Client
	options WorkerOptions
	topics  []string
	weights map[string]int
	log     *slog.Logger
	ctx     context.Context // Without an end: results are told after the worker was stopped.
	held    *inHand
	outage  outage
	shares  *shares // Nil: all topics have the same weight.
	results results
	turn    sync.Mutex  // Whose it is asks for jobs.
	pause   pause       // Under the turn.
	isShort atomic.Bool // The last request found less than it asked for.

	cannotTell bool // The service does not know of progress.
}

func newDesk(w *Worker, handlers context.Context) *desk {
	d := &desk{
		client: w.client, options: w.options, topics: w.topics, log: w.options.Logger, weights: map[string]int{},
		ctx: context.WithoutCancel(handlers),
		held: &inHand{
			places: w.options.Concurrency, prefetch: w.options.Prefetch, topics: w.topics, handlers: handlers,
			went: make(chan struct{}, 1), crowded: make(chan struct{}, 1), jobs: map[string]*Job{},
			atWork: map[*Job]time.Time{}, forecast: forecast{means: map[string]float64{}}, asksAt: -1,
		},
		results: results{came: make(chan struct{}, 1)},
	}
	d.outage = outage{log: d.log, failing: map[string]bool{}}
	for topic, handling := range w.handlers {
		d.weights[topic] = handling.weight
		if handling.weight != w.handlers[w.topics[0]].weight {
			d.shares = &shares{d.topics, d.weights, map[string]int{}}
		}
	}
	return d
}

// fetch brings jobs until the context ends. Returns what the service refuses for good. While an answer is read, the next
// request is under way already.
func (d *desk) fetch(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	for range 2 {
		go func() {
			err := d.fetchInTurn(ctx)
			if err != nil {
				stop()
			}
			ended <- err
		}()
	}
	return cmp.Or(<-ended, <-ended)
}

func (d *desk) fetchInTurn(ctx context.Context) error {
	for {
		read, err := d.ask(ctx)
		if err == nil && read != nil {
			err = read()
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !isWorthWaiting(err):
			return err
		}
	}
}

// ask asks for jobs when it has the turn and there is room. Returns what reads the answer and takes the jobs; nil: nothing is
// left to be read.
func (d *desk) ask(ctx context.Context) (read func() error, err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	// Jobs of some topics that came before a place is free would take it from the others, whatever their weight.
	room := d.held.waitForRoom(ctx, !d.isShort.Load() && d.shares == nil)
	if ctx.Err() != nil {
		return nil, nil
	}
	read, err = d.fill(ctx, room)
	switch {
	case err == nil:
		d.outage.ended("fetch jobs")
		d.pause.next = 0
	case ctx.Err() == nil && isWorthWaiting(err):
		d.outage.began("fetch jobs", err)
		d.pause.sleep(ctx, err)
	}
	return read, err
}

func (d *desk) fill(ctx context.Context, room room) (read func() error, err error) {
	most, topics, wait := room.free, d.topics, d.options.Wait
	if len(room.quick) == len(d.topics) {
		most += room.ahead
	} else if most == 0 {
		most, topics, wait = room.ahead, room.quick, 0
	}
	most = min(most, jobsPerRequest)
	if d.shares != nil && len(topics) == len(d.topics) {
		return nil, d.fillByWeight(ctx, most)
	}
	d.held.expect(most)
	answer, err := d.askFor(ctx, topics, most, wait)
	if err != nil {
		d.held.expect(-most)
		return nil, err
	}
	return func() error {
		defer d.held.expect(-most)
		jobs, err := jobsIn(answer)
		d.isShort.Store(len(jobs) < most)
		d.add(jobs)
		return err
	}, nil
}

// fillByWeight takes jobs in the order of the shares, and what is left of the places for any.
func (d *desk) fillByWeight(ctx context.Context, most int) error {
	order := d.shares.of(most)
	counts, fetched := map[string]int{}, map[string][]*Job{}
	for _, topic := range order {
		counts[topic]++
	}
	var firstErr error
	for _, topic := range d.topics {
		if counts[topic] > 0 && firstErr == nil {
			fetched[topic], firstErr = d.acquire(ctx, []string{topic}, counts[topic], 0)
		}
	}
	var jobs []*Job
	for _, topic := range order {
		if len(fetched[topic]) > 0 {
			jobs = append(jobs, fetched[topic][0])
			fetched[topic] = fetched[topic][1:]
		}
	}
	d.add(jobs)
	if len(jobs) == most || firstErr != nil {
		return firstErr
	}
	wait := d.options.Wait
	if len(jobs) > 0 {
		wait = 0
	}
	more, err := d.acquire(ctx, d.topics, most-len(jobs), wait)
	d.isShort.Store(len(jobs)+len(more) < most)
	d.add(more)
	return err
}

func (d *desk) add(jobs []*Job) {
	if len(jobs) > 0 && !d.held.add(jobs) {
		d.giveBack(jobs)
	}
}

func (d *desk) acquire(ctx context.Context, topics []string, jobs int, wait time.Duration) ([]*Job, error) {
	answer, err := d.askFor(ctx, topics, jobs, wait)
	if err != nil {
		return nil, err
	}
	return jobsIn(answer)
}

// askFor returns the answer of the service as it came: reading many jobs takes a while, and needs no turn.
func (d *desk) askFor(ctx context.Context, topics []string, jobs int, wait time.Duration) (json.RawMessage, error) {
	order := map[string]any{
		"worker": d.options.Name, "topics": topics, "jobs": jobs,
		"lockDuration": durationText(d.options.Lock), "wait": durationText(wait),
	}
	if d.options.TenantID != "" {
		order["tenantId"] = d.options.TenantID
	}
	var answer json.RawMessage
	err := d.client.ask(ctx, d.client.timeout+wait, "POST", "/api/v1/external-jobs/acquire", order, &answer, header{"Prefer", "return=minimal"})
	return answer, err
}

func jobsIn(answer json.RawMessage) ([]*Job, error) {
	var taken struct {
		Items []*Job `json:"items"`
	}
	if err := json.Unmarshal(answer, &taken); err != nil {
		return nil, fmt.Errorf("jobstrand: jobs that were acquired cannot be read: %w", err)
	}
	for _, job := range taken.Items {
		if job.CorrelationID == "" {
			job.CorrelationID = job.ID // The service does not say what is the same.
		}
	}
	return taken.Items, nil
}

// heldJob names a job as the service wants it.
type heldJob struct {
	ID       string `json:"id"`
	Revision int64  `json:"revision"`
	*toldNews
}

// refusedJob is what the service says of a job for which something does not count.
type refusedJob struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
	Why    string `json:"why"`
}

// about asks something about jobs. Returns those for which it does not count.
func (d *desk) about(what string, jobs []*Job, lock time.Duration, told map[*Job]*toldNews) ([]refusedJob, error) {
	named := make([]heldJob, len(jobs))
	for at, job := range jobs {
		named[at] = heldJob{job.ID, job.Revision, told[job]}
	}
	body := map[string]any{"worker": d.options.Name, "jobs": named}
	if lock > 0 {
		body["lockDuration"] = durationText(lock)
	}
	var answer struct {
		Refused []refusedJob `json:"refused"`
	}
	err := d.client.Call(d.ctx, "POST", "/api/v1/external-jobs/"+what, body, &answer)
	return answer.Refused, err
}

// giveBack says that jobs will not be run here; no attempt is used.
func (d *desk) giveBack(jobs []*Job) {
	d.held.remove(jobs)
	if len(jobs) == 0 {
		return
	}
	if _, err := d.about("release", jobs, 0, nil); err != nil {
		d.log.Warn("cannot give jobs back; they are free when their locks end", "jobs", len(jobs), "error", err)
	}
}

// giveUnknownBack frees what the service may have given in answer to the request that the stop has cut off. Nothing else is
// held when it is called, unless handlers do not end.
func (d *desk) giveUnknownBack() {
	if d.held.atWorkNow() > 0 {
		return
	}
	err := d.client.Call(d.ctx, "POST", "/external-job-api/unacquire/jobs", map[string]string{"workerId": d.options.Name}, nil)
	if err != nil {
		d.log.Warn("cannot ask for jobs that were on their way; they are free when their locks end", "error", err)
	}
}

func (d *desk) giveSurplusBack(closed <-chan struct{}) {
	for {
		select {
		case <-closed:
			return
		default:
			d.giveBack(d.held.surplus(closed))
		}
	}
}

// keepLocks prolongs them each third of their time. In between it asks for those of jobs that take long, because the jobs may
// have been cancelled.
func (d *desk) keepLocks(closed <-chan struct{}) {
	lock := d.options.Lock
	every := min(look, lock/3)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	prolonged, before := time.Now(), map[*Job]bool{}
	for {
		select {
		case <-closed:
			return
		case <-ticker.C:
		}
		jobs := d.held.all()
		if time.Since(prolonged) >= lock/3-every/2 {
			prolonged = time.Now()
			d.look("extend", jobs, lock, nil)
		} else {
			d.lookAt(jobs, before)
		}
		before = make(map[*Job]bool, len(jobs))
		for _, job := range jobs {
			before[job] = true
		}
	}
}

// lookAt asks about jobs that take long, and tells what the runs of others tell.
func (d *desk) lookAt(jobs []*Job, before map[*Job]bool) {
	var asked []*Job
	told := map[*Job]*toldNews{}
	for _, job := range jobs {
		if news := job.news.take(); news != nil && !d.cannotTell {
			told[job] = news
		}
		if before[job] || told[job] != nil {
			asked = append(asked, job)
		}
	}
	if len(told) == 0 {
		d.look("held", asked, 0, nil)
		return
	}
	err := d.look("progress", asked, 0, told)
	// A service that is older than this package does not know how to be told.
	var refused *Refused
	d.cannotTell = errors.As(err, &refused) && refused.Status == http.StatusNotFound
	if err != nil {
		for job := range told {
			job.news.notTold()
		}
	}
}

func (d *desk) look(what string, jobs []*Job, lock time.Duration, told map[*Job]*toldNews) error {
	if len(jobs) == 0 {
		d.outage.ended("keep locks")
	}
	for start := 0; start < len(jobs); start += jobsPerRequest {
		part := jobs[start:min(start+jobsPerRequest, len(jobs))]
		refused, err := d.about(what, part, lock, told)
		if err != nil {
			d.outage.began("keep locks", err)
			return err
		}
		d.outage.ended("keep locks")
		ids := map[string]bool{}
		for _, one := range refused {
			ids[one.ID] = true
		}
		if len(ids) == 0 {
			continue
		}
		for _, job := range d.held.loseThose(ids, part) {
			d.log.Warn("the lock of a job is lost", "job", job.ID)
		}
	}
	return nil
}

// ended says that the handler of a job has returned.
func (d *desk) ended(ctx context.Context, job *Job, err error) {
	cause := context.Cause(ctx)
	d.held.freePlaceOf(job)
	if !job.isTold.CompareAndSwap(false, true) {
		d.log.Warn("a handler has ended after its time, and its place is free", "job", job.ID)
		return
	}
	if err != nil && errors.Is(cause, ErrStopped) {
		d.giveBack([]*Job{job})
		return
	}
	d.results.add(result{job, resultOf(job, err)})
}

// giveUp says that the time of a handler is over.
func (d *desk) giveUp(job *Job, timeout time.Duration, cancel context.CancelCauseFunc) {
	if !job.isTold.CompareAndSwap(false, true) {
		return
	}
	message := fmt.Sprintf("jobstrand.ErrTimeLimit: the handler of %s did not end within %s", job.HandlerType, timeout)
	d.log.Error("the time of a handler is over; its place is lost until it returns", "job", job.ID, "timeout", timeout)
	cancel(ErrTimeLimit)
	d.results.add(result{job, untold(job, message)})
}

// result is a job, and what became of it, in JSON.
type result struct {
	job  *Job
	text []byte
}

// results is the queue of what is to be told.
type results struct {
	came     chan struct{}
	mu       sync.Mutex
	waiting  []result
	isClosed bool
}

func (r *results) add(result result) {
	r.mu.Lock()
	r.waiting = append(r.waiting, result)
	r.mu.Unlock()
	signal(r.came)
}

func (r *results) close() {
	r.mu.Lock()
	r.isClosed = true
	r.mu.Unlock()
	signal(r.came)
}

// next waits for what one request tells; empty: that was all.
func (r *results) next() []result {
	for {
		r.mu.Lock()
		count, size := 0, 0
		for count < min(len(r.waiting), jobsPerRequest) && size < bytesPerRequest {
			size += len(r.waiting[count].text)
			count++
		}
		following := r.waiting[:count:count]
		r.waiting = r.waiting[count:]
		isLast := r.isClosed
		r.mu.Unlock()
		if count > 0 || isLast {
			return following
		}
		<-r.came
	}
}

func (d *desk) tellAll() {
	for told := d.results.next(); len(told) > 0; told = d.results.next() {
		counting := make([]result, 0, len(told))
		jobs := make([]*Job, 0, len(told))
		for _, one := range told {
			if !one.job.isLost.Load() {
				counting = append(counting, one)
			}
			jobs = append(jobs, one.job)
		}
		d.finish(counting)
		d.held.remove(jobs)
	}
}

// finish tells results. What the service does not take is told as a failure of that job alone.
func (d *desk) finish(told []result) {
	var again []result
	for _, one := range d.refusedAmong(told) {
		again = append(again, result{one.job, untold(one.job, "the service refuses its result: "+string(one.text))})
	}
	for _, one := range d.refusedAmong(again) {
		d.log.Error("what became of a job cannot be told; it runs again", "job", one.job.ID, "why", string(one.text))
	}
}

// refusedAmong tells results. Returns the jobs whose results cannot be meant so, each with the reason in place of its text.
func (d *desk) refusedAmong(told []result) []result {
	if len(told) == 0 {
		return nil
	}
	answers, err := d.answersTo(told)
	if err != nil {
		if len(told) == 1 {
			return []result{{told[0].job, []byte(err.Error())}}
		}
		middle := len(told) / 2
		return append(d.refusedAmong(told[:middle]), d.refusedAmong(told[middle:])...)
	}
	if len(answers) == 0 {
		return nil
	}
	jobs := make(map[string]*Job, len(told))
	for _, one := range told {
		jobs[one.job.ID] = one.job
	}
	var refused []result
	for _, one := range answers {
		if job := jobs[one.ID]; one.Answer == "refused" && job != nil {
			refused = append(refused, result{job, []byte(one.Why)})
		} else {
			d.log.Warn("the result of a job does not count", "job", one.ID, "answer", one.Answer)
		}
	}
	return refused
}

// answersTo tells results until the service has an answer. Returns an error when that is that they cannot be meant so.
func (d *desk) answersTo(told []result) ([]refusedJob, error) {
	defer d.outage.ended("tell what became of jobs")
	worker, _ := jsonOf(d.options.Name)
	body := append(append([]byte(`{"worker":`), worker...), `,"results":[`...)
	for at, one := range told {
		if at > 0 {
			body = append(body, ',')
		}
		body = append(body, one.text...)
	}
	body = append(body, "]}"...)
	var pause pause
	for giveUp := time.Now().Add(d.options.Lock); ; {
		var answer struct {
			Refused []refusedJob `json:"refused"`
		}
		err := d.client.Call(d.ctx, "POST", "/api/v1/external-jobs/finish", body, &answer)
		if err == nil || isOfWhatItSays(err) {
			return answer.Refused, err
		}
		if !isWorthWaiting(err) || time.Now().After(giveUp) {
			d.log.Error("what became of jobs cannot be told; they run again", "jobs", len(told), "error", err)
			return nil, nil
		}
		d.outage.began("tell what became of jobs", err)
		pause.sleep(d.ctx, err)
	}
}

// isOfWhatItSays says whether a request cannot be meant so, or is too long.
func isOfWhatItSays(err error) bool {
	var refused *Refused
	if !errors.As(err, &refused) {
		return false
	}
	status := refused.Status
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity
}
