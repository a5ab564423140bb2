#!/usr/bin/env python3
"""Two databases as one (`spreadOver`): PostgreSQL, which is killed in the midst, and MariaDB.

Usage:  engines_as_one_test.py JOBSTRAND_BINARY

Exit codes: 0 passed, 1 failed, 77 the servers are not on this machine. The last line is `N passed, N failed`.
"""
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'fixtures'))
import databases  # pylint: disable=wrong-import-position

PATIENCE_S = 120  # Beyond this it does not happen.
ENGINES = ('dies', 'lives')
MOVED, MOVED_JOBS, KILLS = 12, 25, 4  # Instances that move, jobs of each, and how often who moves them is killed.
INSTANCES, ROUNDS = 40, 15  # So many jobs of each instance are enqueued before the server dies, and as many while it is dead.
SHUTDOWN_WAIT_S, BEYOND_S = 5, 15  # What the service waits for jobs that run, and for all else.
WORK = 'sleep 0.1; echo "$1" >> "$2"'


def engine_of(key):
    return max(ENGINES, key=lambda name: hashlib.sha256(f'{name}\n{key}'.encode()).hexdigest())


def until(holds, what):
    give_up, tick = time.monotonic() + PATIENCE_S, threading.Event()
    while not holds():
        if time.monotonic() > give_up:
            raise AssertionError(f'does not happen: {what}')
        tick.wait(0.05)


class PostgresqlServer:
    """That of databases.postgresql(), which it is told to end and to start."""

    def __init__(self, folder, env):
        self._data, self._port = folder / 'server', env['PGPORT']

    def tell_all(self, what):
        """All its processes, each of which has a group of its own."""
        first = int((self._data / 'postmaster.pid').read_text().split()[0])
        all_of_them = [first, *map(int, Path(f'/proc/{first}/task/{first}/children').read_text().split())]
        for process in all_of_them:
            with contextlib.suppress(ProcessLookupError):  # One may have ended since.
                os.kill(process, what)
        return all_of_them

    def kill(self):
        all_of_them = self.tell_all(signal.SIGKILL)
        until(lambda: not any(Path(f'/proc/{process}').exists() for process in all_of_them), 'they are gone')

    def start(self):
        programs = max(Path('/usr/lib/postgresql').glob('*/bin'))
        subprocess.run(databases.as_user('postgres', [
            programs / 'pg_ctl', '-D', self._data, '-w', f'--timeout={PATIENCE_S}', '-l', self._data / 'log', '-o',
            f'-p {self._port} -k {self._data} -c listen_addresses=127.0.0.1', 'start']), check=True, stdout=subprocess.DEVNULL)


