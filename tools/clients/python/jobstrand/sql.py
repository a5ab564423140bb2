"""Enqueueing in the app's own transaction, through any DB-API connection (PEP 249)."""
from __future__ import annotations

import inspect
import json
import sys
from datetime import datetime, timezone
from typing import Any, Optional, Sequence, Union

from .jobs import NewJob, fresh_id, instant_of

#: Characters of a payload that stand in the row of the job; a longer one has a row of its own.
_MOST_IN_ROW = 4000

_DATABASES = {
    "sqlite3": "sqlite",
    "psycopg": "postgresql",
    "psycopg2": "postgresql",
    "pg8000": "postgresql",
    "pymysql": "mysql",
    "MySQLdb": "mysql",
    "mysql": "mysql",
    "mariadb": "mysql",
}

#: Methods of which an asynchronous connection has at least one as a coroutine.
_AWAITED = ("cursor", "execute", "commit", "rollback", "close")

_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s"}


def enqueue(connection: Any, job: Union[NewJob, str], payload: Any = None) -> str:
    """Adds a job in the transaction of `connection`: it is there exactly if the app commits. Returns its id.

    Whatever the driver raises comes through: above all, its IntegrityError when the id or the unique key is taken.
    Raises ValueError for what only the service can do: due dates in words, and keys that keep or replace. Raises
    TypeError for an asynchronous connection: nothing is awaited here, so its statements would never run.

    `connection`: of sqlite3, psycopg, psycopg2, pg8000, PyMySQL, mysqlclient, MySQL Connector or MariaDB Connector.
    `job` may be a handler type.
    """
    new = NewJob(job, payload) if isinstance(job, str) else job
    _refuse_what_needs_the_service(new)
    insertion = _Insertion(connection)
    try:
        return insertion.insert(new)
    finally:
        insertion.close()


def _refuse_what_needs_the_service(job: NewJob) -> None:
    if isinstance(job.due, str):
        raise ValueError("a due date in words needs the service: give a datetime or a timedelta")
    if job.repeat is not None and job.due is None:
        raise ValueError("a job that repeats needs the due date of its first turn")
    if job.on_duplicate not in (None, "reject"):
        raise ValueError("a unique key that keeps or replaces needs the service")
    if job.unique_for is not None and job.unique_key is None:
        raise ValueError("unique_for goes with unique_key")
    if job.external and job.due is not None:
        raise ValueError("an external job that is due later needs the service")


class _Insertion:
    """Statements on an app's connection, which leave its session as it was."""

    def __init__(self, connection: Any):
        if any(inspect.iscoroutinefunction(getattr(connection, name, None)) for name in _AWAITED):
            raise _asynchronous(connection)
        names = _module_names(connection)
        self._database = next((_DATABASES[name] for name in reversed(names) if name in _DATABASES), None)
        style = next((style for style in (getattr(sys.modules.get(name), "paramstyle", None) for name in names) if style), "")
        if self._database is None or style not in _MARKS:
            raise ValueError(f"not a connection that is known here: {type(connection).__module__}.{type(connection).__name__}")
        self._mark = _MARKS[style]
        self._connection = connection
        self._cursor = self._done(connection.cursor())

    def close(self) -> None:
        self._done(self._cursor.close())

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        self._done(self._cursor.execute(sql, values) if values else self._cursor.execute(sql))

    def _done(self, answer: Any) -> Any:
        """What a driver answers, unless that is a promise: what was asked for has not been done then."""
        if not inspect.isawaitable(answer):
            return answer
        if inspect.iscoroutine(answer):
            answer.close()
        raise _asynchronous(self._connection)

    def insert(self, job: NewJob) -> str:
        if self._database != "mysql" or (job.due is None and job.unique_for is None):
            return self._insert(job)
        # Times are given in UTC; the columns would take them for the session's.
        self._execute("SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'")
        try:
            return self._insert(job)
        finally:
            self._execute("SET time_zone = @jobstrand_zone")

    def _insert(self, job: NewJob) -> str:
        job_id = job.id or fresh_id()
        self._take_key(job, job_id)
        row = {
            "ID_": job_id,
            "HANDLER_TYPE_": job.handler_type,
            "RETRIES_": job.retries,
            "RETRY_CYCLE_": job.retry_cycle,
            "PRIORITY_": job.priority,
            "EXCLUSIVE_": job.exclusive,
            "PROCESS_INSTANCE_ID_": job.process_instance_id,
            "PROC_DEF_ID_": job.process_definition_id,
            "CATEGORY_": job.category,
            "TENANT_ID_": job.tenant_id,
            "CORRELATION_ID_": job.correlation_id or job_id,
            "TRACE_PARENT_": job.traceparent,
            "UNIQUE_KEY_": job.unique_key,
        }
        row.update(self._payload_columns(job))
        table = "ACT_RU_EXTERNAL_JOB" if job.external else "ACT_RU_JOB"
        if job.due is not None:
            table = "ACT_RU_TIMER_JOB"
            row.update(TYPE_="timer", DUEDATE_=instant_of(job.due), REPEAT_=job.repeat)
        self._add_row(table, row)
        if self._database == "postgresql":
            self._execute("NOTIFY jobstrand")
        return job_id

    def _take_key(self, job: NewJob, job_id: str) -> None:
        if job.unique_key is None:
            return
        until: Optional[datetime] = None
        if job.unique_for is not None:
            now = datetime.now(timezone.utc)
            until = now + job.unique_for
            self._execute(
                f"DELETE FROM JS_UNIQUE WHERE KEY_ = {self._mark} AND UNTIL_ <= {self._place_of(now)}",
                (job.unique_key, _utc_text(now)))
        self._add_row("JS_UNIQUE", {"KEY_": job.unique_key, "JOB_ID_": job_id, "UNTIL_": until})

    def _payload_columns(self, job: NewJob) -> dict[str, Any]:
        if job.payload is None:
            return {}
        text = json.dumps(job.payload, ensure_ascii=False)
        if len(text) <= _MOST_IN_ROW:
            return {"HANDLER_CFG_": text}
        long_text = fresh_id()
        self._add_row("ACT_GE_BYTEARRAY", {"ID_": long_text, "NAME_": "payload", "BYTES_": text.encode()})
        return {"CUSTOM_VALUES_ID_": long_text}

    def _add_row(self, table: str, row: dict[str, Any]) -> None:
        given = {column: value for column, value in row.items() if value is not None}
        places = ", ".join(self._place_of(value) for value in given.values())
        values = tuple(_utc_text(value) if isinstance(value, datetime) else value for value in given.values())
        self._execute(f"INSERT INTO {table} ({', '.join(given)}) VALUES ({places})", values)

    def _place_of(self, value: Any) -> str:
        is_cast = self._database == "postgresql" and isinstance(value, datetime)
        return f"CAST({self._mark} AS timestamp(3))" if is_cast else self._mark


def _asynchronous(connection: Any) -> TypeError:
    kind = type(connection)
    return TypeError(
        f"{kind.__module__}.{kind.__qualname__} is asynchronous, and nothing is awaited here, so the job would not be there: "
        "give a connection of the synchronous driver (in asyncio.to_thread), await an INSERT of your own (docs/sql.md), "
        "or enqueue over HTTP with jobstrand.Client")


def _module_names(connection: Any) -> list[str]:
    """Of the modules around the class of a connection, the innermost first."""
    parts = type(connection).__module__.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _utc_text(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S.") + f"{time.microsecond // 1000:03d}"
