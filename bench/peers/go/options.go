package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

type options struct {
	db        string
	jobs      int
	warmUp    int
	repeat    int
	workers   int
	timeLimit time.Duration
}

// readOptions ends the program with exit code 2 when the arguments are wrong.
func readOptions() options {
	var read options
	flag.StringVar(&read.db, "db", "", "postgresql://user:password@host:port/database")
	flag.IntVar(&read.jobs, "jobs", 100000, "jobs per repetition")
	flag.IntVar(&read.warmUp, "warm-up", 10000, "jobs to run before the clock starts")
	flag.IntVar(&read.repeat, "repeat", 3, "repetitions")
	flag.IntVar(&read.workers, "workers", 2000, "goroutines")
	seconds := flag.Int("time-limit", 120, "seconds that a repetition may take")
	flag.Parse()
	read.timeLimit = time.Duration(*seconds) * time.Second
	if read.db == "" || read.jobs < 1 || read.repeat < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "river: --db, at least one job and one repetition are needed")
		flag.Usage()
		os.Exit(2)
	}
	return read
}
