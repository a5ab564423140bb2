"""The service over HTTP, for programs with an event loop."""
from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Optional, Sequence, TypeVar, Union

from .calls import Async, Request
from .client import CallableJobs, Client, Event
from .jobs import Enqueued, NewJob
from .names import nearest_names
from .operations import Nouns

T = TypeVar("T")


@nearest_names
class AsyncClient(Nouns[Async]):
    """As Client, but awaited: `await client.dead.requeue(type="mail")`, `async for job in client.jobs.list(place="timer")`.
    The requests are made by up to eight threads beside the loop.

        async with jobstrand.AsyncClient("http://127.0.0.1:8080") as client:
            ...
    """

    def __init__(self, url: str, token: Optional[str] = None, *, timeout: float = 30.0, retries: int = 2, ssl_context: Any = None):
        """See Client."""
        super().__init__(self._carry_out)
        self.jobs: CallableJobs[Async] = CallableJobs(self._carry_out)
        self._client = Client(url, token, timeout=timeout, retries=retries, ssl_context=ssl_context)
        self._threads = ThreadPoolExecutor(8, "jobstrand")

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Waits for what is under way."""
        await asyncio.to_thread(self._threads.shutdown)

    async def enqueue(self, job: Union[NewJob, str], payload: Any = None) -> Enqueued:
        return await self._in_thread(lambda: self._client.enqueue(job, payload))

    async def enqueue_all(self, jobs: Iterable[NewJob]) -> list[str]:
        return await self._in_thread(lambda: self._client.enqueue_all(jobs))

    async def job(self, job_id: str) -> Optional[dict[str, Any]]:
        return await self._in_thread(lambda: self._client.job(job_id))

    async def requeue(self, ids: Sequence[str], retries: Optional[int] = None) -> list[dict[str, Any]]:
        return await self._in_thread(lambda: self._client.requeue(ids, retries))

    async def stats(self) -> dict[str, Any]:
        return await self._in_thread(self._client.stats)

    async def wake(self) -> None:
        await self._in_thread(self._client.wake)

    async def events(self) -> AsyncIterator[Event]:
        """See Client. Takes one of the threads while it goes on."""
        events = self._client.events()
        while (event := await self._in_thread(lambda: next(events, None))) is not None:
            yield event

    def _in_thread(self, ask: Callable[[], T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, ask)

    def _carry_out(self, request: Request) -> Any:
        if request.is_list:
            return self._items(self._client.pages(request))
        return self._in_thread(lambda: self._client.carry_out(request))

    async def _items(self, pages: Iterator[list[Any]]) -> AsyncIterator[Any]:
        while (page := await self._in_thread(lambda: next(pages, None))) is not None:
            for item in page:
                yield item
