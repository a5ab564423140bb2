"""What goes wrong, and what a handler says of it."""
from __future__ import annotations

from datetime import timedelta
from typing import Any, Mapping, Optional, Sequence

from .names import nearest_names


class JobstrandError(Exception):
    """The service could not be asked, or said no."""


class Unreachable(JobstrandError):
    """No answer came. What was asked for may have been done all the same."""


class Refused(JobstrandError):
    """The service said no. `status` is that of HTTP; `errors` has a sentence for each thing that is wrong."""

    def __init__(self, status: int, detail: str, errors: Sequence[str] = (), retry_after: Optional[float] = None):
        super().__init__(detail if not errors else f"{detail}: {'; '.join(errors)}")
        self.status = status
        self.detail = detail
        self.errors = tuple(errors)
        self.retry_after = retry_after
        """Seconds after which it is worth asking again; only of some."""

    @staticmethod
    def of(status: int, detail: str, errors: Sequence[str] = (), retry_after: Optional[float] = None) -> "Refused":
        """Of the class for this status."""
        kinds = {400: Invalid, 401: NotAllowed, 403: NotAllowed, 404: NotFound, 409: Conflict, 413: Invalid, 422: Invalid, 503: Overloaded}
        return kinds.get(status, Refused)(status, detail, errors, retry_after)


class Invalid(Refused):
    """What was asked for cannot be meant so; nothing was changed."""


class NotAllowed(Refused):
    """No token, or one that does not allow it."""


class NotFound(Refused):
    """There is no such thing, or there is not any more."""


class Conflict(Refused):
    """An id or a key is taken, or the thing is in a state that does not allow it."""


class Overloaded(Refused):
    """Too much at once, or the database is away: ask again later."""


class KeyHeld(JobstrandError):
    """A job that is to be replaced has begun to run, or has ended while its unique key goes on to hold."""


@nearest_names
class Fail(Exception):
    """Raised by a handler: this attempt has failed. Any other exception fails it too, as the job's retry cycle says."""

    def __init__(self, message: str, *, retry_after: Optional[timedelta] = None, retries: Optional[int] = None,
                 details: Optional[str] = None):
        """`retry_after`: how long the job waits instead. `retries`: how many attempts are left instead; 0: none. `details`:
        the traceback, if None.
        """
        super().__init__(message)
        self.retry_after = retry_after
        self.retries = retries
        self.details = details


@nearest_names
class BusinessError(Exception):
    """Raised by a handler: the work is done, and ended in an error of this code, which is handed on to the app."""

    def __init__(self, code: str, message: str = "", variables: Optional[Mapping[str, Any]] = None):
        super().__init__(message or code)
        self.code = code
        self.message = message
        self.variables = variables
