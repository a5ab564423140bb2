"""Uses the Python package with its types, for types_test.py; nothing runs it."""
import asyncio
from datetime import datetime, timedelta, timezone
from typing import Optional

import jobstrand
from jobstrand.testing import Recorder

client = jobstrand.Client("http://127.0.0.1:8080", retries=1)
answer = client.dead.requeue(type="mail", probe=True, rate=10, created_after=datetime.now(timezone.utc), due_in=timedelta(minutes=1))
count: int = answer["requeued"]
for job in client.jobs.list(place="timer", type=["mail", "sms"]):
    kind: Optional[str] = job["handlerType"]
for group in client.dead.groups():
    count = group["jobs"]
client.series.pause("nightly")
client.limits.set("type:mail", concurrent=3)
print([event.name for event in client.events()], count)

worker = jobstrand.Worker(client, prefetch=10)


@worker.handler("mail", timeout=timedelta(minutes=1))
def send(job: jobstrand.Job) -> jobstrand.Variables:
    if job.cancelled.wait(1):
        raise jobstrand.Fail("too late", retries=0)
    job.progress(0.4, "page 4 of 10")
    job.log("sent")
    return jobstrand.Variables(total=job.payload["total"])


with Recorder() as jobs:
    jobstrand.enqueue(None, jobstrand.NewJob("mail", {"order": 17}))
    print([run.job.attempt for run in jobs.run(worker)])


async def main() -> None:
    async with jobstrand.AsyncClient("http://127.0.0.1:8080") as other:
        done: int = (await other.dead.requeue(["a"], retries=3))["requeued"]
        async for dead in other.dead.groups(limit=3):
            done += dead["jobs"]
        async for event in other.events():
            print(event.name, done)


asyncio.run(main())
