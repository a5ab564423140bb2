"""For the tests of an app: what it enqueues is kept instead, and its handlers run here, on a clock that the test moves.

    with jobstrand.testing.Recorder() as jobs:
        place_order(connection)              # which calls jobstrand.enqueue(), or enqueue() of a Client
        assert [job.handler_type for job in jobs.waiting] == ["mail"]
        jobs.run(worker)                     # What is due, with the handlers of a Worker or AsyncWorker.
        jobs.advance(timedelta(hours=1))     # What was to wait is due now.
        jobs.run(worker)

No service and no database of Jobstrand is needed. A job with `repeat` runs once.
"""
from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any, Optional, Union

from . import recording
from .aio import AsyncWorker
from .errors import BusinessError, Conflict, Fail
from .jobs import Enqueued, Job, NewJob, fresh_id
from .worker import Worker

__all__ = ["Ran", "Recorder"]

_DURATION = re.compile(r"P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>[\d.]+)S)?)?")

_RETRIES = 3


@dataclass(frozen=True)
class Ran:
    """A run of a handler."""

    job: Job
    returned: Any = None
    error: Optional[BaseException] = None


@dataclass(frozen=True)
class _Waiting:
    new: NewJob
    due: datetime
    attempt: int = 1


class Recorder:
    """Between `with` and its end. One at a time; not for tests that run in several threads."""

    def __init__(self, now: Optional[datetime] = None):
        """`now`: what its clock shows at first; the time of day if None."""
        self.now = now or datetime.now(timezone.utc)
        self.enqueued: list[NewJob] = []
        """All, in order, whatever became of them."""
        self.dead: list[NewJob] = []
        """Those whose last attempt has failed."""
        self._open: list[_Waiting] = []

    def __enter__(self) -> "Recorder":
        if recording.record is not None:
            raise RuntimeError("another Recorder is at work")
        recording.record = self._record
        return self

    def __exit__(self, *_: object) -> None:
        recording.record = None

    @property
    def waiting(self) -> list[NewJob]:
        """Those that have not run, in the order in which they are due."""
        return [one.new for one in self._in_order()]

    def advance(self, time: timedelta) -> None:
        """Moves the clock."""
        self.now += time

    def run(self, worker: Union[Worker, AsyncWorker], *, raises: bool = True) -> list[Ran]:
        """Runs what is due and what that enqueues, one job after the other, until nothing is. `raises`: what a handler raises
        comes through, but BusinessError; if not, the job waits for its next attempt, or is dead after its last."""
        running = self.run_awaited(worker, raises=raises)
        if isinstance(worker, AsyncWorker):
            return asyncio.run(running)
        try:
            running.send(None)  # Handlers that are no coroutines await nothing.
        except StopIteration as end:
            ran: list[Ran] = end.value
            return ran
        raise TypeError("a handler of a Worker returned what is to be awaited")

    async def run_awaited(self, worker: Union[Worker, AsyncWorker], *, raises: bool = True) -> list[Ran]:
        """As run(), for a test that is a coroutine itself."""
        ran = []
        while (one := next((one for one in self._in_order() if one.due <= self.now and one.new.handler_type in worker.handlers), None)) is not None:
            self._open.remove(one)
            ran.append(await self._run_one(worker, one))
            error = ran[-1].error
            if error is None or isinstance(error, BusinessError):
                continue
            if raises:
                raise error
            self._retry(one, error)
        return ran

    async def _run_one(self, worker: Union[Worker, AsyncWorker], one: _Waiting) -> Ran:
        raw = one.new.to_json()
        job = Job(str(one.new.id), one.new.handler_type, raw.get("payload"), one.attempt, 1, raw)
        try:
            returned = worker.handlers[job.handler_type](job)
            return Ran(job, await returned if isinstance(worker, AsyncWorker) else returned)
        except Exception as error:  # Whatever a handler raises.
            return Ran(job, error=error)

    def _retry(self, one: _Waiting, error: BaseException) -> None:
        left = (one.new.retries or _RETRIES) - one.attempt
        wait = timedelta()
        if isinstance(error, Fail):
            left = left if error.retries is None else error.retries
            wait = error.retry_after or wait
        if left > 0:
            self._open.append(replace(one, due=self.now + wait, attempt=one.attempt + 1))
        else:
            self.dead.append(one.new)

    def _record(self, job: NewJob) -> Enqueued:
        job = replace(job, id=job.id or fresh_id(), payload=json.loads(json.dumps(job.payload)))
        job.to_json()  # What it refuses, the service does.
        other = next((one for one in self._open if job.unique_key is not None and one.new.unique_key == job.unique_key), None)
        if other is not None and job.on_duplicate == "keep":
            return Enqueued(str(other.new.id), is_new=False)
        if other is not None and job.on_duplicate == "replace":
            self._open.remove(other)
        elif other is not None or any(one.new.id == job.id for one in self._open):
            raise Conflict(409, "the id or the unique key is taken")
        self.enqueued.append(job)
        self._open.append(_Waiting(job, self._due_of(job)))
        return Enqueued(str(job.id), replaced=None if other is None else other.new.id)

    def _due_of(self, job: NewJob) -> datetime:
        due = job.due
        if due is None:
            return self.now
        if isinstance(due, datetime):
            return due
        if isinstance(due, timedelta):
            return self.now + due
        duration = _DURATION.fullmatch(due)
        if duration is not None:
            return self.now + timedelta(**{name: float(count) for name, count in duration.groupdict("0").items()})
        return datetime.fromisoformat(due.replace("Z", "+00:00"))  # Due dates in words need the service.

    def _in_order(self) -> list[_Waiting]:
        return sorted(self._open, key=lambda one: one.due)
