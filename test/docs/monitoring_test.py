#!/usr/bin/env python3
"""Whether the dashboard and the alerts of docs/monitoring ask for what the service exports.

Usage:  monitoring_test.py JOBSTRAND_BINARY

promtool checks the alerts as well where it is installed. The last line is `N passed, N failed`.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/clients"))
import clients  # pylint: disable=wrong-import-position

FOLDER = ROOT / "docs/monitoring"
ALERTS = (FOLDER / "alerts.yml").read_text(encoding="utf-8")
DASHBOARD = json.loads((FOLDER / "grafana.json").read_text(encoding="utf-8"))
METRIC = re.compile(r"\bjobstrand_\w+")
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


JOBS = [
    {"handlerType": "noop"},
    {"handlerType": "nobody-serves-this"},
    {"handlerType": "http", "payload": {"target": 17}},
    {"handlerType": "pay", "external": True, "id": "pay-1"},
]


def ask(origin, path, body):
    request = urllib.request.Request(origin + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=clients.PATIENCE_S) as response:
        return response.read()


def exported():
    """The samples of a service of which a job has run, others have failed and wait, and an operator has changed something."""
    with tempfile.TemporaryDirectory() as folder, clients.service(sys.argv[1], folder) as origin:
        clients.enqueue(origin, JOBS)
        ask(origin, "/api/v1/external-jobs/acquire", {"worker": "w", "topics": ["pay"], "jobs": 1, "lockDuration": "PT1M"})
        ask(origin, "/api/v1/external-jobs/finish", {"worker": "w", "results": [{"id": "pay-1", "outcome": "fail", "message": "CardError: no"}]})
        ask(origin, "/api/v1/verbs/limit/set", {"arguments": ["type:pay", "--concurrent", "1"]})
        # The first scrape has the database looked at, so all must have happened before it.
        assert clients.eventually(lambda: clients.places(origin)["dead"] == 1 and clients.places(origin)["executable"] == 1)
        assert clients.eventually(lambda: clients.metric(origin, "jobstrand_completed_total") == 1)
        assert clients.eventually(lambda: "jobstrand_jobs{" in clients.look(origin, "/metrics"))
        return clients.look(origin, "/metrics")


class Monitoring(unittest.TestCase):
    metrics = ""

    def test_the_dashboard_asks_for_what_there_is(self):
        self.assertGreater(len(QUERIES), 20)
        for query in QUERIES:
            self.each_is_exported(query)

    def test_the_alerts_ask_for_what_there_is(self):
        rules = re.findall(r"- alert: (\w+)\n\s+expr:", ALERTS)
        self.assertEqual(len(rules), ALERTS.count("- alert:"))
        self.assertGreater(len(rules), 5)
        self.each_is_exported(ALERTS)

    def each_is_exported(self, text):
        names = {line.partition(" ")[0].partition("{")[0] for line in self.metrics.splitlines() if not line.startswith("#")}
        self.assertLessEqual(set(METRIC.findall(text)), names)

    def test_a_run_is_counted_with_its_times(self):
        self.assertIn("\njobstrand_job_wait_seconds_count 2\n", self.metrics)
        self.assertIn("\njobstrand_job_run_seconds_count 2\n", self.metrics)
        self.assertIn("\njobstrand_claims_total ", self.metrics)

    def test_failures_have_a_class(self):
        self.assertIn('\njobstrand_failures_total{class="none"} 1\n', self.metrics)
        self.assertIn('\njobstrand_worker_failures_total{class="CardError"} 1\n', self.metrics)

    def test_a_node_has_its_lease(self):
        left = float(re.search(r"^jobstrand_lease_left_seconds (\S+)$", self.metrics, re.M)[1])
        self.assertGreater(left, 0)
        self.assertLessEqual(left, 10)

    def test_panels_do_not_cover_each_other(self):
        places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual(len({panel["id"] for panel in DASHBOARD["panels"]}), len(places))

    def test_the_dashboard_begins_with_single_values(self):
        single = [panel for panel in DASHBOARD["panels"] if panel["type"] == "stat"]
        self.assertGreaterEqual(len(single), 5)
        self.assertEqual({panel["gridPos"]["y"] for panel in single}, {0})
        self.assertGreaterEqual(sum("thresholds" in panel["fieldConfig"]["defaults"] for panel in DASHBOARD["panels"]), 8)
        self.assertTrue(DASHBOARD["links"])

    def test_prometheus_takes_the_alerts(self):
        if not shutil.which("promtool"):
            return  # The test of their names is what counts.
        done = subprocess.run(["promtool", "check", "rules", FOLDER / "alerts.yml"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    Monitoring.metrics = exported()
    sys.exit(clients.run_cases([Monitoring]))
