"""The statements that add a job in the app's own transaction, whoever carries them out."""
from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any, Generator, Optional, Sequence

from .errors import KeyHeld
from .jobs import NewJob, fresh_id, instant_of

#: Characters of a payload that stand in the row of the job; a longer one has a row of its own.
_MOST_IN_ROW = 4000

#: Where a job may wait.
_PLACES = ("ACT_RU_JOB", "ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB", "ACT_RU_SUSPENDED_JOB")

#: How often a key is asked for that is freed between two statements.
_TRIES = 3

#: Who is said to have the lock of a job that nobody runs.
_NOBODY = ("waiting for an exclusive job", "waiting for a limit")

#: What lets a key be that is there already. (INSERT IGNORE would tell the app of a warning.)
_UNLESS_THERE = {
    "sqlite": " ON CONFLICT DO NOTHING",
    "postgresql": " ON CONFLICT DO NOTHING",
    "mysql": " ON DUPLICATE KEY UPDATE KEY_ = KEY_",
}

#: Statements with `?` for each of their values. Who carries one out sends its rows.
Steps = Generator["tuple[str, Sequence[Any]]", "list[Sequence[Any]]", Any]


def insertion(database: str, job: NewJob) -> Steps:
    """For `sqlite`, `postgresql` or `mysql`. Returns the job's id; that of another one which was kept in its place. Raises
    ValueError for what only the service can do, and KeyHeld."""
    _refuse_what_needs_the_service(job)
    return _Insertion(database, job).steps()


def _refuse_what_needs_the_service(job: NewJob) -> None:
    if isinstance(job.due, str):
        raise ValueError("a due date in words needs the service: give a datetime or a timedelta")
    if job.repeat is not None and job.due is None:
        raise ValueError("a job that repeats needs the due date of its first turn")
    if job.repeat is not None and job.unique_key is not None:
        raise ValueError("a job that repeats has no unique key: its id is the key of its series")
    if job.on_duplicate not in (None, "reject", "keep", "replace"):
        raise ValueError(f"on_duplicate is reject, keep or replace, not {job.on_duplicate}")
    if job.unique_key is None and (job.unique_for is not None or job.on_duplicate is not None):
        raise ValueError("unique_for and on_duplicate go with unique_key")


