#!/usr/bin/env python3
"""How many empty external jobs a second each client does: ours, Flowable's for Python and Camunda's for JavaScript, one process
each, one after the other, on a service with a SQLite file. Ours for Go and Java are among them where Go, and a JDK
with Maven, are installed.

Usage:  worker_rates.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES [--jobs N] [--peer-jobs N]

Prints a table. Each client has to leave nothing behind, or its line is a failure. Other people's packages are installed as the
tests of test/clients do it; the last line is `N passed, N failed`.
"""
import argparse
import asyncio
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'test/clients'))
sys.path.insert(0, str(ROOT / 'test/fixtures'))
sys.path.insert(0, str(ROOT / 'tools/clients/python'))
import camunda_client_test  # pylint: disable=wrong-import-position
import clients  # pylint: disable=wrong-import-position
import java_packages  # pylint: disable=wrong-import-position
import jobstrand  # pylint: disable=wrong-import-position

PATIENCE_S = 600
PAGE = 10_000
SCRIPT = Path(__file__).with_suffix('.mjs')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=Path)
    parser.add_argument('packages', type=Path)
    parser.add_argument('--jobs', type=int, default=100_000, help='for ours')
    parser.add_argument('--peer-jobs', type=int, default=10_000, help='for the others')
    options = parser.parse_args()
    node, flowable = install(options.packages.resolve())
    go = in_go(options.packages.resolve()) if shutil.which('go') else []
    java = in_java(options.packages.resolve())
    runs = [
        ('jobstrand, Python, threads', options.jobs, ours_in_python),
        ('jobstrand, Python, coroutines', options.jobs, ours_in_coroutines),
        ('jobstrand, JavaScript', options.jobs, lambda origin, jobs: in_node(shutil.which('node'), SCRIPT, 'ours', origin, jobs)),
        *(('jobstrand, Go', options.jobs, run) for run in go),
        *(('jobstrand, Java', options.jobs, run) for run in java),
        ('Flowable, Python', options.peer_jobs, flowable),
        ('Camunda, JavaScript', options.peer_jobs, lambda origin, jobs: in_node(node, node_script(options), 'camunda', origin, jobs)),
    ]
    print('| Client | Jobs | Seconds | Jobs/s |\n|---|---:|---:|---:|')
    failed = sum(not measure(options.binary.resolve(), *run) for run in runs)
    print(f'{len(runs) - failed} passed, {failed} failed')
    return 1 if failed else 0


def install(packages):
    python = packages / 'python'
    clients.install(python, 'requirements.txt', [
        sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', str(python / 'lib'),
        '--requirement', str(clients.HERE / 'requirements.txt')
    ])
    sys.path.insert(0, str(python / 'lib'))
    javascript = packages / 'node'
    javascript.mkdir(parents=True, exist_ok=True)
    for name in ('package.json', 'package-lock.json'):
        shutil.copy(clients.HERE / name, javascript)
    shutil.copy(SCRIPT, javascript)
    clients.install(javascript, 'package-lock.json', ['npm', 'ci', '--no-audit', '--no-fund'])
    return camunda_client_test.newer_node(javascript), flowable_in_python


def node_script(options):
    """Beside Camunda's package, where it is found."""
    return options.packages.resolve() / 'node' / SCRIPT.name


def measure(binary, name, jobs, run):
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        for first in range(0, jobs, PAGE):
            clients.enqueue(origin, [{'handlerType': 'rate', 'external': True}] * min(PAGE, jobs - first))
        seconds = run(origin, jobs)
        # A client ends with its last handler, which may be before the service has heard of it.
        is_done = clients.eventually(lambda: sum(clients.places(origin).values()) == 0)
    print(f'| {name} | {jobs:,} | {seconds:.2f} | {jobs / seconds:,.0f} |' if is_done else f'| {name} | failed: jobs are left | | |', flush=True)
    return is_done


def ours_in_python(origin, jobs):
    """Until the last has run: a stop waits for the request that waits for jobs."""
    worker = jobstrand.Worker(origin)
    numbers, ended = itertools.count(1), []

    @worker.handler('rate')
    def rate(_job):  # pylint: disable=unused-variable
        if next(numbers) == jobs:
            ended.append(time.monotonic())
            worker.stop()
    begun = time.monotonic()
    worker.run()
    return ended[0] - begun


def ours_in_coroutines(origin, jobs):
    worker = jobstrand.AsyncWorker(origin)
    numbers, ended = itertools.count(1), []

    @worker.handler('rate')
    async def rate(_job):  # pylint: disable=unused-variable
        if next(numbers) == jobs:
            ended.append(time.monotonic())
            worker.stop()
    begun = time.monotonic()
    asyncio.run(worker.run())
    return ended[0] - begun


def flowable_in_python(origin, jobs):
    from flowable.external_worker_client import ExternalWorkerClient  # pylint: disable=import-outside-toplevel,import-error
    done, lock, all_done = [0], threading.Lock(), threading.Event()

    def handle(_job, result):
        with lock:
            done[0] += 1
            if done[0] == jobs:
                all_done.set()
        return result.success()
    begun = time.monotonic()
    subscriptions = [
        ExternalWorkerClient(flowable_host=origin, worker_id=f'worker-{i}').subscribe(
            'rate', handle, lock_duration='PT1M', wait_period_seconds=0.02, number_of_tasks=200) for i in range(4)
    ]
    all_done.wait(PATIENCE_S)
    for subscription in subscriptions:
        subscription.unsubscribe(clients.PATIENCE_S)
    return time.monotonic() - begun


def in_go(packages):
    program = packages / 'worker_rates'
    packages.mkdir(parents=True, exist_ok=True)
    subprocess.run(['go', 'build', '-p', '2', '-o', program, '.'], cwd=Path(__file__).parent / 'go', check=True, timeout=PATIENCE_S)
    return [lambda origin, jobs: seconds_of([program, origin, str(jobs)], None)]


def in_java(packages):
    classes = packages / 'worker_rates_java'
    try:
        path = java_packages.installed(packages / 'own_java', 'java/own/pom.xml')
    except clients.CannotInstall as reason:
        print(f'left out: jobstrand, Java: {reason}')
        return []
    # What an app with our client has: the jars of its tests would be opened and read with each run.
    path = ':'.join(jar for jar in path.split(':') if '/com/fasterxml/' in jar)
    sources = [Path(__file__).parent / 'java/WorkerRates.java', *(ROOT / 'tools/clients/java/src/main/java').rglob('*.java')]
    subprocess.run(['javac', '-nowarn', '-d', classes, '-cp', path, *sources], check=True, timeout=PATIENCE_S)
    return [lambda origin, jobs: seconds_of(['java', '-cp', f'{classes}:{path}', 'WorkerRates', origin, str(jobs)], None)]


def in_node(node, script, which, origin, jobs):
    return seconds_of([node, script, which, str(ROOT / 'tools/clients/javascript'), origin, str(jobs)], Path(script).parent)


def seconds_of(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return json.loads(done.stdout.splitlines()[-1])['seconds']


if __name__ == '__main__':
    sys.exit(main())
