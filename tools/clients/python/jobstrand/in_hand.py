"""The jobs that a worker holds, and the places at which it runs them."""
from __future__ import annotations

import threading
import time
from collections import deque
from typing import Callable, Iterable, NamedTuple, Optional, Sequence

from .forecast import AHEAD_S, Forecast
from .jobs import Job


class Room(NamedTuple):
    """For further jobs."""

    free: int
    """Places that nothing waits for."""
    ahead: int
    """Jobs of quick topics that may wait beyond that."""
    quick: Sequence[str]


class JobsInHand:
    """A job waits for a place, has it until its handler has ended, and is held until the service has been told of it.

    Thread safe.
    """

    def __init__(self, places: int, prefetch: Optional[int], topics: Iterable[str], stopping: threading.Event,
                 on_lost: Callable[[Job], object], clock: Callable[[], float] = time.monotonic) -> None:
        """No job is started once `stopping` is set. `prefetch`: jobs that may wait for a place; None: as many as start soon. `on_lost`: called for each job whose lock
        is lost while its handler runs."""
        self._places = places
        self._prefetch = prefetch
        self._topics = list(topics)
        self._stopping = stopping
        self._on_lost = on_lost
        self._clock = clock
        self._lock = threading.Lock()
        self._came = threading.Condition(self._lock)  # A job waits.
        self._went = threading.Condition(self._lock)  # There may be room.
        self._crowded = threading.Condition(self._lock)  # Jobs wait beyond the places.
        self._is_closed = False
        self._jobs: dict[str, Job] = {}
        self._waiting: deque[tuple[Job, float]] = deque()  # With the time at which it came.
        self._at_work: dict[int, tuple[Job, float]] = {}  # By what they are, because one may have come again; since when.
        self._forecast = Forecast()
        self._last_start = 0.0
        self._mark = 0.0  # Since then _starts have been counted; _at_once of them found a place free.
        self._starts = 0
        self._at_once = 0
        self._asks_at: Optional[int] = None  # Somebody waits until so few jobs wait.

    def add(self, jobs: Sequence[Job]) -> None:
        """One that is held already has come again, so the lock of its former run is lost."""
        now = self._clock()
        with self._lock:
            former = [self._jobs[job.id] for job in jobs if job.id in self._jobs]
            self._leave_waiting({id(job) for job in former})
            self._measure(now)
            self._at_once = max(0, self._places - len(self._at_work))
            self._jobs.update((job.id, job) for job in jobs)
            self._waiting.extend((job, now) for job in jobs)
            self._came.notify(len(jobs))
            if len(self._waiting) > self._at_once:
                self._crowded.notify()
        for job in former:
            self._tell(job)

    def take(self) -> Optional[Job]:
        """The next that is to run, as soon as there is one; it has a place now. None: there will be none."""
        with self._lock:
            while not self._waiting and not self._is_closed:
                self._came.wait()
            return self._start() if self._waiting and not self._stopping.is_set() else None

    def take_now(self) -> Optional[Job]:
        """The same; None: none waits, or no place is free."""
        with self._lock:
            is_free = len(self._at_work) < self._places and not self._stopping.is_set()
            return self._start() if self._waiting and is_free else None

    def free_place_of(self, job: Job) -> None:
        """Its handler has ended, or will not be called. It may have been freed already."""
        now = self._clock()
        with self._lock:
            _, since = self._at_work.pop(id(job), (job, None))
            if since is not None:
                self._forecast.ended(job.handler_type, now - since)
            if self._asks_at is not None and len(self._waiting) <= self._asks_at:
                self._went.notify()

    def remove(self, jobs: Iterable[Job]) -> None:
        with self._lock:
            for job in jobs:
                if self._jobs.get(job.id) is job:
                    del self._jobs[job.id]
            self._went.notify()

    def all(self) -> list[Job]:
        with self._lock:
            return list(self._jobs.values())

    def lose(self, ids: Sequence[str], among: Iterable[Job]) -> list[Job]:
        """Tells the handlers of those that are held still that they are not any more. Returns the jobs. Whose handler has
        ended is left out: the service may know of its result already."""
        refused = set(ids)
        with self._lock:
            is_here = {id(job) for job, _ in self._waiting} | set(self._at_work)
            lost = [job for job in among if job.id in refused and self._jobs.get(job.id) is job and id(job) in is_here]
            self._leave_waiting({id(job) for job in lost})
            for job in lost:
                del self._jobs[job.id]
            self._went.notify()
        for job in lost:
            self._tell(job)
        return lost

    def close(self) -> list[Job]:
        """No further job is started. Returns those that wait."""
        with self._lock:
            self._is_closed = True
            unstarted = [job for job, _ in self._waiting]
            self._waiting.clear()
            for condition in (self._came, self._went, self._crowded):
                condition.notify_all()
        return unstarted

    def wait_for_room(self, timeout: float, *, of_some: bool = True) -> Room:
        """As there is now, or within the time. `of_some`: also when only some topics may be fetched, to wait. While results cannot be told, no more work begins than as much again as may
        be held."""
        with self._lock:
            room = self._room(of_some)
            if room.free + room.ahead == 0 and not self._is_closed:
                self._asks_at = self._soon() // 2
                self._went.wait(timeout)
                self._asks_at = None
                room = self._room(of_some)
            return room

    def surplus(self, timeout: float) -> list[Job]:
        """Takes back what waits and will not start soon after all, the last first: others may run it. Empty if there is
        nothing of that within the time."""
        with self._lock:
            if not self._waiting or self._prefetch is not None:
                self._crowded.wait(timeout)
            else:
                self._crowded.wait(AHEAD_S / 2)
            return self._take_surplus(self._clock())

    def _take_surplus(self, now: float) -> list[Job]:
        if not self._waiting or self._prefetch is not None or now - self._waiting[0][1] < AHEAD_S:
            return []
        if now - self._last_start >= AHEAD_S:
            for job, since in self._at_work.values():
                self._forecast.takes_at_least(job.handler_type, now - since)
        return [self._waiting.pop()[0] for _ in range(len(self._waiting) - self._soon())]

    def _start(self) -> Job:
        job, _ = self._waiting.popleft()
        now = self._last_start = self._clock()
        self._at_work[id(job)] = (job, now)
        self._starts += 1
        if not self._waiting:
            self._measure(now)
        return job

    def _measure(self, now: float) -> None:
        if self._starts > self._at_once:
            self._forecast.drained(self._starts - self._at_once, now - self._mark)
        self._mark, self._starts, self._at_once = now, 0, 0

    def _leave_waiting(self, jobs: set[int]) -> None:
        if jobs:
            self._waiting = deque(one for one in self._waiting if id(one[0]) not in jobs)

    def _soon(self) -> int:
        """How many jobs may wait for a place."""
        if self._prefetch is not None:
            return self._prefetch
        long_ago = self._clock() - AHEAD_S
        stuck = sum(since < long_ago for _, since in self._at_work.values())
        return self._forecast.starts(self._places - stuck)

    def _room(self, of_some: bool) -> Room:
        quick = self._topics if self._prefetch is not None else self._forecast.quick(self._topics)
        soon = self._soon() if len(quick) == len(self._topics) or (quick and of_some) else 0
        left = 2 * (self._places + soon) - len(self._jobs)
        unused = self._places - len(self._at_work) - len(self._waiting)
        free = max(0, min(unused, left))
        ahead = soon + min(0, unused)
        # Less than half of what may wait would make many small requests.
        is_worth = ahead > 0 and 2 * ahead >= soon
        return Room(free, max(0, min(ahead, left - free)) if is_worth else 0, quick)

    def _tell(self, job: Job) -> None:
        job.lost.set()
        job.cancelled.set()
        self._on_lost(job)
