"""Does with the Python package what behaviours.py tells it: `adapter.py ORIGIN DATABASE`."""
import json
import logging
import pathlib
import re
import sqlite3
import sys
import threading
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import jobstrand

TICK_S = 0.01
#: Results that JSON cannot say.
ODD = (lambda: {'at': datetime(2030, 1, 1)}, lambda: {'n': float('nan')}, lambda: {'half': '\ud800'}, lambda: {'set': {1, 2}})
NAMES = {'handlerType': 'handler_type', 'words': 'due', 'delay': 'due', 'uniqueFor': 'unique_for'}
TYPES = {'due': datetime.fromisoformat, 'delay': lambda s: timedelta(seconds=s), 'uniqueFor': lambda s: timedelta(seconds=s)}

printing = threading.Lock()


class OutOfInk(Exception):
    pass


def say(**what):
    with printing:
        print(json.dumps(what), flush=True)


class Log(logging.Handler):
    def emit(self, record):
        say(log=record.getMessage())


def connect(url):
    parts = urlsplit(url)
    if parts.scheme == 'sqlite':
        return sqlite3.connect(parts.path, timeout=60)
    there = {'host': parts.hostname, 'port': parts.port, 'user': parts.username, 'password': parts.password, 'database': parts.path[1:]}
    if parts.scheme == 'postgres':
        import psycopg  # pylint: disable=import-outside-toplevel,import-error
        return psycopg.connect(dbname=there.pop('database'), **there)
    import pymysql  # pylint: disable=import-outside-toplevel,import-error
    return pymysql.connect(**there)


def new_job(told):
    return jobstrand.NewJob(**{NAMES.get(name) or re.sub('[A-Z]', lambda letter: '_' + letter[0].lower(), name): TYPES.get(name, lambda value: value)(value)
                               for name, value in told.items()})


class Adapter:
    def __init__(self, origin, url):
        self._origin, self._url = origin, url
        self._client = jobstrand.Client(origin)
        self._worker = self._thread = None

    def enqueue(self, job, by):
        try:
            if by == 'http':
                return say(id=self._client.enqueue(new_job(job)).id)
            connection = connect(self._url)
            try:
                job_id = jobstrand.enqueue(connection, new_job(job))
                connection.commit() if by == 'sql' else connection.rollback()
            finally:
                connection.close()
            return say(id=job_id)
        except Exception as error:  # Whatever it is, it is told.
            return say(refused=f'{type(error).__name__}: {error}')

    def work(self, told):
        self._worker = jobstrand.Worker(self._origin, threads=told['places'], lock=timedelta(seconds=told['lock']), wait=timedelta(seconds=told['wait']),
                                        tenant_id=told.get('tenant'))
        timeout = timedelta(seconds=told['timeout']) if 'timeout' in told else None
        for topic, steps in told['handlers'].items():
            self._worker.handler(topic, weight=told['weights'].get(topic, 1), timeout=timeout)(Handler(steps))
        self._thread = threading.Thread(target=self._worker.run, daemon=True)
        self._thread.start()
        say(working=True)

    def stop(self, when):
        self._worker.stop()
        if when == 'end':
            self._thread.join()
        say(stopped=when)


class Handler:
    """The steps that a handler is made of."""

    def __init__(self, steps):
        self._steps = steps

    def __call__(self, job):
        say(began=job.id, topic=job.handler_type, attempt=job.attempt)
        try:
            returned = None
            for step in self._steps:
                returned = self._do(job, step)
            return returned
        finally:
            say(ended=job.id)

    def _do(self, job, step):
        (verb, value), *more = step.items()
        return getattr(self, verb + '_')(job, value, *(one for _, one in more))

    def first_(self, job, steps):
        """Only in the first attempt."""
        for step in steps if job.attempt == 1 else ():
            self._do(job, step)

    def return_(self, _, value):
        return value

    def give_(self, job, value):
        return jobstrand.Variables({'given': job.payload} if value == 'payload' else value)

    def odd_(self, _, number):
        """A result that JSON cannot say."""
        return jobstrand.Variables(ODD[number % len(ODD)]())

    def raise_(self, _, message, cause=None):
        raise OutOfInk(message) from (LookupError(cause) if cause else None)

    def fail_(self, _, told):
        wait = told.get('retryAfter')
        raise jobstrand.Fail(told['message'], retries=told.get('retries'), retry_after=None if wait is None else timedelta(seconds=wait))

    def business_(self, _, told):
        raise jobstrand.BusinessError(told['code'], told['message'], told['variables'])

    def progress_(self, job, told):
        job.progress(*told)

    def log_(self, job, text):
        job.log(text)

    def until_(self, _, path):
        """The file is there."""
        tick = threading.Event()
        while not pathlib.Path(path).exists():
            tick.wait(TICK_S)

    def hear_(self, job, _):
        """That it is to end."""
        job.cancelled.wait()
        say(heard=job.id)


def main():
    logging.getLogger('jobstrand').addHandler(Log())
    logging.getLogger('jobstrand').setLevel(logging.INFO)
    adapter = Adapter(*sys.argv[1:])
    for line in sys.stdin:
        (verb, value), *more = json.loads(line).items()
        getattr(adapter, verb)(value, *(one for _, one in more))


if __name__ == '__main__':
    main()
