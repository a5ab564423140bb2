#!/usr/bin/env python3
"""Runs the commands of README.md, the SQL of docs/sql.md, and both of the guides docs/from-*.md, in their order, as a newcomer would.

Usage:  readme_test.py JOBSTRAND_BINARY

Every line of every `sh` block is run in a fresh folder with the program on the PATH, except those that build the
project (they have tests of their own). `serve` runs in the background and is ended with SIGTERM. `ID` stands for a
dead letter that this test makes. The last line is `N passed, N failed`.
"""
import os
import re
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILDS = ("./tools/quickstart", "./tools/check", "cmake ")
DATABASE = "sqlite:jobs.db"


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / document).read_text(), re.M | re.S)


def commands(block):
    for line in block.splitlines():
        line = line.split("  #")[0].strip()
        if line and not line.startswith(BUILDS):
            yield line


class Newcomer:
    """A shell in a fresh folder, with the program on its PATH and the configuration of the README."""

    def __init__(self, binary, folder):
        self.folder = Path(folder)
        self.env = {**os.environ, "PATH": f"{Path(binary).resolve().parent}:{os.environ['PATH']}", "JOBSTRAND_DB": DATABASE}

    def run(self, line):
        if "jobstrand serve" in line:
            return self.serve(line)
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.env, capture_output=True, text=True,
                              timeout=60, check=False)

    def serve(self, line):
        """Ready, then ended with SIGTERM: it must drain and exit with 0."""
        with subprocess.Popen(shlex.split(line), cwd=self.folder, env=self.env, stderr=subprocess.PIPE) as service:
            try:
                log = self.read_until_ready(service.stderr.fileno())
                service.send_signal(signal.SIGTERM)
                _, rest = service.communicate(timeout=60)
            finally:
                service.kill()
        return subprocess.CompletedProcess(line, service.returncode, "", (log + rest).decode())

    @staticmethod
    def read_until_ready(log_fd):
        log = b""
        while b"ready" not in log and select.select([log_fd], [], [], 30)[0]:
            piece = os.read(log_fd, 65536)
            if not piece:
                break
            log += piece
        return log

    def make_dead_letter(self):
        """A job that fails for good, run by hand; returns its id."""
        added = self.run("jobstrand job add --type command --payload '{}'")  # It names no command.
        self.run(f"jobstrand job run {added.stdout.strip()}")
        return added.stdout.strip()

    def run_sql(self, script):
        with sqlite3.connect(self.folder / "jobs.db", isolation_level=None) as database:
            database.executescript(script)


def check(results, what, good, detail=""):
    results.append(good)
    print(f"{'ok' if good else 'FAILED'}: {what}{'' if good else chr(10) + detail}", flush=True)


def run_readme(newcomer, results):
    dead_letter = None
    for block in blocks("README.md", "sh"):
        for line in commands(block):
            if " ID" in line and dead_letter is None:
                dead_letter = newcomer.make_dead_letter()
            done = newcomer.run(re.sub(r"\bID\b", dead_letter or "ID", line))
            check(results, line, done.returncode == 0, done.stdout + done.stderr)


def run_sql_blocks(newcomer, results):
    for document in ("README.md", "docs/sql.md"):
        for block in blocks(document, "sql"):
            try:
                newcomer.run_sql(block)
                check(results, f"SQL of {document}", True)
            except sqlite3.Error as error:
                check(results, f"SQL of {document}", False, f"{error}\n{block}")


def run_configuration(newcomer, results):
    for block in blocks("README.md", "toml"):
        (newcomer.folder / "readme.toml").write_text(block)
        done = newcomer.run("jobstrand config check --config readme.toml")
        # 6: it is in order, but this machine does not have the program of the example.
        check(results, "configuration of README.md", done.returncode in (0, 6), done.stderr)


def run_guide(binary, guide, results):
    """All blocks of a guide in their order, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        newcomer = Newcomer(binary, folder)
        for language, block in re.findall(r"^```(sh|sql|toml)\n(.*?)^```", guide.read_text(), re.M | re.S):
            if language == "sql":
                newcomer.run_sql(block)
            elif language == "toml":
                (newcomer.folder / "guide.toml").write_text(block)
            lines = {"sh": list(commands(block)), "toml": ["jobstrand config check --config guide.toml"]}
            for line in lines.get(language, []):
                done = newcomer.run(line)
                check(results, f"{guide.name}: {line}", done.returncode == 0, done.stdout + done.stderr)


def main():
    results = []
    with tempfile.TemporaryDirectory() as folder:
        newcomer = Newcomer(sys.argv[1], folder)
        run_readme(newcomer, results)
        run_sql_blocks(newcomer, results)
        run_configuration(newcomer, results)
    guides = sorted((ROOT / "docs").glob("from-*.md"))
    for guide in guides:
        run_guide(sys.argv[1], guide, results)
    check(results, "there are guides", len(guides) >= 3)
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or len(results) < 13 else 0


if __name__ == "__main__":
    sys.exit(main())
