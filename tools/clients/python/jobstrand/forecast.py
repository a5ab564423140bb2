"""How many jobs the places of a worker start soon."""
from __future__ import annotations

from typing import Iterable, Optional

#: What counts as soon, in seconds.
AHEAD_S = 0.05

#: So many jobs wait at most, however short they are.
_MOST_AHEAD = 2000

#: The part that the last run has in a mean: after a change of work, a few dozen runs tell.
_PART_OF_LAST = 1 / 16


class Forecast:
    """From how long the last runs of each topic have taken, and how fast waiting jobs were started. Pure.

    A topic of which no run has ended is slow: who held more of it than it runs would keep jobs from workers that are idle.
    """

    def __init__(self) -> None:
        self._means: dict[str, float] = {}  # Of each topic, in seconds.
        self._mean: Optional[float] = None  # Of the runs of quick topics.
        self._rate: Optional[float] = None  # Of starts, per second, while jobs waited.

    def ended(self, topic: str, seconds: float) -> None:
        mean = self._means.get(topic, seconds)
        mean = self._means[topic] = mean + (seconds - mean) * _PART_OF_LAST
        if mean <= AHEAD_S:
            of_all = mean if self._mean is None else self._mean
            self._mean = of_all + (seconds - of_all) * _PART_OF_LAST

    def takes_at_least(self, topic: str, seconds: float) -> None:
        """A run that goes on has taken that long already."""
        self._means[topic] = max(self._means.get(topic, 0.0), seconds)

    def drained(self, starts: int, seconds: float) -> None:
        """While jobs waited for a place, so many were started."""
        rate = starts / max(seconds, 1e-6)
        self._rate = rate if self._rate is None else (self._rate + rate) / 2

    def quick(self, topics: Iterable[str]) -> list[str]:
        """Those that are worth fetching before a place is free."""
        return [topic for topic in topics if self._means.get(topic, AHEAD_S * 2) <= AHEAD_S]

    def starts(self, places: int) -> int:
        """How many jobs of quick topics so many places start soon."""
        if self._mean is None:
            return 0
        by_runs = places * AHEAD_S / max(self._mean, 1e-6)
        by_rate = 4 * places if self._rate is None else self._rate * AHEAD_S
        return int(min(by_runs, by_rate, _MOST_AHEAD))
