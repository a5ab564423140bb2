#!/usr/bin/env python3
"""Requeues very many dead letters by the command line, is interrupted in the middle, and goes on.

Usage:  requeue_all.py JOBSTRAND_BINARY [--database NAME]... [--jobs N]

N jobs become dead letters, each with an open incident. `dead requeue --all` is stopped by Ctrl-C when it has done a third, and `batch resume` does the rest.
Prints what the command says while it works, and how many jobs a second the two requeued together, as against how many a second became dead letters. Every
job must have been requeued once, and every incident resolved. The last line is `N passed, N failed`.
"""
import json
import re
import signal
import subprocess
import sys
import time

from case import measure_all, parser_of

LEAST_PER_SECOND = {'mysql': 40_000}
PROGRESS = re.compile(r'requeued (\d+) of (\d+) .*, \d+ s left')


def add_dead_letters(case, jobs):
    """Returns how long it took to make them of jobs."""
    case.run('schema', 'create')
    case.add(jobs, '{"handlerType":"noop"}')
    began = time.monotonic()
    case.run('job', 'set', '--all', '--retries', '0')
    return time.monotonic() - began


def interrupt(case, words, part):
    """Stops a command by Ctrl-C when its progress has reached a part of the whole. Returns its exit code and what it said."""
    said = []
    with case.start(*words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as command:
        for line in command.stderr:
            said.append(line.rstrip())
            progress = PROGRESS.match(line)
            if progress and int(progress[1]) >= part * int(progress[2]):
                command.send_signal(signal.SIGINT)
                part = 2  # Once is enough.
    return command.returncode, said


def measure(case, database):
    """What went wrong."""
    jobs = case.options.jobs
    died = add_dead_letters(case, jobs)
    began = time.monotonic()
    code, said = interrupt(case, ['dead', 'requeue', '--all'], 1 / 3)
    for line in said:
        print(f'{database}: {line}', flush=True)
    first = time.monotonic() - began
    wrong = [] if code == 3 else [f'the interrupted command ended with {code}, and must with 3']
    batch = json.loads(case.run('batch', 'ls', '--limit', '1', '-o', 'json'))[0]
    if not 0 < batch['done'] < jobs:
        wrong.append(f'it was stopped when it had done {batch["done"]:,}')
    began = time.monotonic()
    case.run('batch', 'resume', batch['id'])
    rate = jobs / (first + time.monotonic() - began)
    print(f'{database}: {jobs:,} requeued at {rate:,.0f}/s, stopped at {batch["done"]:,}; they died at {jobs / died:,.0f}/s', flush=True)
    batch = json.loads(case.run('batch', 'show', batch['id'], '-o', 'json'))
    counted = {name: batch[name] for name in ('state', 'done', 'skipped', 'refused')}
    if counted != {'state': 'done', 'done': jobs, 'skipped': 0, 'refused': 0}:
        wrong.append(f'in the end the batch says {counted}')
    places = {place: count for place, count in json.loads(case.run('stats', '-o', 'json'))['places'].items() if count}
    if places != {'executable': jobs}:
        wrong.append(f'in the end there are {places}')
    if json.loads(case.run('incident', 'ls', '--limit', '1', '-o', 'json')):
        wrong.append('incidents are open')
    if rate < LEAST_PER_SECOND.get(database, 0):
        wrong.append(f'{rate:,.0f} a second, and {LEAST_PER_SECOND[database]:,} are wanted')
    return wrong


def main():
    parser = parser_of(__doc__)
    parser.add_argument('--jobs', type=int, default=1_000_000)
    return measure_all(parser.parse_args(), measure)


if __name__ == '__main__':
    sys.exit(main())
