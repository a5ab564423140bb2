"""How an operation of the service is told once, for the client that waits and for the one that is awaited."""
from __future__ import annotations

import functools
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Generic, Iterator, Mapping, Optional, Sequence, TypeVar, Union, overload
from urllib.parse import parse_qsl, quote, urlencode

from .jobs import due_text

#: One or several, of which one is enough.
Texts = Union[str, Sequence[str]]
#: A text is any that the service reads as a time.
Instant = Union[str, datetime]
Instants = Union[Instant, Sequence[Instant]]
Duration = Union[str, timedelta]

#: Sends a request; of a list, one for each page.
CarryOut = Callable[["Request"], Any]

R = TypeVar("R")


class Sync:
    """The client waits."""


class Async:
    """The client is awaited."""


M = TypeVar("M", Sync, Async)


class Request:
    """Of the operation of a method, `arguments` being all of its own. What is None or False is left out."""

    is_list = False

    def __init__(self, method: str, path: str, arguments: Mapping[str, Any], has_consent: bool = False):
        """`has_consent`: the service asks whether it is meant so; who calls a method means it."""
        given = {name: _text_of(name, value) for name, value in arguments.items() if name != "self" and value is not None and value is not False}
        for name in [name for name in given if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", quote(given.pop(name), safe=""))
        self.method = method
        self.body: Optional[dict[str, Any]] = None
        if method in ("GET", "DELETE"):
            query = {name.replace("_", "-"): "true" if value is True else value for name, value in given.items()}
            self.path = path + ("?" + urlencode(query, doseq=True) if query else "")
            return
        self.path = path
        # What selects jobs has several of each; elsewhere only what is named.
        several = _FILTERS + _NAMED if "correlation_id" in arguments else _NAMED
        self.body = {_camel(name): _several(value) if name in several else value for name, value in given.items()}
        if has_consent and "dry_run" not in given:
            self.body["yes"] = True


class Call(Request, Generic[R]):
    """One answer."""


class Item(Request, Generic[R]):
    """Of a list: all its pages."""

    is_list = True


def pages_of(answer: Any) -> list[Any]:
    """The items of a page."""
    items: list[Any] = answer["items"] if isinstance(answer, dict) else answer
    return items


def next_page(path: str, answer: Any, link: Optional[str]) -> Optional[str]:
    """None: it was the last. The service tells it in its answer, or in the header Link."""
    if link is not None:
        return link.partition(">")[0].lstrip("<")
    after = answer.get("after") if isinstance(answer, dict) else None
    if after is None:
        return None
    start, _, query = path.partition("?")
    kept = [(name, value) for name, value in parse_qsl(query) if name != "after"]
    return f"{start}?{urlencode([*kept, ('after', after)])}"


class Noun(Generic[M]):
    """What has operations."""

    def __init__(self, carry_out: "CarryOut"):
        self.carry_out = carry_out


_NAMED = ("ids", "keys", "names", "jobs")
_FILTERS = (
    "type", "instance", "definition", "element", "category", "tenant", "correlation_id", "error", "created_before", "created_after",
    "due_before", "due_after", "failed_before", "failed_after", "unique_key", "root_instance", "execution", "element_name", "series",
    "lock_owner", "retries_min", "retries_max", "priority_min", "priority_max", "without")


def _text_of(name: str, value: Any) -> Any:
    if isinstance(value, (datetime, timedelta)):
        return due_text(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_text_of(name, one) for one in value]
    return value if isinstance(value, bool) or name not in _FILTERS else str(value)


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

    class _Operation(Generic[P, R]):
        @overload
        def __get__(self, noun: Noun[Sync], owner: object = None) -> Callable[P, R]: ...
        @overload
        def __get__(self, noun: Noun[Async], owner: object = None) -> Callable[P, Awaitable[R]]: ...
        def __get__(self, noun: Any, owner: object = None) -> Any: ...

    class _Listing(Generic[P, R]):
        @overload
        def __get__(self, noun: Noun[Sync], owner: object = None) -> Callable[P, Iterator[R]]: ...
        @overload
        def __get__(self, noun: Noun[Async], owner: object = None) -> Callable[P, AsyncIterator[R]]: ...
        def __get__(self, noun: Any, owner: object = None) -> Any: ...

    def operation(request: Callable[Concatenate[Any, P], Call[R]]) -> _Operation[P, R]: ...
    def listing(request: Callable[Concatenate[Any, P], Item[R]]) -> _Listing[P, R]: ...
else:
    def operation(request):
        """Decorates what makes the request of an operation: called, it is carried out."""
        @functools.wraps(request)
        def carried_out(noun, *values, **named):
            return noun.carry_out(request(noun, *values, **named))
        return carried_out

    listing = operation
