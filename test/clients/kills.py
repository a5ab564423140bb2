#!/usr/bin/env python3
"""Whether jobs are lost or run twice when workers are killed, stand still, are cut off, or their service is killed.

Usage:  kills.py CLIENT JOBSTRAND_BINARY FOLDER_FOR_PACKAGES [--runs N] [--seed S] [--database sqlite|postgresql|mysql] [--ranges N]

In each run two workers of a client have some jobs to do, of which one in a hundred has a result that JSON cannot say, and one of `IndexRange.FAULTS`
happens to the first worker. Each job that was enqueued must be done by a handler, or be a dead letter if that is what its handler wants: none is
lost. What went over the wire then says whether one ran twice beyond the lock rule: an attempt is made again only when the lock of the former
worker had run out, as the service itself has told it, and no death uses an attempt. Several ranges have their runs side by side, of one service,
which is killed under all of them. The last line is `N passed, N failed`, counted in runs.
"""
import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import adapters
import clients
from behaviours import Adapter, Service, until
from links import Link

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

LOCK_S = 1.0
ROUNDING_S = 0.002  # Databases keep milliseconds.
CLOCKS_S = 0.1  # By which that of the service may differ from ours, because it follows that of its database.
PATH = '/api/v1/external-jobs/'


class Acquisition:
    """Of a job, by a worker."""

    def __init__(self, job_id, end, heard):
        """`end`: of the lock, by the clock of the service, which is not ours. `heard`: by ours."""
        self.job_id = job_id
        self.begin, self.end, self.heard = end - LOCK_S, end, heard
        self.prolonged_until = 0.0  # By ours.
        self.is_given_back = False


def against_the_lock_rule(runs, most_attempts):
    """Of a job's runs, as (attempt, acquisition), where None is one that nobody knows of."""
    for _, acquisition in runs:
        if acquisition is None or acquisition.is_given_back:
            yield 'ran without having been acquired' if acquisition is None else 'ran after it was given back'
            return
    by_attempt = defaultdict(list)
    for attempt, acquisition in runs:
        by_attempt[attempt].append(acquisition)
    if max(by_attempt, default=1) > most_attempts:
        yield f'had {max(by_attempt)} attempts, one without a failure'
    for attempt, acquisitions in by_attempt.items():
        acquisitions.sort(key=lambda one: one.begin)
        for one, next_one in zip(acquisitions, acquisitions[1:]):
            early = max(one.end - ROUNDING_S - next_one.begin, one.prolonged_until - CLOCKS_S - next_one.heard)
            if early > 0:
                yield f'made attempt {attempt} again {early:.3f} s before the lock was over'


class Worker:
    """A process of the client, with a link of its own to the service."""

    def __init__(self, client, service, url, handlers):
        self.acquisitions = []
        self.link = Link(service.port, self._hear)
        self._adapter = Adapter(adapters.command(client), self.link.origin, url)
        self._work = {'work': {'handlers': handlers, 'weights': {}, 'places': 4, 'lock': LOCK_S, 'wait': 0.5}}
        self._adapter.tell(self._work)
        self._is_ready = False

    def _hear(self, path, at, asked, answered):
        if not path.startswith(PATH):
            return
        asked, answered = json.loads(asked), json.loads(answered)
        if path == PATH + 'acquire':
            now = time.time()
            self.acquisitions += [Acquisition(job['id'], datetime.fromisoformat(job['lockExpirationTime']).timestamp(), now) for job in answered['items']]
        if path in (PATH + 'extend', PATH + 'release'):
            refused = {job['id'] for job in answered.get('refused', ())} if answered else set()
            for job in asked['jobs']:
                mine = [one for one in self.acquisitions if one.job_id == job['id']]
                if mine and job['id'] not in refused:
                    mine[-1].prolonged_until = at + LOCK_S if path.endswith('extend') else 0.0
                    mine[-1].is_given_back = path.endswith('release')

    def enqueue(self, job):
        return self._adapter.ask({'enqueue': job, 'by': 'http'})

    def await_work(self):
        if not self._is_ready:
            until(lambda: self._adapter.answers, 'a worker that works')
            self._adapter.answers.clear()
            self._is_ready = True

    def stop_and_start(self):
        for part in ('begin', 'end'):
            self._adapter.ask({'stop': part})
        self._adapter.ask(self._work)

    def signal(self, number):
        self._adapter.send(number)

    def kill(self):
        self._adapter.end()
        self.link.close()

    def has_ended(self, job_id):
        return self._adapter.happened('ended', job_id)

    def runs(self):
        """Of each job, as (attempt, acquisition). The last begin belongs to the last acquisition before it, and so on."""
        acquisitions, runs = defaultdict(list), defaultdict(list)
        for one in self.acquisitions:
            acquisitions[one.job_id].append(one)
        for event in reversed(self._adapter.happened('began')):
            left = acquisitions[event['began']]
            while left and left[-1].heard > event['at']:
                left.pop()
            runs[event['began']].append((event['attempt'], left.pop() if left else None))
        return runs


