#!/usr/bin/env python3
"""Flowable's own client for external workers, unmodified, does a thousand jobs on Jobstrand: with failures, retries, errors and
variables.

Usage:  flowable_client_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

Exit codes: 0 passed, 1 failed, 77 the client cannot be installed here. The last line is `N passed, N failed`.
"""
import sys
import tempfile
import threading
from pathlib import Path

import clients

JOBS = 1000
WORKERS = 4


def main():
    binary, packages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / 'python'
    try:
        clients.install(packages, 'requirements.txt', [
            sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', str(packages / 'lib'),
            '--requirement', str(clients.HERE / 'requirements.txt')
        ])
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED
    sys.path.insert(0, str(packages / 'lib'))
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        return work(origin)


class Handler:
    """What the app's worker does with a job; which, its number says."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ended = set()
        self.runs = {}
        self.all_ended = threading.Event()

    def __call__(self, job, result):
        number = next(variable.value for variable in job.variables if variable.name == 'n')
        with self.lock:
            self.runs[number] = self.runs.get(number, 0) + 1
            run = self.runs[number]
        if run == 1 and number % 10 == 0:
            return result.failure().error_message('once').error_details('a trace')
        if run == 1 and number % 10 == 1:
            return result.failure().error_message('again').retries(1).retry_timeout('PT0.02S')
        if run == 1 and number % 10 == 2:
            raise RuntimeError('the handler broke')
        self.end(number)
        if number % 10 == 3:
            return result.failure().error_message('never').retries(0)
        if number % 10 == 4:
            return result.success().variable_int('total', number).variable_json('lines', [1, {'a': None}])
        if number % 10 == 5:
            return result.bpmn_error().error_code('E1').variable_string('why', 'so')
        if number % 10 == 6:
            return result.cmmn_terminate()
        return None if number % 10 == 7 else result.success()

    def end(self, number):
        with self.lock:
            self.ended.add(number)
            if len(self.ended) == JOBS:
                self.all_ended.set()


def work(origin):
    from flowable.external_worker_client import ExternalWorkerClient  # pylint: disable=import-outside-toplevel,import-error
    clients.enqueue(origin, [
        {'handlerType': 'invoice', 'external': True, 'payload': {'n': number}, 'retryCycle': 'R3/PT0.05S'} for number in range(JOBS)
    ])
    handler = Handler()
    subscriptions = [
        ExternalWorkerClient(flowable_host=origin, worker_id=f'worker-{i}').subscribe(
            'invoice', handler, lock_duration='PT1M', wait_period_seconds=0.02, number_of_tasks=20) for i in range(WORKERS)
    ]
    handler.all_ended.wait(clients.PATIENCE_S)
    for subscription in subscriptions:
        subscription.unsubscribe(clients.PATIENCE_S)
    return check(origin, handler)


def check(origin, handler):
    checks = clients.Checks()
    tenth = JOBS // 10
    checks.equal('jobs that ended', len(handler.ended), JOBS)
    checks.equal('runs', sum(handler.runs.values()), JOBS + 3 * tenth)
    places = clients.places(origin)
    checks.equal('external jobs', places['external'], 0)
    checks.equal('timers', places['timer'], 0)
    checks.equal('dead letters', places['dead'], tenth)
    checks.equal('jobs for the app', places['executable'], 3 * tenth)
    checks.equal('completed', clients.metric(origin, 'jobstrand_worker_completed_total'), 6 * tenth)
    checks.equal('handed on', clients.metric(origin, 'jobstrand_worker_handed_on_total'), 3 * tenth)
    checks.equal('failed', clients.metric(origin, 'jobstrand_worker_failed_total'), 4 * tenth)
    checks.equal('results that were refused', clients.metric(origin, 'jobstrand_worker_not_held_total'), 0)
    return checks.result()


if __name__ == '__main__':
    sys.exit(main())
