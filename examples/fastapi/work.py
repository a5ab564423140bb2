import asyncio
import os

import jobstrand
from app import Order, sessions

worker = jobstrand.AsyncWorker(os.environ.get("JOBSTRAND_URL", "http://127.0.0.1:8080"))


@worker.handler("mail")
async def send(job: jobstrand.Job) -> None:
    async with sessions() as session:
        order = await session.get_one(Order, job.payload["order"])
        print(f"mail for order {order.id}: {order.item}", flush=True)


asyncio.run(worker.run())
