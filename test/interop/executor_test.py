#!/usr/bin/env python3
"""Jobstrand as the executor of two real Flowable engines with the REST application, one of which is killed in the middle; and the same
work by the engines' own executors, at their best settings: pages of 2,048, waits of 50 ms, and each of these numbers of threads.

Usage:  executor_test.py JOBSTRAND_BINARY CACHE_FOLDER [--database mysql|postgresql] [--jobs N] [--timers N] [--siblings N]
                         [--threads N...] [--no-kill] [--no-comparison | --only-comparison]

Defaults: PostgreSQL, 10,000 async jobs, 1,000 timers, 1,000 instances with three exclusive siblings; 16, 32 and 64 threads. It takes
minutes and has no bound in the check. A rate depends on what else the machine does; what a job costs the engines' processors does not.
Exit codes as flowable_test.py. The last line is `N passed, N failed`.
"""
import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import interop

PATIENCE_S = 1200  # For all of the work, on a busy machine.
START_S = 240  # For an engine.
VERSION = '7.2.0'  # The last one whose REST application is published.
LEFT = ' UNION ALL '.join(f'SELECT COUNT(*) FROM {table}' for table in interop.TABLES)


def processor_s(processes):
    """What they have used of processors; those that were killed not."""
    ticks = 0
    for process in processes:
        with contextlib.suppress(OSError):
            fields = Path(f'/proc/{process.pid}/stat').read_text(encoding='ascii').rsplit(')', 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf('SC_CLK_TCK')


class RestEngine:
    """One with its REST application, in a process of its own."""

    def __init__(self, classpath, where, number, threads=0):
        """Without threads its executor is off."""
        self.origin = f'http://127.0.0.1:{interop.databases.free_port()}'
        url, user, password, _ = where.jdbc()
        self.log = where.folder / f'rest-{number}.log'
        self.process = subprocess.Popen(
            ['java', '-Xmx768m', '-cp', classpath, 'interop.RestEngine', f'--server.port={urllib.parse.urlsplit(self.origin).port}',
             f'--spring.datasource.url={url}', f'--spring.datasource.username={user}', f'--spring.datasource.password={password}',
             f'--flowable.async-executor-activate={str(threads > 0).lower()}', f'--own.threads={max(threads, 1)}'],
            stdout=self.log.open('a'), stderr=subprocess.STDOUT)

    def base(self):
        return self.origin + '/process-api'

    def answers(self):
        try:
            with urllib.request.urlopen(self.base() + '/management/engine', timeout=10) as response:
                return response.status == 200
        except OSError:
            return False

    def start(self, key, count, due='PT1S'):
        for first in range(0, count, 500):
            query = urllib.parse.urlencode({'key': key, 'count': min(500, count - first), 'due': due})
            with urllib.request.urlopen(f'{self.origin}/start?{query}', b'', timeout=START_S) as response:
                assert response.status == 200, response.status

    def wait(self):
        if not interop.eventually(self.answers, START_S):
            raise RuntimeError(f'an engine did not start: {self.log.read_text()[-2000:]}')

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def engines(classpath, where):
    """Two, the second one when the first has made the tables."""
    both = []
    try:
        for number in range(2):
            both.append(RestEngine(classpath, where, number))
            both[-1].wait()
        yield both
    finally:
        for one in both:
            one.stop()


class Work:
    """What is to be done, and how to see that it is."""

    def __init__(self, where, options):
        self.where, self.options = where, options
        self.total = options.jobs + options.timers + 3 * options.siblings

    def enqueue(self, engine):
        engine.start('async', self.options.jobs)
        engine.start('timer', self.options.timers, 'PT0S')
        engine.start('siblings', self.options.siblings)

    def hold(self):
        """Keeps all of it from all executors, until release()."""
        for table in ('ACT_RU_JOB', 'ACT_RU_TIMER_JOB'):
            self.where.sql(f"UPDATE {table} SET LOCK_OWNER_ = 'nobody', LOCK_EXP_TIME_ = '2037-01-01 00:00:00'")

    def release(self):
        for table in ('ACT_RU_JOB', 'ACT_RU_TIMER_JOB'):
            self.where.sql(f"UPDATE {table} SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL WHERE LOCK_OWNER_ = 'nobody'")

    def left(self):
        """Jobs in any place."""
        return sum(int(row[0]) for row in self.where.sql(LEFT))

    def at_rest(self):
        """Instances that have come to their receive task."""
        return int(self.where.value("SELECT COUNT(*) FROM ACT_RU_EXECUTION WHERE ACT_ID_ LIKE '%-rest'"))

    def used_retries(self):
        return int(self.where.value('SELECT COUNT(*) FROM ACT_RU_TIMER_JOB WHERE RETRIES_ < 3')) + \
            int(self.where.value('SELECT COUNT(*) FROM ACT_RU_JOB WHERE RETRIES_ < 3')) + \
            int(self.where.value('SELECT COUNT(*) FROM ACT_RU_DEADLETTER_JOB'))

    def drain(self, in_the_middle=None):
        """Seconds until nothing is left, and the most retries that were seen to be used on the way."""
        begun, used = time.monotonic(), 0
        while (left := self.left()) > 0:
            used = max(used, self.used_retries())
            if in_the_middle is not None and left < self.total / 2:
                in_the_middle()
                in_the_middle = None
            if time.monotonic() - begun > PATIENCE_S:
                raise RuntimeError(f'{left} jobs are left')
            interop.pause(0.1)
        return time.monotonic() - begun, used


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, what, is_now, expected):
        self.passed, self.failed = self.passed + (is_now == expected), self.failed + (is_now != expected)
        print(f'{"ok" if is_now == expected else "FAILED"}: {what}: {is_now!r}' + ('' if is_now == expected else f', not {expected!r}'), flush=True)


