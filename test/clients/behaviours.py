#!/usr/bin/env python3
"""Whether a client does what behaviours.toml says, on SQLite, PostgreSQL and MariaDB.

Usage:  behaviours.py CLIENT JOBSTRAND_BINARY FOLDER_FOR_PACKAGES [BEHAVIOUR]

CLIENT: one of those in adapters.py, where its adapter is started. An adapter is a program that does with the client what it is told, in
lines of JSON on its stdin; what becomes of that, and what its handlers do, it tells on its stdout:

    {"enqueue": JOB, "by": "http" | "sql" | "rollback"}     {"id": ID} | {"refused": "CLASS: MESSAGE"}
    {"work": {"handlers": {TOPIC: [STEP]}, "places": 4}}    {"working": true}, and then {"began": ID, "topic": TOPIC, "attempt": 1},
                                                            {"ended": ID}, {"heard": ID} of its handlers and {"log": LINE} of the client
    {"stop": "begin" | "end"}                               {"stopped": ...}; at "end", when the worker has ended

A JOB has the fields of the service, with `due` (an instant), `delay` (seconds) or `words` for its due date; `uniqueFor` is seconds. A worker
has `places`, `lock`, `wait`, `timeout` and `weights` of its handlers, and `tenant`. The steps of a handler are those of `Handler` in python/adapter.py.

Databases whose programs are not here are left out. BEHAVIOUR: only those whose names have this. Exit codes: 0 passed, 1 failed, 77 the client
is not to be had. The last line is `N passed, N failed, N skipped`.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import traceback
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path

import adapters
import clients
from links import Link

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

TOLD = clients.HERE / 'behaviours.toml'
PATIENCE_S = 30  # Beyond this it does not happen.
WAYS = {'http': ' (over HTTP)', 'sql': " (in the app's transaction)"}
NAMES = {'sqlite': 'SQLite', 'postgresql': 'PostgreSQL', 'mysql': 'MariaDB'}


def told():
    """All behaviours."""
    return tomllib.loads(TOLD.read_text(encoding='utf-8'))['behaviour']


def until(look, what):
    """Waits for something that is true, and returns it."""
    give_up = time.monotonic() + PATIENCE_S
    tick = threading.Event()
    while not (found := look()):
        if time.monotonic() > give_up:
            raise AssertionError(f'does not happen: {what() if callable(what) else what}')
        tick.wait(0.01)
    return found


def expanded(value):
    """What TOML cannot say, or not well."""
    if isinstance(value, dict):
        return value['of'] * value['times'] if value.keys() == {'times', 'of'} else {name: expanded(one) for name, one in value.items()}
    return [expanded(one) for one in value] if isinstance(value, list) else None if value == 'null' else value


def fits(wanted, found):
    """Whether a value is as a behaviour says."""
    if isinstance(wanted, dict) and wanted.keys() == {'like'}:
        return isinstance(found, str) and re.search(wanted['like'], found) is not None
    if isinstance(wanted, dict) and wanted.keys() == {'in'}:
        due = datetime.fromisoformat(found) if found else datetime.min.replace(tzinfo=timezone.utc)
        return abs(due - datetime.now(timezone.utc) - timedelta(seconds=wanted['in'])) < timedelta(minutes=2)
    if isinstance(wanted, dict):
        return isinstance(found, dict) and wanted.keys() == found.keys() and all(fits(one, found[name]) for name, one in wanted.items())
    if isinstance(wanted, list):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(fits, wanted, found))
    return wanted == found and isinstance(wanted, bool) == isinstance(found, bool)


class Service:
    """On one database, at a port that stays the same when it is away and comes back."""

    def __init__(self, binary, folder, env):
        self._binary, self._folder, self._env = binary, folder, env
        self.port = databases.free_port()
        self.origin = f'http://127.0.0.1:{self.port}'
        self._process = None
        subprocess.run([binary, 'schema', 'create'], cwd=folder, env=env, check=True, capture_output=True, timeout=clients.PATIENCE_S)

    def start(self):
        """If it is not there."""
        if self._process is not None:
            return
        self._process = subprocess.Popen([self._binary, 'serve', '--http', f'127.0.0.1:{self.port}'], cwd=self._folder, env=self._env, stderr=subprocess.PIPE)
        clients.port_of(self._process)
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def kill(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def ask(self, path, body=None):
        """None: it is not there."""
        request = urllib.request.Request(self.origin + path, None if body is None else json.dumps(body).encode(), {'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request, timeout=clients.PATIENCE_S) as response:
                return json.loads(response.read() or b'null')
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise AssertionError(f'{path}: {error.read().decode()}') from error


class Adapter:
    """One that runs."""

    def __init__(self, command, origin, url):
        self._process = subprocess.Popen([*command, origin, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=adapters.ENVIRONMENT, start_new_session=True)
        self.pid = self._process.pid
        self.events = []
        """What its handlers did and its client logged, each with the time at which that was heard."""
        self.answers = []
        self._has_ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            one = {**json.loads(line), 'at': time.time()}
            (self.answers if one.keys() & {'id', 'refused', 'working', 'stopped'} else self.events).append(one)
        self._has_ended = True

    def tell(self, what):
        self._process.stdin.write(json.dumps(what).encode() + b'\n')
        self._process.stdin.flush()

    def ask(self, what):
        """And what it answers."""
        self.tell(what)
        until(lambda: self.answers or self._has_ended, f'an answer to {what}')
        if not self.answers:
            raise AssertionError(f'the adapter has ended at {what}')
        return self.answers.pop()

    def happened(self, kind, job_id=None):
        return [event for event in list(self.events) if kind in event and job_id in (None, event[kind])]

    def end(self):
        self.send(signal.SIGKILL)
        self._process.wait()
        self._reader.join()

    def send(self, number):
        """A signal, to the processes that it has begun too."""
        os.killpg(self.pid, number)


class Run:
    """Of one behaviour. Each verb of a step is a method; what else the step says are its arguments."""

    def __init__(self, service, link, adapter, way, folder):
        self._service, self._link, self._adapter, self._way, self._folder = service, link, adapter, way, folder
        self._gates = set()
        self._works = False
        self._lock = None

    def carry_out(self, steps):
        for step in steps:
            (verb, value), *more = json.loads(json.dumps(step).replace('WAY', self._way)).items()
            try:
                getattr(self, verb)(value, **{'wanted' if name == 'is' else name: one for name, one in more})
            except AssertionError as reason:
                raise AssertionError(f'{step}: {reason}') from reason

    def end(self):
        """Leaves nothing behind."""
        self._service.start()
        self._link.mend()
        if self._works:
            self._adapter.ask({'stop': 'begin'})
            for gate in self._gates:
                gate.touch()
            self._adapter.ask({'stop': 'end'})
        self._adapter.events.clear()
        # Places are counted one after the other: a job that moves meanwhile may stand in none of them once.
        until(lambda: self._is_empty() and self._is_empty(), 'all jobs are removed')

    def _is_empty(self):
        """Removes what there is; a worker that was killed holds its jobs until their locks end."""
        places = {place: count for place, count in self._service.ask('/api/v1/stats')['places'].items() if count > 0}
        if 'timer' in places:
            self._service.ask('/api/v1/verbs/series/end', {'arguments': ['--all', '--yes']})
        for place in places:
            self._remove(place)
        return not places

    def _remove(self, place):
        with suppress(AssertionError):
            self._service.ask('/api/v1/verbs/job/rm', {'arguments': ['--place', place, '--all', '--yes']})

    def enqueue(self, job, by=None, times=1, answer=None, refused=None):
        for _ in range(times):
            said = self._adapter.ask({'enqueue': expanded({'handlerType': 'mail', 'external': True, **job}), 'by': by or self._way})
            if refused is not None:
                assert re.search(refused, said.get('refused', ''), re.S), said
            else:
                assert 'id' in said and said['id'] == (answer or job.get('id', said['id'])), said

    def work(self, handlers, **options):
        steps = {topic: [{'until': str(self._gate(step['until']))} if 'until' in step else expanded(step) for step in steps]
                 for topic, steps in handlers.items()}
        said = self._adapter.ask({'work': {'places': 4, 'lock': 10, 'wait': 0.1, 'weights': {}, **options, 'handlers': steps}})
        assert 'working' in said, said
        self._works = True

    def _gate(self, name):
        gate = self._folder / name
        self._gates.add(gate)
        return gate

    def open(self, name):
        self._gate(name).touch()

    def stop(self, when):
        for part in ('begin', 'end') if when is True else (when,):
            self._adapter.ask({'stop': part})
        self._works = when == 'begin'

    def service(self, how):
        self._service.kill() if how == 'away' else self._service.start()

    def answers(self, _how):
        self._link.lose_answers()

    def cancel(self, job_id):
        self._service.ask('/api/v1/jobs/cancel', {'ids': [job_id], 'reason': 'the wrong file'})

    def requeue(self, job_id):
        self._service.ask('/api/v1/dead/requeue', {'ids': [job_id]})

    def _shown(self, job_id):
        shown = self._service.ask(f'/api/v1/jobs/{urllib.parse.quote(job_id)}')
        return shown if shown and shown['place'] != 'done' else None

    def job(self, job_id, wanted, given=None):
        shown = {}

        def is_so():
            shown.clear()
            shown.update(self._shown(job_id) or {})
            if not shown or not all(fits(expanded(one), shown.get(name)) for name, one in wanted.items()):
                return False
            return given is None or fits({'given': expanded(given)}, shown['payload']['variables'])
        until(is_so, lambda: f'it is {str(shown)[:3000]}')

    def done(self, ids):
        for job_id in ids:
            until(lambda: self._adapter.happened('ended', job_id), f'a run of {job_id}')
            until(lambda: self._shown(job_id) is None, lambda: f'it is {self._shown(job_id)}')

    def none(self, job_id):
        assert self._shown(job_id) is None, self._shown(job_id)

    def jobs(self, count):
        places = self._service.ask('/api/v1/stats')['places']
        assert sum(places.values()) == count, places

    def prolonged(self, job_id):
        def lock():
            return self._shown(job_id)['lockExpirationTime']
        before = self._lock or until(lock, 'a lock')
        self._lock = until(lambda: lock() != before and lock(), 'a longer lock')

    def happens(self, what):
        until(lambda: self._adapter.happened(*what.split()), lambda: f'there is {self._adapter.events}')

    def runs(self, wanted):
        for job_id, attempts in wanted.items():
            until(lambda: [event['attempt'] for event in self._adapter.happened('began', job_id)] == attempts, lambda: f'there is {self._adapter.events}')

    def in_order(self, wanted):
        def is_so():
            told = iter([f'{kind} {event[kind]}' for event in list(self._adapter.events) for kind in ('began', 'ended') if kind in event])
            return all(one in told for one in wanted)
        until(is_so, lambda: f'there is {self._adapter.events}')

    def shares(self, wanted):
        count = sum(wanted.values())
        begun = until(lambda: len(self._adapter.happened('began')) >= count and self._adapter.happened('began'), 'so many runs')
        found = Counter(event['topic'] for event in begun[:count])
        assert found == wanted, found

    def log(self, pattern, times=None):
        def lines():
            return [event['log'] for event in self._adapter.happened('log') if re.search(pattern, event['log'])]
        found = until(lines, lambda: f'there is {self._adapter.happened("log")}')
        assert times in (None, len(found)), found


class OnDatabase:
    """The behaviours of one client on one database."""

    def __init__(self, client, database, binary, only):
        self._client, self._database, self._binary, self._only = client, database, binary, only
        self._service = self._link = self._adapter = None
        self.results = []
        """As (name, what became of it: `ok`, `FAILED` or `skipped`, why)."""

    def run(self):
        with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
            try:
                start = self._set_up(Path(name), stack)
                for behaviour in told():
                    for way in behaviour.get('ways', ['http']) if self._only in behaviour['name'] else []:
                        self.results.append((behaviour['name'] + (WAYS[way] if 'ways' in behaviour else ''), *self._result_of(behaviour, way, start)))
            except Exception:  # Of a thread, which nobody would hear.
                self.results.append(('all behaviours are run', 'FAILED', traceback.format_exc()))

    def _set_up(self, folder, stack):
        """Returns what starts an adapter."""
        settings = folder / 'jobstrand.toml'
        settings.write_text('externalTimeLimits = ["slow=PT0.5S"]\n')
        start, _ = databases.DATABASES[self._database]
        env = {**os.environ, **stack.enter_context(start(folder)), 'HOME': str(folder), 'JOBSTRAND_CONFIG': str(settings)}
        self._service = Service(self._binary, folder, env)
        self._service.start()
        stack.callback(self._service.kill)
        self._link = Link(self._service.port)
        stack.callback(self._link.close)
        url = env['JOBSTRAND_DB'].replace('sqlite:', f'sqlite:{folder}/')

        def begin():
            self._adapter = Adapter(adapters.command(self._client), self._link.origin, url)
        begin()
        stack.callback(lambda: self._adapter.end())  # That is another one by then, perhaps.
        return begin

    def _result_of(self, behaviour, way, start):
        if self._client in behaviour.get('without', {}):
            return 'skipped', behaviour['without'][self._client]
        with tempfile.TemporaryDirectory() as gates:
            run = Run(self._service, self._link, self._adapter, way, Path(gates))
            try:
                run.carry_out(behaviour['steps'])
                run.end()
                return 'ok', ''
            except Exception as error:  # Whatever it is, the others are run all the same.
                self._adapter.end()
                start()
                Run(self._service, self._link, self._adapter, way, Path(gates)).end()
                return 'FAILED', str(error) if isinstance(error, AssertionError) else traceback.format_exc()


def all_results(client, binary, only):
    """On each database, of which those are left out that are not here; side by side, because they wait most of the time."""
    runs = {}
    for database, (_, program) in databases.DATABASES.items():
        if shutil.which(program) is None and database != 'sqlite':
            print(f'left out: {NAMES[database]}')
            continue
        runs[database] = OnDatabase(client, database, binary, only)
    threads = [threading.Thread(target=run.run) for run in runs.values()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [(f'{name}, {NAMES[database]}', what, why) for database, run in runs.items() for name, what, why in run.results]


def concluded(client, binary, packages, only='', others=()):
    """Tells of each behaviour, and in the last line how many passed, `others` included. Returns the exit code. Raises CannotInstall."""
    adapters.prepare(client, packages)
    counts = Counter('ok' if is_good else 'FAILED' for is_good in others)
    for name, what, why in all_results(client, binary, only):
        print(f'{what}: {client}: {name}' + (f' ({why})' if what == 'skipped' else f'\n{why}' if why else ''))
        counts[what] += 1
    print(f'{counts["ok"]} passed, {counts["FAILED"]} failed, {counts["skipped"]} skipped')
    return 1 if counts['FAILED'] or not counts['ok'] else 0


def main():
    client, binary, packages, *only = sys.argv[1:]
    try:
        return concluded(client, Path(binary).resolve(), Path(packages).resolve(), *only)
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED


if __name__ == '__main__':
    sys.exit(main())
