// What an app in Go does with a client that oapi-codegen has made.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.org/use/client"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return value
}

func expect(what string, seen, wanted any) {
	if seen != wanted {
		fmt.Printf("%s: %v instead of %v\n", what, seen, wanted)
		os.Exit(1)
	}
}

func pointer[T any](value T) *T { return &value }

func main() {
	ctx := context.Background()
	api := must(client.NewClientWithResponses(os.Args[1]))

	var payload any = map[string]any{"order": 17}
	for _, job := range []client.NewJob{
		{HandlerType: "mail", Payload: &payload, TenantId: pointer("acme"), Priority: pointer(7)},
		{HandlerType: "mail", TenantId: pointer("other")},
		{HandlerType: "noop", Repeat: pointer("R/PT1H"), Series: pointer("hourly")},
	} {
		expect("enqueue", must(api.JobAddWithResponse(ctx, job)).StatusCode(), 201)
	}

	page := must(api.JobLsWithResponse(ctx, &client.JobLsParams{
		Type: &[]string{"mail", "sms"}, Tenant: &[]string{"acme"}, Limit: pointer(10), Free: pointer(true),
	})).JSON200
	expect("jobs of the tenant", len(page.Items), 1)
	expect("their priority", page.Items[0].Priority, 7)

	for i := 0; i < 3; i++ {
		var broken any = map[string]any{"target": 17}
		must(api.JobAddWithResponse(ctx, client.NewJob{HandlerType: "http", Payload: &broken}))
	}
	var groups []client.DeadGroups
	for tries := 0; tries < 600; tries++ {
		groups = *must(api.DeadGroupsWithResponse(ctx, &client.DeadGroupsParams{Type: &[]string{"http"}})).JSON200
		if len(groups) == 1 && groups[0].Jobs == 3 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	expect("causes", len(groups), 1)
	requeued := must(api.DeadRequeueWithResponse(ctx, client.DeadRequeueJSONRequestBody{Group: &groups[0].Group, Yes: pointer(true)}))
	expect("requeue", requeued.StatusCode(), 200)
	expect("requeued", *requeued.JSON200.Requeued, 3)

	series := *must(api.SeriesLsWithResponse(ctx, &client.SeriesLsParams{})).JSON200
	expect("series", len(series), 1)
	paused := must(api.SeriesPauseWithResponse(ctx, client.SeriesPauseJSONRequestBody{Keys: &[]string{"hourly"}}))
	expect("pause", paused.StatusCode(), 200)
	again := *must(api.SeriesLsWithResponse(ctx, &client.SeriesLsParams{})).JSON200
	expect("state", again[0].State, "paused")
	fmt.Println("all as expected")
}
