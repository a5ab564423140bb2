#!/usr/bin/env python3
"""The JavaScript package of tools/clients/javascript: workers and enqueueing over HTTP, and its statements on SQLite.

Usage:  javascript_test.py JOBSTRAND_BINARY

Exit codes: 0 passed, 1 failed, 77 there is no Node.js 18. The last line is `N passed, N failed`.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import clients

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

OLDEST = 18


def node():
    """None: there is none that is new enough."""
    program = shutil.which('node')
    version = subprocess.run([program, '--version'], capture_output=True, text=True, check=True).stdout if program else 'v0'
    return program if int(re.match(r'v(\d+)', version)[1]) >= OLDEST else None


def command(origin, case):
    return [node(), clients.HERE / 'javascript_worker.mjs', clients.ROOT / 'tools/clients/javascript', origin, case]


def ask(origin, case):
    done = subprocess.run(command(origin, case), capture_output=True, text=True, timeout=clients.PATIENCE_S, check=False)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return {}
    return json.loads(done.stdout)


def add_external(origin, count, **more):
    clients.enqueue(origin, [
        {'handlerType': 'mail', 'external': True, 'payload': {'n': number}, 'retryCycle': 'R3/PT0.05S', **more} for number in range(count)
    ])


def check_workers(origin, checks):
    add_external(origin, 1000)
    checks.equal('runs', ask(origin, 'a_thousand_jobs'), {'runs': 1100})
    checks.equal('dead letters', clients.places(origin)['dead'], 100)
    checks.equal('jobs for the app', clients.places(origin)['executable'], 200)
    add_external(origin, 3)
    checks.equal('a free place is filled while long jobs run beside it', ask(origin, 'a_free_place_beside_long_jobs'), {'long': 3})
    add_external(origin, 1)
    requests = ask(origin, 'many_short_jobs_beside_a_long_one').get('requests', 1000)
    checks.equal('a thousand short jobs beside a long one need few requests', requests < 400, True)
    add_external(origin, 300)
    checks.equal('what was fetched ahead of a handler that hangs is run by another', ask(origin, 'a_handler_that_hangs_with_jobs_behind_it'),
                 {'done': 300, 'givenBack': True})
    add_external(origin, 1)
    checks.equal('a handler hears of a lost lock', ask(origin, 'a_lock_that_is_lost'), {'heard': True})


def check_fetching(checks):
    done = subprocess.run([node(), clients.HERE / 'javascript_fetching.mjs', clients.ROOT / 'tools/clients/javascript'], capture_output=True,
                          text=True, timeout=clients.PATIENCE_S, check=False)
    checks.equal('how many jobs are fetched, and given back', (done.returncode, done.stderr), (0, ''))


def check_engines(checks):
    script = ('const { engineOf } = await import(process.argv[1]); const { readFileSync } = await import("node:fs");'
              'for (const { key, names } of JSON.parse(readFileSync(process.argv[2], "utf8"))) console.log(engineOf(key, names));')
    done = subprocess.run([node(), '--input-type=module', '--eval', script, clients.ROOT / 'tools/clients/javascript/src/index.js', clients.ENGINE_OF],
                          capture_output=True, text=True, timeout=clients.PATIENCE_S, check=False)
    wanted = [one['engine'] for one in json.loads(clients.ENGINE_OF.read_text(encoding='utf-8'))]
    checks.equal('the engines of keys', (done.stdout.split(), done.stderr), (wanted, ''))


def check_outage(binary, checks):
    port = databases.free_port()
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(command(f'http://127.0.0.1:{port}', 'a_service_that_comes_later'),
                                                                   stdout=subprocess.PIPE, text=True) as worker:
        checks.equal('a worker tries again while the service is away', json.loads(worker.stdout.readline()), {'tries': 4})
        with clients.service(binary, folder, port) as origin:
            clients.enqueue(origin, [{'id': 'late', 'handlerType': 'mail', 'external': True}])
            said, _ = worker.communicate(timeout=clients.PATIENCE_S)
    told = json.loads(said)
    checks.equal('it goes on when the service is there', told['done'], 'late')
    checks.equal('it tells what it serves', told['log'][0], f'worker w-1 serves mail, 100 places, at http://127.0.0.1:{port}')
    checks.equal('it tells of the outage once, and once of its end', [re.sub(r' \d+ s$', '', line)[:32] for line in told['log'][1:]],
                 ['cannot fetch jobs: no answer fro', 'the service answers again, after'])


def check_enqueueing(origin, checks):
    checks.equal('enqueueing', ask(origin, 'enqueueing'), {'first': True, 'kept': True, 'listed': 26, 'ids': 25, 'none': None})
    checks.equal('mistakes', ask(origin, 'mistakes'), {'refused': 400, 'away': True, 'ended': True})


def check_statements(binary, origin, checks):
    told = ask(origin, 'insertions')
    checks.equal('what needs the service is refused', told['refused'], 3)
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, 'JOBSTRAND_DB': 'sqlite:jobs.db'}

        def jobstrand(*words):
            return subprocess.run([binary, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=clients.PATIENCE_S,
                                  check=True).stdout
        jobstrand('schema', 'create')
        connection = sqlite3.connect(Path(folder) / 'jobs.db')
        for statements in told['statements']['sqlite']:
            for statement in statements:
                values = [bytes(one['data']) if isinstance(one, dict) else one for one in statement['values']]
                connection.execute(statement['sql'], values)
        connection.commit()
        connection.close()
        shown = {name: json.loads(jobstrand('job', 'show', name, '-o', 'json')) for name in ('plain', 'later', 'long', 'unique', 'external')}
    checks.equal('a payload', shown['plain']['payload'], {'order': 17, 'to': 'Zoë'})
    checks.equal('a long payload', shown['long']['payload'], 'ü' * 5000)
    checks.equal('a timer', [shown['later'][name] for name in ('place', 'dueDate', 'retries', 'exclusive', 'tenantId')],
                 ['timer', '2035-06-01T10:00:00.250Z', 5, False, 't'])
    checks.equal('a unique key', shown['unique']['uniqueKey'], 'order-17')
    checks.equal('an external job', shown['external']['place'], 'external')
    numbers = [re.findall(r'\$\d', statement['sql']) for statement in told['statements']['postgresql'][0]]
    checks.equal('marks of PostgreSQL', numbers, [['$1', '$2', '$3', '$4'], []])
    checks.equal('MySQL gets its zone back after a failure', told['run'], ['SET', 'INSERT', 'SET'])
    checks.equal('the failure comes through', told['error'], 'a key that is taken')


#: What the dead letter says of each result_that_cannot_be_told.
UNTOLD = ('what the handler returned cannot be told: Do not know how to serialize a BigInt', 'Converting circular structure',
          'half of a surrogate pair', 'bytes long', 'the service refuses its result: result ',
          'so (which cannot be told as it is: Do not know how to serialize a BigInt)', 'the service refuses its result: result ',
          'soon (which cannot be told as it is: a duration must not be negative)', 'an error without a text', 'half \ufffd')


def check_results(origin, checks):
    add_external(origin, len(UNTOLD) + 10, retries=1)
    dead = ask(origin, 'results_that_cannot_be_told')
    checks.equal('dead letters of results that cannot be told', len(dead), len(UNTOLD))
    for why, message in zip(UNTOLD, dead):
        checks.equal(f'"{why}" in "{message}"', why in message, True)
    checks.equal('the others count', clients.places(origin)['executable'], 10)
    checks.equal('misspelt names', ask(origin, 'misspelt_names'), [
        f'TypeError: {what}' for what in ('Worker has no "concurency"; did you mean "concurrency"?', 'Client has no "tokn"; did you mean "token"?',
                                          'Fail has no "retryAfter"; did you mean "retryAfterMs"?',
                                          'a job in the app\'s own transaction has no "retrys"; did you mean "retries"?',
                                          'a job in the app\'s own transaction has no "colour"')
    ])
    add_external(origin, 1)
    done = subprocess.run(command(origin, 'a_bug'), capture_output=True, text=True, timeout=clients.PATIENCE_S, check=False)
    checks.equal('a worker with a bug ends loudly', (done.returncode, done.stdout), (1, ''))
    checks.equal('it says why', 'Error: the worker has ended by a bug: a bug' in done.stderr, True)


def check_errors(origin, checks):
    add_external(origin, 2, retries=1)
    causes = ['Caused by: AggregateError: no server', 'Caused by: TypeError: the first server hung up']
    checks.equal('class, message and causes of what a handler throws', ask(origin, 'what_a_handler_throws'),
                 [['NoSuchOrder: order 17', ['Error: order 17', *causes]], ['not sent', ['Error: not sent', *causes]]])


def check_cancellation(binary, folder, origin, checks):
    add_external(origin, 1, retries=1)
    checks.equal('a handler that hangs is told, and its place is free', ask(origin, 'a_handler_that_hangs'),
                 ['TimeoutError', 'TimeoutError: the handler of mail did not end within 200 ms'])
    add_external(origin, 1)
    with subprocess.Popen(command(origin, 'a_job_that_is_cancelled'), stdout=subprocess.PIPE, text=True) as worker:
        job = json.loads(worker.stdout.readline())['id']
        subprocess.run([binary, 'job', 'cancel', job, '--reason', 'the wrong file'], cwd=folder, check=True, capture_output=True,
                       env={**os.environ, 'JOBSTRAND_DB': 'sqlite:jobs.db'}, timeout=clients.PATIENCE_S)
        said, _ = worker.communicate(timeout=clients.PATIENCE_S)
    checks.equal('a handler hears that its job is cancelled long before its lock ends', json.loads(said), {'heard': True})


def check_promises(origin, checks):
    checks.equal('connections', ask(origin, 'connections'), {'kept': 'first', 'calls': ['run', 'run', 'all'], 'pool': True})
    refused = [f'TypeError: must return the driver\'s promise of the statement\'s end, not {what}'
               for what in ('nothing', 'nothing', 'a Database', 'boolean', 'a Object')]
    checks.equal('no id for what was not carried out', ask(origin, 'promises'), {
        'refused': refused,
        'failed': ['Error: a key that is taken'] * 3,
        'ids': ['mine'] * 5,
        'run': 4,
    })


def main():
    if not node():
        print(f'skipped: there is no Node.js {OLDEST}')
        return clients.SKIPPED
    binary = Path(sys.argv[1]).resolve()
    checks = clients.Checks()
    check_fetching(checks)
    check_engines(checks)
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        check_workers(origin, checks)
        check_statements(binary, origin, checks)
        check_promises(origin, checks)
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        check_enqueueing(origin, checks)
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        check_results(origin, checks)
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        check_errors(origin, checks)
    with tempfile.TemporaryDirectory() as folder, clients.service(binary, folder) as origin:
        check_cancellation(binary, folder, origin, checks)
    check_outage(binary, checks)
    return checks.result()


if __name__ == '__main__':
    sys.exit(main())
