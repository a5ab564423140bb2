"""The jobs that a worker holds, and the places at which it runs them."""
from __future__ import annotations

import threading
from typing import Callable, Iterable, Sequence

from .jobs import Job


class JobsInHand:
    """A job has a place until its handler has ended, and is held until the service has been told of it. Thread safe."""

    def __init__(self, most: int, asks_at: int, on_lost: Callable[[Job], object]) -> None:
        """`most`: places. `asks_at`: so many are taken at most when it is worth asking for more. `on_lost`: called for each
        job whose lock is lost while its handler runs."""
        self._most = most
        self._asks_at = asks_at
        self._on_lost = on_lost
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}
        self._at_work: dict[int, Job] = {}  # By what they are, because one may have come again.

    def add(self, jobs: Sequence[Job]) -> None:
        """One that is held already has come again, so the lock of its former run is lost."""
        with self._changed:
            former = [self._jobs[job.id] for job in jobs if job.id in self._jobs]
            self._jobs.update((job.id, job) for job in jobs)
            self._at_work.update((id(job), job) for job in jobs)
        for job in former:
            self._tell(job)

    def free_place_of(self, job: Job) -> None:
        """Its handler has ended, or will not be called. It may have been freed already."""
        with self._changed:
            self._at_work.pop(id(job), None)
            self._changed.notify_all()

    def remove(self, jobs: Iterable[Job]) -> None:
        with self._changed:
            for job in jobs:
                if self._jobs.get(job.id) is job:
                    del self._jobs[job.id]
            self._changed.notify_all()

    def all(self) -> list[Job]:
        with self._changed:
            return list(self._jobs.values())

    def lose(self, ids: Sequence[str], among: Iterable[Job]) -> list[Job]:
        """Tells the handlers of those that are held still that they are not any more. Returns the jobs. Whose handler has
        ended is left out: the service may know of its result already."""
        refused = set(ids)
        with self._changed:
            lost = [job for job in among if job.id in refused and self._jobs.get(job.id) is job and id(job) in self._at_work]
            for job in lost:
                del self._jobs[job.id]
            self._changed.notify_all()
        for job in lost:
            self._tell(job)
        return lost

    def _tell(self, job: Job) -> None:
        job.lost.set()
        job.cancelled.set()
        self._on_lost(job)

    def wait_for_places(self, timeout: float) -> int:
        """How many are free, now or within the time; 0: too few to ask. While results cannot be told, no more work begins
        than as much again as there are places."""
        def free() -> int:
            at_work = len(self._at_work)
            return min(self._most - at_work, 2 * self._most - len(self._jobs)) if at_work <= self._asks_at else 0
        with self._changed:
            self._changed.wait_for(lambda: free() > 0, timeout)
            return max(free(), 0)
