// Adapter does with the Go package what behaviours.py tells it: `adapter ORIGIN DATABASE`.
package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"jobstrand.invalid/jobstrand"
	_ "modernc.org/sqlite"
)

const tick = 10 * time.Millisecond

// odd results are those that JSON cannot say.
var odd = []jobstrand.Variables{{"n": math.NaN()}, {"channel": make(chan int)}, {"function": func() {}}}

// OutOfInk is an error of the app.
type OutOfInk struct {
	text  string
	cause error
}

func (o *OutOfInk) Error() string { return o.text }
func (o *OutOfInk) Unwrap() error { return o.cause }

var printing sync.Mutex

func say(what any) {
	text, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	printing.Lock()
	defer printing.Unlock()
	os.Stdout.Write(append(text, '\n'))
}

type object = map[string]any

// logLines says what the package logs.
type logLines struct{}

func (logLines) Write(line []byte) (int, error) {
	say(object{"log": string(bytes.TrimSpace(line))})
	return len(line), nil
}

type toldJob struct {
	HandlerType, ID, Words, Repeat, RetryCycle, ProcessInstanceID, ProcessDefinitionID, Category, TenantID, CorrelationID, TraceParent, UniqueKey string

	Payload          json.RawMessage
	Due              time.Time
	Delay, UniqueFor float64
	Retries          int
	Priority         int
	External         bool
	Exclusive        *bool
	OnDuplicate      jobstrand.OnDuplicate
}

func seconds(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }

func (t toldJob) job() jobstrand.NewJob {
	job := jobstrand.NewJob{
		HandlerType: t.HandlerType, ID: t.ID, Due: t.Due, Delay: seconds(t.Delay), DueText: t.Words, Repeat: t.Repeat, Retries: t.Retries,
		RetryCycle: t.RetryCycle, Priority: t.Priority, External: t.External, NotExclusive: t.Exclusive != nil && !*t.Exclusive,
		ProcessInstanceID: t.ProcessInstanceID, ProcessDefinitionID: t.ProcessDefinitionID, Category: t.Category, TenantID: t.TenantID,
		CorrelationID: t.CorrelationID, TraceParent: t.TraceParent, UniqueKey: t.UniqueKey, UniqueFor: seconds(t.UniqueFor), OnDuplicate: t.OnDuplicate,
	}
	if t.Payload != nil {
		job.Payload = t.Payload
	}
	return job
}

// open returns a database, and how a transaction of it is told to the package.
func open(address string) (*sql.DB, func(jobstrand.Queryer) jobstrand.Connection, error) {
	if path, isSQLite := strings.CutPrefix(address, "sqlite:"); isSQLite {
		database, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(60000)&_txlock=immediate")
		return database, jobstrand.SQLite, err
	}
	if strings.HasPrefix(address, "postgres") {
		database, err := sql.Open("pgx", address)
		return database, jobstrand.PostgreSQL, err
	}
	parts, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	database, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)%s", parts.User, parts.Host, parts.Path))
	return database, jobstrand.MySQL, err
}

type toldWork struct {
	Handlers            map[string][]json.RawMessage
	Weights             map[string]int
	Places              int
	Lock, Wait, Timeout float64
	Tenant              string
}

type instruction struct {
	Enqueue *toldJob
	By      string
	Work    *toldWork
	Stop    string
}

type adapter struct {
	client *jobstrand.Client
	url    string
	stop   context.CancelFunc
	ended  chan error
}

func (a *adapter) add(job jobstrand.NewJob, by string) (string, error) {
	ctx := context.Background()
	if by == "http" {
		added, err := a.client.Enqueue(ctx, job)
		return added.ID, err
	}
	database, of, err := open(a.url)
	if err != nil {
		return "", err
	}
	defer database.Close()
	tx, err := database.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	id, err := jobstrand.Enqueue(ctx, of(tx), job)
	if err != nil || by == "rollback" {
		return id, err
	}
	return id, tx.Commit()
}

func (a *adapter) enqueue(told toldJob, by string) {
	id, err := a.add(told.job(), by)
	if err != nil {
		say(object{"refused": fmt.Sprintf("%T: %s", err, err)})
		return
	}
	say(object{"id": id})
}

