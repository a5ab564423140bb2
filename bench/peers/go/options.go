package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

const enqueueBatch = 5000

type options struct {
	peer      string
	db        string
	jobs      int
	warmUp    int
	repeat    int
	workers   int
	page      int
	timeLimit time.Duration
}

// readOptions ends the program with exit code 2 when the arguments are wrong.
func readOptions() options {
	var read options
	flag.StringVar(&read.peer, "peer", riverName, riverName+", or "+statementsName+": a queue of two statements")
	flag.StringVar(&read.db, "db", "", "postgresql://user:password@host:port/database, or sqlite:FILE for River")
	flag.IntVar(&read.jobs, "jobs", 100000, "jobs per repetition")
	flag.IntVar(&read.warmUp, "warm-up", 10000, "jobs to run before the clock starts")
	flag.IntVar(&read.repeat, "repeat", 3, "repetitions")
	flag.IntVar(&read.workers, "workers", 10000, "goroutines")
	flag.IntVar(&read.page, "page", 1000, "messages per page, for "+statementsName)
	seconds := flag.Int("time-limit", 120, "seconds that a repetition may take")
	flag.Parse()
	read.timeLimit = time.Duration(*seconds) * time.Second
	isKnown := read.peer == riverName || read.peer == statementsName
	if !isKnown || read.db == "" || min(read.jobs, read.repeat, read.workers, read.page) < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "a known --peer, --db, at least one job, worker and repetition are needed")
		flag.Usage()
		os.Exit(2)
	}
	return read
}
