"""What the tests with other people's clients share: their packages, and a service to talk to."""
import fcntl
import hashlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
import unittest
import urllib.request
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: To which engine keys belong: each case is a key, names, and one of them.
ENGINE_OF = HERE / 'engine_of.json'
SKIPPED = 77
PATIENCE_S = 60  # Beyond this something hangs; nothing is measured.
INSTALL_S = 300


class CannotInstall(Exception):
    """Not to be had on this machine: the test is skipped."""


def install(target, listed, command):
    """Downloads what a file lists, unless that has been done for the same list. Tests that want the same wait for each other."""
    target.mkdir(parents=True, exist_ok=True)
    with open(target / 'installing', 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(target, listed, command)


def _install(target, listed, command):
    stamp = target / 'installed'
    wanted = hashlib.sha256((HERE / listed).read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    try:
        done = subprocess.run(command, cwd=target, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=INSTALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstall(str(error)) from error
    if done.returncode != 0:
        raise CannotInstall(f'{command[0]}: {done.stdout[-1500:]}')
    stamp.write_text(wanted)


@contextmanager
def service(binary, folder, port=0, database='sqlite:jobs.db'):
    """The service on a database, with its origin `http://127.0.0.1:PORT`; 0: a free one."""
    env = {**os.environ, 'JOBSTRAND_DB': database}
    subprocess.run([binary, 'schema', 'create'], cwd=folder, env=env, check=True, capture_output=True, timeout=PATIENCE_S)
    with subprocess.Popen([binary, 'serve', '--http', f'127.0.0.1:{port}'], cwd=folder, env=env, stderr=subprocess.PIPE) as process:
        try:
            origin = f'http://127.0.0.1:{port_of(process)}'
            # A log that nobody reads fills its pipe, and then the service stands still.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield origin
        finally:
            end(process)


def end(process):
    """By SIGTERM, or what stands still by SIGKILL."""
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def port_of(process):
    """Which the service has chosen, as soon as it is ready."""
    log = b''
    while b' clock_skew_ms=' not in log:
        if not select.select([process.stderr], [], [], PATIENCE_S)[0]:
            raise RuntimeError('the service is not ready: ' + log.decode())
        log += os.read(process.stderr.fileno(), 4096) or b' clock_skew_ms='
    return re.search(rb'\bport=(\d+)', log)[1].decode()


def enqueue(origin, jobs):
    body = json.dumps(jobs).encode()
    request = urllib.request.Request(origin + '/api/v1/jobs', body, {'Content-Type': 'application/json'})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
        assert response.status == 201, response.status


def look(origin, path):
    with urllib.request.urlopen(origin + path, timeout=PATIENCE_S) as response:
        return response.read().decode()


def places(origin):
    return json.loads(look(origin, '/api/v1/stats'))['places']


def metric(origin, name):
    return int(float(re.search(rf'^{name} (\S+)$', look(origin, '/metrics'), re.M)[1]))


def eventually(is_so):
    """Whether it is within the time that all of it may take."""
    give_up = time.monotonic() + PATIENCE_S
    tick = threading.Event()
    while not is_so():
        if tick.wait(0.02) or time.monotonic() > give_up:
            return False
    return True


def run_example(command, home, is_worker, sent=(17, 18), env=None):
    """Whether an example of the documents ends well, a worker by SIGTERM once it has sent these orders; and what it said."""
    with subprocess.Popen(command, cwd=home, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        watchdog = threading.Timer(PATIENCE_S, process.kill)
        watchdog.start()
        said = ''

        def has_sent():
            return all(f'sent {order}' in said for order in sent)

        while is_worker and not has_sent() and (line := process.stdout.readline()):
            said += line
        if is_worker:
            process.send_signal(signal.SIGTERM)
        said += process.stdout.read()
        process.wait()
        watchdog.cancel()
    return process.returncode == 0 and (not is_worker or has_sent()), said


def run_cases(cases):
    """Of unittest. Returns the exit code."""
    tests = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f'{result.testsRun - failed} passed, {failed} failed')
    return 1 if failed or not result.testsRun else 0


class Checks:
    """Counts what was expected, and says what was not."""

    def __init__(self):
        self.failed = 0
        self.passed = 0

    def equal(self, what, is_now, expected):
        if is_now == expected:
            self.passed += 1
        else:
            self.failed += 1
            print(f'FAILED: {what} is {is_now}, not {expected}', file=sys.stderr)

    def result(self):
        print(f'{self.passed} passed, {self.failed} failed')
        return 1 if self.failed or not self.passed else 0
