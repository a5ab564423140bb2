package jobstrand

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Handler does a job. Nil means that it is done; an error has failed the attempt: the job comes again as its retry cycle
// says, and is a dead letter after its last attempt. So has a panic. The context is cancelled when the job is to end, and
// [context.Cause] says why: ErrLost, ErrTimeLimit or ErrStopped.
type Handler func(ctx context.Context, job *Job) error

// WorkerOptions are those of a [Worker]; what has its zero value is as said here.
type WorkerOptions struct {
	Name        string        // Unique among all workers; made up.
	Concurrency int           // Handlers that run at once; 8.
	Prefetch    int           // Jobs that wait for them; what starts within about 50 ms by the measure of the last runs. Negative: none.
	Lock        time.Duration // 5 minutes; prolonged while jobs are held.
	Wait        time.Duration // How long one request waits for jobs; 5 s, a minute at most.
	Grace       time.Duration // For running handlers after a stop, before their contexts are cancelled; 30 s.
	TenantID    string        // Only its jobs.
	Logger      *slog.Logger  // slog.Default().
}

// Worker takes external jobs from a service, runs a handler for each, and says what became of it. A job may come twice, when
// its worker dies or stands still for longer than its lock; handlers must bear that.
type Worker struct {
	client   *Client
	options  WorkerOptions
	topics   []string
	handlers map[string]handling
}

type handling struct {
	handler Handler
	weight  int
	timeout time.Duration
}

// HandleOption is one of Weight and Timeout.
type HandleOption func(*handling)

// Weight of a topic among those of the worker, 1 if nothing is said: while each has jobs, one of weight 3 gets three times the
// places of one of weight 1. All of the same: the jobs come in their order, whatever their topic.
func Weight(weight int) HandleOption { return func(h *handling) { h.weight = weight } }

// Timeout gives up a handler that runs for longer: its attempt has failed, and its context is cancelled. Its place is free when
// it returns.
func Timeout(timeout time.Duration) HandleOption {
	return func(h *handling) { h.timeout = timeout }
}

// NewWorker works on jobs of the service of a client, when it has handlers.
func NewWorker(client *Client, options WorkerOptions) *Worker {
	if options.Name == "" {
		host, _ := os.Hostname()
		options.Name = fmt.Sprintf("%s-%d-%08x", host, os.Getpid(), rand.Uint32())
	}
	if options.Concurrency <= 0 {
		options.Concurrency = 8
	}
	for duration, usual := range map[*time.Duration]time.Duration{
		&options.Lock: 5 * time.Minute, &options.Wait: 5 * time.Second, &options.Grace: 30 * time.Second,
	} {
		if *duration <= 0 {
			*duration = usual
		}
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	return &Worker{client: client, options: options, handlers: map[string]handling{}}
}

// Handle names the handler of a handler type, which workers call a topic. Before Run.
func (w *Worker) Handle(topic string, handler Handler, options ...HandleOption) {
	handling := handling{handler: handler, weight: 1}
	for _, option := range options {
		option(&handling)
	}
	if handling.weight < 1 || handling.timeout < 0 || handler == nil {
		panic("jobstrand: a handler is a function, with a weight of at least 1 and a timeout that is not negative")
	}
	if _, isThere := w.handlers[topic]; !isThere {
		w.topics = append(w.topics, topic)
	}
	w.handlers[topic] = handling
}

// Run works until the context ends, and returns nil then: when running handlers have ended or Grace is over, jobs that have
// not begun were given back, and the service knows all results. Returns an error that the service refuses for good, such as a wrong
// token. While the service is away it waits, and tells its results afterwards.
func (w *Worker) Run(ctx context.Context) error {
	if len(w.handlers) == 0 {
		return errors.New("jobstrand: a worker needs a handler")
	}
	// Values of the context, such as those of a trace, are there in handlers too.
	handlers, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	d := newDesk(w, handlers)
	d.log.Info("jobstrand worker starts", "worker", w.options.Name, "serves", w.served(), "places", w.options.Concurrency, "at", w.client.address)
	var places sync.WaitGroup
	d.held.open = func() {
		places.Add(1)
		go w.place(d, &places)
	}
	closed := make(chan struct{})
	var desks sync.WaitGroup
	for _, target := range []func(<-chan struct{}){d.keepLocks, d.giveSurplusBack} {
		desks.Add(1)
		go func() {
			defer desks.Done()
			target(closed)
		}()
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		d.tellAll()
	}()
	err := d.fetch(ctx)
	d.giveBack(d.held.close())
	w.drain(d, &places, end)
	d.results.close()
	<-told
	close(closed)
	desks.Wait()
	if ctx.Err() != nil {
		d.giveUnknownBack()
	}
	return err
}

func (w *Worker) served() string {
	var served []string
	for _, topic := range w.topics {
		if weight := w.handlers[topic].weight; weight > 1 {
			topic = fmt.Sprintf("%s (weight %d)", topic, weight)
		}
		served = append(served, topic)
	}
	return strings.Join(served, ", ")
}

// drain waits for the running handlers.
func (w *Worker) drain(d *desk, places *sync.WaitGroup, end context.CancelCauseFunc) {
	ended := make(chan struct{})
	go func() {
		places.Wait()
		close(ended)
	}()
	for _, patience := range []time.Duration{w.options.Grace, time.Second} {
		timer := time.NewTimer(patience)
		select {
		case <-ended:
			timer.Stop()
			return
		case <-timer.C:
			end(ErrStopped)
		}
	}
	d.log.Warn("handlers do not end; their jobs run again when their locks are over", "handlers", d.held.atWorkNow())
}

// place runs jobs until none waits.
func (w *Worker) place(d *desk, places *sync.WaitGroup) {
	hasEnded := false
	defer func() {
		// A handler may have ended the goroutine that it ran on.
		if !hasEnded {
			go w.place(d, places)
			return
		}
		places.Done()
	}()
	for {
		job, ctx := d.held.next()
		if job == nil {
			break
		}
		w.runOne(d, ctx, job)
	}
	hasEnded = true
}

func (w *Worker) runOne(d *desk, ctx context.Context, job *Job) {
	handling := w.handlers[job.HandlerType]
	if handling.timeout > 0 {
		cancel := job.cancel
		timer := time.AfterFunc(handling.timeout, func() { d.giveUp(job, handling.timeout, cancel) })
		defer timer.Stop()
	}
	var err error = &panicked{message: "the handler has ended its goroutine", stack: nil}
	defer func() {
		if value := recover(); value != nil {
			err = &panicked{fmt.Sprintf("panic: %v", value), debug.Stack()}
		}
		d.ended(ctx, job, err)
	}()
	err = handling.handler(ctx, job)
}
