"""What both workers do beside running handlers: fetch jobs, prolong their locks, tell what became of them."""
from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Callable, Mapping, Optional, Sequence

from .client import Client
from .errors import JobstrandError, Refused
from .in_hand import JobsInHand, Room
from .jobs import Job
from .outage import Outage
from .pause import Pause, is_worth_waiting
from .result import untold
from .shares import Shares

#: Jobs that one request is about, which is one transaction.
_JOBS_PER_REQUEST = 1000

#: How often it is asked whether jobs that run for longer than that are held still, in seconds.
_LOOK_S = 0.8

#: Results of so many bytes are enough for a request: with one more it is still shorter than the service takes.
_BYTES_PER_REQUEST = 4 * 1024 * 1024

_log = logging.getLogger("jobstrand")

#: What a request is told when it cannot be meant so, or is too long.
_OF_WHAT_IT_SAYS = (400, 413, 422)

#: A job, and what became of it, in JSON.
Told = tuple[Job, bytes]


@dataclass(frozen=True)
class DeskSettings:
    """See Worker for their meaning."""

    worker: str
    topics: Mapping[str, int]
    """With their weights."""
    places: int
    prefetch: Optional[int]
    """See JobsInHand."""
    lock: timedelta
    wait: timedelta
    tenant_id: Optional[str]


