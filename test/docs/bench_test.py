#!/usr/bin/env python3
"""Runs the commands of docs/performance.md and bench/README.md as they stand there, but with few jobs: whether they work, not how fast.

Usage:  bench_test.py JOBSTRAND_BENCH

Every line of a `sh` block must end with exit code 0, in a fresh folder, in their order. The last line is `N passed, N failed`.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("bench/README.md", "docs/performance.md")
FEW = " --jobs 2000 --warm-up 100 --repeat 1"
PATIENCE_S = 60  # Beyond this something hangs; nothing is measured.


def lines_of(document):
    for block in re.findall(r"^```sh\n(.*?)^```", (ROOT / document).read_text(encoding="utf-8"), re.M | re.S):
        yield from (line.split("  #")[0].strip() for line in block.splitlines())


def bounded(line, binary, folder):
    """The same command with few jobs, on files of this test."""
    line = re.sub(r" --(jobs|repeat) \d+", "", line)
    line = re.sub(r"^\S*jobstrand-bench (?!report)(\w+)", rf"jobstrand-bench \1{FEW}", line)
    line = re.sub(r"^\S*jobstrand-bench", str(binary), line)
    return re.sub(r"sqlite:/data/", f"sqlite:{folder}/", line)


def main():
    binary = Path(sys.argv[1]).resolve()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "docs").mkdir()
        # The second example reports what it has measured, and something more.
        (Path(folder) / "flow.json").write_text(subprocess.run(
            f"{binary} flow {FEW} -o json", shell=True, check=True, capture_output=True, text=True, timeout=PATIENCE_S).stdout)
        for document in DOCUMENTS:
            for line in lines_of(document):
                done = subprocess.run(["bash", "-c", bounded(line, binary, folder)], cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8"},
                                      capture_output=True, text=True, timeout=PATIENCE_S, check=False)
                results.append(done.returncode == 0)
                print(f"{'ok' if results[-1] else 'FAILED'}: {document}: {line}", flush=True)
                if not results[-1]:
                    print(done.stdout + done.stderr)
        done = subprocess.run([ROOT / "bench/targets", "--db", f"sqlite:{folder}/targets.db", "--bench", binary, "--jobs", "2000", "--rounds", "1"],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        results.append(done.returncode == 0 and done.stdout.count("| SQLite |") == 9)
        print(f"{'ok' if results[-1] else 'FAILED'}: bench/targets", flush=True)
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
