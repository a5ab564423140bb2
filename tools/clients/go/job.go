package jobstrand

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// OnDuplicate is what becomes of a job whose unique key is held.
type OnDuplicate string

const (
	Reject  OnDuplicate = "reject"  // It is refused; the default.
	Keep    OnDuplicate = "keep"    // It is not added: the other one stays.
	Replace OnDuplicate = "replace" // It takes the place of the other one, if that waits.
)

// NewJob is a job to be enqueued. Only the handler type is needed; what has its zero value is as the service says.
type NewJob struct {
	HandlerType string
	Payload     any // What JSON can say; a json.RawMessage stands for itself.

	ID                  string        // Of your own, up to 64 characters; one that is taken is refused.
	Due                 time.Time     // When it runs at the earliest.
	Delay               time.Duration // The same, from now.
	DueText             string        // The same in words, such as "tomorrow 09:00"; only over HTTP.
	Repeat              string        // Such as "R/PT1H".
	Retries             int           // Attempts, the first one included.
	RetryCycle          string        // Such as "R5/PT1M".
	Priority            int
	External            bool // For workers such as these.
	NotExclusive        bool // It may run beside others of its process instance.
	ProcessInstanceID   string
	ProcessDefinitionID string
	Category            string
	TenantID            string
	CorrelationID       string
	TraceParent         string        // Of W3C Trace Context: the trace that it belongs to.
	UniqueKey           string        // While a job with it is open, no other is added.
	UniqueFor           time.Duration // The key is held for so long instead.
	OnDuplicate         OnDuplicate
}

// Enqueued says what became of a job.
type Enqueued struct {
	ID       string // That of the other job, if IsNew is false.
	IsNew    bool   // False: another job has its unique key and was kept.
	Replaced string // The job that made room for it, if one did.
}

// MarshalJSON writes the job as the service reads it.
func (n NewJob) MarshalJSON() ([]byte, error) {
	due, err := n.dueText()
	if err != nil {
		return nil, err
	}
	var exclusive *bool
	if n.NotExclusive {
		exclusive = new(bool)
	}
	uniqueFor := ""
	if n.UniqueFor != 0 {
		uniqueFor = durationText(n.UniqueFor)
	}
	return jsonOf(struct {
		HandlerType         string      `json:"handlerType"`
		Payload             any         `json:"payload,omitempty"`
		ID                  string      `json:"id,omitempty"`
		DueDate             string      `json:"dueDate,omitempty"`
		Repeat              string      `json:"repeat,omitempty"`
		Retries             int         `json:"retries,omitempty"`
		RetryCycle          string      `json:"retryCycle,omitempty"`
		Priority            int         `json:"priority,omitempty"`
		External            bool        `json:"external,omitempty"`
		Exclusive           *bool       `json:"exclusive,omitempty"`
		ProcessInstanceID   string      `json:"processInstanceId,omitempty"`
		ProcessDefinitionID string      `json:"processDefinitionId,omitempty"`
		Category            string      `json:"category,omitempty"`
		TenantID            string      `json:"tenantId,omitempty"`
		CorrelationID       string      `json:"correlationId,omitempty"`
		TraceParent         string      `json:"traceparent,omitempty"`
		UniqueKey           string      `json:"uniqueKey,omitempty"`
		UniqueFor           string      `json:"uniqueFor,omitempty"`
		OnDuplicate         OnDuplicate `json:"onDuplicate,omitempty"`
	}{n.HandlerType, n.Payload, n.ID, due, n.Repeat, n.Retries, n.RetryCycle, n.Priority, n.External, exclusive,
		n.ProcessInstanceID, n.ProcessDefinitionID, n.Category, n.TenantID, n.CorrelationID, n.TraceParent,
		n.UniqueKey, uniqueFor, n.OnDuplicate})
}

