"""Enqueueing in the app's own transaction, through the connection that it has."""
from __future__ import annotations

import re
from typing import Any, Optional, Union

from . import recording
from .drivers import Dialect, asynchronous, execute, execute_awaited, is_asynchronous, session_of_sqlalchemy
from .insertion import Steps, insertion
from .jobs import NewJob


def enqueue(connection: Any, job: Union[NewJob, str], payload: Any = None) -> str:
    """Adds a job in the transaction of `connection`: it is there exactly if the app commits. Returns its id; that of the
    job which has the unique key already, if that is kept.

    Whatever the driver raises comes through: above all, its IntegrityError when the id or the unique key is taken.
    Raises KeyHeld when a job that is to be replaced runs already, and ValueError for what only the service can do: due
    dates in words. Raises TypeError for an asynchronous connection: see jobstrand.aio.enqueue.

    `connection`: of sqlite3, psycopg, psycopg2, pg8000, PyMySQL, mysqlclient, MySQL Connector or MariaDB Connector; a
    Session or a Connection of SQLAlchemy; `django.db.connection`. `job` may be a handler type.
    """
    new = NewJob(job, payload) if isinstance(job, str) else job
    if recording.record is not None:
        return recording.record(new).id
    if is_asynchronous(connection):
        raise asynchronous(connection)
    own = connection.connection() if session_of_sqlalchemy(connection) else connection
    dialect = Dialect(own)
    progress = _Progress(insertion(dialect.database, new))
    while (statement := progress.next_statement()) is not None:
        try:
            progress.rows = execute(own, dialect.native(statement[0]), statement[1])
        except BaseException as error:
            progress.error = error
    return progress.job_id


async def enqueue_awaited(connection: Any, job: Union[NewJob, str], payload: Any = None) -> str:
    """As jobstrand.enqueue, on an asynchronous connection: of psycopg, asyncpg, aiosqlite, aiomysql or asyncmy, or an
    AsyncSession or AsyncConnection of SQLAlchemy."""
    new = NewJob(job, payload) if isinstance(job, str) else job
    if recording.record is not None:
        return recording.record(new).id
    if not is_asynchronous(connection):
        raise TypeError(f"{type(connection).__module__}.{type(connection).__qualname__} is not asynchronous: jobstrand.enqueue() is for it")
    own = await connection.connection() if session_of_sqlalchemy(connection) else connection
    dialect = Dialect(own)
    progress = _Progress(insertion(dialect.database, new))
    while (statement := progress.next_statement()) is not None:
        try:
            progress.rows = await execute_awaited(own, dialect.native(statement[0]), statement[1])
        except BaseException as error:
            progress.error = error
    return progress.job_id


class _Progress:
    """Goes on with an insertion, which hears of errors too, so that it can undo what it did to the session."""

    def __init__(self, steps: Steps):
        self._steps = steps
        self.rows: Optional[list[Any]] = None
        self.error: Optional[BaseException] = None
        self.job_id = ""

    def next_statement(self) -> Any:
        """None: that was all."""
        error, self.error = self.error, None
        try:
            return self._steps.throw(_with_advice(error)) if error is not None else self._steps.send(self.rows)  # type: ignore[arg-type]
        except StopIteration as end:
            self.job_id = end.value
            return None


#: What PostgreSQL, MySQL and SQLite say of a table that is not there.
_NO_TABLE = re.compile("relation .* does not exist|Table .* doesn't exist|no such table")


def _with_advice(error: BaseException) -> BaseException:
    """Its type is the driver's all the same; before Python 3.11 errors take no notes."""
    if _NO_TABLE.search(str(error)) and hasattr(error, "add_note"):
        error.add_note("The tables of Jobstrand are not in this database: `jobstrand schema create --db URL` makes them")
    return error
