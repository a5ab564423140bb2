"""What connections of an app there are, and how a statement is carried out on one."""
from __future__ import annotations

import inspect
import itertools
import re
import sys
from typing import Any, Optional, Sequence

#: By the package of a driver.
_DATABASES = {
    "sqlite3": "sqlite",
    "aiosqlite": "sqlite",
    "psycopg": "postgresql",
    "psycopg2": "postgresql",
    "pg8000": "postgresql",
    "asyncpg": "postgresql",
    "pymysql": "mysql",
    "MySQLdb": "mysql",
    "mysql": "mysql",
    "mariadb": "mysql",
    "aiomysql": "mysql",
    "asyncmy": "mysql",
}

#: Of drivers that do not say it.
_STYLES = {"aiosqlite": "qmark", "aiomysql": "format", "asyncmy": "format", "asyncpg": "numeric_dollar"}

_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s", "numeric_dollar": "$", "numeric": ":"}

#: Methods of which an asynchronous connection has at least one as a coroutine.
_AWAITED = ("cursor", "execute", "commit", "rollback", "close", "connection", "exec_driver_sql")

Rows = "list[Sequence[Any]]"


class NotKnown(ValueError):
    """A connection that is none, or of a driver that is not known here."""


def is_asynchronous(connection: Any) -> bool:
    kind = type(connection)
    return _package(connection) in ("asyncpg", "aiosqlite", "aiomysql", "asyncmy") or any(
        inspect.iscoroutinefunction(getattr(kind, name, None)) for name in _AWAITED)


class Dialect:
    """Of a connection of a driver, of SQLAlchemy (but not of a session, which has one), or of Django."""

    def __init__(self, connection: Any):
        package = _package(connection)
        style: Optional[str] = "format"
        if package == "sqlalchemy":
            name, style = connection.dialect.name, connection.dialect.paramstyle
            self.database = {"mariadb": "mysql"}.get(name, name)
        elif package == "django":
            self.database = connection.vendor
        else:
            self.database = _DATABASES.get(package, "")
            said = (getattr(sys.modules.get(name), "paramstyle", None) for name in _modules(connection))
            style = _STYLES.get(package) or next(filter(None, said), None)
        if self.database not in _DATABASES.values() or style not in _MARKS:
            raise NotKnown(f"not a connection that is known here: {type(connection).__module__}.{type(connection).__name__}")
        self._mark = _MARKS[style]

    def native(self, sql: str) -> str:
        """With the driver's marks in place of each `?`."""
        if self._mark in ("$", ":"):
            numbers = itertools.count(1)
            return re.sub(r"\?", lambda _: f"{self._mark}{next(numbers)}", sql)
        return sql.replace("?", self._mark)


def execute(connection: Any, sql: str, values: Sequence[Any]) -> list[Sequence[Any]]:
    """On any that is not asynchronous. Returns its rows."""
    if hasattr(connection, "exec_driver_sql"):
        result = connection.exec_driver_sql(sql, tuple(values) or None)
        return list(result.fetchall()) if result.returns_rows else []
    cursor = _done(connection, connection.cursor())
    try:
        _done(connection, cursor.execute(sql, values) if values else cursor.execute(sql))
        return list(cursor.fetchall()) if cursor.description else []
    finally:
        _done(connection, cursor.close())


async def execute_awaited(connection: Any, sql: str, values: Sequence[Any]) -> list[Sequence[Any]]:
    """On one that is asynchronous."""
    if _package(connection) == "asyncpg":
        if values:
            return list(await connection.fetch(sql, *values))
        await connection.execute(sql)
        return []
    if hasattr(connection, "exec_driver_sql"):
        result = await connection.exec_driver_sql(sql, tuple(values) or None)
        return list(result.fetchall()) if result.returns_rows else []
    cursor = await _awaited(connection.cursor())
    try:
        await _awaited(cursor.execute(sql, values) if values else cursor.execute(sql))
        return list(await _awaited(cursor.fetchall())) if cursor.description else []
    finally:
        await _awaited(cursor.close())


def session_of_sqlalchemy(connection: Any) -> bool:
    """Whether it is a session, which has a connection."""
    return _package(connection) == "sqlalchemy" and not hasattr(connection, "exec_driver_sql")


def asynchronous(connection: Any) -> TypeError:
    kind = type(connection)
    return TypeError(
        f"{kind.__module__}.{kind.__qualname__} is asynchronous, and nothing is awaited here, so the job would not be there: "
        "await jobstrand.aio.enqueue(connection, job), give a connection of the synchronous driver, or enqueue over HTTP with "
        "jobstrand.Client")


async def _awaited(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer


def _done(connection: Any, answer: Any) -> Any:
    """What a driver answers, unless that is a promise: what was asked for has not been done then."""
    if not inspect.isawaitable(answer):
        return answer
    if inspect.iscoroutine(answer):
        answer.close()
    raise asynchronous(connection)


def _modules(connection: Any) -> list[str]:
    """Around the class of a connection and those that it is derived from, the innermost first."""
    modules: list[str] = []
    for kind in type(connection).__mro__:
        parts = kind.__module__.split(".")
        modules += (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return modules


def _package(connection: Any) -> str:
    """Of its driver, or of what stands around that; empty: none that is known here."""
    known = (name for name in _modules(connection) if name in _DATABASES or name in ("sqlalchemy", "django"))
    return next(known, "")
