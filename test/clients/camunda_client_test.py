#!/usr/bin/env python3
"""Camunda's own JavaScript client for external tasks, unmodified, does a thousand jobs on Jobstrand: with failures, retries, errors
and variables.

Usage:  camunda_client_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

Exit codes: 0 passed, 1 failed, 77 the client cannot be installed here. The last line is `N passed, N failed`.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import clients

JOBS = 1000


def main():
    binary, packages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / 'node'
    packages.mkdir(parents=True, exist_ok=True)
    for name in ('package.json', 'package-lock.json', 'camunda_worker.mjs'):
        shutil.copy(clients.HERE / name, packages)
    try:
        clients.install(packages, 'package-lock.json', ['npm', 'ci', '--no-audit', '--no-fund'])
        node = newer_node(packages)
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        clients.enqueue(origin, [
            {'handlerType': 'invoice', 'external': True, 'payload': {'n': number}, 'retryCycle': 'R3/PT0.05S'} for number in range(JOBS)
        ])
        done = subprocess.run([node, 'camunda_worker.mjs', origin, str(JOBS)], cwd=packages, capture_output=True, text=True,
                              timeout=clients.PATIENCE_S, check=False)
        print(done.stderr, file=sys.stderr)
        return check(origin, done.stdout)


def newer_node(packages):
    """The client wants a newer Node.js than Debian's: it comes as a package too, for this processor."""
    programs = list(packages.glob('node_modules/node-linux-*/bin/node'))
    if not programs:
        raise clients.CannotInstall('there is no Node.js package for this processor')
    return programs[0]


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
    checks.equal('failed', clients.metric(origin, 'jobstrand_worker_failed_total'), 3 * tenth)
    checks.equal('given back', clients.metric(origin, 'jobstrand_worker_given_back_total'), tenth)
    checks.equal('results that were refused', clients.metric(origin, 'jobstrand_worker_not_held_total'), 0)
    return checks.result()


if __name__ == '__main__':
    sys.exit(main())
