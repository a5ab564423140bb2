"""When to ask again."""
from __future__ import annotations

import random

from .errors import JobstrandError, Refused, Unreachable


def is_worth_waiting(error: JobstrandError) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, Refused):
        return error.status >= 500 or error.status in (408, 429)
    return isinstance(error, Unreachable)


class Pause:
    """Waits after failures: ever longer, up to five seconds, and never of all workers at the same time."""

    def __init__(self) -> None:
        self._next = 0.1

    def after(self, error: JobstrandError) -> float:
        """In seconds; as the service says, if it does."""
        wait = getattr(error, "retry_after", None) or self._next
        self._next = min(self._next * 2, 5.0)
        return wait * random.uniform(0.8, 1.2)

    def reset(self) -> None:
        self._next = 0.1
