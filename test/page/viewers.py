#!/usr/bin/env python3
"""What people who look at the page cost those who wait: a drain of jobs that do nothing with viewers of the home view, and without, in turn.

Usage: viewers.py JOBSTRAND postgresql|mariadb [--viewers N] [--jobs N] [--rounds N] [--each-alone] [--dead N] [--timers N] [--series N]

Beside many dead letters, timers and series. A viewer keeps the stream of events open and asks what the home view asks, as often; with --each-alone
for answers of his own. They are there for a while before the jobs come, all at once. Prints the medians of jobs a second and of the CPU time
of service and database a job, and what viewers add, over all and by pairs. Nothing runs it by itself: it takes minutes.
"""
import argparse
import contextlib
import http.client
import os
import statistics
import sys
import threading
import time
import urllib.request
from pathlib import Path

import many_rows

BEAT_S = 1
SETTLE_S = 10
# Paths of the home view, and after how many seconds each is asked again.
HOME = {'rates/types?last=PT1H': 1, 'rates?last=PT1H': 1, 'doctor': 20, 'incidents?limit=50': 10}
ROWS = {
    'postgresql': "SELECT 'message', 'jobstrand', 'j' || lpad(i::text, 12, '0'), 'noop', 3, now() FROM generate_series(1, {0}) i",
    'mariadb': "SELECT 'message', 'jobstrand', CONCAT('j', LPAD(seq, 12, '0')), 'noop', 3, UTC_TIMESTAMP(3) FROM seq_1_to_{0}",
}
SERVERS = {'postgresql': 'postgres', 'mariadb': 'mariadbd'}
TICKS = os.sysconf('SC_CLK_TCK')


def cpu_of(folder):
    """Of a process, in seconds. What has ended is counted in those above it."""
    return sum(map(int, (folder / 'stat').read_text(encoding='ascii').rpartition(')')[2].split()[11:15])) / TICKS


def cpu_of_all(service, name):
    """Of the service and all processes of a database."""
    seconds = cpu_of(Path(f'/proc/{service.pid}'))
    for folder in Path('/proc').iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and Path(os.readlink(folder / 'exe')).name == name:
                seconds += cpu_of(folder)
    return seconds


class Viewers:
    """Threads that look until they are told to stop."""

    def __init__(self, origin, count, is_alone):
        self.headers = {} if is_alone else {'Cache-Control': 'max-age=1'}
        self.origin, self.ended, self.answers, self.faults = origin, threading.Event(), 0, []
        self.threads = [threading.Thread(target=run) for _ in range(count) for run in (self.look, self.listen)]
        for thread in self.threads:
            thread.start()

    def look(self):
        beat = 0
        while not self.ended.wait(BEAT_S - time.time() % BEAT_S):
            beat += 1
            for path, every in HOME.items():
                if beat % every == 0 and not self.ended.is_set():
                    self.ask(path)

    def ask(self, path):
        try:
            many_rows.ask(self.origin + path, headers=self.headers)
            self.answers += 1
        except OSError as error:
            self.faults.append(f'{path}: {error}')

    def listen(self):
        with contextlib.suppress(OSError, http.client.HTTPException), urllib.request.urlopen(self.origin + 'events') as stream:
            while not self.ended.is_set() and stream.readline():
                pass

    def stop(self):
        self.ended.set()


def drain(given, env, run, viewers):
    """(jobs a second, CPU seconds of service and database a job)"""
    with many_rows.service(given.jobstrand, env) as (process, origin), contextlib.ExitStack() as ending:
        looking = Viewers(origin, viewers, given.each_alone)
        ending.callback(looking.stop)
        looking.ended.wait(SETTLE_S)
        run(f"INSERT INTO ACT_RU_JOB (TYPE_, SCOPE_TYPE_, ID_, HANDLER_TYPE_, RETRIES_, CREATE_TIME_) {ROWS[given.database].format(given.jobs)}")
        began, before = time.monotonic(), cpu_of_all(process, SERVERS[given.database])
        # From behind, where the last jobs stand: the rows of those that are done would have to be passed over.
        while run('SELECT COUNT(*) FROM (SELECT 1 FROM ACT_RU_JOB ORDER BY ID_ DESC LIMIT 1) x').strip() != '0':
            looking.ended.wait(0.2)
        took, cpu = time.monotonic() - began, cpu_of_all(process, SERVERS[given.database]) - before
    if looking.faults:
        sys.exit(f'{len(looking.faults)} looks failed: {looking.faults[0]}')
    print(f'  {viewers:3} viewers: {given.jobs / took:10,.0f} jobs/s {1e6 * cpu / given.jobs:8.1f} us of CPU a job, {looking.answers} looks', flush=True)
    return given.jobs / took, cpu / given.jobs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('jobstrand')
    parser.add_argument('database', choices=ROWS)
    parser.add_argument('--viewers', type=int, default=10)
    parser.add_argument('--jobs', type=int, default=1_000_000)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--each-alone', action='store_true')
    many_rows.add_options(parser)
    given = parser.parse_args()
    with many_rows.filled(given) as (env, run):
        figures = {0: [], given.viewers: []}
        for _ in range(given.rounds):
            for viewers, found in figures.items():
                found.append(drain(given, env, run, viewers))
    (rate, cpu), (seen_rate, seen_cpu) = ([statistics.median(each) for each in zip(*found)] for found in figures.values())
    print(f'{given.viewers} viewers: {seen_rate / rate:.3f} of the jobs a second, {seen_cpu / cpu:.3f} of the CPU a job')
    # Two that follow each other find the machine in the same mood.
    pairs = [(seen[0] / alone[0], seen[1] / alone[1]) for alone, seen in zip(*figures.values())]
    of_rate, of_cpu = (statistics.median(each) for each in zip(*pairs))
    print(f'by pairs: {of_rate:.3f} of the jobs a second, {of_cpu:.3f} of the CPU a job')


main()
