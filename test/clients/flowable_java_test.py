#!/usr/bin/env python3
"""Flowable's own Java client for external workers, unmodified, does a thousand jobs on Jobstrand: with failures, retries, errors and
variables.

Usage:  flowable_java_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

Exit codes: 0 passed, 1 failed, 77 there is no JDK 17 or Maven, or the client cannot be downloaded. The last line is
`N passed, N failed`.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import clients
import java_packages

JOBS = 1000


def main():
    binary, packages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / 'java'
    try:
        classpath = java_packages.installed(packages, 'java/pom.xml')
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        clients.enqueue(origin, [job(number) for number in range(JOBS)])
        done = subprocess.run(['java', '-cp', classpath, str(clients.HERE / 'java/FlowableWorker.java'),
                               origin, str(JOBS), str(clients.PATIENCE_S)],
                              capture_output=True, text=True, timeout=2 * clients.PATIENCE_S, check=False)
        print(done.stderr, file=sys.stderr)
        return check(origin, done.stdout)


def job(number):
    """The client lets only jobs of process instances end with a BPMN error."""
    instance = {'processInstanceId': f'instance-{number}'} if number % 10 == 5 else {}
    return {'id': f'job-{number}', 'handlerType': 'invoice', 'external': True, 'payload': {'n': number}, 'retryCycle': 'R3/PT0.05S', **instance}


def check(origin, said):
    checks = clients.Checks()
    tenth = JOBS // 10
    summary = json.loads(next((line for line in said.splitlines() if line.startswith('{"ended"')), '{}'))
    checks.equal('what the client counted', summary, {'ended': JOBS, 'runs': JOBS + 3 * tenth})
    places = clients.places(origin)
    checks.equal('external jobs', places['external'], 0)
    checks.equal('timers', places['timer'], 0)
    checks.equal('dead letters', places['dead'], tenth)
    checks.equal('jobs for the app', places['executable'], 2 * tenth)
    checks.equal('completed', clients.metric(origin, 'jobstrand_worker_completed_total'), 7 * tenth)
    checks.equal('handed on', clients.metric(origin, 'jobstrand_worker_handed_on_total'), 2 * tenth)
    checks.equal('failed', clients.metric(origin, 'jobstrand_worker_failed_total'), 4 * tenth)
    checks.equal('results that were refused', clients.metric(origin, 'jobstrand_worker_not_held_total'), 0)
    checks.equal('variables', told(origin, 4)['variables'], {'total': 4, 'at': '1970-01-01T00:00:00Z', 'lines': [1, {'a': 'ä'}]})
    error = told(origin, 5)
    checks.equal('error', (error['action'], error['errorCode'], error['variables']), ('bpmnError', 'E1', {'why': 'so'}))
    return checks.result()


def told(origin, number):
    """What the app hears of a job."""
    payload = json.loads(clients.look(origin, f'/api/v1/jobs/job-{number}'))['payload']
    return json.loads(payload) if isinstance(payload, str) else payload


if __name__ == '__main__':
    sys.exit(main())
