package main

import "context"

// A peer is a job system that is measured, with a database that it may fill. One is used for all repetitions.
type peer interface {
	// program is its name with its version.
	program() string
	// settings are what it was told beyond the common options.
	settings() map[string]string
	database() database
	// enqueue adds jobs in bulk, with the numbers from 0; nothing runs yet.
	enqueue(ctx context.Context, jobs int) error
	// start runs jobs from now on, which report to the ledger.
	start(ctx context.Context, runs *ledger) error
	// stop returns when nothing runs any more.
	stop(ctx context.Context) error
	// unfinished is a query that tells whether something is left to do.
	unfinished() string
	// refresh are statements that tell the server how much there is.
	refresh() string
	// clear makes room for the next repetition.
	clear() string
	close()
}

// A database is what the measurement itself needs of one.
type database interface {
	execute(ctx context.Context, sql string) error
	// isTrue runs a query that gives one truth value.
	isTrue(ctx context.Context, sql string) (bool, error)
	// describe returns the name with the version, and what is durable.
	describe(ctx context.Context) (name, durability string, err error)
}
