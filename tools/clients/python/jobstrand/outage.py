"""What is said while the service is away."""
from __future__ import annotations

import logging
import threading
import time

_log = logging.getLogger("jobstrand")


class Outage:
    """One line when it begins, and one when it is over, however much is tried meanwhile. Thread safe."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._failing: set[str] = set()
        self._since = 0.0

    def began(self, what: str, error: Exception) -> None:
        """This cannot be done, and is tried again."""
        with self._changing:
            if not self._failing:
                self._since = time.monotonic()
                _log.warning("cannot %s: %s; trying again until the service answers", what, error)
            self._failing.add(what)

    def ended(self, what: str) -> None:
        """This could be done, or is not tried any more."""
        with self._changing:
            if self._failing == {what}:
                _log.warning("the service answers again, after %.0f s", time.monotonic() - self._since)
            self._failing.discard(what)
