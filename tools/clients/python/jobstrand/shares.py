"""How the places of a worker are shared out among its topics."""
from __future__ import annotations

from typing import Mapping


class Shares:
    """In the long run each topic has the share that its weight is of all."""

    def __init__(self, weights: Mapping[str, int]):
        self._weights = dict(weights)
        self._credits = dict.fromkeys(weights, 0)

    def of(self, places: int) -> list[str]:
        """The topic of each place, in the order in which they are to be filled."""
        chosen = []
        for _ in range(places):
            for topic, weight in self._weights.items():
                self._credits[topic] += weight
            chosen.append(max(self._credits, key=self._credits.__getitem__))
            self._credits[chosen[-1]] -= sum(self._weights.values())
        return chosen
