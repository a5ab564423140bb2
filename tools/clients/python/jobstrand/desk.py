"""What both workers do beside running handlers: fetch jobs, prolong their locks, tell what became of them."""
from __future__ import annotations

import logging
import queue
import threading
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Callable, Optional, Sequence

from .client import Client
from .errors import JobstrandError
from .in_hand import JobsInHand
from .jobs import Job
from .pause import Pause, is_worth_waiting

#: Jobs that one request is about, which is one transaction.
_JOBS_PER_REQUEST = 1000

_log = logging.getLogger("jobstrand")

Result = dict[str, Any]


@dataclass(frozen=True)
class DeskSettings:
    """See Worker for their meaning."""

    worker: str
    topics: Sequence[str]
    most: int
    lock: timedelta
    wait: timedelta
    tenant_id: Optional[str]


class Desk:
    """Between a service and a worker. Thread safe."""

    def __init__(self, client: Client, settings: DeskSettings):
        self._client = client
        self._settings = settings
        self._held = JobsInHand()
        self._results: queue.SimpleQueue[Optional[tuple[Job, Result]]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._tell_all, self._prolong_all)]

    def fetch(self, stopping: threading.Event, start: Callable[[Job], None]) -> None:
        """Calls `start` for each job, until `stopping` is set. Raises what the service refuses for good."""
        for thread in self._threads:
            thread.start()
        pause = Pause()
        while not stopping.is_set():
            # A request for each place that gets free would be one for each job.
            if not self._held.wait_until_at_most(self._settings.most // 2, 0.5):
                continue
            try:
                jobs = self._acquire()
            except JobstrandError as error:
                if not is_worth_waiting(error):
                    raise
                _log.warning("cannot fetch jobs: %s", error)
                stopping.wait(pause.after(error))
                continue
            pause.reset()
            self._held.add(jobs)
            for job in jobs:
                start(job)

    def tell(self, job: Job, result: Result) -> None:
        """The handler of a job has ended. What is told at the same time shares a request."""
        self._results.put((job, result))

    def give_back(self, jobs: Sequence[Job]) -> None:
        """They will not be run here; no attempt is used."""
        self._held.remove(jobs)
        if not jobs:
            return
        try:
            self._client.release(self._settings.worker, jobs)
        except JobstrandError as error:
            _log.warning("cannot give %d jobs back; they are free when their locks end: %s", len(jobs), error)

    def close(self) -> None:
        """Returns when all results have been told."""
        self._results.put(None)
        self._closed.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _acquire(self) -> list[Job]:
        settings = self._settings
        return self._client.acquire(
            settings.worker, settings.topics, jobs=settings.most - len(self._held), lock=settings.lock, wait=settings.wait,
            tenant_id=settings.tenant_id)

    def _prolong_all(self) -> None:
        while not self._closed.wait(self._settings.lock.total_seconds() / 3):
            jobs = self._held.all()
            for start in range(0, len(jobs), _JOBS_PER_REQUEST):
                self._prolong(jobs[start:start + _JOBS_PER_REQUEST])

    def _prolong(self, jobs: list[Job]) -> None:
        try:
            refused = self._client.extend(self._settings.worker, jobs, self._settings.lock)
        except JobstrandError as error:
            _log.warning("cannot prolong locks: %s", error)
            return
        for job in self._held.lose([one["id"] for one in refused], among=jobs):
            _log.warning("the lock of job %s is lost", job.id)

    def _tell_all(self) -> None:
        is_last = False
        while not is_last:
            told, is_last = self._next_results()
            counting = [(job, result) for job, result in told if not job.lost.is_set()]
            if counting:
                self._finish([result for _, result in counting])
            self._held.remove(job for job, _ in counting)

    def _next_results(self) -> tuple[list[tuple[Job, Result]], bool]:
        """At least one, unless it was the last: then True."""
        results: list[tuple[Job, Result]] = []
        while not results or (len(results) < _JOBS_PER_REQUEST and not self._results.empty()):
            following = self._results.get()
            if following is None:
                return results, True
            results.append(following)
        return results, False

    def _finish(self, results: list[Result]) -> None:
        pause = Pause()
        give_up = time.monotonic() + self._settings.lock.total_seconds()
        while True:
            try:
                for one in self._client.finish(self._settings.worker, results):
                    _log.warning("the result of job %s does not count: %s", one["id"], one["answer"])
                return
            except JobstrandError as error:
                if not is_worth_waiting(error) or time.monotonic() > give_up:
                    _log.error("what became of %d jobs cannot be told; they run again: %s", len(results), error)
                    return
                _log.warning("cannot tell what became of %d jobs: %s", len(results), error)
                time.sleep(pause.after(error))
