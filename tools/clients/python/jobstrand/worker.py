"""A worker with threads."""
from __future__ import annotations

import inspect
import logging
import os
import random
import signal
import socket
import threading
import time
from datetime import timedelta
from typing import Any, Callable, Optional, Union

from .client import Client
from .desk import Desk, DeskSettings
from .jobs import Job
from .names import nearest_names
from .result import completed, failed

#: What a handler is. Whatever it returns, its job is done; Variables go to the app.
Handler = Callable[[Job], Any]

_log = logging.getLogger("jobstrand")


def fresh_name() -> str:
    """Of a worker: two must not share one."""
    return f"{socket.gethostname()}-{os.getpid()}-{random.getrandbits(32):08x}"


def check_handling(weight: int, timeout: Optional[timedelta]) -> None:
    if weight < 1:
        raise ValueError("a weight is at least 1")
    if timeout is not None and timeout <= timedelta(0):
        raise ValueError("a timeout is more than nothing")


def too_long(job: Job, timeout: timedelta) -> TimeoutError:
    return TimeoutError(f"the handler of {job.handler_type} did not end within {timeout.total_seconds():g} s")


@nearest_names
class Worker:
    """Takes external jobs from a service, runs a handler for each, and says what became of it.

        worker = Worker("http://127.0.0.1:8080")

        @worker.handler("mail")
        def send(job):
            ...

        worker.run()

    A handler that returns, whatever it is, has done the job; Variables are handed on to the app. One that raises, or returns
    variables that JSON cannot say, has failed the attempt: the job comes again as its retry cycle says, and is a dead letter
    after its last attempt. A job may come twice, when its worker dies or stands still for longer than its lock; handlers must
    bear that.

    Locks are prolonged while jobs are held. SIGTERM and SIGINT, or stop(), let the running handlers end, and give the
    other jobs back. A worker runs once.
    """

    def __init__(self, client: Union[Client, str], name: Optional[str] = None, *, token: Optional[str] = None,
                 threads: int = 8, prefetch: Optional[int] = None, lock: timedelta = timedelta(minutes=5),
                 wait: timedelta = timedelta(seconds=5), tenant_id: Optional[str] = None, grace: float = 30.0):
        """`client`: or the URL of the service. `name`: unique among all workers; made up if None. `prefetch`: jobs that
        are held beyond those that run, which no other worker gets meanwhile; if None, what starts within about 50 ms by the
        measure of the last runs, and what does not after all is given back. `wait`: how long one
        request waits for jobs, which is how long a stop may take. `grace`: seconds that running handlers have after a stop.
        """
        if threads < 1:
            raise ValueError("a worker needs a thread")
        self.name = name or fresh_name()
        self._client = client if isinstance(client, Client) else Client(client, token)
        self._threads = threads
        self._prefetch = prefetch
        self._lock = lock
        self._wait = wait
        self._tenant_id = tenant_id
        self._grace = grace
        self.handlers: dict[str, Handler] = {}
        """Of each topic."""
        self._weights: dict[str, int] = {}
        self._timeouts: dict[str, Optional[timedelta]] = {}
        self._stopping = threading.Event()

    def handler(self, topic: str, *, weight: int = 1, timeout: Optional[timedelta] = None) -> Callable[[Handler], Handler]:
        """Decorates the handler of a handler type, which workers call a topic. `weight`: of the topic among those of the
        worker: while each has jobs, one of weight 3 gets three times the places of one of weight 1. All of the same: the
        jobs come in their order, whatever their topic. `timeout`: a handler that runs for longer is told by `job.cancelled`,
        and its attempt has failed. No thread can be ended, so its place is free again when it ends after all.
        """
        check_handling(weight, timeout)

        def add(function: Handler) -> Handler:
            if inspect.iscoroutinefunction(function):
                raise TypeError(f"{function.__name__} is a coroutine, which nothing awaits here: use AsyncWorker")
            self.handlers[topic] = function
            self._weights[topic] = weight
            self._timeouts[topic] = timeout
            return function
        return add

    def run(self) -> None:
        """Works until it is stopped. Raises what the service refuses for good, such as a wrong token, and RuntimeError
        when a thread of the worker has ended by a bug."""
        if not self.handlers:
            raise ValueError("a worker needs a handler")
        settings = DeskSettings(self.name, self._weights, self._threads, self._prefetch, self._lock, self._wait, self._tenant_id)
        desk = Desk(self._client, settings, self._stopping)
        threads = [desk.thread(lambda: self._work(desk)) for _ in range(self._threads)]
        before = self._stop_on_signals()
        try:
            for thread in threads:
                thread.start()
            desk.fetch()
        finally:
            self._stopping.set()
            desk.give_back(desk.held.close())
            self._end(threads)
            desk.close()
            for number, handler in before.items():
                signal.signal(number, handler)
        desk.raise_bug()

    def stop(self) -> None:
        """Begins to stop. From any thread, and from a handler."""
        self._stopping.set()

    def _stop_on_signals(self) -> dict[int, Any]:
        if threading.current_thread() is not threading.main_thread():
            return {}
        return {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGTERM, signal.SIGINT)}

    def _work(self, desk: Desk) -> None:
        while (job := desk.held.take()) is not None:
            self._run_one(desk, job)

    def _run_one(self, desk: Desk, job: Job) -> None:
        timeout = self._timeouts[job.handler_type]
        if timeout is None:
            desk.tell(job, self._result_of(job))
            return
        speaking = threading.Lock()  # Whoever gets it says what became of the job.
        timer = threading.Timer(timeout.total_seconds(), self._give_up, (desk, job, too_long(job, timeout), speaking))
        timer.daemon = True
        timer.start()
        result = self._result_of(job)
        timer.cancel()
        if speaking.acquire(blocking=False):
            desk.tell(job, result)
        else:
            _log.warning("the handler of job %s has ended after all, and its place is free", job.id)
            desk.drop(job)

    def _give_up(self, desk: Desk, job: Job, error: TimeoutError, speaking: threading.Lock) -> None:
        if speaking.acquire(blocking=False):
            _log.error("job %s: %s; its place is lost until it does", job.id, error)
            desk.give_up(job, failed(job, error))
            job.cancelled.set()

    def _result_of(self, job: Job) -> bytes:
        try:
            return completed(job, self.handlers[job.handler_type](job))
        except BaseException as error:  # Whatever a handler raises is the job's failure, not the thread's: sys.exit() too.
            return failed(job, error)

    def _end(self, threads: list[threading.Thread]) -> None:
        give_up = time.monotonic() + self._grace
        for thread in threads:
            thread.join(max(0.0, give_up - time.monotonic()))
        left = sum(thread.is_alive() for thread in threads)
        if left:
            _log.warning("%d handlers do not end; their jobs run again when their locks are over", left)
