package jobstrand

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

const (
	mostDetails = 50_000          // Bytes of a stack: its beginning, where the newest call stands.
	mostMessage = 10_000          // Bytes; the service keeps less.
	mostBytes   = 8 * 1024 * 1024 // Of what is told of a job, which is what the service takes as a payload.
)

// panicked is the failure of a handler that has panicked or ended its goroutine.
type panicked struct {
	message string
	stack   []byte
}

func (p *panicked) Error() string { return p.message }

// about is what becomes of a job.
type about struct {
	ID         string    `json:"id"`
	Revision   int64     `json:"revision"`
	Outcome    string    `json:"outcome"`
	Message    string    `json:"message,omitempty"`
	Details    string    `json:"details,omitempty"`
	RetryAfter string    `json:"retryAfter,omitempty"`
	Retries    *int      `json:"retries,omitempty"`
	ErrorCode  string    `json:"errorCode,omitempty"`
	Variables  Variables `json:"variables,omitempty"`
}

// resultOf says what became of a job, each for itself, in JSON, so that none can spoil another.
func resultOf(job *Job, err error) (result []byte) {
	// Methods of a handler's error may be the bug: those of a nil pointer, above all.
	defer func() {
		if reason := recover(); reason != nil {
			result = untold(job, fmt.Sprintf("%T, which cannot be told: %v", err, reason))
		}
	}()
	if err == nil {
		return completed(job)
	}
	said := about{ID: job.ID, Revision: job.Revision, Outcome: "fail"}
	var business *BusinessError
	if errors.As(err, &business) {
		said.Outcome, said.ErrorCode, said.Message, said.Variables = "error", business.Code, business.Message, business.Variables
	} else {
		tellFailure(&said, err)
		if lines := job.news.text(); lines != "" {
			said.Details += "\n" + lines
		}
	}
	text, reason := jsonOf(said)
	if reason == nil && len(text) > mostBytes {
		reason = tooLong(len(text))
	}
	if reason != nil {
		return untold(job, fmt.Sprintf("%s (which cannot be told as it is: %s)", textOf(err), reason))
	}
	return text
}

func completed(job *Job) []byte {
	text := make([]byte, 0, 128)
	id, _ := jsonOf(job.ID)
	text = append(append(text, `{"id":`...), id...)
	text = strconv.AppendInt(append(text, `,"revision":`...), job.Revision, 10)
	if job.variables == nil {
		return append(text, '}')
	}
	if len(job.variables)+len(text) > mostBytes {
		return untold(job, "the variables cannot be told: "+tooLong(len(job.variables)).Error())
	}
	text = append(append(text, `,"variables":`...), job.variables...)
	return append(text, '}')
}

func tooLong(length int) error {
	return fmt.Errorf("it is %d bytes long, and at most %d are told", length, mostBytes)
}

// untold is the result of a job whose own could not be told.
func untold(job *Job, message string) []byte {
	text, _ := jsonOf(about{ID: job.ID, Revision: job.Revision, Outcome: "fail", Message: cut(message, mostMessage)})
	return text
}

func tellFailure(said *about, err error) {
	said.Message = cut(messageOf(err), mostMessage)
	said.Details = cut(detailsOf(err), mostDetails)
	var fail *Fail
	if !errors.As(err, &fail) {
		return
	}
	said.Message = cut(textOf(err), mostMessage)
	if fail.Details != "" {
		said.Details = cut(fail.Details, mostDetails)
	}
	if fail.RetryAfter > 0 {
		said.RetryAfter = durationText(fail.RetryAfter)
	}
	if fail.NotRetryable || fail.Retries > 0 {
		retries := fail.Retries
		if fail.NotRetryable {
			retries = 0
		}
		said.Retries = &retries
	}
}

// messageOf begins with the class of the error, which is there to be counted: that of the outermost error with a type of its own.
func messageOf(err error) string {
	message, class := textOf(err), classOf(err)
	if class == "" || message == class || strings.HasPrefix(message, class+": ") {
		return message
	}
	return class + ": " + message
}

func classOf(err error) string {
	for ; err != nil; err = errors.Unwrap(err) {
		kind := reflect.TypeOf(err)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch kind.PkgPath() {
		case "errors", "fmt":
			continue
		}
		if _, isPanic := err.(*panicked); isPanic {
			return "panic"
		}
		return strings.TrimPrefix(kind.String(), "main.")
	}
	return ""
}

// detailsOf has the stack of a panic, or the error as %+v says it, which is with a stack for errors that have one, and its causes.
func detailsOf(err error) string {
	var panicked *panicked
	if errors.As(err, &panicked) {
		return string(panicked.stack)
	}
	lines := []string{fmt.Sprintf("%T: %+v", err, err)}
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
		lines = append(lines, fmt.Sprintf("caused by %T: %s", cause, textOf(cause)))
	}
	return strings.Join(lines, "\n")
}

// textOf bears an error whose own text is the bug.
func textOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", err)
		}
	}()
	if text = err.Error(); text == "" {
		text = fmt.Sprintf("%T", err)
	}
	return text
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
