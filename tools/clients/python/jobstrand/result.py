"""What is said of a job whose handler has ended."""
from __future__ import annotations

import traceback
from typing import Any, Mapping, Optional

from .errors import BusinessError, Fail
from .jobs import Job, duration_text

#: The longest stack trace that is told, in characters: its end.
_MOST_DETAILS = 50_000


def completed(job: Job, variables: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    """The handler returned this: None, or variables for the app."""
    result = _about(job, "complete")
    if variables is not None:
        result["variables"] = dict(variables)
    return result


def failed(job: Job, error: BaseException) -> dict[str, Any]:
    """The handler raised this."""
    if isinstance(error, BusinessError):
        return _business_error(job, error)
    result = _about(job, "fail")
    result["message"] = str(error) or type(error).__name__
    if not isinstance(error, Fail):
        result["message"] = _in_a_line(error)
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        result["details"] = "".join(lines)[-_MOST_DETAILS:]
        return result
    if error.retry_after is not None:
        result["retryAfter"] = duration_text(error.retry_after)
    if error.retries is not None:
        result["retries"] = error.retries
    if error.details is not None:
        result["details"] = error.details
    return result


def _in_a_line(error: BaseException) -> str:
    """As Python itself tells it, so that the class of the error is there to be counted."""
    kind = type(error)
    is_plain = kind.__module__ in ("builtins", "__main__")
    name = kind.__name__ if is_plain else f"{kind.__module__}.{kind.__name__}"
    return f"{name}: {error}" if str(error) else name


def _business_error(job: Job, error: BusinessError) -> dict[str, Any]:
    result = _about(job, "error")
    result.update(errorCode=error.code, message=error.message)
    if error.variables is not None:
        result["variables"] = dict(error.variables)
    return result


def _about(job: Job, outcome: str) -> dict[str, Any]:
    return {"id": job.id, "revision": job.revision, "outcome": outcome}
