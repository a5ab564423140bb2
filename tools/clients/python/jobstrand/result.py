"""What is said of a job whose handler has ended: each for itself, in JSON, so that none can spoil another."""
from __future__ import annotations

import json
import traceback
from typing import Any

from .errors import BusinessError, Fail
from .jobs import Job, duration_text

#: The longest stack trace that is told, in characters: its end.
_MOST_DETAILS = 50_000

#: The longest message; the service keeps less.
_MOST_MESSAGE = 10_000


#: The longest that is told of a job, which is what the service takes as a payload.
_MOST_BYTES = 8 * 1024 * 1024

_write = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class Variables(dict[str, Any]):
    """Returned by a handler: the job is done, and these are handed on to the app."""


def completed(job: Job, returned: Any) -> bytes:
    """The handler returned this. Raises TypeError for variables that JSON cannot say."""
    if not isinstance(returned, Variables):
        return b'{"id":%b,"revision":%d}' % (_write(job.id).encode(), job.revision)
    try:
        return _json({**_about(job, "complete"), "variables": returned})
    except Exception as error:
        raise TypeError(f"what the handler returned cannot be told: {_message_of(error)}") from error


def failed(job: Job, error: BaseException) -> bytes:
    """The handler raised this. Raises nothing: what cannot be told as it is, is told without its details."""
    try:
        return _json(_business_error(job, error) if isinstance(error, BusinessError) else _failure(job, error))
    except Exception as reason:
        return untold(job, f"{_message_of(error)} ({type(error).__name__}, which cannot be told as it is: {_message_of(reason)})")


def untold(job: Job, message: str) -> bytes:
    """Its result could not be told."""
    return _json({**_about(job, "fail"), "message": _sayable(message[:_MOST_MESSAGE])})


def _failure(job: Job, error: BaseException) -> dict[str, Any]:
    result = _about(job, "fail")
    lines = "".join(f"\n{line}" for line in job.news.lines) if job.has_told else ""
    if not isinstance(error, Fail):
        return {**result, "message": _in_a_line(error), "details": _traceback_of(error) + lines}
    result["message"] = _message_of(error)
    result["details"] = (_traceback_of(error) if error.details is None else _sayable(error.details)) + lines
    if error.retry_after is not None:
        result["retryAfter"] = duration_text(error.retry_after)
    if error.retries is not None:
        result["retries"] = error.retries
    return result


def _traceback_of(error: BaseException) -> str:
    """With its notes and its causes."""
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return _sayable("".join(lines)[-_MOST_DETAILS:])


def _in_a_line(error: BaseException) -> str:
    """As Python itself tells it, so that the class of the error is there to be counted."""
    kind = type(error)
    is_plain = kind.__module__ in ("builtins", "__main__")
    name = kind.__name__ if is_plain else f"{kind.__module__}.{kind.__name__}"
    message = _message_of(error)
    return name if message == kind.__name__ else f"{name}: {message}"


def _business_error(job: Job, error: BusinessError) -> dict[str, Any]:
    result = _about(job, "error")
    result.update(errorCode=error.code, message=error.message)
    if error.variables is not None:
        result["variables"] = dict(error.variables)
    return result


def _about(job: Job, outcome: str) -> dict[str, Any]:
    return {"id": job.id, "revision": job.revision, "outcome": outcome}


def _json(result: dict[str, Any]) -> bytes:
    text = _write(result).encode()
    if len(text) > _MOST_BYTES:
        raise ValueError(f"it is {len(text)} bytes long, and at most {_MOST_BYTES} are told")
    return text


def _message_of(error: BaseException) -> str:
    try:
        return _sayable(str(error)[:_MOST_MESSAGE] or type(error).__name__)
    except Exception:  # Its own text is the bug.
        return type(error).__name__


def _sayable(text: str) -> str:
    """Without halves of surrogate pairs, which names of files can have."""
    return text.encode("utf-8", "backslashreplace").decode()
