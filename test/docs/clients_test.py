#!/usr/bin/env python3
"""Runs every example of docs/clients.md against a service: with the shell, Python, Node.js and SQLite.

Usage:  clients_test.py JOBSTRAND_BINARY

An example that works on jobs gets one, and is ended by SIGTERM when it has told that it did it. Languages that are not installed are left out.
The last line is `N passed, N failed`.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/clients"))
import clients  # pylint: disable=wrong-import-position

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
ORIGIN = "http://127.0.0.1:8080"
# How a file with an example is run, and what has to be there for it.
LANGUAGES = {
    "sh": ("sh", ["bash", "-o", "pipefail", "-e"], "curl"),
    "python": ("py", [sys.executable], "python3"),
    "js": ("mjs", ["node"], "node"),
    "sql": ("sql", ["sqlite3", "-bail", "jobs.db", "-init"], "sqlite3"),
}


def examples():
    """Language and text of each."""
    for language, text in BLOCK.findall((ROOT / "docs/clients.md").read_text(encoding="utf-8")):
        if language not in ("go", "java", "ruby", "php"):  # test/clients/go_client.py and the like run these, with the drivers that they need.
            yield language, text


def prepare(folder):
    """The packages, as if they were installed."""
    (folder / "node_modules").mkdir()
    (folder / "node_modules/jobstrand").symlink_to(ROOT / "tools/clients/javascript")
    return {**os.environ, "PYTHONPATH": str(ROOT / "tools/clients/python"), "PYTHONDONTWRITEBYTECODE": "1"}


def run(language, text, folder, env, origin):
    """Exit code 0, and for a worker a line about its job."""
    suffix, command, _ = LANGUAGES[language]
    path = folder / f"Example.{suffix}"
    path.write_text(text.replace(ORIGIN, origin), encoding="utf-8")
    is_worker = "worker.run()" in text
    if is_worker:
        clients.enqueue(origin, [{"handlerType": "mail", "external": True, "payload": {"order": 99}}])

    def has_told():
        return not is_worker or ("sent" in said and "99" in said)

    said = ""
    with subprocess.Popen([*command, str(path)], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as process:
        # One that hangs is killed, so that the test tells which it was and what it said.
        watchdog = threading.Timer(clients.PATIENCE_S, process.kill)
        watchdog.start()
        while not has_told() and (line := process.stdout.readline()):
            said += line
        if is_worker:
            process.send_signal(signal.SIGTERM)
        said += process.stdout.read()
        process.wait()
        watchdog.cancel()
    is_good = process.returncode == 0 and has_told()
    print(f"{'ok' if is_good else 'FAILED'}: {language}: {text.splitlines()[0]}{'' if is_good else chr(10) + said}", flush=True)
    return is_good


def main():
    binary = Path(sys.argv[1]).resolve()
    results = []
    with tempfile.TemporaryDirectory() as text, clients.service(binary, text) as origin:
        folder = Path(text)
        env = prepare(folder)
        for language, content in examples():
            if shutil.which(LANGUAGES[language][2]):
                results.append(run(language, content, folder, env, origin))
            else:
                print(f"left out: {language}")
        places = json.loads(clients.look(origin, "/api/v1/stats"))["places"]
        results.append(places["external"] == 0 and places["dead"] == 0)
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or len(results) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
