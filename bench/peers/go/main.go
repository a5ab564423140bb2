// River with the settings of its own `river bench`: 2,000 goroutines, a short poll, inserts of 5,000 by COPY.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const (
	insertBatch       = 5000
	fetchCooldown     = 2 * time.Millisecond
	fetchPollInterval = 20 * time.Millisecond
)

type noop struct {
	Number int `json:"number"`
}

func (noop) Kind() string { return "noop" }

type noopWorker struct {
	river.WorkerDefaults[noop]
	ledger *ledger
}

func (worker *noopWorker) Work(_ context.Context, job *river.Job[noop]) error {
	worker.ledger.succeeded(job.Args.Number)
	return nil
}

func main() {
	options := readOptions()
	result, err := measure(context.Background(), options)
	if err != nil {
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
	result.print()
	if !result.Passed {
		os.Exit(1)
	}
}

func measure(ctx context.Context, options options) (*result, error) {
	pool, err := openPool(ctx, options)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return nil, err
	}
	if _, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	result, err := newResult(ctx, pool, options)
	if err != nil {
		return nil, err
	}
	if options.warmUp > 0 {
		if _, err = drain(ctx, pool, options, options.warmUp, result); err != nil {
			return nil, err
		}
	}
	for i := 0; i < options.repeat && !result.failed(ended); i++ {
		run, err := drain(ctx, pool, options, options.jobs, result)
		if err != nil {
			return nil, err
		}
		result.add(run)
		fmt.Fprintf(os.Stderr, "river: %.0f jobs/s\n", run.drain)
	}
	return result.finished(), nil
}

func openPool(ctx context.Context, options options) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(options.db)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 20
	return pgxpool.NewWithConfig(ctx, config)
}

// drain counts from the start of the client to the moment when every job is completed in the table.
func drain(ctx context.Context, pool *pgxpool.Pool, options options, jobs int, result *result) (run, error) {
	ledger := newLedger(jobs)
	client, err := newClient(pool, options, ledger)
	if err != nil {
		return run{}, err
	}
	enqueueBegan := time.Now()
	if err := enqueue(ctx, client, jobs); err != nil {
		return run{}, err
	}
	enqueueSeconds := time.Since(enqueueBegan).Seconds()
	// The server would do it by itself within a minute or so; what it has not done yet can spoil its plans.
	if _, err := pool.Exec(ctx, "VACUUM (ANALYZE) river_job"); err != nil {
		return run{}, err
	}
	cpuBefore, began := cpuSeconds(), time.Now()
	if err := client.Start(ctx); err != nil {
		return run{}, err
	}
	over := false
	for !over && time.Since(began) < options.timeLimit {
		if ledger.count.Load() < int64(jobs) {
			time.Sleep(time.Millisecond)
		} else if over, err = isEmpty(ctx, pool); err != nil {
			return run{}, err
		}
	}
	seconds, cpu := time.Since(began).Seconds(), cpuSeconds()-cpuBefore
	if err := client.Stop(ctx); err != nil {
		return run{}, err
	}
	empty, err := isEmpty(ctx, pool)
	if err != nil {
		return run{}, err
	}
	result.require(ended, over, fmt.Sprintf("%d of %d jobs succeeded in time", ledger.count.Load(), jobs))
	result.require(once, ledger.mistakes() == "", ledger.mistakes())
	result.require(leftEmpty, empty, "jobs are left")
	_, err = pool.Exec(ctx, "TRUNCATE river_job")
	return run{float64(jobs) / seconds, float64(jobs) / enqueueSeconds, cpu * 1e6 / float64(jobs)}, err
}

func newClient(pool *pgxpool.Pool, options options, ledger *ledger) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &noopWorker{ledger: ledger})
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		FetchCooldown:     fetchCooldown,
		FetchPollInterval: fetchPollInterval,
		Logger:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: options.workers}},
		Workers:           workers,
	})
}

func enqueue(ctx context.Context, client *river.Client[pgx.Tx], jobs int) error {
	for first := 0; first < jobs; first += insertBatch {
		batch := make([]river.InsertManyParams, min(insertBatch, jobs-first))
		for i := range batch {
			batch[i].Args = noop{Number: first + i}
		}
		if _, err := client.InsertManyFast(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// Finished jobs stay in the table, as River keeps them.
func isEmpty(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	var left bool
	err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM river_job WHERE state <> 'completed')").Scan(&left)
	return !left, err
}
