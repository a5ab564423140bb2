package test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jobstrand.invalid/jobstrand"
)

// full has each field that can be told over HTTP.
var full = jobstrand.NewJob{
	HandlerType: "mail", Payload: map[string]string{"to": "<a@b>"}, ID: "full-1", Delay: time.Hour, Retries: 4, RetryCycle: "R5/PT1M",
	Priority: 7, External: true, NotExclusive: true, ProcessInstanceID: "order-1", ProcessDefinitionID: "orders:1", Category: "shop",
	TenantID: "acme", CorrelationID: "c-1", TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	UniqueKey: "mail-1", UniqueFor: 2 * time.Hour, OnDuplicate: jobstrand.Keep,
}

// expectFull compares what the service says with `full`.
func expectFull(t *testing.T, job map[string]any) {
	t.Helper()
	due, err := time.Parse(time.RFC3339, text(job["dueDate"])[1:len(text(job["dueDate"]))-1])
	if err != nil || time.Until(due) < 50*time.Minute || time.Until(due) > time.Hour {
		t.Errorf("due %v %v", job["dueDate"], err)
	}
	for name, wanted := range map[string]any{
		"handlerType": "mail", "payload": map[string]any{"to": "<a@b>"}, "place": "timer", "retries": 4.0, "retryCycle": "R5/PT1M",
		"priority": 7.0, "exclusive": false, "processInstanceId": "order-1", "processDefinitionId": "orders:1", "category": "shop",
		"tenantId": "acme", "correlationId": "c-1", "traceparent": full.TraceParent, "uniqueKey": "mail-1",
	} {
		if text(job[name]) != text(wanted) {
			t.Errorf("%s is %v, not %v", name, job[name], wanted)
		}
	}
}

func TestTheEngineOfAKeyIsTheOneThatAllClientsName(t *testing.T) {
	content, err := os.ReadFile("../engine_of.json")
	var cases []struct {
		Key, Engine string
		Names       []string
	}
	if err != nil || json.Unmarshal(content, &cases) != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, one := range cases {
		if engine := jobstrand.EngineOf(one.Key, one.Names); engine != one.Engine {
			t.Errorf("%q belongs to %s, not %s", one.Key, one.Engine, engine)
		}
	}
	if jobstrand.EngineOf("key", nil) != "" {
		t.Error("an engine among none")
	}
}

func TestTheClientTellsAllFields(t *testing.T) {
	s := start(t)
	first, err := s.client().Enqueue(context.Background(), full)
	if err != nil || !first.IsNew || first.ID != "full-1" {
		t.Fatal(first, err)
	}
	expectFull(t, s.job("full-1"))
	other := full
	other.ID = "full-2"
	kept, err := s.client().Enqueue(context.Background(), other)
	if err != nil || kept.IsNew || kept.ID != "full-1" {
		t.Error(kept, err)
	}
	other.OnDuplicate = jobstrand.Replace
	replacing, err := s.client().Enqueue(context.Background(), other)
	if err != nil || !replacing.IsNew || replacing.Replaced != "full-1" {
		t.Error(replacing, err)
	}
	words, err := s.client().Enqueue(context.Background(), jobstrand.NewJob{HandlerType: "log", DueText: "2099-01-01T00:00:00Z", Repeat: "R/PT1H"})
	if err != nil || !strings.HasSuffix(text(s.job(words.ID)["repeat"]), `/PT1H"`) {
		t.Error(words, err)
	}
}

func TestErrorsAreOfKinds(t *testing.T) {
	s := start(t)
	ctx, client := context.Background(), s.client()
	s.enqueue(jobstrand.NewJob{HandlerType: "mail", External: true, ID: "mail-1"})
	_, err := client.Enqueue(ctx, jobstrand.NewJob{HandlerType: "mail", External: true, ID: "mail-1"})
	if !errors.Is(err, jobstrand.ErrConflict) {
		t.Error(err)
	}
	_, err = client.Enqueue(ctx, jobstrand.NewJob{HandlerType: "mail", RetryCycle: "nonsense"})
	var refused *jobstrand.Refused
	if !errors.As(err, &refused) || !errors.Is(err, jobstrand.ErrInvalid) || refused.Status != 400 || len(refused.Errors) != 1 {
		t.Error(err)
	}
	if err := client.Get(ctx, "/api/v1/jobs/none", nil); !errors.Is(err, jobstrand.ErrNotFound) {
		t.Error(err)
	}
	for _, wrong := range []jobstrand.NewJob{{}, {HandlerType: "x", Delay: -1}, {HandlerType: "x", Delay: 1, Due: time.Now()}} {
		if _, err := client.Enqueue(ctx, wrong); err == nil {
			t.Error(wrong)
		}
	}
	for _, wrong := range []string{"127.0.0.1:8080", "ftp://host", "http://"} {
		if _, err := jobstrand.NewClient(wrong, jobstrand.ClientOptions{}); err == nil {
			t.Error(wrong)
		}
	}
}

func TestEnqueueingAsksAgainWithTheSameKey(t *testing.T) {
	s := start(t)
	var asked atomic.Int64
	var keys [3]string
	// Carries the request out, and loses the first answer.
	between := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		number := asked.Add(1)
		keys[number] = request.Header.Get("Idempotency-Key")
		onward, _ := http.NewRequest(request.Method, s.address+request.URL.Path, request.Body)
		onward.Header = request.Header
		answer, err := http.DefaultTransport.RoundTrip(onward)
		if err != nil || number == 1 {
			panic(http.ErrAbortHandler)
		}
		defer answer.Body.Close()
		to.WriteHeader(answer.StatusCode)
		io.Copy(to, answer.Body)
	}))
	defer between.Close()
	client, err := jobstrand.NewClient(between.URL, jobstrand.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	job, err := client.Enqueue(context.Background(), jobstrand.NewJob{HandlerType: "mail", External: true})
	if err != nil || asked.Load() != 2 || keys[1] == "" || keys[1] != keys[2] {
		t.Fatal(err, asked.Load(), keys)
	}
	if s.places()["external"] != 1 || s.job(job.ID) == nil {
		t.Error(s.places())
	}
}

func TestATokenIsShownAndNotTold(t *testing.T) {
	said := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		said <- request.Header.Get("Authorization")
		to.Header().Set("Retry-After", "7")
		to.WriteHeader(http.StatusForbidden)
		json.NewEncoder(to).Encode(map[string]string{"detail": "not with this token"})
	}))
	defer server.Close()
	client, err := jobstrand.NewClient(server.URL, jobstrand.ClientOptions{Token: "secret", NoRetries: true})
	if err != nil {
		t.Fatal(err)
	}
	err = client.Call(context.Background(), "POST", "/api/v1/wake", nil, nil)
	var refused *jobstrand.Refused
	if await(t, said, "it is asked") != "Bearer secret" || !errors.As(err, &refused) || !errors.Is(err, jobstrand.ErrNotAllowed) {
		t.Fatal(err)
	}
	if refused.RetryAfter != 7*time.Second || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "not with this token") {
		t.Error(err, refused.RetryAfter)
	}
	server.Close()
	var unreachable *jobstrand.Unreachable
	if err := client.Get(context.Background(), "/api/v1/stats", nil); !errors.As(err, &unreachable) {
		t.Error(err)
	}
}
