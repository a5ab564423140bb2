package test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"jobstrand.invalid/jobstrand"
)

func isNotFound(err error) bool { return errors.Is(err, jobstrand.ErrNotFound) }

func TestAHandlerThatReturnsNilHasDoneItsJob(t *testing.T) {
	s := start(t)
	s.enqueue(external(10, func(number int) any { return map[string]int{"order": number} })...)
	var sum atomic.Int64
	w := work(s, jobstrand.WorkerOptions{Name: "worker-7"}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			var payload struct{ Order int64 }
			if err := job.Decode(&payload); err != nil {
				return err
			}
			sum.Add(payload.Order)
			return nil
		})
	})
	eventually(t, "all jobs are done", func() bool { return s.places()["external"] == 0 })
	w.end()
	if places := s.places(); sum.Load() != 45 || places["dead"] != 0 || places["timer"] != 0 {
		t.Errorf("sum %d, %v", sum.Load(), places)
	}
	if w.log.count("worker=worker-7 serves=mail places=8") != 1 {
		t.Errorf("the log has no line of the start: %s", w.log.text.String())
	}
}

func TestAJobThatBelongsToNoOtherIsFoundByItsID(t *testing.T) {
	s := start(t)
	id := s.enqueue(external(1, nil)...)[0]
	got := make(chan string, 1)
	work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			got <- job.CorrelationID
			return nil
		})
	})
	if correlation := <-got; correlation != id {
		t.Error(correlation)
	}
}

func TestABusinessErrorIsHandedOn(t *testing.T) {
	s := start(t)
	id := s.enqueue(external(1, nil)...)[0]
	work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(context.Context, *jobstrand.Job) error {
			return fmt.Errorf("shipping: %w", &jobstrand.BusinessError{Code: "SOLD_OUT", Message: "nothing is left"})
		})
	})
	eventually(t, "it is the app's", func() bool { return s.job(id)["handlerType"] == "external-worker-complete" })
	if payload := text(s.job(id)["payload"]); !strings.Contains(payload, `"errorCode":"SOLD_OUT"`) {
		t.Error(payload)
	}
}

// odd is an error whose methods do not bear that it is nil.
type odd struct{ text string }

func (o *odd) Error() string { return o.text }

func TestAFailureHasItsClassItsMessageAndItsCauses(t *testing.T) {
	s := start(t)
	failures := map[string]struct {
		err              error
		message, details string
	}{
		"plain":   {errors.New("no such address"), "no such address", "no such address"},
		"wrapped": {fmt.Errorf("letter 7: %w", &fs.PathError{Op: "open", Path: "/letter", Err: fs.ErrNotExist}), "fs.PathError: letter 7: open /letter: file does not exist", "caused by *fs.PathError: open /letter"},
		"nil":     {(*odd)(nil), "test.odd: *test.odd", ""},
		"empty":   {&odd{}, "test.odd: *test.odd", ""},
	}
	ids := map[string]string{}
	for name := range failures {
		ids[name] = s.enqueue(jobstrand.NewJob{HandlerType: "mail", External: true, Retries: 1, Payload: name})[0]
	}
	work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			var name string
			job.Decode(&name)
			return failures[name].err
		})
	})
	eventually(t, "all are dead letters", func() bool { return s.places()["dead"] == len(failures) })
	for name, failure := range failures {
		if message := fmt.Sprint(s.job(ids[name])["exceptionMessage"]); !strings.HasPrefix(message, failure.message) {
			t.Errorf("%s: %s", name, message)
		}
		if failure.details != "" && !strings.Contains(s.details(ids[name]), failure.details) {
			t.Errorf("%s: %s", name, s.details(ids[name]))
		}
	}
}

func TestAFailureSaysHowItGoesOn(t *testing.T) {
	s := start(t)
	ids := s.enqueue(external(2, func(number int) any { return number })...)
	work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			if string(job.Payload) == "0" {
				return &jobstrand.Fail{Message: "no such address", NotRetryable: true, Details: "street 7"}
			}
			return fmt.Errorf("full: %w", &jobstrand.Fail{Err: os.ErrDeadlineExceeded, RetryAfter: time.Hour, Retries: 7})
		})
	})
	eventually(t, "both have failed", func() bool {
		places := s.places()
		return places["dead"] == 1 && places["timer"] == 1
	})
	dead, waiting := s.job(ids[0]), s.job(ids[1])
	if dead["exceptionMessage"] != "no such address" || s.details(ids[0]) != "street 7" {
		t.Errorf("%v %s", dead, s.details(ids[0]))
	}
	due, err := time.Parse(time.RFC3339, fmt.Sprint(waiting["dueDate"]))
	if err != nil || time.Until(due) < 30*time.Minute || waiting["retries"] != 7.0 || waiting["exceptionMessage"] != "full: i/o timeout" {
		t.Errorf("%v %v", err, waiting)
	}
}

