#!/usr/bin/env python3
"""The Python package of tools/clients/python: jobs in the app's own transaction, on each database.

Usage:  python_sql_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

Databases whose programs or drivers are not to be had here are left out. The last line is `N passed, N failed`.
"""
import asyncio
import contextlib
import gc
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import warnings
from datetime import datetime, timedelta, timezone
from pathlib import Path

import clients

sys.path.insert(0, str(clients.ROOT / 'tools/clients/python'))
sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position
import own_connections  # pylint: disable=wrong-import-position
from first_road import first_road  # pylint: disable=wrong-import-position
import jobstrand  # pylint: disable=wrong-import-position
from jobstrand import NewJob  # pylint: disable=wrong-import-position

BINARY = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path()
PACKAGES = Path(sys.argv[2]).resolve() / 'python-drivers' if len(sys.argv) > 2 else Path()


class OwnTransaction:
    """The same for each database: see the classes below. The cases share it, and begin without a job."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        start, _ = databases.DATABASES[cls.database]
        cls.env = {**os.environ, **cls.enterClassContext(start(cls.folder)), 'HOME': str(cls.folder)}
        cls.jobstrand('schema', 'create')

    def setUp(self):
        self.connection = self.connect()
        self.addCleanup(self.connection.close)
        self.addCleanup(self.remove_jobs)

    def remove_jobs(self):
        self.connection.rollback()
        cursor = self.connection.cursor()
        for table in ('JOB', 'TIMER_JOB', 'EXTERNAL_JOB'):
            cursor.execute(f'DELETE FROM ACT_RU_{table}')
        cursor.execute('DELETE FROM JS_UNIQUE')
        self.connection.commit()

    @classmethod
    def jobstrand(cls, *words):
        done = subprocess.run([BINARY, *words], cwd=cls.folder, env=cls.env, capture_output=True, text=True,
                              timeout=clients.PATIENCE_S, check=True)
        return done.stdout

    def shown(self, job_id):
        return json.loads(self.jobstrand('job', 'show', job_id, '-o', 'json'))

    def ids(self):
        return self.jobstrand('job', 'ls', '--place', 'all', '-o', 'name').split()

    @classmethod
    def port(cls):
        return int(cls.env['JOBSTRAND_DB'].rpartition(':')[2].partition('/')[0])

    @classmethod
    def password(cls):
        return cls.env['JOBSTRAND_DB'].partition('//')[2].partition('@')[0].partition(':')[2]

    def test_a_unique_key_lets_one_job_in(self):
        job = jobstrand.enqueue(self.connection, NewJob('mail', unique_key='order-17', unique_for=timedelta(hours=1)))
        self.connection.commit()
        with self.assertRaises(self.driver.IntegrityError):
            jobstrand.enqueue(self.connection, NewJob('mail', unique_key='order-17'))
        self.connection.rollback()
        self.assertEqual(self.ids(), [job])

    def test_every_driver_takes_every_kind_of_job_in_one_call(self):
        for name, connect in self.connections().items():
            with self.subTest(name):
                try:
                    with connect() as app:
                        self.assert_every_kind_is_taken(app)
                except ImportError as reason:
                    print(f'left out: {name} on {self.database}: {reason}', flush=True)
                self.remove_jobs()

    def assert_every_kind_is_taken(self, app):
        app.enqueue('mail', {'order': 16})
        app.rollback()
        hour = timedelta(hours=1)
        plain = app.enqueue('mail', {'order': 17, 'to': 'Zoë', '%s?': 'ü' * 5000})
        app.enqueue(NewJob('mail', id='later', external=True, due=hour, exclusive=True, process_instance_id='i-1'))
        app.enqueue(NewJob('mail', id='digest', due=hour, repeat='R/PT1H', priority=7))
        first = app.enqueue(NewJob('mail', 'x' * 5000, due=hour, unique_key='k'))
        self.assertEqual(app.enqueue(NewJob('mail', due=hour, unique_key='k', on_duplicate='keep')), first)
        second = app.enqueue(NewJob('mail', external=True, unique_key='k', unique_for=hour, on_duplicate='replace'))
        app.commit()
        shown = {job['id']: job for job in json.loads(self.jobstrand('job', 'ls', '--place', 'all', '-o', 'json'))}
        self.assertEqual(sorted(shown), sorted([plain, 'later', 'digest', second]))
        self.assertEqual(self.shown(plain)['payload'], {'order': 17, 'to': 'Zoë', '%s?': 'ü' * 5000})
        self.assertEqual([shown[job]['place'] for job in ('later', 'digest', second)], ['timer', 'timer', 'external'])
        self.assertEqual((shown['digest']['repeat'], shown['digest']['priority']), ('R/PT1H', 7))
        self.assertEqual((shown[second]['uniqueKey'], shown['later']['processInstanceId']), ('k', 'i-1'))
        due = datetime.fromisoformat(shown['later']['dueDate'])
        self.assertLess(abs(due - datetime.now(timezone.utc) - hour), timedelta(minutes=10), 'in UTC, whatever the zone of the session')

    @unittest.skipIf(sys.version_info < (3, 11), 'errors take no notes')
    def test_without_tables_the_drivers_error_says_how_they_come(self):
        with contextlib.closing(self.connect_without_tables()) as connection, self.assertRaises(self.driver.Error) as raised:
            jobstrand.enqueue(connection, 'mail')
        self.assertIn('jobstrand schema create', ''.join(raised.exception.__notes__))

    def test_a_job_that_runs_is_not_replaced(self):
        job = jobstrand.enqueue(self.connection, NewJob('mail', unique_key='k'))
        cursor = self.connection.cursor()
        cursor.execute("UPDATE ACT_RU_JOB SET LOCK_OWNER_ = 'n-1', LOCK_EXP_TIME_ = '2035-01-01 00:00:00'")
        self.connection.commit()
        with self.assertRaisesRegex(jobstrand.KeyHeld, f'job {job} has the unique key k, and is running'):
            jobstrand.enqueue(self.connection, NewJob('mail', unique_key='k', on_duplicate='replace'))
        self.connection.rollback()
        self.assertEqual(jobstrand.enqueue(self.connection, NewJob('mail', unique_key='k', on_duplicate='keep')), job)
        self.assertEqual(self.ids(), [job])


class OnSqlite(OwnTransaction, unittest.TestCase):
    database, driver = 'sqlite', sqlite3

    def connect(self):
        return sqlite3.connect(self.folder / 'jobs.db')

    @staticmethod
    def connect_without_tables():
        return sqlite3.connect(':memory:')

    def connections(self):
        return own_connections.on_sqlite(self.folder / 'jobs.db')

    def test_what_only_the_service_can_do_is_refused(self):
        for job, why in ((NewJob('mail', due='tomorrow 09:00'), 'in words'), (NewJob('mail', repeat='R/PT1H'), 'first turn'),
                         (NewJob('mail', on_duplicate='keep'), 'go with unique_key'), (NewJob('mail', unique_key='k', on_duplicate='take'), 'not take'),
                         (NewJob('mail', due=timedelta(1), repeat='R/PT1H', unique_key='k'), 'key of its series'),
                         (NewJob('mail', due=datetime(2035, 1, 1)), 'time zone')):
            with self.assertRaisesRegex(ValueError, why):
                jobstrand.enqueue(self.connection, job)


class Asynchronous(unittest.TestCase):
    """Drivers whose statements are carried out only when somebody awaits them."""

    def test_a_connection_that_nobody_awaits_is_not_awaited(self):
        with sqlite3.connect(':memory:') as connection, self.assertRaisesRegex(TypeError, 'sqlite3.Connection is not asynchronous: jobstrand.enqueue'):
            asyncio.run(jobstrand.aio.enqueue(connection, 'mail'))
        connection.close()

    def assert_refused(self, connection):
        with warnings.catch_warnings():
            warnings.simplefilter('error')  # A coroutine that is dropped is one.
            with self.assertRaisesRegex(TypeError, r'\.AsyncConnection is asynchronous.*await jobstrand\.aio\.enqueue.*synchronous driver'):
                jobstrand.enqueue(connection, NewJob('mail', unique_key='k', unique_for=timedelta(hours=1)))
            gc.collect()

    def test_a_connection_with_coroutines_is_refused_before_a_statement(self):
        class AsyncConnection:
            def __init__(self):
                self.cursors = 0

            def cursor(self):
                self.cursors += 1

            async def commit(self):
                pass
        for module in ('psycopg', 'mysql.connector.aio.connection', 'aiosqlite.core', 'asyncpg.connection'):
            AsyncConnection.__module__ = module
            connection = AsyncConnection()
            self.assert_refused(connection)
            self.assertEqual(connection.cursors, 0)

    def test_what_execute_promises_is_not_taken_for_done(self):
        async def later(*_):
            pass

        class Deferred:
            def __await__(self):
                yield

        class AsyncConnection:
            __module__ = 'sqlite3'

            def __init__(self, answer):
                self.answer = answer

            def cursor(self):
                return self

            def execute(self, *_):
                return self.answer()

            def close(self):
                pass
        for answer in (later, Deferred):
            self.assert_refused(AsyncConnection(answer))


class OnServer(OwnTransaction):
    """With users who may do less than the service."""

    #: What docs/clients.md says that the user of an app needs, step by step.
    RIGHTS = (('INSERT', ('ACT_RU_JOB', 'ACT_RU_TIMER_JOB', 'ACT_RU_EXTERNAL_JOB', 'JS_UNIQUE', 'ACT_GE_BYTEARRAY')),
              ('SELECT, UPDATE, DELETE', ('JS_UNIQUE',)),
              ('SELECT, UPDATE, DELETE', ('ACT_RU_JOB', 'ACT_RU_TIMER_JOB', 'ACT_RU_EXTERNAL_JOB', 'ACT_RU_SUSPENDED_JOB', 'ACT_GE_BYTEARRAY')))

    def test_the_rights_that_the_documents_name_are_enough(self):
        hour = timedelta(hours=1)
        steps = ((NewJob('mail', 'x' * 5000), NewJob('mail', due=hour, external=True), NewJob('mail', external=True),
                  NewJob('mail', due=hour, repeat='R/PT1H'), NewJob('mail', unique_key='k')),
                 (NewJob('mail', unique_key='k', on_duplicate='keep'), NewJob('mail', 'x' * 5000, unique_key='l', unique_for=hour)),
                 (NewJob('mail', unique_key='l', on_duplicate='replace'),))
        admin, app = self.connect_as_admin(), None
        self.addCleanup(admin.close)
        for (rights, tables), jobs in zip(self.RIGHTS, steps):
            for table in tables:
                admin.cursor().execute(f'GRANT {rights} ON {table} TO app')
            admin.commit()
            app = app or self.connect('app', 'of the app')
            for job in jobs:
                jobstrand.enqueue(app, job)
            app.commit()
        app.close()
        self.assertEqual(len(self.ids()), 6)


class OnMariaDb(OnServer, unittest.TestCase):
    database = 'mysql'

    def connect_as_admin(self):
        admin = self.driver.connect(host='127.0.0.1', port=self.port(), user='root', database='jobs')
        admin.cursor().execute("CREATE USER app IDENTIFIED BY 'of the app'")
        return admin

    def connect(self, user='jobs', password=None):
        import pymysql  # pylint: disable=import-outside-toplevel,import-error
        self.driver = pymysql
        connection = pymysql.connect(host='127.0.0.1', port=self.port(), user=user, password=password or self.password(), database='jobs')
        with connection.cursor() as cursor:
            cursor.execute("SET time_zone = '+05:00'")
        return connection

    def connect_without_tables(self):
        connection = self.driver.connect(host='127.0.0.1', port=self.port(), user='root')
        connection.cursor().execute('CREATE DATABASE of_others')
        connection.select_db('of_others')
        return connection

    def connections(self):
        return own_connections.on_mariadb(self.port(), self.password())

    def test_the_sessions_zone_is_left_as_it_was(self):
        jobstrand.enqueue(self.connection, NewJob('mail', due=timedelta(hours=1)))
        with self.connection.cursor() as cursor:
            cursor.execute('SELECT @@session.time_zone')
            self.assertEqual(cursor.fetchone()[0], '+05:00')


class OnPostgresql(OnServer, unittest.TestCase):
    database = 'postgresql'

    def connect_as_admin(self):
        admin = self.driver.connect(host='127.0.0.1', port=self.port(), user='postgres', database='jobs')
        admin.cursor().execute("CREATE USER app PASSWORD 'of the app'")
        return admin

    def connect(self, user='jobs', password=None):
        import pg8000.dbapi  # pylint: disable=import-outside-toplevel,import-error
        self.driver = pg8000.dbapi
        self.driver.IntegrityError = pg8000.dbapi.DatabaseError  # What this driver raises for a key that is taken.
        return pg8000.dbapi.connect(host='127.0.0.1', port=self.port(), user=user, password=password or self.password(), database='jobs')

    def connect_without_tables(self):
        connection = self.connect()
        connection.cursor().execute('SET search_path TO pg_catalog')
        return connection

    def connections(self):
        return own_connections.on_postgresql(self.port(), self.password())

    def test_the_first_app_of_the_readme_has_its_job_run(self):
        database = self.env['JOBSTRAND_DB']
        with clients.service(BINARY, self.folder, database=database) as origin:
            _, app = first_road('python', database, origin.removeprefix('http://'))
            env = {**self.env, 'PYTHONPATH': f'{PACKAGES}:{clients.ROOT}/tools/clients/python'}
            is_good, said = clients.run_example([sys.executable, '-c', app], self.folder, True, sent=[1], env=env)
        self.assertTrue(is_good, said)


def pip(target, listed):
    return [sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--upgrade', '--target', str(target),
            '--requirement', str(clients.HERE / listed)]


def cases():
    """Of the databases that can be tested here."""
    sys.path.insert(0, str(PACKAGES))
    chosen = [OnSqlite, Asynchronous]
    try:
        clients.install(PACKAGES, 'drivers.txt', pip(PACKAGES, 'drivers.txt'))
    except clients.CannotInstall as reason:
        print(f'left out: drivers of servers: {reason}')
        return chosen
    try:
        clients.install(PACKAGES / 'mysqlclient', 'mysqlclient.txt', pip(PACKAGES / 'mysqlclient', 'mysqlclient.txt'))
        sys.path.append(str(PACKAGES / 'mysqlclient'))
    except clients.CannotInstall as reason:
        print(f'left out: mysqlclient: {reason}')
    for case in (OnMariaDb, OnPostgresql):
        if shutil.which(databases.DATABASES[case.database][1]):
            chosen.append(case)
        else:
            print(f'left out: {case.database}')
    return chosen


if __name__ == '__main__':
    sys.exit(clients.run_cases(cases()))
