"""The service over HTTP."""
from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
import uuid
from datetime import timedelta
from typing import Any, Callable, Generic, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union
from urllib.parse import quote, urlsplit

from . import recording
from .calls import M, Request, Sync, next_page, pages_of
from .errors import JobstrandError, NotFound, Refused, Unreachable
from .jobs import Enqueued, Job, NewJob, duration_text
from .names import nearest_names
from .operations import JobsApi, Nouns
from .pause import Pause, is_worth_waiting

#: The service ends connections that were idle for a minute; an older one is not used again, so that no request is sent
#: into the void.
_MOST_IDLE_S = 50.0

#: Events that keep away longer than that have ended: a comment comes each 15 s.
_MOST_SILENT_S = 45.0


class Event(NamedTuple):
    """Something that the service tells while it happens."""

    name: str
    """`stats`, or `node`."""
    data: dict[str, Any]


class CallableJobs(JobsApi[M], Generic[M]):
    """`client.jobs(...)` is `client.jobs.list(...)`."""

    def __call__(self, **filters: Any) -> Any:
        return self.list(**filters)


@nearest_names
class Client(Nouns[Sync]):
    """All of the service: `client.dead.requeue(type="mail", probe=True, background=True)`, `client.jobs.get(id)`. Lists are iterators over all their pages, and what is deleted or changed is not asked about again.

    Thread safe: each thread has a connection of its own. Raises Unreachable when no answer came, and Refused (NotFound,
    Conflict, Invalid, NotAllowed, Overloaded) when it was no.
    """

    def __init__(self, url: str, token: Optional[str] = None, *, timeout: float = 30.0, retries: int = 2,
                 ssl_context: Optional[ssl.SSLContext] = None):
        """`url`: of the service, such as http://127.0.0.1:8080. `timeout`: for each answer, in seconds. `retries`: how often
        is asked again, after a short wait, what can be asked twice: what reads, and enqueueing.
        """
        super().__init__(self._carry_out)
        self.jobs: CallableJobs[Sync] = CallableJobs(self._carry_out)
        self._retries = retries
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"not the URL of a service: {url}")
        self._parts = parts
        self._token = token
        self._timeout = timeout
        self._ssl_context = ssl_context
        self._own = threading.local()

    @property
    def address(self) -> str:
        """Of the service, without what is secret in its URL."""
        host = f"[{self._parts.hostname}]" if ":" in (self._parts.hostname or "") else self._parts.hostname
        port = "" if self._parts.port is None else f":{self._parts.port}"
        return f"{self._parts.scheme}://{host}{port}{self._parts.path.rstrip('/')}"

    # Enqueueing.

    def enqueue(self, job: Union[NewJob, str], payload: Any = None) -> Enqueued:
        """Adds a job; when this returns it is committed. `job` may be a handler type.

        It is asked again when no answer comes, with an Idempotency-Key, so that the job is not doubled. When that is in
        vain, nobody knows whether it was added: give a job that must not be doubled an id or a unique key.
        """
        new = NewJob(job, payload) if isinstance(job, str) else job
        if recording.record is not None:
            return recording.record(new)
        answer = self._add(new.to_json())
        return Enqueued(answer["id"], answer.get("isNew", True), answer.get("replacedJob"))

    def enqueue_all(self, jobs: Iterable[NewJob]) -> list[str]:
        """Adds up to 10,000 jobs, or none of them. Returns their ids, in order."""
        if recording.record is not None:
            return [recording.record(job).id for job in jobs]
        ids: list[str] = self._add([job.to_json() for job in jobs])["ids"]
        return ids

    def _add(self, body: Any) -> Any:
        key = {"Idempotency-Key": str(uuid.uuid4())}
        return self._again(lambda: self._ask("POST", "/api/v1/jobs", body, headers=key))

    # Looking and operating.

    def job(self, job_id: str) -> Optional[dict[str, Any]]:
        """A job wherever it stands, as the service tells it; None: there is none, or it has run."""
        try:
            found: dict[str, Any] = self._again(lambda: self._ask("GET", f"/api/v1/jobs/{quote(job_id, safe='')}"))
            return found
        except NotFound:
            return None

    def stats(self) -> dict[str, Any]:
        """How many jobs there are of each place, and what of them nobody serves."""
        stats: dict[str, Any] = self._again(lambda: self._ask("GET", "/api/v1/stats"))
        return stats

    def events(self) -> Iterator[Event]:
        """What changes, as it changes, first as it is; each has the whole. Raises Unreachable when the service hangs up."""
        connection = self._fresh_connection()
        connection.timeout = _MOST_SILENT_S
        try:
            response = self._response(connection, "GET", "/api/v1/events", None, {"Accept": "text/event-stream"})
            if response.status >= 400:
                raise _refusal(response, response.read())
            yield from _events_in(response)
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"no answer from {self.address}: {error}") from error
        finally:
            connection.close()
        raise Unreachable(f"{self.address} has ended the stream of events")

    def requeue(self, ids: Sequence[str], retries: Optional[int] = None) -> list[dict[str, Any]]:
        """Gives dead letters new attempts. What became of each."""
        body: dict[str, Any] = {"ids": list(ids)}
        if retries is not None:
            body["retries"] = retries
        answers: list[dict[str, Any]] = self._ask("POST", "/api/v1/dead/requeue", body)["items"]
        return answers

    def wake(self) -> None:
        """The node looks for jobs now."""
        self._ask("POST", "/api/v1/wake")

    # Working; Worker and AsyncWorker do this for you.

    def acquire(self, worker: str, topics: Sequence[str], *, jobs: int = 1, lock: timedelta = timedelta(minutes=5),
                wait: timedelta = timedelta(0), tenant_id: Optional[str] = None) -> list[Job]:
        """Locks jobs for a worker. `wait`: how long to wait for one, at most a minute."""
        order = {
            "worker": worker,
            "topics": list(topics),
            "jobs": jobs,
            "lockDuration": duration_text(lock),
            "wait": duration_text(wait),
        }
        if tenant_id is not None:
            order["tenantId"] = tenant_id
        taken = self._ask("POST", "/api/v1/external-jobs/acquire", order, more_time=wait.total_seconds())
        return [Job.from_json(raw) for raw in taken["items"]]

    def finish(self, worker: str, results: Sequence[Union[Mapping[str, Any], bytes]]) -> list[dict[str, Any]]:
        """Tells what became of up to 10,000 jobs. Returns those for which it does not count. A result may be JSON already."""
        texts = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in results)
        body = b'{"worker":%b,"results":[%b]}' % (json.dumps(worker).encode(), b",".join(texts))
        return self._refused("finish", body)

    def extend(self, worker: str, jobs: Iterable[Job], lock: timedelta) -> list[dict[str, Any]]:
        """Prolongs locks. Returns those that are lost."""
        body = {"worker": worker, "jobs": _held(jobs), "lockDuration": duration_text(lock)}
        return self._refused("extend", body)

    def held(self, worker: str, jobs: Iterable[Job]) -> list[dict[str, Any]]:
        """Returns those of the jobs that the worker does not hold any more. Changes nothing."""
        return self._refused("held", {"worker": worker, "jobs": _held(jobs)})

    def tell(self, worker: str, jobs: Iterable[Job], news: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The same, and tells how far those are of which there are news, by their ids: `progress`, `note`, `lines`."""
        told = [{**one, **news.get(one["id"], {})} for one in _held(jobs)]
        return self._refused("progress", {"worker": worker, "jobs": told})

    def release(self, worker: str, jobs: Iterable[Job]) -> None:
        """Gives jobs back; no attempt is used."""
        self._ask("POST", "/api/v1/external-jobs/release", {"worker": worker, "jobs": _held(jobs)})

    # HTTP.

    def close(self) -> None:
        """Ends the connection of this thread."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
            self._own.connection = None

    def _refused(self, what: str, body: Any) -> list[dict[str, Any]]:
        refused: list[dict[str, Any]] = self._ask("POST", f"/api/v1/external-jobs/{what}", body)["refused"]
        return refused

    def _carry_out(self, request: Request) -> Any:
        if request.is_list:
            return (item for page in self.pages(request) for item in page)
        if request.method in ("GET", "PUT"):
            return self._again(lambda: self._ask(request.method, request.path, request.body))
        return self._ask(request.method, request.path, request.body)

    def pages(self, request: Request) -> Iterator[list[Any]]:
        """Of a list."""
        path: Optional[str] = request.path
        while path is not None:
            url = path
            answer, link = self._again(lambda: self._answer("GET", url))
            yield pages_of(answer)
            path = next_page(path, answer, link)

    def _again(self, ask: Callable[[], Any]) -> Any:
        """What can be asked twice."""
        pause = Pause()
        for _ in range(self._retries):
            try:
                return ask()
            except JobstrandError as error:
                if not is_worth_waiting(error):
                    raise
                time.sleep(pause.after(error))
        return ask()

    def _ask(self, method: str, path: str, body: Any = None, more_time: float = 0.0, headers: Optional[Mapping[str, str]] = None) -> Any:
        return self._answer(method, path, body, more_time, headers)[0]

    def _answer(self, method: str, path: str, body: Any = None, more_time: float = 0.0,
                headers: Optional[Mapping[str, str]] = None) -> tuple[Any, Optional[str]]:
        """And the header that leads to the next page."""
        connection = self._connection()
        connection.timeout = self._timeout + more_time
        if connection.sock is not None:
            connection.sock.settimeout(connection.timeout)
        try:
            response = self._response(connection, method, path, body, {"Accept": "application/json", **(headers or {})})
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unreachable(f"no answer from {self.address}: {error}") from error
        self._own.used = time.monotonic()
        if response.will_close:
            self.close()
        if response.status >= 400:
            raise _refusal(response, text)
        return json.loads(text) if text else None, response.getheader("Link")

    def _response(self, connection: http.client.HTTPConnection, method: str, path: str, body: Any,
                  headers: dict[str, str]) -> http.client.HTTPResponse:
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        elif method == "POST":
            headers["Content-Length"] = "0"
        connection.request(method, self._parts.path.rstrip("/") + path, data, headers)
        return connection.getresponse()

    def _connection(self) -> http.client.HTTPConnection:
        if time.monotonic() - getattr(self._own, "used", 0.0) > _MOST_IDLE_S:
            self.close()
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._fresh_connection()
        return connection

    def _fresh_connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, context=self._ssl_context or ssl.create_default_context())
        return http.client.HTTPConnection(host, port)


def _events_in(lines: Iterable[bytes]) -> Iterator[Event]:
    """Of the format of server-sent events."""
    name, data = "", ""
    for line in lines:
        field, _, value = line.decode().rstrip("\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data += value
        elif field == "" and data:
            yield Event(name, json.loads(data))
            data = ""


def _held(jobs: Iterable[Job]) -> list[dict[str, Any]]:
    return [{"id": job.id, "revision": job.revision} for job in jobs]


def _refusal(response: http.client.HTTPResponse, text: bytes) -> Refused:
    try:
        problem = json.loads(text)
        detail, errors = str(problem["detail"]), problem.get("errors", ())
    except (ValueError, KeyError, TypeError):
        detail, errors = f"HTTP {response.status}", ()
    wait = response.getheader("Retry-After", "")
    return Refused.of(response.status, detail, errors, float(wait) if wait.isdigit() else None)
