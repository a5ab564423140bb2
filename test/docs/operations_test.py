#!/usr/bin/env python3
"""Runs what docs/operations.md says as an operator would, on each database that it names, set up as docs/databases.md says.

Usage:  operations_test.py JOBSTRAND_BINARY

Every line of a `sh` block must end with exit code 0: on SQLite, or on a server of its own where the block names one. The jobs that were there before
must be there at the end. So are the commands of docs/timers.md, docs/unique-keys.md, docs/limits.md and docs/definitions.md, those of docs/cli.md that
no other test runs, and on the servers the SQL by which apps enqueue (on SQLite, see readme_test.py). The `toml` blocks and the unit for systemd must be taken by what reads
them, and every `jobstrand ...` in a table must be a command.
Databases whose programs are not installed are left out. The last line is `N passed, N failed`.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/fixtures"))
from databases import DATABASES, PATIENCE_S  # pylint: disable=wrong-import-position
PAGE = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
CLI = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
ELSEWHERE = (
    (ROOT / "docs/timers.md").read_text(encoding="utf-8"),
    (ROOT / "docs/unique-keys.md").read_text(encoding="utf-8"),
    (ROOT / "docs/limits.md").read_text(encoding="utf-8"),
    (ROOT / "docs/history.md").read_text(encoding="utf-8"),
    (ROOT / "docs/batches.md").read_text(encoding="utf-8"),
    (ROOT / "docs/definitions.md").read_text(encoding="utf-8"),
    CLI[:CLI.index("\n## ")],
    CLI[CLI.index("\n## Jobs that repeat"):CLI.index("\n## Dead letters")],
)
ENQUEUEING = ("README.md", "docs/sql.md", "docs/from-flowable.md")
# As docs/sql.md says of each.
CLIENTS = {
    "mysql": ("mariadb --database=jobs", "SET time_zone = '+00:00'; SELECT UUID();"),
    "postgresql": ("psql --quiet --set=ON_ERROR_STOP=1 --dbname=jobs",
                   "SELECT gen_random_uuid()::text, now() AT TIME ZONE 'UTC'; NOTIFY jobstrand;"),
}
BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```", re.M | re.S)
COMMAND = re.compile(r"`jobstrand ([^`]*)`")


class Results:
    def __init__(self):
        self.all = []

    def add(self, what, is_good, said=""):
        self.all.append(is_good)
        print(f"{'ok' if is_good else 'FAILED'}: {what}{'' if is_good else chr(10) + said}", flush=True)


def follow(name, binary, results):
    start, _ = DATABASES[name]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        with start(folder) as variables:
            env = {"PATH": f"{binary.parent}:{os.environ['PATH']}", "HOME": text, "LC_ALL": "C.UTF-8", **variables}

            def run(line):
                return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=env, capture_output=True, text=True,
                                      timeout=PATIENCE_S, check=False)

            run("jobstrand schema create")
            added = run("jobstrand job add --type log").stdout.strip()
            for kind, on, content in BLOCK.findall(PAGE):
                if kind == "toml" and name == "sqlite":
                    (folder / "jobstrand.toml").write_text(content)
                if kind == "sh" and (on or "sqlite") == name:
                    for line in content.splitlines():
                        done = run(line)
                        results.add(f"{name}: {line}", done.returncode == 0, done.stdout + done.stderr)
            for line in (line for text in ELSEWHERE for kind, _, block in BLOCK.findall(text) if kind == "sh" for line in block.splitlines()):
                done = run(line)
                results.add(f"{name}: {line}", done.returncode == 0, done.stdout + done.stderr)
            if name in CLIENTS:
                enqueue_by_sql(name, run, results)
            results.add(f"{name}: the job is there", added and added in run("jobstrand job ls -o name").stdout)


def enqueue_by_sql(name, run, results):
    """What is written for SQLite alone says so by its first words."""
    client, own = CLIENTS[name]
    blocks = [(on, content) for document in ENQUEUEING for kind, on, content in BLOCK.findall((ROOT / document).read_text(encoding="utf-8"))
              if kind == "sql" and on in ("", name) and not content.startswith("BEGIN IMMEDIATE")]
    scripts = [own] + [content for _, content in blocks]
    for script in scripts:
        done = run(f"{client} <<'END'\n{script}\nEND")
        results.add(f"{name}: {script.splitlines()[0]}", done.returncode == 0, done.stdout + done.stderr)
    for job in re.findall(r"VALUES \('([^']+)'", "\n".join(scripts)):
        done = run(f"jobstrand job show {job}")
        results.add(f"{name}: job {job} is there", done.returncode == 0, done.stderr)
    name_engines(name, client, next(content for on, content in blocks if on == name), run, results)


def name_engines(name, client, script, run, results):
    """The statement that names an engine, with each key for which all clients say the same."""
    cases = [case for case in json.loads((ROOT / "test/clients/engine_of.json").read_text(encoding="utf-8")) if case["names"] == ["orders-1", "orders-2"]]
    statements = "\n".join(script.replace("'order-17'", f"'{case['key']}'") for case in cases)
    done = run(f"{client} <<'END'\n{statements}\nEND")
    named = re.findall(r"^ *(orders-\d)$", done.stdout, re.M)
    results.add(f"{name}: SQL names the engines of {len(cases)} keys", named == [case["engine"] for case in cases], done.stdout + done.stderr)


def check_unit(results):
    """Of the paths only the program's has to be there, so a program that is takes its place."""
    unit = (ROOT / "tools/package/jobstrand.service").read_text(encoding="utf-8")
    results.add("a drain has its time", int(re.search(r"TimeoutStopSec=(\d+)", unit)[1]) > 60)
    if shutil.which("systemd-analyze"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "jobstrand.service"
            path.write_text(unit.replace("/usr/bin/jobstrand", "/bin/true").replace("User=jobstrand", "User=root"))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            said = [line for line in done.stderr.splitlines() if "jobstrand.service" in line]
            results.add("systemd takes the unit", done.returncode == 0 and not said, done.stdout + done.stderr)


def check_configuration(binary, results):
    """Its programs need not be there (exit code 6)."""
    pages = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("docs/configuration.md", "docs/definitions.md")}
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, content in ((name, kind, content) for name, text in pages.items() for kind, _, content in BLOCK.findall(text)):
            if kind == "toml":
                path = Path(folder) / "jobstrand.toml"
                path.write_text(content)
                done = subprocess.run([binary, "config", "check", "--config", path], capture_output=True, text=True, check=False)
                results.add(f"the example of {name}", done.returncode in (0, 6), done.stdout + done.stderr)


def check_commands(binary, results):
    """Those in sentences: noun, verb and options are known, whatever the values."""
    for words in sorted(set(COMMAND.findall(PAGE))):
        path = [word for word in words.split() if re.fullmatch(r"[a-z]+", word)][:2]
        done = subprocess.run([binary, *path, "--help"], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        options = re.findall(r"--[a-z-]+", words)
        results.add(f"jobstrand {words}", done.returncode == 0 and all(option in done.stdout for option in options), done.stderr)


def main():
    binary = Path(sys.argv[1]).resolve()
    results = Results()
    for name, (_, program) in DATABASES.items():
        if shutil.which(program):
            follow(name, binary, results)
    check_unit(results)
    check_configuration(binary, results)
    check_commands(binary, results)
    failed = results.all.count(False)
    print(f"{len(results.all) - failed} passed, {failed} failed")
    return 1 if failed or len(results.all) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
