package test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"jobstrand.invalid/jobstrand"
	_ "modernc.org/sqlite"
)

// patience is beyond what anything takes that does not hang; nothing is measured.
const patience = 60 * time.Second

// service is `jobstrand serve` on a SQLite database.
type service struct {
	t       *testing.T
	folder  string
	address string
	process *exec.Cmd
	asked   *jobstrand.Client // By the test itself.
}

func start(t *testing.T) *service {
	t.Helper()
	s := &service{t: t, folder: t.TempDir()}
	create := s.command("schema", "create")
	if said, err := create.CombinedOutput(); err != nil {
		t.Fatalf("schema create: %v\n%s", err, said)
	}
	s.serve("0")
	t.Cleanup(func() { s.end(syscall.SIGTERM) })
	return s
}

func (s *service) command(arguments ...string) *exec.Cmd {
	command := exec.Command(os.Getenv("JOBSTRAND_BINARY"), arguments...)
	command.Dir = s.folder
	command.Env = append(os.Environ(), "JOBSTRAND_DB=sqlite:jobs.db")
	return command
}

func (s *service) serve(port string) {
	s.t.Helper()
	s.process = s.command("serve", "--http", "127.0.0.1:"+port)
	log, err := s.process.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	var said strings.Builder
	lines := bufio.NewReader(log)
	for !strings.Contains(said.String(), " clock_skew_ms=") {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if err != nil {
			s.t.Fatalf("the service is not ready: %s", said.String())
		}
	}
	// A log that nobody reads fills its pipe.
	go io.Copy(io.Discard, lines)
	s.address = "http://127.0.0.1:" + regexp.MustCompile(`\bport=(\d+)`).FindStringSubmatch(said.String())[1]
}

func (s *service) end(by syscall.Signal) {
	if s.process == nil {
		return
	}
	s.process.Process.Signal(by)
	s.process.Process.Wait()
	s.process = nil
}

// again starts the service anew where it was.
func (s *service) again() { s.serve(s.address[strings.LastIndex(s.address, ":")+1:]) }

func (s *service) client() *jobstrand.Client {
	s.t.Helper()
	if s.asked == nil {
		client, err := jobstrand.NewClient(s.address, jobstrand.ClientOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
		s.asked = client
	}
	return s.asked
}

func (s *service) enqueue(jobs ...jobstrand.NewJob) []string {
	s.t.Helper()
	ids, err := s.client().EnqueueAll(context.Background(), jobs)
	if err != nil {
		s.t.Fatal(err)
	}
	return ids
}

func (s *service) places() map[string]int {
	s.t.Helper()
	var stats struct{ Places map[string]int }
	if err := s.client().Get(context.Background(), "/api/v1/stats", &stats); err != nil {
		s.t.Fatal(err)
	}
	return stats.Places
}

// job is what the service says of one; nil: there is none any more.
func (s *service) job(id string) map[string]any {
	s.t.Helper()
	var job map[string]any
	err := s.client().Get(context.Background(), "/api/v1/jobs/"+id, &job)
	if err != nil && !isNotFound(err) {
		s.t.Fatal(err)
	}
	return job
}

// database is that of the service, for an app of its own.
func (s *service) database() *sql.DB {
	s.t.Helper()
	database, err := sql.Open("sqlite", "file:"+s.folder+"/jobs.db?_pragma=busy_timeout(60000)")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { database.Close() })
	return database
}

// details is the stack of a job's last failure.
func (s *service) details(id string) (text string) {
	s.t.Helper()
	const query = `SELECT b.BYTES_ FROM ACT_GE_BYTEARRAY b JOIN ACT_RU_DEADLETTER_JOB j ON b.ID_ = j.EXCEPTION_STACK_ID_ WHERE j.ID_ = ?`
	if err := s.database().QueryRow(query, id).Scan(&text); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// logged is what a worker has logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// working is a worker that runs.
type working struct {
	t    *testing.T
	stop context.CancelFunc
	done chan error
	log  *logged
}

func work(s *service, options jobstrand.WorkerOptions, handle func(*jobstrand.Worker)) *working {
	s.t.Helper()
	w := &working{t: s.t, done: make(chan error, 1), log: &logged{}}
	options.Logger = slog.New(slog.NewTextHandler(w.log, nil))
	if options.Wait == 0 {
		options.Wait = time.Second
	}
	worker := jobstrand.NewWorker(s.client(), options)
	handle(worker)
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	go func() { w.done <- worker.Run(ctx) }()
	s.t.Cleanup(stop)
	return w
}

// end stops it, and waits for the end.
func (w *working) end() {
	w.t.Helper()
	w.stop()
	if err := await(w.t, w.done, "the worker ends"); err != nil {
		w.t.Fatalf("the worker ended: %v", err)
	}
}

func await[T any](t *testing.T, channel <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-channel:
	case <-time.After(patience):
		t.Fatalf("not within its time: %s", what)
	}
	return value
}

// eventually waits until it is so.
func eventually(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	give := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !isSo() {
		select {
		case <-tick.C:
		case <-give:
			t.Fatalf("not within its time: %s", what)
		}
	}
}

func external(count int, payload func(int) any) []jobstrand.NewJob {
	jobs := make([]jobstrand.NewJob, count)
	for number := range jobs {
		jobs[number] = jobstrand.NewJob{HandlerType: "mail", External: true}
		if payload != nil {
			jobs[number].Payload = payload(number)
		}
	}
	return jobs
}

func text(value any) string {
	said, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(said)
}