class Job:
    """One that a worker is given."""

    def __init__(self, run, job_id, kind, range):
        self.run, self.id = run, job_id
        self._is_odd = kind == 'odd'
        self.most_attempts = 2 if kind == 'failing' else 1
        self.told = {'id': job_id, 'handlerType': f'{kind}-{range}', 'external': True, 'retryCycle': 'R1/PT0.05S' if self._is_odd else 'R3/PT0.05S'}

    def is_over(self, shown):
        return shown is not None and shown['place'] == 'dead' if self._is_odd else shown is None


class IndexRange:
    """Has runs one after the other, with jobs and workers of its own."""

    def __init__(self, number, seed, proof):
        self._random = random.Random(f'{seed}-{number}')
        self._number, self._proof = number, proof
        self._gate = proof.folder / f'gate-{number}'
        self._all_workers, self._all_jobs = [], []
        self._workers = [self._fresh_worker(), self._fresh_worker()]
        self._runs = 0

    def _fresh_worker(self):
        handlers = {f'quick-{self._number}': [], f'held-{self._number}': [{'until': str(self._gate)}], f'failing-{self._number}': [{'first': [{'raise': 'no ink'}]}],
                    f'odd-{self._number}': [{'odd': self._random.randrange(12)}]}
        self._all_workers.append(Worker(self._proof.client, self._proof.service, self._proof.url, handlers))
        return self._all_workers[-1]

    def run(self):
        self._runs += 1
        for worker in self._workers:
            worker.await_work()
        fault = self._random.choice(list(self.FAULTS))
        self._gate.unlink(missing_ok=True)
        jobs = [self._job(index, fault) for index in range(self._random.randint(3, 6))]
        self._all_jobs += jobs
        self._proof.counts[fault] += 1
        self._proof.counts['jobs'] += len(jobs)
        added = self.FAULTS[fault](self, [job.told for job in jobs])
        self._gate.touch()
        for job in jobs:
            if job.id in added:
                self._await_end(job)

    def _job(self, index, fault):
        kind = 'odd' if self._random.random() < 0.01 else self._random.choice(('quick', 'held', 'held', 'failing'))
        return Job(f'run {self._number}-{self._runs} ({fault})', f'{self._number}-{self._runs}-{index}', kind, self._number)

    def _await_end(self, job):
        try:
            until(lambda: job.is_over(self._proof.shown(job.id)), 'its end')
            # The service may tell of the end before the handler is heard.
            until(lambda: any(worker.has_ended(job.id) for worker in self._all_workers), 'a run')
        except AssertionError as reason:
            self._proof.fail(job, f'is lost: {reason}; it is {self._proof.shown(job.id)}')

    def end(self):
        """Looks at all that was run: what stood still may have begun long after."""
        for worker in self._workers:
            worker.kill()
        runs = [worker.runs() for worker in self._all_workers]
        for job in self._all_jobs:
            own = [run for one in runs for run in one[job.id]]
            self._proof.counts['again after a lock'] += len(own) - len({attempt for attempt, _ in own})
            for why in against_the_lock_rule(own, job.most_attempts):
                self._proof.fail(job, why)

    # What goes wrong. Each enqueues the jobs, and returns the ids of those that are there for certain.

    def _enqueue(self, jobs):
        self._proof.enqueue(jobs)
        return {job['id'] for job in jobs}

    def _pause(self, most):
        threading.Event().wait(self._random.uniform(0, most))

    def nothing(self, jobs):
        return self._enqueue(jobs)

    def killed(self, jobs):
        added = self._enqueue(jobs)
        self._pause(0.1)
        self._workers[0].kill()
        self._workers[0] = self._fresh_worker()
        return added

    def frozen(self, jobs):
        added = self._enqueue(jobs)
        self._pause(0.1)
        self._workers[0].signal(signal.SIGSTOP)
        self._gate.touch()
        threading.Event().wait(LOCK_S * self._random.uniform(0.3, 1.5))
        self._workers[0].signal(signal.SIGCONT)
        return added

    def stopped(self, jobs):
        added = self._enqueue(jobs)
        self._pause(0.1)
        self._gate.touch()
        self._workers[0].stop_and_start()
        return added

    def service_killed(self, jobs):
        added = self._enqueue(jobs)
        self._pause(0.1)
        self._proof.kill_service()
        return added

    def cut(self, jobs):
        added = self._enqueue(jobs)
        self._pause(0.1)
        self._workers[0].link.cut()
        self._gate.touch()
        self._pause(LOCK_S * 1.5)
        self._workers[0].link.mend()
        return added

    def silent(self, jobs):
        added = self._enqueue(jobs)
        self._pause(0.1)
        self._workers[0].link.silence()
        self._gate.touch()
        self._pause(LOCK_S * 1.5)
        self._workers[0].link.mend()
        return added

    def answers_lost(self, jobs):
        self._workers[0].link.lose_answers(self._random.randint(1, 3))
        answers = {job['id']: self._workers[0].enqueue(job) for job in jobs}
        for job_id, answer in answers.items():
            # Whoever heard nothing knows nothing; a conflict with its own job would be another thing.
            assert 'id' in answer or 'no answer' in answer['refused'], f'{job_id}: {answer}'
        return {job_id for job_id, answer in answers.items() if 'id' in answer}

    FAULTS = {'nothing': nothing, 'worker killed': killed, 'worker frozen': frozen, 'worker stopped': stopped, 'service killed': service_killed,
              'network cut': cut, 'network silent': silent, 'answers lost': answers_lost}


