#!/usr/bin/env python3
"""Takes the conditions in mutants.py out of the code, one at a time, and shows that a test fails.

Works on a copy of the tree in the build folder, with a debug build of its own. The tests run on SQLite first, and on
the servers of this machine only when SQLite has noticed nothing. While the tests of a mutant run, the next one is built.
A test counts only when it fails twice.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

from mutants import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The conformance suite is run in two parts: what needs no server, then the rest.
PROGRAMS = [
    ("executor_test", "executor/executor_test", "*"),
    ("conformance_test", "conformance/conformance_test", "*/sqlite*"),
    ("conformance_test", "conformance/conformance_test", "*/mariadb:*/postgresql"),
]
TARGETS = ["executor_test", "conformance_test"]

# What a mutant no longer asks for may be left over.
FLAGS = "-O0 -Wno-unused-parameter -Wno-unused-variable -Wno-unused-function"

# A mutant may also make a test wait for ever.
PATIENCE = 300


class ListError(Exception):
    """A mutant that does not fit the code any more."""


def mutated(mutant, source):
    """The source with the mutant's text replaced. Raises ListError unless the text is there, once, where it is said to be."""
    start = source.find(mutant.behind)
    if start < 0:
        raise ListError(f"{mutant.name}: {mutant.path} has no \"{mutant.behind}\"")
    place = source.find(mutant.text, start)
    if place < 0:
        raise ListError(f"{mutant.name}: {mutant.path} has no \"{mutant.text}\"")
    if not mutant.behind and source.find(mutant.text, place + 1) >= 0:
        raise ListError(f"{mutant.name}: {mutant.path} has \"{mutant.text}\" more than once")
    return source[:place] + mutant.instead + source[place + len(mutant.text) :]


def problems_of_list():
    problems = []
    for mutant in MUTANTS:
        try:
            mutated(mutant, (ROOT / mutant.path).read_text())
        except (ListError, OSError) as error:
            problems.append(str(error))
    return problems


def copy_tree(target):
    """Copies what git knows. Files that are the same keep their time, so that nothing is compiled twice."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    for name in filter(None, names):
        source, copy = ROOT / name, target / name
        if not source.is_file() or (copy.is_file() and copy.read_bytes() == source.read_bytes()):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)


class Workshop:
    """The copy of the tree, and the programs that are built from it."""

    def __init__(self, folder, jobs):
        self.source = folder / "source"
        self.build_folder = folder / "build"
        self.jobs = jobs

    def prepare(self):
        copy_tree(self.source)
        self.run(
            ["cmake", "-S", self.source, "-B", self.build_folder, "-G", "Ninja"]
            + ["-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_FLAGS_DEBUG={FLAGS}"]
        )
        self.build()

    def build(self):
        self.run(["cmake", "--build", self.build_folder, "-j", str(self.jobs), "--target", *TARGETS])

    @staticmethod
    def run(command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{done.stdout[-3000:]}{done.stderr[-3000:]}\n{command[0]} failed")

    def keep_programs(self, trial):
        """Copies the programs as they are now into a folder of their own, where the next build leaves them alone."""
        for program in dict.fromkeys(program for _, program, _ in PROGRAMS):
            copy = trial / program
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.build_folder / "test" / program, copy)

    def build_trial(self, mutant, trial):
        path = self.source / mutant.path
        original = path.read_text()
        path.write_text(mutated(mutant, original))
        try:
            self.build()
            self.keep_programs(trial)
        finally:
            path.write_text(original)


def first_failure(trial, program, cases):
    """The first test that fails, or a word about what else went wrong; empty: all pass."""
    command = [trial / program, f"--gtest_filter={cases}", "--gtest_fail_fast"]
    try:
        done = subprocess.run(command, cwd=trial, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return f"{program} does not end"
    if "Running 0 tests" in done.stdout:
        raise SystemExit(f"{program} has no test {cases}")
    if done.returncode == 0:
        return ""
    failed = re.search(r"\[  FAILED  \] ([^\s,]+)", done.stdout)
    return failed[1] if failed else f"{program} ends with {done.returncode}"


def failing_test(trial):
    """What notices the mutant: a test that fails, and fails again alone, so that chance has no part in it."""
    for _, program, cases in PROGRAMS:
        unsteady = []
        while failing := first_failure(trial, program, cases + ("" if not unsteady else "-" + ":".join(unsteady))):
            if "." not in failing or first_failure(trial, program, failing):
                return failing
            unsteady.append(failing)
    return ""


def try_all(workshop, wanted, trials, runners):
    survivors = 0
    done = 0
    places = threading.Semaphore(runners + 1)
    words = threading.Lock()

    def run(mutant, trial):
        nonlocal survivors, done
        began = time.monotonic()
        try:
            noticed = failing_test(trial)
            with words:
                done += 1
                survivors += not noticed
                verdict = f"noticed by {noticed}" if noticed else "NOT NOTICED"
                print(f"[{done}/{len(wanted)}] {mutant.name}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
        finally:
            shutil.rmtree(trial, ignore_errors=True)
            places.release()

    with concurrent.futures.ThreadPoolExecutor(runners) as pool:
        runs = []
        for number, mutant in enumerate(wanted, 1):
            places.acquire()
            trial = trials / str(number)
            workshop.build_trial(mutant, trial)
            runs.append(pool.submit(run, mutant, trial))
        for one in runs:
            one.result()
    print(f"{len(wanted) - survivors} passed, {survivors} failed")
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example:  test/mutation/run_mutants.py --only 'the release'\n\n"
        "Exit codes: 0 every mutant was noticed, 1 one was not, or the list does not fit the code.",
    )
    parser.add_argument("--check-list", action="store_true", help="only see whether the list fits the code")
    parser.add_argument("--only", metavar="REGEX", default="", help="only the mutants whose names match")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/mutants", help="where to work")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at once (2)")
    parser.add_argument("--runners", type=int, default=2, help="mutants whose tests run at once (2)")
    arguments = parser.parse_args()

    problems = problems_of_list()
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems or arguments.check_list:
        print(f"{len(MUTANTS) - len(problems)} passed, {len(problems)} failed")
        return 1 if problems else 0

    folder = arguments.folder.resolve()
    trials = folder / "trials"
    shutil.rmtree(trials, ignore_errors=True)
    workshop = Workshop(folder, arguments.jobs)
    print("building the tests as they are", flush=True)
    workshop.prepare()
    workshop.keep_programs(trials / "none")
    if failing := failing_test(trials / "none"):
        print(f"{failing} fails without any mutant", file=sys.stderr)
        return 1
    wanted = [mutant for mutant in MUTANTS if re.search(arguments.only, mutant.name)]
    return try_all(workshop, wanted, trials, arguments.runners)


if __name__ == "__main__":
    sys.exit(main())
