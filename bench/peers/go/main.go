// Measures how fast a job system for Go drains a prepared backlog of no-op jobs: River, or a queue of two statements.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

func main() {
	options := readOptions()
	result, err := measure(context.Background(), options)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", options.peer, err)
		os.Exit(1)
	}
	result.print()
	if !result.Passed {
		os.Exit(1)
	}
}

func measure(ctx context.Context, options options) (*result, error) {
	peer, err := open(ctx, options)
	if err != nil {
		return nil, err
	}
	defer peer.close()
	result, err := newResult(ctx, peer, options)
	if err != nil {
		return nil, err
	}
	if options.warmUp > 0 {
		if _, err = drain(ctx, peer, options, options.warmUp, result); err != nil {
			return nil, err
		}
	}
	for i := 0; i < options.repeat && !result.failed(ended); i++ {
		run, err := drain(ctx, peer, options, options.jobs, result)
		if err != nil {
			return nil, err
		}
		result.add(run)
		fmt.Fprintf(os.Stderr, "%s: %.0f jobs/s\n", options.peer, run.drain)
	}
	return result.finished(), nil
}

func open(ctx context.Context, options options) (peer, error) {
	switch {
	case options.peer == statementsName:
		return openStatements(ctx, options)
	case strings.HasPrefix(options.db, sqliteScheme):
		return openRiverOnSqlite(ctx, options)
	default:
		return openRiverOnPostgresql(ctx, options)
	}
}
