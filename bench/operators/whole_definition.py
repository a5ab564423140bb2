#!/usr/bin/env python3
"""What becomes of other jobs while a whole definition is overridden, suspended and activated.

Usage:  whole_definition.py JOBSTRAND_BINARY [--database NAME]... [--jobs N] [--others N]

Two services drain jobs of one definition; beside them, in the same table, stand N jobs of another one, which no service serves. First the rate of the
services alone is taken, then the other definition is overridden with --cascade, suspended and activated while they work. Prints, for each of these, how
long it took, how many jobs of it a second, and the rate of the services during it as a part of the rate before and after it. No job may be lost: in the end
all jobs of the first definition have run, and those of the other one stand where they stood, with the new priority. The last line is `N passed, N failed`.
"""
import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for place in ('test/clients', 'test/fixtures'):
    sys.path.insert(0, str(ROOT / place))
import clients  # pylint: disable=wrong-import-position
import databases  # pylint: disable=wrong-import-position

PATIENCE_S = 1800
LEAST = 0.8
CHANGES = (
    ('cascade', ('definition', 'set', 'ship:1', '--override=-10', '--cascade')),
    ('suspend', ('definition', 'suspend', 'ship:1')),
    ('activate', ('definition', 'activate', 'ship:1')),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=Path)
    parser.add_argument('--database', action='append', choices=list(databases.DATABASES), help='all of them, unless named')
    parser.add_argument('--jobs', type=int, default=1_000_000, help='of the definition that is changed')
    parser.add_argument('--others', type=int, default=2_000_000, help='for the services; they must not be done before the changes are')
    options = parser.parse_args()
    failed = 0
    chosen = options.database or list(databases.DATABASES)
    for database in chosen:
        with tempfile.TemporaryDirectory() as folder, databases.DATABASES[database][0](Path(folder)) as env:
            wrong = measure(Case(options, folder, {**os.environ, **env}), database)
        failed += bool(wrong)
        for one in wrong:
            print(f'{database}: {one}', flush=True)
    print(f'{len(chosen) - failed} passed, {failed} failed')
    return 1 if failed else 0


class Case:
    def __init__(self, options, folder, env):
        self.options, self.folder, self.env = options, folder, env

    def run(self, *words):
        done = subprocess.run([self.options.binary.resolve(), *words], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(words)}: {done.returncode}: {done.stderr[-500:]}')
        return done.stdout

    def add(self, jobs, line):
        path = Path(self.folder) / 'jobs.jsonl'
        with path.open('w', encoding='utf-8') as file:
            for _ in range(jobs):
                file.write(line)
        self.run('job', 'add', '--from', path.name)
        path.unlink()

    @contextlib.contextmanager
    def services(self, count):
        with contextlib.ExitStack() as stack:
            ports = []
            for _ in range(count):
                process = stack.enter_context(subprocess.Popen(
                    [self.options.binary.resolve(), 'serve', '--http', '127.0.0.1:0'], cwd=self.folder, env=self.env, stderr=subprocess.PIPE))
                stack.callback(process.terminate)
                ports.append(clients.port_of(process))
            yield ports


def completed(ports):
    count = 0
    for port in ports:
        with urllib.request.urlopen(f'http://127.0.0.1:{port}/metrics', timeout=60) as answer:
            count += int(re.search(r'^jobstrand_completed_total (\d+)', answer.read().decode(), re.M)[1])
    return count


def rate_of(ports, seconds):
    began, before = time.monotonic(), completed(ports)
    time.sleep(seconds)
    return (completed(ports) - before) / (time.monotonic() - began)


def measure(case, database):
    """What went wrong."""
    case.run('schema', 'create')
    noop = json.dumps({'handlerType': 'noop', 'processDefinitionId': 'bill:1'}) + '\n'
    ship = json.dumps({'handlerType': 'ship', 'processDefinitionId': 'ship:1'}) + '\n'
    half = case.options.others // 2
    case.add(half, noop)
    case.add(case.options.jobs, ship)
    case.add(case.options.others - half, noop)
    wrong = []
    with case.services(2) as ports:
        time.sleep(2)
        alone = rate_of(ports, 3)
        for name, words in CHANGES:
            began, before = time.monotonic(), completed(ports)
            case.run(*words)
            took = time.monotonic() - began
            during = (completed(ports) - before) / took
            after = rate_of(ports, 3)
            part = during / ((alone + after) / 2)
            print(f'{database}: {name} of {case.options.jobs:,}: {took:.1f} s, {case.options.jobs / took:,.0f}/s; others {during:,.0f}/s, '
                  f'alone {alone:,.0f} and {after:,.0f}/s: {part:.0%}', flush=True)
            if part < LEAST:
                wrong.append(f'{name}: the others kept {part:.0%} of their rate, and must keep {LEAST:.0%}')
            alone = after
        if after == 0:
            wrong.append('the other jobs were done too early; say more with --others')
        deadline = time.monotonic() + PATIENCE_S
        while completed(ports) < case.options.others and time.monotonic() < deadline:
            time.sleep(0.5)
        ran = completed(ports)
    if ran != case.options.others:
        wrong.append(f'{ran:,} runs of {case.options.others:,} jobs')
    places = json.loads(case.run('stats', '-o', 'json'))['places']
    left = {place: jobs for place, jobs in places.items() if jobs}
    if left != {'executable': case.options.jobs}:
        wrong.append(f'in the end there are {left}')
    return wrong


if __name__ == '__main__':
    sys.exit(main())
