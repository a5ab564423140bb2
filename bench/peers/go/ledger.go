package main

import (
	"fmt"
	"sync/atomic"
)

// A ledger counts how often each job has run.
type ledger struct {
	runs      []atomic.Int32
	count     atomic.Int64 // Jobs that have run at least once.
	strangers atomic.Int64
}

func newLedger(jobs int) *ledger {
	return &ledger{runs: make([]atomic.Int32, jobs)}
}

func (ledger *ledger) succeeded(number int) {
	if number < 0 || number >= len(ledger.runs) {
		ledger.strangers.Add(1)
	} else if ledger.runs[number].Add(1) == 1 {
		ledger.count.Add(1)
	}
}

// mistakes is empty when every job ran exactly once.
func (ledger *ledger) mistakes() string {
	never, again := 0, 0
	for i := range ledger.runs {
		switch runs := ledger.runs[i].Load(); {
		case runs == 0:
			never++
		case runs > 1:
			again++
		}
	}
	if never+again+int(ledger.strangers.Load()) == 0 {
		return ""
	}
	return fmt.Sprintf("%d jobs never succeeded, %d more than once, %d are unknown", never, again, ledger.strangers.Load())
}
