"""The service over HTTP."""
from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from datetime import timedelta
from typing import Any, Iterable, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode, urlsplit

from .errors import Refused, Unreachable
from .jobs import Enqueued, Job, NewJob, duration_text
from .names import nearest_names

#: The service ends connections that were idle for a minute; an older one is not used again, so that no request is sent
#: into the void.
_MOST_IDLE_S = 50.0


@nearest_names
class Client:
    """Thread safe: each thread has a connection of its own.

    Raises Unreachable when no answer came, and Refused when it was no.
    """

    def __init__(self, url: str, token: Optional[str] = None, *, timeout: float = 30.0,
                 ssl_context: Optional[ssl.SSLContext] = None):
        """`url`: of the service, such as http://127.0.0.1:8080. `timeout`: for each answer, in seconds."""
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

        When no answer came, nobody knows whether it was added: give a job that must not be doubled an id or a unique
        key, and ask again.
        """
        new = NewJob(job, payload) if isinstance(job, str) else job
        answer = self._ask("POST", "/api/v1/jobs", new.to_json())
        return Enqueued(answer["id"], answer.get("isNew", True), answer.get("replacedJob"))

    def enqueue_all(self, jobs: Iterable[NewJob]) -> list[str]:
        """Adds up to 10,000 jobs, or none of them. Returns their ids, in order."""
        ids: list[str] = self._ask("POST", "/api/v1/jobs", [job.to_json() for job in jobs])["ids"]
        return ids

    # Looking and operating.

    def job(self, job_id: str) -> Optional[dict[str, Any]]:
        """A job wherever it stands, as the service tells it; None: there is none, or it has run."""
        try:
            found: dict[str, Any] = self._ask("GET", f"/api/v1/jobs/{quote(job_id, safe='')}")
            return found
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise

    def jobs(self, **filters: Any) -> Iterable[dict[str, Any]]:
        """Jobs of a place (`place="timer"`), with the filters of `jobstrand job ls`, page by page; _ stands for -."""
        query = {name.replace("_", "-"): str(value) for name, value in filters.items()}
        while True:
            page = self._ask("GET", "/api/v1/jobs?" + urlencode(query))
            yield from page["items"]
            if page["after"] is None:
                return
            query["after"] = page["after"]

    def stats(self) -> dict[str, Any]:
        stats: dict[str, Any] = self._ask("GET", "/api/v1/stats")
        return stats

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

    def _ask(self, method: str, path: str, body: Any = None, more_time: float = 0.0) -> Any:
        connection = self._connection()
        connection.timeout = self._timeout + more_time
        if connection.sock is not None:
            connection.sock.settimeout(connection.timeout)
        headers = {"Accept": "application/json"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        elif method == "POST":
            headers["Content-Length"] = "0"
        try:
            connection.request(method, self._parts.path.rstrip("/") + path, data, headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unreachable(f"no answer from {self.address}: {error}") from error
        self._own.used = time.monotonic()
        if response.will_close:
            self.close()
        if response.status >= 400:
            raise _refusal(response, text)
        return json.loads(text) if text else None

    def _connection(self) -> http.client.HTTPConnection:
        if time.monotonic() - getattr(self._own, "used", 0.0) > _MOST_IDLE_S:
            self.close()
        connection = getattr(self._own, "connection", None)
        if connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                context = self._ssl_context or ssl.create_default_context()
                connection = http.client.HTTPSConnection(host, port, context=context)
            else:
                connection = http.client.HTTPConnection(host, port)
            self._own.connection = connection
        return connection


def _held(jobs: Iterable[Job]) -> list[dict[str, Any]]:
    return [{"id": job.id, "revision": job.revision} for job in jobs]


def _refusal(response: http.client.HTTPResponse, text: bytes) -> Refused:
    try:
        problem = json.loads(text)
        detail, errors = str(problem["detail"]), problem.get("errors", ())
    except (ValueError, KeyError, TypeError):
        detail, errors = f"HTTP {response.status}", ()
    wait = response.getheader("Retry-After", "")
    return Refused(response.status, detail, errors, float(wait) if wait.isdigit() else None)