func (a *adapter) work(told toldWork) {
	worker := jobstrand.NewWorker(a.client, jobstrand.WorkerOptions{
		Concurrency: told.Places, Lock: seconds(told.Lock), Wait: seconds(told.Wait), TenantID: told.Tenant,
		Logger: slog.New(slog.NewTextHandler(logLines{}, nil)),
	})
	for topic, steps := range told.Handlers {
		worker.Handle(topic, handler(steps), jobstrand.Weight(max(1, told.Weights[topic])), jobstrand.Timeout(seconds(told.Timeout)))
	}
	var ctx context.Context
	ctx, a.stop = context.WithCancel(context.Background())
	a.ended = make(chan error, 1)
	go func() { a.ended <- worker.Run(ctx) }()
	say(object{"working": true})
}

func handler(steps []json.RawMessage) jobstrand.Handler {
	return func(ctx context.Context, job *jobstrand.Job) error {
		say(object{"began": job.ID, "topic": job.HandlerType, "attempt": job.Attempts + 1})
		defer say(object{"ended": job.ID})
		return carryOut(ctx, job, steps)
	}
}

// step is one of a handler.
type step struct {
	First    []json.RawMessage // Only in the first attempt.
	Give     any
	Odd      *int // A result that JSON cannot say.
	Raise    string
	Cause    string
	Progress []any
	Log      string
	Until    string // The file is there.
	Hear     bool   // That it is to end.
	Fail     *struct {
		Message    string
		Retries    *int
		RetryAfter float64
	}
	Business *struct {
		Code, Message string
		Variables     jobstrand.Variables
	}
}

func carryOut(ctx context.Context, job *jobstrand.Job, steps []json.RawMessage) error {
	for _, text := range steps {
		var step step
		if err := json.Unmarshal(text, &step); err != nil {
			return err
		}
		if err := step.do(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

func (s step) do(ctx context.Context, job *jobstrand.Job) error {
	switch {
	case s.First != nil && job.Attempts == 0:
		return carryOut(ctx, job, s.First)
	case s.Give == "payload":
		return job.HandOn(jobstrand.Variables{"given": job.Payload})
	case s.Give != nil:
		return job.HandOn(s.Give.(object))
	case s.Odd != nil:
		return job.HandOn(odd[*s.Odd%len(odd)])
	case s.Raise != "" && s.Cause != "":
		return &OutOfInk{s.Raise, errors.New(s.Cause)}
	case s.Raise != "":
		return &OutOfInk{s.Raise, nil}
	case s.Fail != nil:
		fail := &jobstrand.Fail{Message: s.Fail.Message, RetryAfter: seconds(s.Fail.RetryAfter)}
		if s.Fail.Retries != nil {
			fail.Retries, fail.NotRetryable = *s.Fail.Retries, *s.Fail.Retries == 0
		}
		return fail
	case s.Business != nil:
		return &jobstrand.BusinessError{Code: s.Business.Code, Message: s.Business.Message, Variables: s.Business.Variables}
	case s.Progress != nil:
		job.Progress(s.Progress[0].(float64), s.Progress[1].(string))
	case s.Log != "":
		job.Log(s.Log)
	case s.Until != "":
		for _, err := os.Stat(s.Until); err != nil; _, err = os.Stat(s.Until) {
			time.Sleep(tick)
		}
	case s.Hear:
		<-ctx.Done()
		say(object{"heard": job.ID})
	}
	return nil
}

func main() {
	client, err := jobstrand.NewClient(os.Args[1], jobstrand.ClientOptions{})
	if err != nil {
		panic(err)
	}
	adapter := &adapter{client: client, url: os.Args[2]}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var told instruction
		if err := json.Unmarshal(line, &told); err != nil {
			panic(err)
		}
		switch {
		case told.Enqueue != nil:
			adapter.enqueue(*told.Enqueue, told.By)
		case told.Work != nil:
			adapter.work(*told.Work)
		default:
			adapter.stop()
			if told.Stop == "end" {
				if err := <-adapter.ended; err != nil {
					say(object{"log": err.Error()})
				}
			}
			say(object{"stopped": told.Stop})
		}
	}
}
