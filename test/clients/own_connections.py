"""The connections of Python apps, each with a transaction in which jobs are enqueued: for python_sql_test.py."""
import asyncio
import importlib
import sqlite3
from collections import namedtuple
from contextlib import contextmanager
from functools import partial

import jobstrand
import jobstrand.aio

#: What an app does in its transaction, whatever its driver.
App = namedtuple('App', 'enqueue commit rollback')


@contextmanager
def plain(connection):
    """As PEP 249 has it, and with SQLAlchemy's sessions and connections."""
    try:
        yield App(partial(jobstrand.enqueue, connection), connection.commit, connection.rollback)
    finally:
        connection.close()


@contextmanager
def awaited(connect):
    """The same as coroutines. `connect`: a coroutine function."""
    with asyncio.Runner() as runner:
        connection = runner.run(connect())

        async def call(method):
            answer = method()
            return await answer if asyncio.iscoroutine(answer) or hasattr(answer, '__await__') else answer
        try:
            yield App(lambda *job: runner.run(jobstrand.aio.enqueue(connection, *job)), lambda: runner.run(call(connection.commit)),
                      lambda: runner.run(call(connection.rollback)))
        finally:
            runner.run(call(connection.close))


@contextmanager
def of_asyncpg(**server):
    asyncpg = importlib.import_module('asyncpg')
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(**server))
        open_ones = []

        async def enqueue(*job):
            if not open_ones:
                open_ones.append(connection.transaction())
                await open_ones[0].start()
            return await jobstrand.aio.enqueue(connection, *job)
        try:
            yield App(lambda *job: runner.run(enqueue(*job)), lambda: runner.run(open_ones.pop().commit()),
                      lambda: runner.run(open_ones.pop().rollback()))
        finally:
            runner.run(connection.close())


def of_sqlalchemy(url):
    sqlalchemy = importlib.import_module('sqlalchemy')
    return plain(importlib.import_module('sqlalchemy.orm').Session(sqlalchemy.create_engine(url, poolclass=sqlalchemy.pool.NullPool)))


def of_sqlalchemy_connection(url):
    sqlalchemy = importlib.import_module('sqlalchemy')
    return plain(sqlalchemy.create_engine(url, poolclass=sqlalchemy.pool.NullPool).connect())


def of_sqlalchemy_awaited(url):
    asynchronous = importlib.import_module('sqlalchemy.ext.asyncio')

    async def connect():
        return asynchronous.AsyncSession(asynchronous.create_async_engine(url, poolclass=importlib.import_module('sqlalchemy').pool.NullPool))
    return awaited(connect)


@contextmanager
def of_django(**database):
    settings = importlib.import_module('django.conf').settings
    if not settings.configured:
        settings.configure()
    connection = importlib.import_module('django.db.utils').ConnectionHandler({'default': database})['default']
    connection.set_autocommit(False)
    with plain(connection) as app:
        yield app


def on_sqlite(path):
    def aiosqlite():
        return importlib.import_module('aiosqlite').connect(path)
    return {
        'sqlite3': lambda: plain(sqlite3.connect(path)),
        'aiosqlite': lambda: awaited(lambda: call_awaited(aiosqlite)),
        'SQLAlchemy, Session': lambda: of_sqlalchemy(f'sqlite:///{path}'),
        'SQLAlchemy, AsyncSession': lambda: of_sqlalchemy_awaited(f'sqlite+aiosqlite:///{path}'),
        'Django': lambda: of_django(ENGINE='django.db.backends.sqlite3', NAME=str(path)),
    }


async def call_awaited(connect):
    return await connect()


def on_mariadb(port, password):
    server = {'host': '127.0.0.1', 'port': port, 'user': 'jobs', 'password': password}
    url = f'://jobs:{password}@127.0.0.1:{port}/jobs?charset=utf8mb4'
    return {
        'PyMySQL': lambda: plain(importlib.import_module('pymysql').connect(**server, database='jobs')),
        'mysqlclient': lambda: plain(importlib.import_module('MySQLdb').connect(**server, database='jobs', charset='utf8mb4')),
        'aiomysql': lambda: awaited(lambda: call_awaited(
            lambda: importlib.import_module('aiomysql').connect(**server, db='jobs', charset='utf8mb4'))),
        'SQLAlchemy, Session': lambda: of_sqlalchemy(f'mysql+pymysql{url}'),
        'SQLAlchemy, AsyncSession': lambda: of_sqlalchemy_awaited(f'mysql+aiomysql{url}'),
        'Django': lambda: of_django(ENGINE='django.db.backends.mysql', NAME='jobs', HOST='127.0.0.1', PORT=port, USER='jobs', PASSWORD=password),
    }


def on_postgresql(port, password):
    server = {'host': '127.0.0.1', 'port': port, 'user': 'jobs', 'password': password}
    url = f'://jobs:{password}@127.0.0.1:{port}/jobs'

    def psycopg():
        return importlib.import_module('psycopg')
    return {
        'pg8000': lambda: plain(importlib.import_module('pg8000.dbapi').connect(**server, database='jobs')),
        'psycopg': lambda: plain(psycopg().connect(**server, dbname='jobs')),
        'psycopg, AsyncConnection': lambda: awaited(lambda: psycopg().AsyncConnection.connect(**server, dbname='jobs')),
        'asyncpg': lambda: of_asyncpg(**server, database='jobs'),
        'SQLAlchemy, Session': lambda: of_sqlalchemy(f'postgresql+psycopg{url}'),
        'SQLAlchemy, Connection': lambda: of_sqlalchemy_connection(f'postgresql+pg8000{url}'),
        'SQLAlchemy, AsyncSession': lambda: of_sqlalchemy_awaited(f'postgresql+asyncpg{url}'),
        'Django': lambda: of_django(ENGINE='django.db.backends.postgresql', NAME='jobs', HOST='127.0.0.1', PORT=port, USER='jobs', PASSWORD=password),
    }