func TestAPanicIsAFailureWithItsStackAndTheWorkerGoesOn(t *testing.T) {
	s := start(t)
	jobs := external(3, func(number int) any { return number })
	for number := range jobs {
		jobs[number].Retries = 1
	}
	ids := s.enqueue(jobs...)
	w := work(s, jobstrand.WorkerOptions{Concurrency: 1}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			switch string(job.Payload) {
			case "0":
				panicsDeep(nil)
			case "1":
				runtime.Goexit()
			}
			return nil
		})
	})
	eventually(t, "all have ended", func() bool {
		places := s.places()
		return places["external"] == 0 && places["dead"] == 2
	})
	w.end()
	message := fmt.Sprint(s.job(ids[0])["exceptionMessage"])
	if !strings.HasPrefix(message, "panic: ") || !strings.Contains(message, "nil map") {
		t.Error(message)
	}
	if !strings.Contains(s.details(ids[0]), "panicsDeep") {
		t.Error(s.details(ids[0]))
	}
	if message := s.job(ids[1])["exceptionMessage"]; message != "panic: the handler has ended its goroutine" {
		t.Error(message)
	}
}

func panicsDeep(orders map[string]int) { orders["17"] = 1 }

func TestAHandlerHearsThatItsJobWasCancelled(t *testing.T) {
	s := start(t)
	id := s.enqueue(external(1, nil)...)[0]
	begun, heard := make(chan struct{}), make(chan error, 1)
	w := work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(ctx context.Context, _ *jobstrand.Job) error {
			close(begun)
			<-ctx.Done()
			heard <- context.Cause(ctx)
			return ctx.Err()
		})
	})
	await(t, begun, "the handler begins")
	cancel := s.command("job", "cancel", id, "--reason", "the wrong file")
	if said, err := cancel.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, said)
	}
	if cause := await(t, heard, "the handler hears of it"); !errors.Is(cause, jobstrand.ErrLost) {
		t.Error(cause)
	}
	w.end()
	if w.log.count("the lock of a job is lost") != 1 {
		t.Error(w.log.text.String())
	}
}

func TestAHandlerWhoseTimeIsOverHasFailedAndHearsOfIt(t *testing.T) {
	s := start(t)
	id := s.enqueue(jobstrand.NewJob{HandlerType: "mail", External: true, Retries: 1})[0]
	heard, ends := make(chan error, 1), make(chan struct{})
	w := work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(ctx context.Context, _ *jobstrand.Job) error {
			<-ctx.Done()
			heard <- context.Cause(ctx)
			<-ends
			return nil
		}, jobstrand.Timeout(100*time.Millisecond))
	})
	if cause := await(t, heard, "the handler hears of it"); !errors.Is(cause, jobstrand.ErrTimeLimit) {
		t.Error(cause)
	}
	eventually(t, "it has failed while the handler goes on", func() bool { return s.places()["dead"] == 1 })
	close(ends)
	w.end()
	if message := s.job(id)["exceptionMessage"]; message != "jobstrand.ErrTimeLimit: the handler of mail did not end within 100ms" {
		t.Error(message)
	}
}

func TestShortJobsDoNotWaitForLongOnes(t *testing.T) {
	s := start(t)
	s.enqueue(external(3, func(int) any { return "long" })...)
	ends := make(chan struct{})
	var begun, short sync.WaitGroup
	begun.Add(3)
	short.Add(1000)
	w := work(s, jobstrand.WorkerOptions{Concurrency: 4}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			if string(job.Payload) != `"long"` {
				short.Done()
				return nil
			}
			begun.Done()
			<-ends
			return nil
		})
	})
	await(t, waited(&begun), "three places are taken")
	s.enqueue(external(1000, nil)...)
	await(t, waited(&short), "the short jobs run at the fourth")
	eventually(t, "the service knows of them, and the long ones run", func() bool { return s.places()["external"] == 3 })
	close(ends)
	eventually(t, "all are done", func() bool { return s.places()["external"] == 0 })
	w.end()
}

