#!/usr/bin/env python3
"""How long a service needs for what the page asks, beside many rows. Nothing runs it by itself: it takes minutes.

Usage: scale.py JOBSTRAND postgresql|mariadb [--dead N] [--timers N] [--series N] [--times N]

Prints a line for each question; exit code 6 if one of them takes longer than 300 ms in one of twenty cases.
"""
import argparse
import json
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'fixtures'))
import databases

BOUND_MS = 300
LOG_READY = b' clock_skew_ms='
ROWS_AT_ONCE = 500_000

# Of a database: a counter from FROM to TO, a text of it, and times by it.
WORDS = {
    'postgresql': {'from': 'generate_series({0}, {1}) i', 'text': "'{0}' || lpad(i::text, 12, '0')", 'kind': "'type' || i % 20", 'ago': "now() - i * interval '1 ms'",
                   'ahead': "now() + interval '1 day' + i * interval '1 ms'", 'settings': ('fsync=off', 'max_wal_size=8GB', 'shared_buffers=512MB'), 'settled': 'VACUUM (ANALYZE) {0}'},
    'mariadb': {'from': '(SELECT seq AS i FROM seq_{0}_to_{1}) n', 'text': "CONCAT('{0}', LPAD(i, 12, '0'))", 'kind': "CONCAT('type', i % 20)",
                'ago': 'UTC_TIMESTAMP(3) - INTERVAL i * 1000 MICROSECOND', 'ahead': 'UTC_TIMESTAMP(3) + INTERVAL 1 DAY + INTERVAL i * 1000 MICROSECOND',
                'settings': ('innodb-flush-log-at-trx-commit=0', 'innodb-buffer-pool-size=2G', 'innodb-log-file-size=1G'), 'settled': 'ANALYZE TABLE {0}'},
}
JOBS = "TYPE_, SCOPE_TYPE_, ID_, CORRELATION_ID_, HANDLER_TYPE_"


def asked():
    """What the views ask for, view by view."""
    jobs = 'jobs?limit=50&soon=true&place='
    due = jobs + 'timer&sort=due&order='
    return ['stats?soon=true', 'nodes', 'doctor', 'incidents?limit=50', 'rates?last=PT1H', 'rates/types?last=PT1H',
            'audit?limit=50', 'batches?limit=20', 'dead/groups?limit=100&soon=true', 'dead/groups?limit=20&type=type3&soon=true',
            'dead/groups?limit=100&error=nothing&soon=true', 'dead?newest=true&limit=500', jobs + 'dead&sort=failed&order=desc',
            jobs + 'dead&sort=failed&order=desc&type=type3', jobs + 'dead&sort=failed&order=desc&error=nothing', jobs + 'dead&sort=type',
            due + 'asc', due + 'desc', due + 'asc&where=type:nothing', jobs + 'timer&sort=created', jobs + 'timer&where=type:nothing',
            'jobs?limit=5000&soon=true&place=timer&where=type:nothing', jobs + 'executable', 'jobs?limit=50&locked=true&place=executable',
            jobs + 'all', jobs + 'all&where=type:nothing', jobs + 'all&series=s000000000003', 'jobs?limit=50&place=done', 'types?soon=true',
            'limits', 'log?limit=50', 'log?job=d000000000003&limit=200', 'incidents?each=true&limit=100', 'series?limit=50', 'series?limit=1000',
            'series?limit=50&state=paused', 'series?limit=50&state=ended', 'series/s000000000003', 'groups',
            'calendars', 'settings', 'jobs/d000000000003', 'jobs/d000000000003/explanation', 'jobs/t000000000003/explanation']


def fill(run, words, given):
    def insert(table, letter, columns, values, rows):
        for first in range(1, rows + 1, ROWS_AT_ONCE):
            text = words['text'].format
            source = words['from'].format(first, min(rows, first + ROWS_AT_ONCE - 1))
            run(f"INSERT INTO {table} ({JOBS}, {columns}) SELECT 'message', 'jobstrand', {text(letter)}, {text('c' + letter)}, "
                f"{words['kind']}, {values} FROM {source}")

    message = words['text'].format('SmtpError: mailbox is full, message ')
    insert('ACT_RU_DEADLETTER_JOB', 'd', 'CREATE_TIME_, FAILED_TIME_, EXCEPTION_MSG_', f"{words['ago']}, {words['ago']}, {message}", given.dead)
    insert('ACT_RU_TIMER_JOB', 't', 'RETRIES_, CREATE_TIME_, DUEDATE_', f"3, {words['ago']}, {words['ahead']}", given.timers)
    # What a server does by itself within minutes: tables that have just been filled are not what is measured.
    for table in ('ACT_RU_DEADLETTER_JOB', 'ACT_RU_TIMER_JOB'):
        run(words['settled'].format(table))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('jobstrand')
    parser.add_argument('database', choices=WORDS)
    parser.add_argument('--dead', type=int, default=1_000_000)
    parser.add_argument('--timers', type=int, default=10_000_000)
    parser.add_argument('--series', type=int, default=20_000)
    parser.add_argument('--times', type=int, default=21)
    given = parser.parse_args()
    words = WORDS[given.database]
    with databases.with_tables(given.jobstrand, given.database, words['settings']) as (env, run):
        fill(run, words, given)
        port = databases.free_port()
        service = subprocess.Popen([given.jobstrand, 'serve', '--http', f'127.0.0.1:{port}'], env=env, stderr=subprocess.PIPE)
        try:
            next(line for line in service.stderr if LOG_READY in line)
            threading.Thread(target=service.stderr.read, daemon=True).start()
            sys.exit(measure(f'http://127.0.0.1:{port}/api/v1/', given))
        finally:
            service.terminate()
            service.wait(databases.PATIENCE_S)


def measure(origin, given):
    def ask(path, body=None):
        began = time.monotonic()
        request = urllib.request.Request(origin + path, body and json.dumps(body).encode(), {'Content-Type': 'application/json'})
        with urllib.request.urlopen(request, timeout=databases.PATIENCE_S) as answer:
            answer.read()
        return (time.monotonic() - began) * 1000

    series = [{'handlerType': f'type{i % 20}', 'repeat': 'R/PT24H', 'series': f's{i:012}'} for i in range(given.series)]
    for first in range(0, given.series, 1000):
        ask('jobs', series[first:first + 1000])
    is_slow = False
    for path in asked():
        times = sorted(ask(path) for _ in range(given.times))
        late = times[int(len(times) * 0.95)]
        is_slow |= late > BOUND_MS
        print(f'{path:70} p50 {statistics.median(times):7.1f} ms   p95 {late:7.1f} ms{"   slow" if late > BOUND_MS else ""}', flush=True)
    return 6 if is_slow else 0


main()
