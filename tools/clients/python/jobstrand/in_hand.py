"""The jobs that a worker holds."""
from __future__ import annotations

import threading
from typing import Iterable, Sequence

from .jobs import Job


class JobsInHand:
    """Thread safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, jobs: Sequence[Job]) -> None:
        """One that is held already has come again, so the lock of its former run is lost."""
        with self._changed:
            former = [self._jobs[job.id] for job in jobs if job.id in self._jobs]
            self._jobs.update((job.id, job) for job in jobs)
        for job in former:
            job.lost.set()

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
        """Tells the handlers of those that are held still that they are not any more. Returns the jobs."""
        refused = set(ids)
        with self._changed:
            lost = [job for job in among if job.id in refused and self._jobs.get(job.id) is job]
            for job in lost:
                del self._jobs[job.id]
            self._changed.notify_all()
        for job in lost:
            job.lost.set()
        return lost

    def wait_until_at_most(self, most: int, timeout: float) -> bool:
        """Whether no more are held, now or within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._jobs) <= most, timeout)