class _Insertion:
    """The app's session is left as it was."""

    def __init__(self, database: str, job: NewJob):
        self._database = database
        self._job = job
        self._id = job.id or fresh_id()
        self._may_meet_another = job.on_duplicate in ("keep", "replace")

    def steps(self) -> Steps:
        has_times = isinstance(self._job.due, (datetime, timedelta)) or self._job.unique_for is not None or self._may_meet_another
        if self._database != "mysql" or not has_times:
            return (yield from self._insert())
        # Times are given in UTC; the columns would take them for the session's.
        yield "SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'", ()
        try:
            return (yield from self._insert())
        finally:
            yield "SET time_zone = @jobstrand_zone", ()

    def _insert(self) -> Steps:
        job = self._job
        kept = yield from self._take_key()
        if kept is not None:
            return kept
        row: dict[str, Any] = {
            "ID_": self._id,
            "HANDLER_TYPE_": job.handler_type,
            "TYPE_": "externalWorker" if job.external else None,
            "RETRIES_": job.retries,
            "RETRY_CYCLE_": job.retry_cycle,
            "PRIORITY_": job.priority,
            "EXCLUSIVE_": job.exclusive,
            "PROCESS_INSTANCE_ID_": job.process_instance_id,
            "PROC_DEF_ID_": job.process_definition_id,
            "CATEGORY_": job.category,
            "TENANT_ID_": job.tenant_id,
            "CORRELATION_ID_": job.correlation_id or self._id,
            "TRACE_PARENT_": job.traceparent,
            "UNIQUE_KEY_": job.unique_key,
        }
        row.update((yield from self._payload_columns()))
        table = "ACT_RU_EXTERNAL_JOB" if job.external else "ACT_RU_JOB"
        if isinstance(job.due, (datetime, timedelta)):
            table = "ACT_RU_TIMER_JOB"
            row.update(DUEDATE_=instant_of(job.due), REPEAT_=job.repeat, TYPE_=row["TYPE_"] or "timer")
        yield self._row(table, row)
        if self._database == "postgresql":
            yield "NOTIFY jobstrand", ()
        return self._id

    def _take_key(self) -> Steps:
        """Returns the id of the job that has the key and is kept, or None."""
        job = self._job
        if job.unique_key is None:
            return None
        now = datetime.now(timezone.utc)
        until = None if job.unique_for is None else now + job.unique_for
        if until is not None or self._may_meet_another:
            sql = f"DELETE FROM JS_UNIQUE WHERE KEY_ = ? AND UNTIL_ <= {self._mark_of(now)}"
            yield sql, (job.unique_key, _utc_text(now))
        sql, values = self._row("JS_UNIQUE", {"KEY_": job.unique_key, "JOB_ID_": self._id, "UNTIL_": until})
        if not self._may_meet_another:
            yield sql, values
            return None
        holder = yield from self._holder(sql, values)
        if holder == self._id:
            return None
        if job.on_duplicate == "keep":
            return holder
        yield from self._replace(holder)
        set_until = "NULL" if until is None else self._mark_of(until)
        until_values = () if until is None else (_utc_text(until),)
        yield (f"UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = {set_until}, REV_ = REV_ + 1 WHERE KEY_ = ?",
               (self._id, *until_values, job.unique_key))
        return None

    def _holder(self, insert: str, values: Sequence[Any]) -> Steps:
        """Returns the id of the job that has the key: this one, if it was free."""
        for _ in range(_TRIES):
            yield insert + _UNLESS_THERE[self._database], values
            rows = yield f"SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = ?{self._locking('')}", (self._job.unique_key,)
            if rows:
                return _text_of(rows[0][0])
        raise KeyHeld(f"others take and leave the unique key {self._job.unique_key} again and again")

    def _replace(self, holder: str) -> Steps:
        """Removes the job that has the key, if it waits. A row that somebody has in hand is not waited for, so that nobody
        waits for a key and a job in a circle."""
        for table in _PLACES:
            locks = "" if table == "ACT_RU_SUSPENDED_JOB" else " AND (LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (?, ?))"
            rows = yield (
                f"SELECT CUSTOM_VALUES_ID_, EXCEPTION_STACK_ID_ FROM {table} WHERE ID_ = ? AND REPEAT_ IS NULL AND SERIES_ IS NULL"
                f"{locks}{self._locking(' SKIP LOCKED')}", (holder, *(_NOBODY if locks else ())))
            if rows:
                yield f"DELETE FROM {table} WHERE ID_ = ?", (holder,)
                for text in rows[0]:
                    if text is not None:
                        yield "DELETE FROM ACT_GE_BYTEARRAY WHERE ID_ = ?", (_text_of(text),)
                return
        raise KeyHeld(f"job {holder} has the unique key {self._job.unique_key}, and is running or has ended: it cannot be replaced")

    def _payload_columns(self) -> Steps:
        if self._job.payload is None:
            return {}
        text = json.dumps(self._job.payload, ensure_ascii=False)
        if len(text) <= _MOST_IN_ROW:
            return {"HANDLER_CFG_": text}
        long_text = fresh_id()
        yield self._row("ACT_GE_BYTEARRAY", {"ID_": long_text, "NAME_": "payload", "BYTES_": text.encode()})
        return {"CUSTOM_VALUES_ID_": long_text}

    def _row(self, table: str, row: dict[str, Any]) -> tuple[str, Sequence[Any]]:
        given = {column: value for column, value in row.items() if value is not None}
        marks = ", ".join(self._mark_of(value) for value in given.values())
        values = tuple(_utc_text(value) if isinstance(value, datetime) else value for value in given.values())
        return f"INSERT INTO {table} ({', '.join(given)}) VALUES ({marks})", values

    def _mark_of(self, value: Any) -> str:
        """Some drivers of PostgreSQL want a time where one stands; so this is a text for all of them."""
        is_cast = self._database == "postgresql" and isinstance(value, datetime)
        return "CAST(CAST(? AS text) AS timestamp(3))" if is_cast else "?"

    def _locking(self, how: str) -> str:
        return "" if self._database == "sqlite" else f" FOR UPDATE{how}"


def _utc_text(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S.") + f"{time.microsecond // 1000:03d}"


def _text_of(value: Any) -> str:
    """Some drivers of MySQL give texts with a binary collation as bytes."""
    return bytes(value).decode() if isinstance(value, (bytes, bytearray)) else str(value)