// check refuses what cannot be meant so before anything is sent.
func (n NewJob) check() error {
	said := 0
	for _, is := range []bool{!n.Due.IsZero(), n.Delay != 0, n.DueText != ""} {
		if is {
			said++
		}
	}
	switch {
	case n.HandlerType == "":
		return errors.New("jobstrand: a job needs a HandlerType")
	case said > 1:
		return errors.New("jobstrand: a job has one of Due, Delay and DueText")
	case n.Delay < 0 || n.UniqueFor < 0:
		return errors.New("jobstrand: a duration must not be negative")
	}
	return nil
}

func (n NewJob) dueText() (string, error) {
	if err := n.check(); err != nil {
		return "", err
	}
	switch {
	case !n.Due.IsZero():
		return n.Due.UTC().Format("2006-01-02T15:04:05.000Z"), nil
	case n.Delay != 0:
		return durationText(n.Delay), nil
	}
	return n.DueText, nil
}

// Variables are handed on to the app when a job is done.
type Variables map[string]any

// Job is one that a worker holds.
type Job struct {
	ID                  string          `json:"id"`
	HandlerType         string          `json:"handlerType"`
	Payload             json.RawMessage `json:"payload"`
	Attempts            int             `json:"attempts"` // Those that have failed: 0 at first.
	Retries             int             `json:"retries"`  // Attempts that are left, this one included.
	Revision            int64           `json:"revision"`
	Priority            int             `json:"priority"`
	ProcessInstanceID   string          `json:"processInstanceId"`
	ProcessDefinitionID string          `json:"processDefinitionId"`
	ExecutionID         string          `json:"executionId"`
	ElementID           string          `json:"elementId"`
	Category            string          `json:"category"`
	TenantID            string          `json:"tenantId"`
	CorrelationID       string          `json:"correlationId"`
	TraceParent         string          `json:"traceparent"`
	UniqueKey           string          `json:"uniqueKey"`
	CreateTime          time.Time       `json:"createTime"`
	LastFailure         string          `json:"exceptionMessage"` // The message of the attempt before, if that failed.

	variables json.RawMessage
	news      news
	cancel    context.CancelCauseFunc // Set while its handler runs, under the lock of inHand.
	isLost    atomic.Bool
	isTold    atomic.Bool // Whoever sets it says what became of the job.
}

// Decode reads the payload into `into`, as json.Unmarshal does.
func (j *Job) Decode(into any) error { return json.Unmarshal(j.Payload, into) }

// HandOn has the job go on to the app with these variables when its handler returns nil. Fails for what JSON cannot say.
func (j *Job) HandOn(variables Variables) error {
	text, err := jsonOf(variables)
	if err != nil {
		return fmt.Errorf("the variables cannot be told: %w", err)
	}
	j.variables = text
	return nil
}

// Progress says how much of the work is done, from 0 to 1, and what is being done. Whoever looks at the job, on the page for
// one, sees it within about two seconds; each call replaces what the last one said. From any goroutine, as often as you like:
// the service is told once a second at most, for all jobs of the worker together.
func (j *Job) Progress(part float64, note string) { j.news.progress(part, note) }

// Log adds lines to those of the run, of which the last hundred are seen there too. They stand in the details of a failure.
func (j *Job) Log(text string) { j.news.log(text) }

// Logf is Log with a format, as in fmt.
func (j *Job) Logf(format string, values ...any) { j.news.log(fmt.Sprintf(format, values...)) }

// jsonOf writes <, > and & as they are.
func jsonOf(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// durationText is ISO 8601, to the millisecond; what is shorter is one.
func durationText(duration time.Duration) string {
	milliseconds := duration.Milliseconds()
	if milliseconds == 0 && duration > 0 {
		milliseconds = 1
	}
	return fmt.Sprintf("PT%d.%03dS", milliseconds/1000, milliseconds%1000)
}

// freshID is a UUID of version 7 (RFC 9562). Ids that ascend with time are the fastest for the database.
func freshID() string {
	var id [16]byte
	if _, err := rand.Read(id[6:]); err != nil {
		panic(err) // The system has no randomness: nothing is safe any more.
	}
	now := time.Now().UnixMilli()
	for at := 5; at >= 0; at-- {
		id[at] = byte(now)
		now >>= 8
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
