package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
)

const riverName = "river"

// The numbers of its own `river bench`.
const (
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

// A riverPeer is River on the database of its driver, whose transactions are of type Tx.
type riverPeer[Tx any] struct {
	driver      riverdriver.Driver[Tx]
	watched     database
	options     options
	refreshSQL  string
	clearSQL    string
	connections string
	version     string
	closeAll    func()
	producer    *river.Client[Tx]
	consumer    *river.Client[Tx]
}

// prepare creates the tables.
func (peer *riverPeer[Tx]) prepare(ctx context.Context) error {
	migrator, err := rivermigrate.New(peer.driver, nil)
	if err != nil {
		return err
	}
	if _, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	peer.producer, err = peer.client(nil)
	return err
}

func (peer *riverPeer[Tx]) program() string { return peer.version }

func (peer *riverPeer[Tx]) settings() map[string]string {
	return map[string]string{
		"fetchCooldown":     fetchCooldown.String(),
		"fetchPollInterval": fetchPollInterval.String(),
		"maxPoolSize":       peer.connections,
	}
}

func (peer *riverPeer[Tx]) database() database { return peer.watched }

func (peer *riverPeer[Tx]) enqueue(ctx context.Context, jobs int) error {
	for first := 0; first < jobs; first += enqueueBatch {
		batch := make([]river.InsertManyParams, min(enqueueBatch, jobs-first))
		for i := range batch {
			batch[i].Args = noop{Number: first + i}
		}
		if _, err := peer.producer.InsertManyFast(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (peer *riverPeer[Tx]) start(ctx context.Context, runs *ledger) error {
	client, err := peer.client(runs)
	if err != nil {
		return err
	}
	peer.consumer = client
	return client.Start(ctx)
}

func (peer *riverPeer[Tx]) stop(ctx context.Context) error { return peer.consumer.Stop(ctx) }

// Finished jobs stay in the table, as River keeps them.
func (peer *riverPeer[Tx]) unfinished() string {
	return "SELECT EXISTS (SELECT 1 FROM river_job WHERE state <> 'completed')"
}

func (peer *riverPeer[Tx]) refresh() string { return peer.refreshSQL }

func (peer *riverPeer[Tx]) clear() string { return peer.clearSQL }

func (peer *riverPeer[Tx]) close() { peer.closeAll() }

func (peer *riverPeer[Tx]) client(runs *ledger) (*river.Client[Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &noopWorker{ledger: runs})
	return river.NewClient(peer.driver, &river.Config{
		FetchCooldown:     fetchCooldown,
		FetchPollInterval: fetchPollInterval,
		Logger:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: peer.options.workers}},
		Workers:           workers,
	})
}