def configure(where, both):
    urls = ', '.join(f'"{engine.base()}"' for engine in both)
    (where.folder / 'jobstrand.toml').write_text(f'[flowable]\nengines = [{urls}]\ncalls = 32\n')


def run_by_jobstrand(classpath, where, jobstrand, work, checks, kills):
    with engines(classpath, where) as both:
        jobstrand.do('schema', 'upgrade')
        both[0].start('async', 200)  # Warm.
        both[1].start('async', 200)
        configure(where, both)
        with jobstrand.serving('--config', 'jobstrand.toml'):
            work.drain()
        work.enqueue(both[0])
        print(f'{work.left()} jobs wait', flush=True)
        before = processor_s([one.process for one in both])
        with jobstrand.serving('--config', 'jobstrand.toml') as service:
            seconds, used = work.drain(both[1].kill if kills else None)
            ours = processor_s([service])
        theirs = processor_s([one.process for one in both]) - before
        if not kills:
            print(f'processor per job: engines {1000 * theirs / work.total:.2f} ms, Jobstrand {1000 * ours / work.total:.2f} ms', flush=True)
        checks.equal('jobs that are left', work.left(), 0)
        checks.equal('instances at rest', work.at_rest(), work.options.jobs + work.options.timers + work.options.siblings + 400)
        checks.equal('retries that were used', used, 0)
        checks.equal('counts of executions', interop.wrong_counts(where), [])
        locked = where.value('SELECT COUNT(*) FROM ACT_RU_EXECUTION WHERE LOCK_OWNER_ IS NOT NULL')
        checks.equal('instances that are still locked', locked, '0')
        return work.total / seconds


def run_by_themselves(classpath, where, work, threads):
    with engines(classpath, where) as both:
        work.enqueue(both[0])
    work.hold()
    both = [RestEngine(classpath, where, number, threads) for number in range(2)]
    try:
        left = work.left()
        for one in both:
            one.wait()
            one.start('async', 200)  # Warm.
        if not interop.eventually(lambda: work.left() == left, START_S):
            raise RuntimeError('their executors do nothing')
        before = processor_s([one.process for one in both])
        work.release()
        seconds, used = work.drain()
        theirs = processor_s([one.process for one in both]) - before
        print(f'their own executors: {left} jobs in {seconds:.1f} s, {used} retries used; processor per job: {1000 * theirs / left:.2f} ms', flush=True)
        return left / seconds
    finally:
        for one in both:
            one.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary', type=Path)
    parser.add_argument('cache', type=Path)
    parser.add_argument('--database', choices=('mysql', 'postgresql'), default='postgresql')
    parser.add_argument('--jobs', type=int, default=10_000)
    parser.add_argument('--timers', type=int, default=1_000)
    parser.add_argument('--siblings', type=int, default=1_000)
    parser.add_argument('--threads', type=int, nargs='+', default=[16, 32, 64])
    parser.add_argument('--no-kill', action='store_true')
    parser.add_argument('--no-comparison', action='store_true')
    parser.add_argument('--only-comparison', action='store_true')
    options = parser.parse_args()
    checks = Checks()
    try:
        classpath = interop.install(options.cache.resolve(), 'rest', VERSION)
        models = options.cache.resolve() / f'rest-{VERSION}/classes/processes'
        models.mkdir(exist_ok=True)
        shutil.copy(interop.HERE / 'java/resources/interop.bpmn20.xml', models)
        with tempfile.TemporaryDirectory(prefix='interop.') as name, interop.database(options.database, Path(name)) as where:
            work = Work(where, options)
            jobstrand = interop.Jobstrand(options.binary.resolve(), where)
            if not options.only_comparison:
                ours = run_by_jobstrand(classpath, where, jobstrand, work, checks, not options.no_kill)
                print(f'Jobstrand as their executor{"" if options.no_kill else ", one engine killed"}: {ours:.0f} jobs/s', flush=True)
                where.empty()
            if not options.no_comparison:
                for threads in options.threads:
                    theirs = run_by_themselves(classpath, where, work, threads)
                    print(f'their own executors, {threads} threads each: {theirs:.0f} jobs/s', flush=True)
                    checks.equal('jobs that are left', work.left(), 0)
                    where.empty()
    except interop.CannotInstall as reason:
        print(f'skipped: {reason}')
        return interop.SKIPPED
    print(f'{checks.passed} passed, {checks.failed} failed')
    return 1 if checks.failed or not checks.passed else 0


if __name__ == '__main__':
    sys.exit(main())
