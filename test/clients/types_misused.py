"""What types_test.py expects the types of the Python package to refuse: each line after the next has one error."""
import jobstrand
jobstrand.Client("http://127.0.0.1:8080").dead.requeue(tpye="mail")
jobstrand.Client("http://127.0.0.1:8080").jobs.cancel(["a"])
KIND: int = jobstrand.Client("http://127.0.0.1:8080").jobs.get("a")["handlerType"]
jobstrand.AsyncClient("http://127.0.0.1:8080").jobs.get("a")["handlerType"]
