#!/usr/bin/env python3
"""Runs what docs/http.md says, against a service on a free port. Every line of a `sh` block must end with exit code 0.

Usage:  http_test.py JOBSTRAND_BINARY

The configuration of its `toml` block must be taken. The last line is `N passed, N failed`.
"""
import os
import re
import select
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/http.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
PATIENCE_S = 60  # Beyond this something hangs; nothing is measured.


def port_of(service):
    """Which the service has chosen, as soon as it is ready."""
    log = b""
    while b" clock_skew_ms=" not in log:
        if not select.select([service.stderr], [], [], PATIENCE_S)[0]:
            raise RuntimeError("the service is not ready: " + log.decode())
        log += os.read(service.stderr.fileno(), 4096) or b" clock_skew_ms="
    return re.search(rb"\bport=(\d+)", log)[1].decode()


def main():
    binary = Path(sys.argv[1]).resolve()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}", "JOBSTRAND_DB": "sqlite:jobs.db"}

        def run(line):
            done = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=env, capture_output=True, text=True,
                                  timeout=PATIENCE_S, check=False)
            results.append(done.returncode == 0)
            print(f"{'ok' if results[-1] else 'FAILED'}: {line}\n{done.stdout}{done.stderr}", flush=True)

        run("jobstrand schema create")
        with subprocess.Popen([binary, "serve", "--http", "127.0.0.1:0"], cwd=folder, env=env, stderr=subprocess.PIPE) as service:
            try:
                port = port_of(service)
                for kind, block in BLOCK.findall(PAGE):
                    for line in block.splitlines() if kind == "sh" else ():
                        run(line.replace("127.0.0.1:8080", f"127.0.0.1:{port}"))
            finally:
                service.terminate()
                service.communicate(timeout=PATIENCE_S)
        Path(folder, "http.toml").write_text(next(block for kind, block in BLOCK.findall(PAGE) if kind == "toml"), encoding="utf-8")
        run("jobstrand config check --config http.toml")
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or len(results) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
