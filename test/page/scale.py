#!/usr/bin/env python3
"""How long a service needs for what the page asks, beside many rows. Nothing runs it by itself: it takes minutes.

Usage: scale.py JOBSTRAND postgresql|mariadb [--dead N] [--timers N] [--series N] [--times N]

Prints a line for each question; exit code 6 if one of them takes longer than 300 ms in one of twenty cases.
"""
import argparse
import statistics
import sys
import time

import many_rows

BOUND_MS = 300


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('jobstrand')
    parser.add_argument('database', choices=many_rows.WORDS)
    many_rows.add_options(parser)
    parser.add_argument('--times', type=int, default=21)
    given = parser.parse_args()
    with many_rows.filled(given) as (env, _), many_rows.service(given.jobstrand, env) as (_, origin):
        sys.exit(measure(origin, given))


def measure(origin, given):
    def ask(path):
        began = time.monotonic()
        many_rows.ask(origin + path)
        return (time.monotonic() - began) * 1000

    is_slow = False
    for path in asked():
        times = sorted(ask(path) for _ in range(given.times))
        late = times[int(len(times) * 0.95)]
        is_slow |= late > BOUND_MS
        print(f'{path:70} p50 {statistics.median(times):7.1f} ms   p95 {late:7.1f} ms{"   slow" if late > BOUND_MS else ""}', flush=True)
    return 6 if is_slow else 0


main()
