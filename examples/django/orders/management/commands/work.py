import jobstrand
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import close_old_connections

from orders.models import Order


class Command(BaseCommand):
    help = "Works on the jobs of this app, until SIGTERM."

    def handle(self, *args, **options):
        worker = jobstrand.Worker(settings.JOBSTRAND_URL)

        @worker.handler("mail")
        def send(job: jobstrand.Job) -> None:
            close_old_connections()  # As Django does before each request.
            order = Order.objects.get(pk=job.payload["order"])
            self.stdout.write(f"mail for order {order.pk}: {order.item}")

        worker.run()
