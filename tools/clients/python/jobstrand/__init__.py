"""Enqueue background jobs in Jobstrand, in the app's own transaction or over HTTP, and work on them.

Nothing but Python's standard library is needed.
"""
from .aio import AsyncWorker
from .async_client import AsyncClient
from .client import Client, Event
from .engines import engine_of
from .errors import BusinessError, Conflict, Fail, Invalid, JobstrandError, KeyHeld, NotAllowed, NotFound, Overloaded, Refused, Unreachable
from .jobs import Enqueued, Job, NewJob
from .result import Variables
from .sql import enqueue
from .worker import Worker

__all__ = [
    "AsyncClient",
    "AsyncWorker",
    "BusinessError",
    "Client",
    "Conflict",
    "Enqueued",
    "Event",
    "Fail",
    "Invalid",
    "Job",
    "JobstrandError",
    "KeyHeld",
    "NewJob",
    "NotAllowed",
    "NotFound",
    "Overloaded",
    "Refused",
    "Unreachable",
    "Variables",
    "Worker",
    "engine_of",
    "enqueue",
]
