#!/usr/bin/env python3
"""Camunda's own Java client for external tasks, unmodified and with its defaults, does a thousand jobs by their priorities on
Jobstrand: with failures, retries, errors and variables, and tasks that are completed after their failure.

Usage:  camunda_java_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

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
    binary, packages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / 'java_camunda'
    try:
        classpath = java_packages.installed(packages, 'java/camunda/pom.xml')
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        clients.enqueue(origin, [
            {'handlerType': 'invoice', 'external': True, 'payload': {'n': number}, 'priority': priority_of(number)} for number in range(JOBS)
        ])
        done = subprocess.run(['java', '-cp', classpath, str(clients.HERE / 'java/CamundaWorker.java'),
                               origin, str(JOBS), str(clients.PATIENCE_S)],
                              capture_output=True, text=True, timeout=2 * clients.PATIENCE_S, check=False)
        print(done.stderr, file=sys.stderr)
        return check(origin, done.stdout)


def priority_of(number):
    return number * 37 % 100


def check(origin, said):
    checks = clients.Checks()
    tenth = JOBS // 10
    summary = json.loads(next((line for line in said.splitlines() if line.startswith('{"order"')), '{}'))
    first_runs = summary.get('order', [])
    checks.equal('jobs that ran', sorted(first_runs), list(range(JOBS)))
    checks.equal('runs', summary.get('runs'), JOBS + tenth)
    priorities = [priority_of(number) for number in first_runs]
    checks.equal('the highest priority first', priorities, sorted(priorities, reverse=True))
    places = clients.places(origin)
    checks.equal('external jobs', places['external'], 0)
    checks.equal('timers', places['timer'], 0)
    checks.equal('dead letters', places['dead'], tenth)
    checks.equal('jobs for the app', places['executable'], 2 * tenth)
    checks.equal('results that were refused', clients.metric(origin, 'jobstrand_worker_not_held_total'), 0)
    return checks.result()


if __name__ == '__main__':
    sys.exit(main())
