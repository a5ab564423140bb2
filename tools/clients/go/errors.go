package jobstrand

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// What errors.Is finds in a [Refused], by the status of HTTP.
var (
	// ErrInvalid says that what was asked for cannot be meant so; nothing was changed.
	ErrInvalid = errors.New("jobstrand: invalid")
	// ErrNotAllowed says that there was no token, or one that does not allow it.
	ErrNotAllowed = errors.New("jobstrand: not allowed")
	// ErrNotFound says that there is no such thing, or that there is not any more.
	ErrNotFound = errors.New("jobstrand: not found")
	// ErrConflict says that an id or a key is taken, or that the thing is in a state that does not allow it.
	ErrConflict = errors.New("jobstrand: conflict")
	// ErrOverloaded says that it was too much at once, or that the database is away: ask again later.
	ErrOverloaded = errors.New("jobstrand: overloaded")
)

// ErrKeyHeld says that a job which is to be replaced has begun to run, or has ended while its unique key goes on to hold.
var ErrKeyHeld = errors.New("jobstrand: the job that has the unique key cannot be replaced")

// Why the context of a handler was cancelled, as [context.Cause] tells it.
var (
	// ErrLost says that the job was cancelled or its lock lost: what becomes of it here does not count.
	ErrLost = errors.New("jobstrand: the job is not held any more")
	// ErrTimeLimit says that the handler ran for longer than its Timeout; the attempt has failed.
	ErrTimeLimit = errors.New("jobstrand: the time of the handler is over")
	// ErrStopped says that the worker was stopped and its Grace is over. The job of a handler that returns an error then is given back.
	ErrStopped = errors.New("jobstrand: the worker stops")
)

// Refused is the answer of a service that said no.
type Refused struct {
	Status     int           // Of HTTP.
	Detail     string        // A sentence.
	Errors     []string      // One for each thing that is wrong.
	RetryAfter time.Duration // After which it is worth asking again; 0 when the service does not say.
}

func (r *Refused) Error() string {
	if len(r.Errors) == 0 {
		return "jobstrand: " + r.Detail
	}
	return "jobstrand: " + r.Detail + ": " + strings.Join(r.Errors, "; ")
}

// Is tells of which kind it is: ErrNotFound, for one.
func (r *Refused) Is(target error) bool {
	switch r.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return target == ErrInvalid
	case http.StatusUnauthorized, http.StatusForbidden:
		return target == ErrNotAllowed
	case http.StatusNotFound:
		return target == ErrNotFound
	case http.StatusConflict:
		return target == ErrConflict
	case http.StatusServiceUnavailable:
		return target == ErrOverloaded
	}
	return false
}

// Unreachable says that no answer came. What was asked for may have been done all the same.
type Unreachable struct {
	Address string
	Err     error
}

func (u *Unreachable) Error() string {
	return "jobstrand: no answer from " + u.Address + ": " + u.Err.Error()
}

func (u *Unreachable) Unwrap() error { return u.Err }

// Fail is returned by a handler that wants to say how its failed attempt goes on. Any other error fails it too, as the
// job's retry cycle says.
type Fail struct {
	Message      string        // That of Err, if empty.
	Err          error         // The cause, if there is one.
	RetryAfter   time.Duration // How long the job waits instead.
	Retries      int           // How many attempts are left instead; 0: as it was.
	NotRetryable bool          // No attempt is left: the job is a dead letter.
	Details      string        // The cause with its causes, if empty.
}

func (f *Fail) Error() string {
	switch {
	case f.Message != "":
		return f.Message
	case f.Err != nil:
		return f.Err.Error()
	}
	return "failed"
}

func (f *Fail) Unwrap() error { return f.Err }

// BusinessError is returned by a handler whose work is done, and ended in an error of this code, which is handed on to the app.
type BusinessError struct {
	Code      string
	Message   string
	Variables Variables
}

func (b *BusinessError) Error() string {
	if b.Message == "" {
		return b.Code
	}
	return b.Message
}