class Proof:
    """All ranges, and their service."""

    def __init__(self, client, service, url, folder):
        self.client, self.service, self.url, self.folder = client, service, url, folder
        self.counts = Counter()
        self.failed = set()
        self._killing = threading.Lock()

    def kill_service(self):
        with self._killing:
            self.service.kill()
            self.service.start()

    def shown(self, job_id):
        """None: it is over."""
        shown = self._ask(f'/api/v1/jobs/{job_id}')
        return None if shown and shown['place'] == 'done' else shown

    def enqueue(self, jobs):
        """Whatever happens to the service meanwhile: all of them or none."""
        with self._killing:
            self.service.ask('/api/v1/jobs', jobs)

    def _ask(self, path):
        with self._killing:
            return self.service.ask(path)

    def fail(self, job, why):
        print(f'FAILED: {self.client}: {job.run}: {job.id} {why}', flush=True)
        self.failed.add(job.run)

    def carry_out(self, runs, seed, ranges):
        left = iter(range(runs))
        taking = threading.Lock()

        def has_more():
            with taking:
                return next(left, None) is not None

        def work(number):
            try:
                range = IndexRange(number, seed, self)
                try:
                    while has_more():
                        range.run()
                finally:
                    range.end()
            except Exception:  # Of a thread, which nobody would hear.
                print(f'FAILED: {self.client}: range {number}: {traceback.format_exc()}', flush=True)
                self.failed.add(f'range {number}')
        threads = [threading.Thread(target=work, args=(number,)) for number in range(ranges)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('client', choices=adapters.names())
    parser.add_argument('binary', type=Path)
    parser.add_argument('packages', type=Path)
    parser.add_argument('--runs', type=int, default=40)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--database', choices=databases.DATABASES, default='sqlite')
    parser.add_argument('--ranges', type=int, default=4)
    said = parser.parse_args()
    try:
        adapters.prepare(said.client, said.packages.resolve())
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        env = {**os.environ, **stack.enter_context(databases.DATABASES[said.database][0](folder)), 'HOME': name}
        service = Service(said.binary.resolve(), folder, env)
        service.start()
        stack.callback(service.kill)
        proof = Proof(said.client, service, env['JOBSTRAND_DB'].replace('sqlite:', f'sqlite:{folder}/'), folder)
        proof.carry_out(said.runs, said.seed, said.ranges)
    failed = len(proof.failed)
    print(f'{said.client} on {said.database}, seed {said.seed}, {time.monotonic() - begin:.0f} s: ' + ', '.join(f'{count} {what}' for what, count in sorted(proof.counts.items())))
    print(f'{said.runs - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
