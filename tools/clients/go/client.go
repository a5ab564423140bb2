package jobstrand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ClientOptions are those of a [Client]; what has its zero value is as said here.
type ClientOptions struct {
	Token      string
	Timeout    time.Duration // For each answer; 30 s.
	NoRetries  bool          // Enqueueing and reading are tried three times otherwise.
	HTTPClient *http.Client  // One with connections of its own.
}

// Client is a service over HTTP. It is safe for use by several goroutines. Its methods return *[Unreachable] when no answer
// came, and *[Refused] when it was no; errors.Is finds [ErrNotFound] and the like in that.
type Client struct {
	address string
	token   string
	timeout time.Duration
	tries   int
	http    *http.Client
}

// NewClient is for the service at an address such as http://127.0.0.1:8080.
func NewClient(address string, options ClientOptions) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" || parsed.User != nil {
		return nil, errors.New("jobstrand: not the address of a service, which is http://HOST:PORT or https://HOST:PORT")
	}
	client := &Client{
		address: strings.TrimRight(parsed.Scheme+"://"+parsed.Host+parsed.EscapedPath(), "/"),
		token:   options.Token, timeout: options.Timeout, tries: 3, http: options.HTTPClient,
	}
	if client.timeout == 0 {
		client.timeout = 30 * time.Second
	}
	if options.NoRetries {
		client.tries = 1
	}
	if client.http == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 16
		// The service ends connections that were idle for a minute; an older one is not used again.
		transport.IdleConnTimeout = 50 * time.Second
		client.http = &http.Client{Transport: transport}
	}
	return client, nil
}

// Enqueue adds a job; when this returns it is committed. It is asked again when no answer comes, with an Idempotency-Key,
// so that the job is not doubled. When that is in vain, nobody knows whether it was added: give a job that must not be doubled an
// ID or a UniqueKey.
func (c *Client) Enqueue(ctx context.Context, job NewJob) (Enqueued, error) {
	var answer struct {
		ID       string `json:"id"`
		IsNew    *bool  `json:"isNew"`
		Replaced string `json:"replacedJob"`
	}
	err := c.again(ctx, "POST", "/api/v1/jobs", job, &answer)
	return Enqueued{answer.ID, answer.IsNew == nil || *answer.IsNew, answer.Replaced}, err
}

// EnqueueAll adds up to 10,000 jobs, or none of them. Returns their ids, in order.
func (c *Client) EnqueueAll(ctx context.Context, jobs []NewJob) ([]string, error) {
	var answer struct {
		IDs []string `json:"ids"`
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	err := c.again(ctx, "POST", "/api/v1/jobs", jobs, &answer)
	return answer.IDs, err
}

// Get reads what stands at a path of docs/http.md, such as "/api/v1/stats", into `answer`.
func (c *Client) Get(ctx context.Context, path string, answer any) error {
	return c.again(ctx, "GET", path, nil, answer)
}

// Call asks for any operation of docs/http.md, once. `body` and `answer` are what encoding/json writes and reads; nil: there
// is none, or it does not matter.
func (c *Client) Call(ctx context.Context, method, path string, body, answer any) error {
	return c.ask(ctx, c.timeout, method, path, body, answer)
}

// again asks for what can be asked for twice.
func (c *Client) again(ctx context.Context, method, path string, body, answer any) error {
	var headers []header
	if method == "POST" {
		headers = []header{{"Idempotency-Key", freshID()}}
	}
	var pause pause
	for try := 1; ; try++ {
		err := c.ask(ctx, c.timeout, method, path, body, answer, headers...)
		if err == nil || try == c.tries || !isWorthWaiting(err) || ctx.Err() != nil {
			return err
		}
		if !pause.sleep(ctx, err) {
			return err
		}
	}
}

type header struct{ name, value string }

// ask asks once. A *json.RawMessage takes the answer as it came, and is left alone by an empty one.
func (c *Client) ask(ctx context.Context, timeout time.Duration, method, path string, body, answer any, headers ...header) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := c.request(ctx, method, path, body, headers)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return &Unreachable{c.address, bare(err)}
	}
	defer response.Body.Close()
	text, err := readAll(response)
	if err != nil {
		return &Unreachable{c.address, bare(err)}
	}
	if response.StatusCode >= 400 {
		return refusal(response, text)
	}
	if answer == nil || len(text) == 0 {
		return nil
	}
	if raw, isRaw := answer.(*json.RawMessage); isRaw {
		*raw = text
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("jobstrand: the answer of %s cannot be read: %w", c.address+path, err)
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path string, body any, headers []header) (*http.Request, error) {
	text, isText := body.([]byte)
	if body != nil && !isText {
		var err error
		if text, err = jsonOf(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.address+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, one := range headers {
		request.Header.Set(one.name, one.value)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, nil
}

func readAll(response *http.Response) ([]byte, error) {
	if response.ContentLength <= 0 || response.ContentLength > 64<<20 {
		return io.ReadAll(response.Body)
	}
	text := make([]byte, response.ContentLength)
	_, err := io.ReadFull(response.Body, text)
	return text, err
}

func refusal(response *http.Response, text []byte) *Refused {
	refused := &Refused{Status: response.StatusCode, Detail: response.Status}
	var problem struct {
		Detail string   `json:"detail"`
		Errors []string `json:"errors"`
	}
	if json.Unmarshal(text, &problem) == nil && problem.Detail != "" {
		refused.Detail, refused.Errors = problem.Detail, problem.Errors
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		refused.RetryAfter = time.Duration(seconds) * time.Second
	}
	return refused
}

// bare leaves the address out, which says the same again.
func bare(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// isWorthWaiting says whether the same request may succeed later.
func isWorthWaiting(err error) bool {
	var refused *Refused
	if errors.As(err, &refused) {
		return refused.Status >= 500 || refused.Status == http.StatusRequestTimeout || refused.Status == http.StatusTooManyRequests
	}
	var unreachable *Unreachable
	return errors.As(err, &unreachable)
}

// pause is between tries: ever longer, up to five seconds, and never of all clients at the same time.
type pause struct{ next time.Duration }

// sleep waits as long as the service says, if it does. Returns false if the context has ended.
func (p *pause) sleep(ctx context.Context, err error) bool {
	wait := max(p.next, 100*time.Millisecond)
	p.next = min(2*wait, 5*time.Second)
	var refused *Refused
	if errors.As(err, &refused) && refused.RetryAfter > 0 {
		wait = refused.RetryAfter
	}
	timer := time.NewTimer(time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64())))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
