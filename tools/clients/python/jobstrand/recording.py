"""Where what an app enqueues goes while it is tested: see jobstrand.testing."""
from __future__ import annotations

from typing import Callable, Optional

from .jobs import Enqueued, NewJob

#: None: to the database or the service.
record: Optional[Callable[[NewJob], Enqueued]] = None