func waited(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	return done
}

func TestWhatWillNotStartSoonIsGivenBack(t *testing.T) {
	s := start(t)
	ends := make(chan struct{})
	var got atomic.Int64
	w := work(s, jobstrand.WorkerOptions{Concurrency: 1}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(context.Context, *jobstrand.Job) error {
			if got.Add(1) > 500 {
				<-ends
			}
			return nil
		})
	})
	// Short ones first, so that many are fetched at once; then each takes long.
	s.enqueue(external(2000, nil)...)
	eventually(t, "one is held, and the others are free", func() bool {
		var stats struct{ Locked map[string]int }
		err := s.client().Get(context.Background(), "/api/v1/stats", &stats)
		return err == nil && got.Load() == 501 && stats.Locked["external"] == 1
	})
	close(ends)
	eventually(t, "all are done", func() bool { return s.places()["external"] == 0 })
	w.end()
}

func TestOneOddResultInAHundredTouchesNoOther(t *testing.T) {
	s := start(t)
	jobs := external(1000, func(number int) any { return number })
	for number := range jobs {
		jobs[number].Retries = 1
	}
	ids := s.enqueue(jobs...)
	var ends atomic.Int64
	w := work(s, jobstrand.WorkerOptions{Concurrency: 4}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			ends.Add(1)
			var number int
			if err := job.Decode(&number); err != nil || number%100 != 0 {
				return err
			}
			return oddResult(job, number/100)
		})
	})
	eventually(t, "all have ended", func() bool {
		places := s.places()
		return places["external"] == 0 && places["dead"] == 10
	})
	w.end()
	if ends.Load() != 1000 {
		t.Errorf("%d runs", ends.Load())
	}
	for number, wanted := range map[int]string{0: "unsupported type: chan int", 200: "at most 8388608 are told", 800: "the service refuses its result: "} {
		if message := fmt.Sprint(s.job(ids[number])["exceptionMessage"]); !strings.Contains(message, wanted) {
			t.Errorf("%d: %s", number, message)
		}
	}
}

func oddResult(job *jobstrand.Job, which int) error {
	ring := jobstrand.Variables{}
	ring["ring"] = ring
	large := jobstrand.Variables{"text": strings.Repeat("x", 9<<20)}
	switch which {
	case 0:
		return job.HandOn(jobstrand.Variables{"channel": make(chan int)})
	case 1:
		return job.HandOn(ring)
	case 2:
		return job.HandOn(large)
	case 3:
		return &jobstrand.BusinessError{Code: "X", Variables: jobstrand.Variables{"function": func() {}}}
	case 4:
		return &jobstrand.BusinessError{Code: "X", Variables: large}
	case 5:
		return errors.New("half a letter \xc3, and a \x00")
	case 6:
		return (*odd)(nil)
	case 7:
		return errors.New(strings.Repeat("ä", 1<<20))
	case 8:
		return &jobstrand.Fail{Message: "later", Retries: 1 << 40} // Which the service refuses.
	}
	panic(&odd{"of its own"})
}

func TestAServiceThatIsKilledLosesNothing(t *testing.T) {
	s := start(t)
	const count = 3000
	s.enqueue(external(count, func(number int) any { return number })...)
	var mu sync.Mutex
	runs := map[string]int{}
	some, killed := make(chan struct{}), make(chan struct{})
	w := work(s, jobstrand.WorkerOptions{Concurrency: 4, Prefetch: 20}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			mu.Lock()
			runs[job.ID]++
			is := len(runs)
			mu.Unlock()
			if is == count/10 {
				close(some)
			}
			if is >= count/10 {
				<-killed
			}
			return nil
		})
	})
	await(t, some, "some are done")
	s.end(syscall.SIGKILL)
	close(killed)
	eventually(t, "the worker has seen it", func() bool { return w.log.count("the service does not answer") == 1 })
	s.again()
	// What was fetched by an answer that did not come is locked for the worker until it stops.
	eventually(t, "the rest is done", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(runs) >= count-100
	})
	eventually(t, "the worker has said so", func() bool { return w.log.count("the service answers again") == 1 })
	eventually(t, "nothing more is free", func() bool {
		var stats struct{ Places, Locked map[string]int }
		err := s.client().Get(context.Background(), "/api/v1/stats", &stats)
		return err == nil && stats.Places["external"] == stats.Locked["external"]
	})
	w.end()
	rest := work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			mu.Lock()
			defer mu.Unlock()
			runs[job.ID]++
			return nil
		})
	})
	eventually(t, "all are done", func() bool { return s.places()["external"] == 0 })
	rest.end()
	twice := 0
	for _, times := range runs {
		if times > 1 {
			twice++
		}
	}
	if len(runs) != count || twice != 0 || s.places()["dead"] != 0 {
		t.Errorf("%d jobs have run, %d of them twice", len(runs), twice)
	}
}

