"""A worker whose handlers are coroutines, and enqueueing on an asynchronous connection."""
from __future__ import annotations

import asyncio
import logging
import signal
import threading
from datetime import timedelta
from typing import Any, Awaitable, Callable, Optional, Union

from .client import Client
from .desk import Desk, DeskSettings
from .jobs import Job
from .names import nearest_names
from .result import completed, failed
from .sql import enqueue_awaited as enqueue
from .worker import check_handling, fresh_name, too_long

__all__ = ["AsyncWorker", "enqueue"]

#: As for Worker, but awaited.
AsyncHandler = Callable[[Job], Awaitable[Any]]

_log = logging.getLogger("jobstrand")


@nearest_names
class AsyncWorker:
    """Like Worker, in the event loop: `await worker.run()`. So many jobs are held, and run, at a time as `concurrency`
    says. The requests are made by three threads beside the loop."""

    def __init__(self, client: Union[Client, str], name: Optional[str] = None, *, token: Optional[str] = None,
                 concurrency: int = 100, lock: timedelta = timedelta(minutes=5), wait: timedelta = timedelta(seconds=5),
                 tenant_id: Optional[str] = None, grace: float = 30.0):
        """See Worker."""
        if concurrency < 1:
            raise ValueError("a worker needs to run a job at a time")
        self.name = name or fresh_name()
        self._client = client if isinstance(client, Client) else Client(client, token)
        self._most = concurrency
        self._lock = lock
        self._wait = wait
        self._tenant_id = tenant_id
        self._grace = grace
        self.handlers: dict[str, AsyncHandler] = {}
        self._weights: dict[str, int] = {}
        self._timeouts: dict[str, Optional[timedelta]] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._tasks: dict[int, asyncio.Task[None]] = {}  # By the job: what it is, because one may come again.
        self._stopping = threading.Event()
        self._is_over = False

    def handler(self, topic: str, *, weight: int = 1, timeout: Optional[timedelta] = None) -> Callable[[AsyncHandler], AsyncHandler]:
        """Decorates the handler of a handler type, which workers call a topic. `weight`: of the topic among those of the
        worker: while each has jobs, one of weight 3 gets three times the places of one of weight 1. All of the same: the
        jobs come in their order, whatever their topic. `timeout`: a handler that runs for longer is cancelled, and its
        attempt has failed.
        """
        check_handling(weight, timeout)

        def add(function: AsyncHandler) -> AsyncHandler:
            self.handlers[topic] = function
            self._weights[topic] = weight
            self._timeouts[topic] = timeout
            return function
        return add

    async def run(self) -> None:
        """See Worker."""
        if not self.handlers:
            raise ValueError("a worker needs a handler")
        loop = asyncio.get_running_loop()
        settings = DeskSettings(self.name, self._weights, self._most, None, self._lock, self._wait, self._tenant_id)
        desk = Desk(self._client, settings, self._stopping, lambda job: loop.call_soon_threadsafe(self._cancel, job))
        signals = self._stop_on_signals(loop)
        try:
            await asyncio.to_thread(desk.fetch, lambda: loop.call_soon_threadsafe(self._fill, desk))
        finally:
            self._stopping.set()
            await asyncio.to_thread(desk.give_back, desk.held.close())
            await self._end()
            await asyncio.to_thread(desk.close)
            for number in signals:
                loop.remove_signal_handler(number)
        desk.raise_bug()

    def stop(self) -> None:
        """Begins to stop. From any thread, and from a handler."""
        self._stopping.set()

    def _stop_on_signals(self, loop: asyncio.AbstractEventLoop) -> list[int]:
        numbers: list[int] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                loop.add_signal_handler(number, self.stop)
            except (NotImplementedError, RuntimeError, ValueError):
                break  # Not the main thread, or not a system that has them.
            numbers.append(number)
        return numbers

    def _fill(self, desk: Desk) -> None:
        """Starts what waits, at the places that are free."""
        while not self._stopping.is_set() and (job := desk.held.take_now()) is not None:
            self._start(desk, job)

    def _start(self, desk: Desk, job: Job) -> None:
        task = asyncio.ensure_future(self._run_one(desk, job))
        self._running.add(task)
        self._tasks[id(job)] = task
        task.add_done_callback(lambda task: self._ended(desk, job, task))

    def _cancel(self, job: Job) -> None:
        if id(job) in self._tasks:
            self._tasks[id(job)].cancel()

    def _ended(self, desk: Desk, job: Job, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        del self._tasks[id(job)]
        desk.drop(job)  # It may have been cancelled before it began.
        self._fill(desk)
        bug = None if task.cancelled() else task.exception()
        if bug is not None:
            desk.end_by(bug)

    async def _run_one(self, desk: Desk, job: Job) -> None:
        timeout = self._timeouts[job.handler_type]
        if timeout is None:
            desk.tell(job, await self._result_of(job))
            return
        timer = asyncio.get_running_loop().call_later(timeout.total_seconds(), self._give_up, desk, job, too_long(job, timeout))
        result = await self._result_of(job)
        timer.cancel()
        if not job.cancelled.is_set():
            desk.tell(job, result)

    def _give_up(self, desk: Desk, job: Job, error: TimeoutError) -> None:
        _log.error("job %s: %s; it is cancelled", job.id, error)
        job.cancelled.set()
        desk.tell(job, failed(job, error))
        self._fill(desk)
        self._cancel(job)

    async def _result_of(self, job: Job) -> bytes:
        try:
            return completed(job, await self.handlers[job.handler_type](job))
        except asyncio.CancelledError as error:
            if self._is_over:
                raise
            return failed(job, error)  # The handler was cancelled by something of its own.
        except Exception as error:  # Whatever a handler raises is the job's failure, not the worker's.
            return failed(job, error)

    async def _end(self) -> None:
        await asyncio.sleep(0)  # What was fetched last comes here, to be given back.
        if not self._running:
            return
        _, left = await asyncio.wait(self._running, timeout=self._grace)
        self._is_over = True
        for task in left:
            task.cancel()
        if left:
            _log.warning("%d handlers do not end; their jobs run again when their locks are over", len(left))
