"""Jobs, as they are enqueued and as they come to a worker."""
from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Mapping, Optional, Union

from .names import nearest_names
from .news import News

#: When a job runs at the earliest: an instant, a wait from now, or any timer text (only over HTTP).
Due = Union[datetime, timedelta, str]


@nearest_names
@dataclass
class NewJob:
    """A job to be enqueued. Only the handler type is needed; what is None is as the service says."""

    handler_type: str
    payload: Any = None
    """What JSON can say."""

    id: Optional[str] = None
    """Of your own, up to 64 characters; one that is taken is refused."""
    due: Optional[Due] = None
    repeat: Optional[str] = None
    retries: Optional[int] = None
    """Attempts, the first one included."""
    retry_cycle: Optional[str] = None
    priority: Optional[int] = None
    external: bool = False
    """For workers such as these."""
    exclusive: Optional[bool] = None
    """One at a time with the others of its process instance."""
    process_instance_id: Optional[str] = None
    process_definition_id: Optional[str] = None
    category: Optional[str] = None
    tenant_id: Optional[str] = None
    correlation_id: Optional[str] = None
    traceparent: Optional[str] = None
    """Of W3C Trace Context: the trace that it belongs to."""
    unique_key: Optional[str] = None
    """While a job with it is open, no other is added."""
    unique_for: Optional[timedelta] = None
    """The key is held for so long instead."""
    on_duplicate: Optional[str] = None
    """`reject` (the default), `keep` or `replace`: what becomes of a job whose key is held."""

    def to_json(self) -> dict[str, Any]:
        """As the service reads it."""
        said = {
            "handlerType": self.handler_type,
            "payload": self.payload,
            "id": self.id,
            "dueDate": None if self.due is None else due_text(self.due),
            "repeat": self.repeat,
            "retries": self.retries,
            "retryCycle": self.retry_cycle,
            "priority": self.priority,
            "external": True if self.external else None,
            "exclusive": self.exclusive,
            "processInstanceId": self.process_instance_id,
            "processDefinitionId": self.process_definition_id,
            "category": self.category,
            "tenantId": self.tenant_id,
            "correlationId": self.correlation_id,
            "traceparent": self.traceparent,
            "uniqueKey": self.unique_key,
            "uniqueFor": None if self.unique_for is None else duration_text(self.unique_for),
            "onDuplicate": self.on_duplicate,
        }
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True)
class Enqueued:
    """What became of a job."""

    id: str
    is_new: bool = True
    """False: another job has its unique key and was kept; `id` is that of the other one."""
    replaced: Optional[str] = None
    """The job that made room for it."""


@dataclass(frozen=True)
class Job:
    """A job that a worker holds."""

    id: str
    handler_type: str
    payload: Any
    attempt: int
    """1 at first."""
    revision: int
    raw: Mapping[str, Any] = field(repr=False)
    """All that the service says of it, under its names."""

    @property
    def lost(self) -> threading.Event:
        """Set when the lock is lost: another worker may have the job, and what becomes of it here does not count."""
        return self._event("_lost")

    @property
    def cancelled(self) -> threading.Event:
        """Set when the handler is to end: the lock is lost, because the job was cancelled, say, or the time of the handler
        is over. With AsyncWorker, the coroutine is cancelled too."""
        return self._event("_cancelled")

    @property
    def is_lost(self) -> bool:
        """Whether `lost` is set."""
        return "_lost" in self.__dict__ and self.lost.is_set()

    def progress(self, part: float, note: str = "") -> None:
        """How much of the work is done, from 0 to 1, and what is being done. Whoever looks at the job, on the page for one, sees
        it within about two seconds; each call replaces what the last one said. From any thread, as often as you like: the
        service is told once a second at most, for all jobs of the worker together."""
        self.news.progress(part, note)

    def log(self, text: str) -> None:
        """Adds lines to those of the run, of which the last hundred are seen there too. They stand in the details of the failure
        if the handler raises."""
        self.news.log(text)

    @property
    def news(self) -> News:
        """What the run has told of itself."""
        news: News = self.__dict__.get("_news") or self.__dict__.setdefault("_news", News())
        return news

    @property
    def has_told(self) -> bool:
        """Whether there are `news`."""
        return "_news" in self.__dict__

    def _event(self, name: str) -> threading.Event:
        """Made when it is asked for: of most jobs nobody does."""
        event: threading.Event = self.__dict__.get(name) or self.__dict__.setdefault(name, threading.Event())
        return event

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "Job":
        return cls(
            id=raw["id"],
            handler_type=raw["handlerType"],
            payload=raw.get("payload"),
            attempt=int(raw.get("attempts") or 0) + 1,
            revision=raw["revision"],
            raw=raw,
        )


def due_text(due: Due) -> str:
    if isinstance(due, str):
        return due
    if isinstance(due, timedelta):
        return duration_text(due)
    return instant_of(due).strftime("%Y-%m-%dT%H:%M:%S.") + f"{due.microsecond // 1000:03d}Z"


def instant_of(due: Union[datetime, timedelta]) -> datetime:
    """In UTC. A time without a zone is refused: nobody knows when it is."""
    if isinstance(due, timedelta):
        return datetime.now(timezone.utc) + due
    if due.tzinfo is None:
        raise ValueError("a due date needs a time zone: datetime.now(timezone.utc), for one")
    return due.astimezone(timezone.utc)


def duration_text(duration: timedelta) -> str:
    """ISO 8601, to the millisecond."""
    milliseconds = round(duration.total_seconds() * 1000)
    if milliseconds < 0:
        raise ValueError("a duration must not be negative")
    return f"PT{milliseconds // 1000}.{milliseconds % 1000:03d}S"


def fresh_id() -> str:
    """A UUID of version 7 (RFC 9562). Ids that ascend with time are the fastest for the database."""
    bits = (time.time_ns() // 1_000_000) << 80 | 0x7 << 76 | int.from_bytes(os.urandom(10), "big") & ((1 << 76) - 1)
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    text = f"{bits:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