class Service:
    """Both engines, each with an address of its own."""

    def __init__(self, binary, folder, urls):
        self._binary, self._folder = binary, folder
        self.runs_file = folder / 'runs'
        self.runs_file.touch()
        self.ports = {engine: databases.free_port() for engine in ENGINES}
        (folder / 'set.toml').write_text(f'spreadOver = {json.dumps(ENGINES)}\nasyncExecutorSecondsToWaitOnShutdown = {SHUTDOWN_WAIT_S}\n[commands.note]\nprogram = "/bin/sh"\nargs = ["-c", {json.dumps(WORK)}, "sh"]\n' + ''.join(
            f'[engines.{engine}]\ndb = "{urls[engine]}"\nhttpListen = "127.0.0.1:{port}"\n' for engine, port in self.ports.items()))
        self.log = open(folder / 'log', 'w+', encoding='utf-8')
        self._process = subprocess.Popen([binary, 'serve', '--config', 'set.toml'], cwd=folder, stderr=self.log)
        until(lambda: self.said().count(': ready') == 2, 'both engines are ready')

    def said(self):
        return (self._folder / 'log').read_text(encoding='utf-8')

    def job(self, instance, number):
        """A job that writes its id into a file."""
        one = f'{instance}/{number}'
        return {'handlerType': 'command', 'id': one, 'processInstanceId': instance, 'payload': {'command': 'note', 'args': [one, str(self.runs_file)]}}

    def ask(self, engine, path, body=None, key=None):
        """Status and answer, at the address of the engine."""
        headers = {'Content-Type': 'application/json', **({'Idempotency-Key': key} if key else {})}
        request = urllib.request.Request(f'http://127.0.0.1:{self.ports[engine]}{path}', None if body is None else json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def enqueue(self, jobs, key=None):
        """At the address of the one that dies."""
        return self.ask('dies', '/api/v1/jobs', jobs, key)

    def waiting(self, engine):
        status, answer = self.ask(engine, '/api/v1/stats')
        return sum(answer['places'].values()) if status == 200 else None

    def stored_in(self, engine):
        """The instances of the jobs that wait there."""
        done = subprocess.run([self._binary, '--config', 'set.toml', '--engine', engine, '-o', 'json', 'job', 'ls', '--limit', '10000'], cwd=self._folder,
                              capture_output=True, text=True, check=True, timeout=PATIENCE_S)
        return {job['processInstanceId'] for job in json.loads(done.stdout)}

    def command(self, *words, engine):
        """The command line, for one engine."""
        return subprocess.Popen([self._binary, '--config', 'set.toml', '--engine', engine, '-o', 'jsonl', *words], cwd=self._folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def runs(self):
        return self.runs_file.read_text().split()

    def stop(self):
        self._process.terminate()
        code = self._process.wait(timeout=PATIENCE_S)
        self.log.close()
        return code


def ids_are_of_their_engines(service, checks):
    for body in [{'handlerType': 'noop'}] * 4 + [[{'handlerType': 'noop'}] * 3] * 4:
        _, answer = service.enqueue(body)
        places = zip(answer['ids'], answer['engines']) if isinstance(body, list) else [(answer['id'], answer['engine'])]
        checks.true('a job that has nothing but its id is where that belongs', all(engine_of(one) == engine for one, engine in places), answer)


def instances_move(service, checks):
    """Jobs of them run, the program that moves them is killed again and again, and two move them in the end."""
    instances = [one for one in map('moving-{}'.format, range(100)) if engine_of(one) == 'dies'][:MOVED]
    jobs = [service.job(one, number) for number in range(MOVED_JOBS) for one in instances]
    checks.equal('all are stored', service.enqueue(jobs)[0], 201)
    until(lambda: service.runs(), 'jobs run')
    chance = random.Random(41)

    def mover():
        return service.command('instance', 'move', *instances, '--to', 'lives', engine='dies')

    for _ in range(KILLS):
        killed = mover()
        with contextlib.suppress(subprocess.TimeoutExpired):
            killed.wait(timeout=chance.uniform(0.1, 0.6))
        killed.kill()
        killed.communicate()
    moved, movers = [], [mover(), mover()]
    for one in movers:
        said, complaint = one.communicate(timeout=PATIENCE_S)
        checks.true('the last ones move what is left', one.returncode in (0, 3, 4), complaint)
        moved += [line['id'] for line in map(json.loads, said.splitlines())]
    checks.true('each instance is moved by one program, and some by one that was killed', len(set(moved)) == len(moved) < len(instances), moved)
    checks.equal('nothing of them is left where they were', service.stored_in('dies') & set(instances), set())
    until(lambda: service.waiting('lives') == 0 and service.waiting('dies') == 0, 'all their jobs end')
    ran = Counter(service.runs())
    checks.equal('each once', ran, Counter(job['id'] for job in jobs))
    service.runs_file.write_text('')
    print(f'  {len(instances)} instances moved while their jobs ran; {KILLS} movers were killed')


def one_database_dies(service, server, checks):
    instances = [f'instance-{number}' for number in range(INSTANCES)]
    of = {engine: {one for one in instances if engine_of(one) == engine} for engine in ENGINES}
    for number in range(ROUNDS):
        status, answer = service.enqueue([service.job(one, number) for one in instances])
        checks.equal('all are stored', (status, answer.get('engines')), (201, [engine_of(one) for one in instances]))
    stored = {engine: service.stored_in(engine) for engine in ENGINES}
    checks.true('jobs of an instance are in one database', all(stored[engine] and stored[engine] <= of[engine] for engine in ENGINES), stored)
    until(lambda: len(service.runs()) > INSTANCES, 'jobs run')

    server.kill()
    began = service.runs()
    checks.true('it died in the midst', service.waiting('lives') > 0 and len(began) < INSTANCES * ROUNDS, len(began))
    slowest, slowest_of_both, refused = 0.0, 0.0, {}
    for number in range(ROUNDS, 2 * ROUNDS):
        asked = time.monotonic()
        answers = [service.enqueue(service.job(one, number)) for one in of['lives']]
        slowest = max(slowest, (time.monotonic() - asked) / len(answers))
        checks.equal('jobs of the other are stored', {status for status, _ in answers}, {201})
    for number in range(2 * ROUNDS, 2 * ROUNDS + 3):
        refused[f'r{number}'] = jobs = [service.job(one, number) for one in instances]
        asked = time.monotonic()
        status, answer = service.enqueue(jobs, f'r{number}')
        slowest_of_both = max(slowest_of_both, time.monotonic() - asked)
        parts = {part['engine']: part for part in answer.get('parts', [])}
        checks.equal('of both: one part is stored', (status, {engine: part['status'] for engine, part in parts.items()}), (503, {'dies': 503, 'lives': 201}))
        checks.equal('and said so', parts['lives']['ids'], [f'{one}/{number}' for one in instances if one in of['lives']])
    print(f'  a request for the one that lives took {1000 * slowest:.1f} ms in the mean of the slowest round, one for both {1000 * slowest_of_both:.0f}')
    checks.true('which is not slow', slowest < 0.5, slowest)
    missing = [service.job(one, number) for one in of['dies'] for number in range(ROUNDS, 2 * ROUNDS)]
    status, answer = service.enqueue(missing[0])
    checks.equal('a job of the dead one is refused by its name', (status, answer.get('engine')), (503, 'dies'))
    until(lambda: service.waiting('lives') == 0, 'all jobs of the one that lives end while the other is dead')
    ran = Counter(service.runs())
    checks.equal('each once', {ran[f'{one}/{number}'] for one in of['lives'] for number in range(2 * ROUNDS + 3)}, {1})

    server.start()
    for key, jobs in refused.items():
        until(lambda: service.enqueue(jobs, key)[0] == 201, 'a repeated request is taken')  # pylint: disable=cell-var-from-loop
    until(lambda: service.enqueue(missing, 'missing')[0] == 201, 'so is what was missing')
    until(lambda: service.waiting('dies') == 0, 'all jobs end')
    ran = Counter(service.runs())
    wanted = {f'{one}/{number}' for one in instances for number in range(2 * ROUNDS + 3)}
    checks.equal('none is lost', set(ran), wanted)
    twice = {one for one, times in ran.items() if times > 1}
    checks.true('what ran twice had begun when its database died', twice <= {one for one in wanted if one.split('/')[0] in of['dies']} and all(
        int(one.split('/')[1]) < ROUNDS for one in twice), twice)
    print(f'  {len(ran)} jobs, {len(twice)} of them ran twice')


def a_frozen_database_does_not_keep_the_service(service, server, checks):
    job = next(service.job(f'frozen-{number}', 0) for number in range(100) if engine_of(f'frozen-{number}') == 'dies')

    def ask():
        with contextlib.suppress(OSError):
            service.enqueue(job)

    server.tell_all(signal.SIGSTOP)
    asking = threading.Thread(target=ask)
    try:
        asking.start()
        until(lambda: service.waiting('lives') == 0, 'the other database answers')
        checks.true('the request waits', asking.is_alive())
        began = time.monotonic()
        code = service.stop()
        took = time.monotonic() - began
    finally:
        server.tell_all(signal.SIGCONT)
    asking.join()
    checks.equal('it says that it has not ended well', code, 1)
    checks.true('and why', 'perhaps for want of the database' in service.said(), service.said()[-2000:])
    print(f'  beside a frozen database the service ended in {took:.1f} s')
    checks.true('the service ends in time beside a frozen database', took < SHUTDOWN_WAIT_S + BEYOND_S + 5, took)


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def true(self, what, holds, said=''):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f'FAILED: {what}: {said}', flush=True)

    def equal(self, what, found, wanted):
        self.true(what, found == wanted, f'{found} is not {wanted}')


def main():
    if not shutil.which('mariadb-install-db') or not list(Path('/usr/lib/postgresql').glob('*/bin')):
        print('skipped: PostgreSQL and MariaDB are not on this machine')
        return 77
    binary, checks = Path(sys.argv[1]).resolve(), Checks()
    with contextlib.ExitStack() as stack:
        one, other, folder = (Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(3))
        urls = {'lives': stack.enter_context(databases.mariadb(other))['JOBSTRAND_DB']}
        there = stack.enter_context(databases.postgresql(one))
        urls['dies'] = there['JOBSTRAND_DB']
        service, server = Service(binary, folder, urls), PostgresqlServer(one, there)
        try:
            ids_are_of_their_engines(service, checks)
            instances_move(service, checks)
            one_database_dies(service, server, checks)
        finally:
            checks.equal('the service ends well', service.stop(), 0)
            if checks.failed:
                print(service.said()[-5000:])
        a_frozen_database_does_not_keep_the_service(Service(binary, folder, urls), server, checks)
    print(f'{checks.passed} passed, {checks.failed} failed')
    return 1 if checks.failed else 0


if __name__ == '__main__':
    sys.exit(main())
