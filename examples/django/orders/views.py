import jobstrand
from django.db import connection, transaction
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_http_methods

from orders.models import Order


@require_http_methods(["GET", "POST"])
def orders(request: HttpRequest) -> JsonResponse:
    if request.method == "GET":
        return JsonResponse({"orders": Order.objects.count()})
    with transaction.atomic():  # The order and its job are there when this ends, or neither.
        order = Order.objects.create(item=request.POST["item"])
        jobstrand.enqueue(connection, jobstrand.NewJob("mail", {"order": order.pk}, external=True, retry_cycle="R5/PT1M"))
        if order.item == "nothing":
            raise ValueError("nobody can buy that")
    return JsonResponse({"order": order.pk}, status=201)
