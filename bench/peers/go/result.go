package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A result is the JSON that bench/README.md describes.
type result struct {
	Format      string            `json:"format"`
	Scenario    string            `json:"scenario"`
	StartedAt   string            `json:"startedAt"`
	Passed      bool              `json:"passed"`
	Environment map[string]string `json:"environment"`
	Settings    map[string]string `json:"settings"`
	Figures     []figure          `json:"figures"`
	Latencies   []any             `json:"latencies"`
	Series      []any             `json:"series"`
	Checks      []*check          `json:"checks"`
	runs        []run
}

type figure struct {
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	Values  []float64 `json:"values"`
	Median  float64   `json:"median"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
	Ceiling *float64  `json:"ceiling"`
	Ratio   *float64  `json:"ratio"`
}

type check struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	Problem string `json:"problem"`
}

// A run is one repetition: jobs per second twice, and microseconds.
type run struct{ drain, enqueue, cpuMicros float64 }

// Places in result.Checks.
const (
	ended = iota
	once
	leftEmpty
)

func newResult(ctx context.Context, peer peer, options options) (*result, error) {
	environment, err := environmentOf(ctx, peer, options)
	settings := map[string]string{
		"jobs":         strconv.Itoa(options.jobs),
		"workers":      strconv.Itoa(options.workers),
		"warmUp":       strconv.Itoa(options.warmUp),
		"repeat":       strconv.Itoa(options.repeat),
		"nodes":        "1",
		"enqueueBatch": strconv.Itoa(enqueueBatch),
	}
	maps.Copy(settings, peer.settings())
	return &result{
		Format:      "jobstrand-bench/1",
		Scenario:    "drain",
		StartedAt:   time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Environment: environment,
		Settings:    settings,
		Latencies:   []any{},
		Series:      []any{},
		Checks: []*check{
			{"the jobs ended within the time limit", true, ""},
			{"every job succeeded exactly once", true, ""},
			{"the tables are empty at the end", true, ""},
		},
	}, err
}

func environmentOf(ctx context.Context, peer peer, options options) (map[string]string, error) {
	database, durability, err := peer.database().describe(ctx)
	return map[string]string{
		"program":    peer.program(),
		"compiler":   runtime.Version(),
		"cpu":        lineOf("/proc/cpuinfo", "model name"),
		"cpus":       strconv.Itoa(runtime.NumCPU()),
		"memory":     lineOf("/proc/meminfo", "MemTotal"),
		"system":     runtime.GOOS + " " + lineOf("/proc/sys/kernel/osrelease", ""),
		"database":   database,
		"durability": durability,
		"url":        regexp.MustCompile(`:[^:@/]*@`).ReplaceAllString(options.db, ":***@"),
	}, err
}

func versionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return strings.TrimPrefix(dependency.Version, "v")
			}
		}
	}
	return ""
}

// lineOf returns what follows the colon in the first line that begins with a word, the whole line without one.
func lineOf(path, word string) string {
	content, _ := os.ReadFile(path)
	for _, line := range strings.Split(string(content), "\n") {
		if strings.HasPrefix(line, word) {
			return strings.TrimSpace(line[strings.Index(line, ":")+1:])
		}
	}
	return ""
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	seconds := func(value syscall.Timeval) float64 { return float64(value.Sec) + float64(value.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func (result *result) add(run run) { result.runs = append(result.runs, run) }

// require records the first problem of a check.
func (result *result) require(place int, good bool, problem string) {
	if check := result.Checks[place]; !good && check.Passed {
		check.Passed, check.Problem = false, problem
	}
}

func (result *result) failed(place int) bool { return !result.Checks[place].Passed }

func (result *result) finished() *result {
	result.Figures = []figure{
		figureOf("drain", "jobs/s", result.runs, func(run run) float64 { return run.drain }),
		figureOf("enqueue", "jobs/s", result.runs, func(run run) float64 { return run.enqueue }),
		figureOf("CPU time per job", "us", result.runs, func(run run) float64 { return run.cpuMicros }),
	}
	result.Passed = !slices.ContainsFunc(result.Checks, func(check *check) bool { return !check.Passed })
	return result
}

func figureOf(name, unit string, runs []run, value func(run) float64) figure {
	values := make([]float64, len(runs))
	for i, run := range runs {
		values[i] = value(run)
	}
	if len(values) == 0 {
		return figure{Name: name, Unit: unit, Values: values}
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + sorted[middle]) / 2
	}
	return figure{Name: name, Unit: unit, Values: values, Median: median, Min: sorted[0], Max: sorted[len(sorted)-1]}
}

func (result *result) print() {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(result)
}
