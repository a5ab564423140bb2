package main

import (
	"context"
	"fmt"
	"time"
)

const watchInterval = 2 * time.Millisecond

// drain counts from the start of the peer to the moment when the table says that nothing is left to do.
func drain(ctx context.Context, peer peer, options options, jobs int, result *result) (run, error) {
	ledger := newLedger(jobs)
	enqueueBegan := time.Now()
	if err := peer.enqueue(ctx, jobs); err != nil {
		return run{}, err
	}
	enqueueSeconds := time.Since(enqueueBegan).Seconds()
	// The server would do it by itself within a minute or so; what it has not done yet can spoil its plans.
	if err := peer.database().execute(ctx, peer.refresh()); err != nil {
		return run{}, err
	}
	cpuBefore, began := cpuSeconds(), time.Now()
	if err := peer.start(ctx, ledger); err != nil {
		return run{}, err
	}
	over, err := waitForEnd(ctx, peer, ledger, began.Add(options.timeLimit))
	seconds, cpu := time.Since(began).Seconds(), cpuSeconds()-cpuBefore
	if err != nil {
		return run{}, err
	}
	if err := peer.stop(ctx); err != nil {
		return run{}, err
	}
	left, err := peer.database().isTrue(ctx, peer.unfinished())
	if err != nil {
		return run{}, err
	}
	result.require(ended, over, fmt.Sprintf("%d of %d jobs succeeded in time", ledger.count.Load(), jobs))
	result.require(once, ledger.mistakes() == "", ledger.mistakes())
	result.require(leftEmpty, !left, "jobs are left")
	err = peer.database().execute(ctx, peer.clear())
	return run{float64(jobs) / seconds, float64(jobs) / enqueueSeconds, cpu * 1e6 / float64(jobs)}, err
}

func waitForEnd(ctx context.Context, peer peer, ledger *ledger, giveUp time.Time) (bool, error) {
	for time.Now().Before(giveUp) {
		if ledger.count.Load() >= int64(len(ledger.runs)) {
			if left, err := peer.database().isTrue(ctx, peer.unfinished()); err != nil || !left {
				return err == nil, err
			}
		}
		time.Sleep(watchInterval)
	}
	return false, nil
}
