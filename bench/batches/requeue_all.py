#!/usr/bin/env python3
"""Requeues very many dead letters by the command line, is interrupted in the middle, and goes on.

Usage:  requeue_all.py JOBSTRAND_BINARY [--database NAME]... [--jobs N]

N jobs become dead letters, each with an open incident. `dead requeue --all` is stopped by Ctrl-C when it has done a third, and `batch resume` does the rest.
Prints what the command says while it works, and how many jobs a second the two requeued together, as against how many a second became dead letters. Every
job must have been requeued once, and every incident resolved. The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

PATIENCE_S = 3600
LEAST_PER_SECOND = {'mysql': 40_000}
PROGRESS = re.compile(r'requeued (\d+) of (\d+) .*, \d+ s left')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=Path)
    parser.add_argument('--database', action='append', choices=list(databases.DATABASES), help='all of them, unless named')
    parser.add_argument('--jobs', type=int, default=1_000_000)
    options = parser.parse_args()
    failed = 0
    chosen = options.database or list(databases.DATABASES)
    for database in chosen:
        with tempfile.TemporaryDirectory() as folder, databases.DATABASES[database][0](Path(folder)) as env:
            wrong = measure(Case(options.binary.resolve(), folder, {**os.environ, **env}), database, options.jobs)
        failed += bool(wrong)
        for one in wrong:
            print(f'{database}: {one}', flush=True)
    print(f'{len(chosen) - failed} passed, {failed} failed')
    return 1 if failed else 0


class Case:
    def __init__(self, binary, folder, env):
        self.binary, self.folder, self.env = binary, folder, env

    def run(self, *words):
        done = subprocess.run([self.binary, *words], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(words)}: {done.returncode}: {done.stderr[-500:]}')
        return done.stdout

    def add_dead_letters(self, jobs):
        """Returns how long it took to make them of jobs."""
        self.run('schema', 'create')
        path = Path(self.folder) / 'jobs.jsonl'
        path.write_text('{"handlerType":"noop"}\n' * jobs, encoding='utf-8')
        self.run('job', 'add', '--from', path.name)
        path.unlink()
        began = time.monotonic()
        self.run('job', 'set', '--all', '--retries', '0')
        return time.monotonic() - began

    def interrupt(self, words, part):
        """Stops a command by Ctrl-C when its progress has reached a part of the whole. Returns its exit code and what it said."""
        said = []
        with subprocess.Popen([self.binary, *words], cwd=self.folder, env=self.env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as command:
            for line in command.stderr:
                said.append(line.rstrip())
                progress = PROGRESS.match(line)
                if progress and int(progress[1]) >= part * int(progress[2]):
                    command.send_signal(signal.SIGINT)
                    part = 2  # Once is enough.
        return command.returncode, said


def measure(case, database, jobs):
    """What went wrong."""
    died = case.add_dead_letters(jobs)
    began = time.monotonic()
    code, said = case.interrupt(['dead', 'requeue', '--all'], 1 / 3)
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


if __name__ == '__main__':
    sys.exit(main())
