"""Several databases as one."""
from __future__ import annotations

import hashlib
from collections.abc import Iterable


def engine_of(key: str, names: Iterable[str]) -> str:
    """The engine of a job among the names of several whose databases are as one (`spreadOver`). `key`: its process instance id, else
    its unique key, else the key of its series, else its id. Raises ValueError where there is no name.
    """
    return max(names, key=lambda name: hashlib.sha256(f"{name}\n{key}".encode()).digest())
