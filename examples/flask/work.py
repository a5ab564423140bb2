import os

import jobstrand
from app import Order, sessions

worker = jobstrand.Worker(os.environ.get("JOBSTRAND_URL", "http://127.0.0.1:8080"))


@worker.handler("mail")
def send(job: jobstrand.Job) -> None:
    with sessions() as session:
        order = session.get_one(Order, job.payload["order"])
        print(f"mail for order {order.id}: {order.item}", flush=True)


worker.run()
