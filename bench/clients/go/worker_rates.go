// A worker in Go does JOBS empty jobs of the service at ORIGIN, and prints how many seconds that took.
// Usage: worker_rates ORIGIN JOBS
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"jobstrand.invalid/jobstrand"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: worker_rates ORIGIN JOBS")
	}
	jobs, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	client, err := jobstrand.NewClient(os.Args[1], jobstrand.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	begun := time.Now()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	worker := jobstrand.NewWorker(client, jobstrand.WorkerOptions{Concurrency: 4})
	var ended atomic.Int64
	worker.Handle("rate", func(context.Context, *jobstrand.Job) error {
		if ended.Add(1) == jobs {
			stop()
		}
		return nil
	})
	if err := worker.Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("{\"seconds\": %f}\n", time.Since(begun).Seconds())
}