func TestAStopLetsHandlersEndAndGivesTheOthersBack(t *testing.T) {
	s := start(t)
	s.enqueue(external(10, nil)...)
	begun, ends := make(chan struct{}, 10), make(chan struct{})
	w := work(s, jobstrand.WorkerOptions{Concurrency: 1, Prefetch: 5, Wait: time.Minute}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(ctx context.Context, _ *jobstrand.Job) error {
			begun <- struct{}{}
			<-ends
			return ctx.Err()
		})
	})
	await(t, begun, "the first begins")
	w.stop()
	close(ends)
	w.end()
	eventually(t, "those that have not begun are free", func() bool {
		var stats struct{ Places, Locked map[string]int }
		err := s.client().Get(context.Background(), "/api/v1/stats", &stats)
		return err == nil && stats.Locked["external"] == 0 && stats.Places["external"]+len(begun)+1 == 10 && stats.Places["timer"] == 0
	})
}

func TestAHandlerThatEndsAfterTheGraceGivesItsJobBack(t *testing.T) {
	s := start(t)
	id := s.enqueue(external(1, nil)...)[0]
	begun := make(chan struct{})
	w := work(s, jobstrand.WorkerOptions{Grace: time.Millisecond}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(ctx context.Context, _ *jobstrand.Job) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		})
	})
	await(t, begun, "it begins")
	w.end()
	// The request that the stop has cut off may get it before the service sees that nobody waits for that.
	eventually(t, "it is free", func() bool {
		job := s.job(id)
		return job["place"] == "external" && job["lockOwner"] == nil && job["attempts"] == 0.0
	})
}

func TestAWorkerThatMayNotEndsWithAnError(t *testing.T) {
	s := start(t)
	worker := jobstrand.NewWorker(s.client(), jobstrand.WorkerOptions{Name: strings.Repeat("x", 300)})
	worker.Handle("mail", func(context.Context, *jobstrand.Job) error { return nil })
	done := make(chan error, 1)
	go func() { done <- worker.Run(context.Background()) }()
	if err := await(t, done, "it ends"); !errors.Is(err, jobstrand.ErrInvalid) {
		t.Error(err)
	}
}

func TestProgressAndLinesAreSeenWhileTheHandlerRuns(t *testing.T) {
	s := start(t)
	id := s.enqueue(jobstrand.NewJob{HandlerType: "mail", External: true, Retries: 1})[0]
	seen := make(chan struct{})
	work(s, jobstrand.WorkerOptions{}, func(worker *jobstrand.Worker) {
		worker.Handle("mail", func(_ context.Context, job *jobstrand.Job) error {
			job.Progress(0.1, "")
			job.Progress(0.4, "page 4 of 10")
			job.Log("reading\nwriting\n")
			job.Logf("page %d \xff", 4)
			<-seen
			return errors.New("no ink")
		})
	})
	var news any
	eventually(t, "the news are there", func() bool { news = s.job(id)["news"]; return news != nil })
	close(seen)
	told := news.(map[string]any)
	if told["progress"] != 0.4 || told["note"] != "page 4 of 10" || fmt.Sprint(told["lines"]) != "[reading writing page 4 \ufffd]" {
		t.Error(told)
	}
	eventually(t, "it is a dead letter", func() bool { return s.places()["dead"] == 1 })
	if details := s.details(id); !strings.HasSuffix(details, "\nreading\nwriting\npage 4 \ufffd") {
		t.Error(details)
	}
}
