"""What a run tells of itself while it is under way."""
from __future__ import annotations

import threading
from collections import deque
from typing import Any, Optional

#: Lines that are kept: the last ones, and of each its first characters.
_MOST_LINES = 100
_MOST_CHARACTERS = 1000

#: Of all that are told together.
_MOST_OF_ALL = 8_000


class News:
    """Thread safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._part: Optional[float] = None
        self._note = ""
        self._lines: deque[str] = deque(maxlen=_MOST_LINES)
        self._is_fresh = False

    @property
    def part(self) -> Optional[float]:
        """How much of the work is done, from 0 to 1; None: nobody has said."""
        return self._part

    @property
    def note(self) -> str:
        """What is being done."""
        return self._note

    @property
    def lines(self) -> list[str]:
        """The last ones."""
        with self._lock:
            lines = list(self._lines)
        room = _MOST_OF_ALL
        for count, line in enumerate(reversed(lines)):
            room -= len(line.encode()) + 1
            if room < 0:
                return lines[len(lines) - count:]
        return lines

    def progress(self, part: float, note: str) -> None:
        with self._lock:
            self._part = min(1.0, max(0.0, float(part)))
            self._note = _sayable(note)[:255]
            self._is_fresh = True

    def log(self, text: str) -> None:
        lines = [line[:_MOST_CHARACTERS] for line in _sayable(text).splitlines() or [""]]
        with self._lock:
            self._lines.extend(lines)
            self._is_fresh = True

    def take(self) -> Optional[dict[str, Any]]:
        """As the service wants it; None: nothing has been told since it was taken last."""
        with self._lock:
            if not self._is_fresh:
                return None
            self._is_fresh = False
            said = {"progress": self._part, "note": self._note}
        return {**said, "lines": self.lines}

    def not_told(self) -> None:
        """What was taken last is to be taken again."""
        self._is_fresh = True


def _sayable(text: object) -> str:
    """Without halves of surrogate pairs, and without NUL, which databases do not store."""
    return str(text).encode("utf-8", "backslashreplace").decode().replace("\0", "\ufffd")
