"""Enqueue background jobs in Jobstrand, in the app's own transaction or over HTTP, and work on them.

Nothing but Python's standard library is needed.
"""
from .aio import AsyncWorker
from .client import Client
from .errors import BusinessError, Fail, JobstrandError, KeyHeld, Refused, Unreachable
from .jobs import Enqueued, Job, NewJob
from .result import Variables
from .sql import enqueue
from .worker import Worker

__all__ = [
    "AsyncWorker",
    "BusinessError",
    "Client",
    "Enqueued",
    "Fail",
    "Job",
    "JobstrandError",
    "KeyHeld",
    "NewJob",
    "Refused",
    "Unreachable",
    "Variables",
    "Worker",
    "enqueue",
]