class Desk:
    """Between a service and a worker, until `stopping` is set. Thread safe."""

    def __init__(self, client: Client, settings: DeskSettings, stopping: threading.Event,
                 on_lost: Callable[[Job], object] = lambda job: None):
        """`on_lost`: see JobsInHand."""
        self._client = client
        self._settings = settings
        self._stopping = stopping
        self.held = JobsInHand(settings.places, settings.prefetch, settings.topics, stopping, on_lost)
        self._outage = Outage()
        has_weights = len(set(settings.topics.values())) > 1
        self._shares = Shares(settings.topics) if has_weights else None
        self._results: queue.SimpleQueue[Optional[Told]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._bug: Optional[BaseException] = None
        self._threads = [self.thread(target) for target in (self._tell_all, self._keep_locks, self._give_surplus_back)]
        self._is_short = False
        self._can_ask = True
        self._can_tell = True

    def thread(self, target: Callable[[], None]) -> threading.Thread:
        """One without which the worker cannot go on: what ends it before its time ends the worker."""
        def run() -> None:
            try:
                target()
            except BaseException as error:  # Nobody else would hear of it.
                self.end_by(error)
        return threading.Thread(target=run, daemon=True)

    def end_by(self, bug: BaseException) -> None:
        """Begins to stop the worker, which cannot go on. From any thread."""
        _log.critical("the worker ends by a bug: %r", bug, exc_info=bug)
        self._bug = bug
        self._stopping.set()

    def raise_bug(self) -> None:
        """What has ended the worker, if anything has: so that its process does not end as if all were well."""
        if self._bug is not None:
            raise RuntimeError(f"the worker has ended by a bug: {self._bug!r}") from self._bug

    def fetch(self, on_jobs: Callable[[], object] = lambda: None) -> None:
        """Brings jobs into `held`, and calls `on_jobs` then, until it is stopped. Raises what the service refuses for good."""
        for thread in self._threads:
            thread.start()
        settings = self._settings
        topics = ", ".join(topic if weight == 1 else f"{topic} (weight {weight})" for topic, weight in settings.topics.items())
        _log.info("worker %s serves %s, %d places, at %s", settings.worker, topics, settings.places, self._client.address)
        pause = Pause()
        while not self._stopping.is_set():
            # Jobs of some topics that came before a place is free would take it from the others, whatever their weight.
            room = self.held.wait_for_room(0.5, of_some=not self._is_short and not self._shares)
            if room.free + room.ahead == 0 or self._stopping.is_set():
                continue
            try:
                self._fill(room, on_jobs)
            except JobstrandError as error:
                if not is_worth_waiting(error):
                    raise
                self._outage.began("fetch jobs", error)
                self._stopping.wait(pause.after(error))
                continue
            self._outage.ended("fetch jobs")
            pause.reset()

    def tell(self, job: Job, result: bytes) -> None:
        """The handler of a job has ended. What is told at the same time shares a request."""
        self.held.free_place_of(job)
        self._results.put((job, result))

    def give_up(self, job: Job, result: bytes) -> None:
        """Its handler does not end: this is told instead, but its place is not free."""
        self._results.put((job, result))

    def drop(self, job: Job) -> None:
        """Its handler will not be called, or has ended after it was given up."""
        self.held.free_place_of(job)

    def give_back(self, jobs: Sequence[Job]) -> None:
        """They will not be run here; no attempt is used."""
        self.held.remove(jobs)
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

    def _fill(self, room: Room, on_jobs: Callable[[], object]) -> None:
        topics = list(self._settings.topics)
        of_all = room.free + (room.ahead if len(room.quick) == len(topics) else 0)
        most = min(of_all or room.ahead, _JOBS_PER_REQUEST)
        jobs = self._jobs_by_weight(most) if of_all else self._jobs_of(room.quick, most, timedelta(0))
        self._is_short = len(jobs) < most
        if jobs:
            self.held.add(jobs)
            on_jobs()

    def _jobs_by_weight(self, most: int) -> list[Job]:
        """What the weights leave, as the jobs come."""
        order = self._shares.of(most) if self._shares else []
        of_topics = {topic: deque(self._jobs_of([topic], count, timedelta(0))) for topic, count in Counter(order).items()}
        jobs = [of_topics[topic].popleft() for topic in order if of_topics[topic]]
        if len(jobs) < most:
            jobs += self._jobs_of(list(self._settings.topics), most - len(jobs), timedelta(0) if jobs else self._settings.wait)
        return jobs

    def _jobs_of(self, topics: Sequence[str], most: int, wait: timedelta) -> list[Job]:
        settings = self._settings
        return self._client.acquire(settings.worker, topics, jobs=most, lock=settings.lock, wait=wait, tenant_id=settings.tenant_id)

    def _give_surplus_back(self) -> None:
        while not self._closed.is_set():
            self.give_back(self.held.surplus(_LOOK_S))

    def _keep_locks(self) -> None:
        """Prolongs them each third of their time. In between it asks for those of jobs that take long, because the jobs may
        have been cancelled."""
        lock = self._settings.lock.total_seconds()
        look = min(_LOOK_S, lock / 3)
        prolonged = time.monotonic()
        before: set[int] = set()
        while not self._closed.wait(look):
            jobs = self.held.all()
            if time.monotonic() - prolonged >= lock / 3 - look / 2:
                prolonged = time.monotonic()
                self._ask_in_parts(jobs, lambda part: self._client.extend(self._settings.worker, part, self._settings.lock))
            elif self._can_ask:
                self._look_at(jobs, before)
            before = {id(job) for job in jobs}

    def _look_at(self, jobs: list[Job], before: set[int]) -> None:
        """Those that take long, and those that tell something."""
        worker = self._settings.worker
        news = {job.id: told for job in jobs if job.has_told and (told := job.news.take())}
        asked = [job for job in jobs if id(job) in before or job.id in news]
        if not news or not self._can_tell:
            self._ask_in_parts(asked, lambda part: self._client.held(worker, part))
        elif not self._ask_in_parts(asked, lambda part: self._client.tell(worker, part, news)):
            for job in asked:
                if job.id in news:
                    job.news.not_told()
            # A service that is older than this package may know how to be asked, and not how to be told.
            self._can_tell, self._can_ask = self._can_ask, True

    def _ask_in_parts(self, jobs: list[Job], ask: Callable[[list[Job]], list[dict[str, Any]]]) -> bool:
        """`ask` says for which of some jobs the lock is lost. False: it could not be asked."""
        if not jobs:
            self._outage.ended("keep locks")
        for start in range(0, len(jobs), _JOBS_PER_REQUEST):
            part = jobs[start:start + _JOBS_PER_REQUEST]
            try:
                refused = ask(part)
            except JobstrandError as error:
                # A service that is older than this package does not know the question.
                if isinstance(error, Refused) and error.status == 404:
                    self._can_ask = False
                else:
                    self._outage.began("keep locks", error)
                return False
            self._outage.ended("keep locks")
            for job in self.held.lose([one["id"] for one in refused], among=part):
                _log.warning("the lock of job %s is lost", job.id)
        return True

    def _tell_all(self) -> None:
        is_last = False
        while not is_last:
            told, is_last = self._next_results()
            counting = [(job, result) for job, result in told if not job.is_lost]
            if counting:
                self._finish(counting)
            self.held.remove(job for job, _ in counting)

    def _next_results(self) -> tuple[list[Told], bool]:
        """At least one, unless it was the last: then True."""
        results: list[Told] = []
        room = _BYTES_PER_REQUEST
        while not results or (room > 0 and len(results) < _JOBS_PER_REQUEST and not self._results.empty()):
            following = self._results.get()
            if following is None:
                return results, True
            results.append(following)
            room -= len(following[1])
        return results, False

    def _finish(self, told: list[Told]) -> None:
        """What the service does not take is told as a failure of that job alone."""
        refused = self._refused_among(told)
        for job, why in self._refused_among([(job, untold(job, f"the service refuses its result: {why}")) for job, why in refused]):
            _log.error("what became of job %s cannot be told; it runs again: %s", job.id, why)

    def _refused_among(self, told: list[Told]) -> list[tuple[Job, str]]:
        """Tells it. Returns the jobs whose results cannot be meant so, each with the reason."""
        if not told:
            return []
        try:
            answers = self._answers_to([result for _, result in told])
        except Refused as error:
            if len(told) == 1:
                return [(told[0][0], str(error))]
            middle = len(told) // 2
            return self._refused_among(told[:middle]) + self._refused_among(told[middle:])
        refused = {one["id"]: str(one.get("why")) for one in answers if one["answer"] == "refused"}
        for one in answers:
            if one["answer"] != "refused":
                _log.warning("the result of job %s does not count: %s", one["id"], one["answer"])
        return [(job, refused[job.id]) for job, _ in told if job.id in refused]

    def _answers_to(self, results: list[bytes]) -> list[dict[str, Any]]:
        """Raises Refused when the service says that it cannot be meant so."""
        pause = Pause()
        give_up = time.monotonic() + self._settings.lock.total_seconds()
        try:
            while True:
                try:
                    return self._client.finish(self._settings.worker, results)
                except JobstrandError as error:
                    if isinstance(error, Refused) and error.status in _OF_WHAT_IT_SAYS:
                        raise
                    if not is_worth_waiting(error) or time.monotonic() > give_up:
                        _log.error("what became of %d jobs cannot be told; they run again: %s", len(results), error)
                        return []
                    self._outage.began("tell what became of jobs", error)
                    time.sleep(pause.after(error))
        finally:
            self._outage.ended("tell what became of jobs")
