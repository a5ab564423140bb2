#!/usr/bin/env python3
"""How fast the service takes jobs over HTTP, and hands them to external workers, on SQLite, MariaDB and PostgreSQL.

Usage:  http_rates.py JOBSTRAND_BINARY [--database NAME]... [--seconds N] [--external N]

Needs wrk (Debian's package) and the servers' programs, which it starts on 127.0.0.1. Prints a table. Every request has to be
answered with 201, and every job that was accepted has to run or to be there, or its line is a failure; the last line is
`N passed, N failed`.
"""
import argparse
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for place in ('test/clients', 'test/fixtures', 'tools/clients/python'):
    sys.path.insert(0, str(ROOT / place))
import clients  # pylint: disable=wrong-import-position
import databases  # pylint: disable=wrong-import-position
import jobstrand  # pylint: disable=wrong-import-position

PATIENCE_S = 600
CLIENTS = 3
PAGE = 1000

# How wrk posts: `jobs` noop jobs in each request.
SCRIPT = '''
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local job = '{{"handlerType":"noop"}}'
wrk.body = {jobs} == 1 and job or "[" .. string.rep(job .. ",", {jobs} - 1) .. job .. "]"
done = function(summary, latency)
    local errors = summary.errors
    io.write(string.format("requests=%d us=%d p99=%d errors=%d\\n", summary.requests, summary.duration, latency:percentile(99),
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=Path)
    parser.add_argument('--database', action='append', choices=list(databases.DATABASES), help='all of them, unless named')
    parser.add_argument('--seconds', type=int, default=8, help='of each run of wrk')
    parser.add_argument('--external', type=int, default=200_000, help='jobs for external workers')
    options = parser.parse_args()
    runs = [('one job a request', lambda where: single(where, options.seconds)),
            ('1,000 jobs a request', lambda where: bulk(where, options.seconds)),
            ('external workers', lambda where: external(where, options.external))]
    print('| Database | What | Jobs | Jobs/s | p99 ms |\n|---|---|---:|---:|---:|')
    chosen = options.database or list(databases.DATABASES)
    failed = sum(not measure(options.binary.resolve(), database, *run) for database in chosen for run in runs)
    print(f'{len(chosen) * len(runs) - failed} passed, {failed} failed')
    return 1 if failed else 0


def measure(binary, database, name, run):
    """Each on a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        with databases.DATABASES[database][0](Path(folder)) as env:
            jobs, seconds, p99_ms, wrong = run((binary, folder, {**os.environ, **env}))
    p99 = f'{p99_ms:.1f}' if p99_ms else '–'
    print(f'| {database} | {name} | {jobs:,} | {jobs / seconds:,.0f} | {p99} |' if not wrong else f'| {database} | {name} | failed: {wrong} | | |',
          flush=True)
    return not wrong


@contextmanager
def service(where, runs_jobs):
    binary, folder, env = where
    settings = Path(folder) / 'settings.toml'
    settings.write_text(f'asyncExecutorActivate = {str(runs_jobs).lower()}\n')
    subprocess.run([binary, 'schema', 'create'], cwd=folder, env=env, check=True, capture_output=True, timeout=PATIENCE_S)
    with subprocess.Popen([binary, 'serve', '--config', settings, '--http', '127.0.0.1:0'], cwd=folder, env=env, stderr=subprocess.PIPE) as process:
        try:
            yield f'http://127.0.0.1:{clients.port_of(process)}'
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)


def single(where, seconds):
    with service(where, True) as origin:
        seen = wrk(origin, where[1], 1, 64, seconds)
        # wrk gives up answers that it still waits for, so the service may have taken a few more.
        taken = clients.metric(origin, 'jobstrand_enqueued_total')
        all_run = clients.eventually(lambda: sum(clients.places(origin).values()) == 0)
        done = clients.metric(origin, 'jobstrand_completed_total')
    wrong = seen['wrong'] or ('' if all_run and done >= taken >= seen['jobs'] else f'{seen["jobs"]} answered, {taken} taken, {done} done')
    return seen['jobs'], seen['seconds'], seen['p99_ms'], wrong


def bulk(where, seconds):
    with service(where, False) as origin:
        seen = wrk(origin, where[1], PAGE, 4, seconds)
        there = sum(clients.places(origin).values())
    wrong = seen['wrong'] or ('' if there >= seen['jobs'] else f'{seen["jobs"]} answered, {there} are there')
    return seen['jobs'], seen['seconds'], seen['p99_ms'], wrong


def external(where, jobs):
    with service(where, True) as origin:
        for _ in range(0, jobs, PAGE):
            clients.enqueue(origin, [{'handlerType': 'rate', 'external': True}] * PAGE)
        begun = time.monotonic()
        with multiprocessing.Pool(CLIENTS) as pool:
            done = sum(pool.starmap(fetch_and_finish, [(origin, f'worker-{i}') for i in range(CLIENTS)]))
        seconds = time.monotonic() - begun
        left = sum(clients.places(origin).values())
    return done, seconds, 0, '' if done == jobs and left == 0 else f'{done} done, {left} left'


def fetch_and_finish(origin, worker):
    client, done = jobstrand.Client(origin), 0
    while taken := client.acquire(worker, ['rate'], jobs=PAGE):
        refused = client.finish(worker, [{'id': job.id} for job in taken])
        done += len(taken) - len(refused)
    return done


def wrk(origin, folder, jobs, connections, seconds):
    script = Path(folder) / 'post.lua'
    script.write_text(SCRIPT.format(jobs=jobs))
    done = subprocess.run(['wrk', '--threads', '1', '--connections', str(connections), '--duration', f'{seconds}s', '--script', script,
                           origin + '/api/v1/jobs'], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    numbers = {name: int(value) for name, value in re.findall(r'(\w+)=(\d+)', done.stdout.splitlines()[-1])}
    return {'jobs': numbers['requests'] * jobs, 'seconds': numbers['us'] / 1e6, 'p99_ms': numbers['p99'] / 1000,
            'wrong': f'{numbers["errors"]} requests failed' if numbers['errors'] else ''}


if __name__ == '__main__':
    sys.exit(main())
