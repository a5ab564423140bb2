#!/usr/bin/env python3
"""Takes the conditions in mutants.py out of the code, one at a time, and shows that a test fails.

Works on a copy of the tree in the build folder, with a debug build of its own. The tests run on SQLite first, and on
the servers of this machine only when SQLite has noticed nothing.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
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

    def failing_test(self):
        """The first test that fails, or a word about what else went wrong; empty: all pass."""
        for _, program, cases in PROGRAMS:
            command = [self.build_folder / "test" / program, f"--gtest_filter={cases}", "--gtest_fail_fast"]
            try:
                done = subprocess.run(
                    command, cwd=self.build_folder, capture_output=True, text=True, timeout=PATIENCE, check=False
                )
            except subprocess.TimeoutExpired:
                return f"{program} does not end"
            if done.returncode != 0:
                failed = re.search(r"\[  FAILED  \] (\S+)", done.stdout)
                return failed[1] if failed else f"{program} ends with {done.returncode}"
        return ""

    def trial_of(self, mutant):
        path = self.source / mutant.path
        original = path.read_text()
        path.write_text(mutated(mutant, original))
        try:
            self.build()
            return self.failing_test()
        finally:
            path.write_text(original)


def try_all(workshop, wanted):
    survivors = 0
    for number, mutant in enumerate(wanted, 1):
        began = time.monotonic()
        noticed = workshop.trial_of(mutant)
        survivors += not noticed
        verdict = f"noticed by {noticed}" if noticed else "NOT NOTICED"
        print(f"[{number}/{len(wanted)}] {mutant.name}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
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
    arguments = parser.parse_args()

    problems = problems_of_list()
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems or arguments.check_list:
        print(f"{len(MUTANTS) - len(problems)} passed, {len(problems)} failed")
        return 1 if problems else 0

    workshop = Workshop(arguments.folder.resolve(), arguments.jobs)
    print("building the tests as they are", flush=True)
    workshop.prepare()
    if failing := workshop.failing_test():
        print(f"{failing} fails without any mutant", file=sys.stderr)
        return 1
    return try_all(workshop, [mutant for mutant in MUTANTS if re.search(arguments.only, mutant.name)])


if __name__ == "__main__":
    sys.exit(main())
