"""Refuses misspelt names, and says which is the nearest."""
from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Type, TypeVar

T = TypeVar("T")


def nearest_names(kind: Type[T]) -> Type[T]:
    """Decorates a class whose constructor, given a name that it does not have, says the nearest that it has."""
    init = getattr(kind, "__init__")
    known = list(inspect.signature(init).parameters)[1:]

    @functools.wraps(init)
    def checked(self: T, *values: Any, **named: Any) -> None:
        for name in named:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise TypeError(f"{kind.__name__} has no {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        init(self, *values, **named)
    setattr(kind, "__init__", checked)
    return kind
