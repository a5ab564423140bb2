#!/usr/bin/env python3
"""Whether figures that documents take from the sources are those of the sources.

Usage:  figures_test.py REPOSITORY

A figure that changes with the code has a line in FIGURES; one that was measured says with what, and has none. Exit codes: 0 all are the
same, 1 one is not.
"""
import re
import sys
from pathlib import Path

SETTINGS = "executor/executor_settings.hpp"
LEASE = (SETTINGS, r"node_lease\{std::chrono::seconds\((\d+)\)\}")
LOCK = (SETTINGS, r"lock_time\{std::chrono::seconds\((\d+)\)\}")
WAIT = (SETTINGS, r"acquire_wait\{std::chrono::seconds\((\d+)\)\}")
TABLES = ("schema/tables.hpp", r"kSchemaVersion = (\d+);")
RELEASE = ("CMakeLists.txt", r"project\(jobstrand VERSION ([\d.]+)")
COMPARISON = ("executor/loop/clock_comparison.hpp", r"kClockComparisonInterval = std::chrono::seconds\((\d+)\)")
COMMIT = ("persistence/sql/session_pool.cpp", r"kLongestWait\{(\d+)\}")


def time_until_taken(lease):
    """A lease that was renewed just before its node died, and the look of the others, which comes each third of it."""
    return str(-(-int(lease) * 4 // 3))


# Document, the figure in it, the source that has it; and how it follows from that, where it is not the same.
FIGURES = [
    ("docs/tutorial.md", r"tables of version (\d+)", *TABLES),
    ("docs/operations.md", r"complete, version (\d+)", *TABLES),
    ("docs/why.md", r"version (\d+\.\d+),", *RELEASE, lambda version: version.rpartition(".")[0]),
    ("docs/install.md", r"jobstrand-([\d.]+)-image\.tar", *RELEASE),
    ("docs/install.md", r"jobstrand:([\d.]+)\n", *RELEASE),
    ("docs/why.md", r"within (\d+) s, and a job may", *LEASE, time_until_taken),
    ("docs/design.md", r"short \((\d+) s by default\)", *LOCK),
    ("docs/design.md", r"besides \((\d+) s\)", *LEASE),
    ("docs/decisions/short-locks-and-leases.md", r"lock holds for (\d+) s", *LOCK),
    ("docs/decisions/short-locks-and-leases.md", r"lease of\s(\d+) s", *LEASE),
    ("docs/compatibility.md", r"renewed\*\* \((\d+) s instead", *LOCK),
    ("docs/decisions/database-clock.md", r"start and every (\d+) s", *COMPARISON),
    ("docs/decisions/database-clock.md", r"A question every (\d+) s", *COMPARISON),
    ("docs/decisions/hand-off-and-polls.md", r"found, up to (\d+) s", *WAIT),
    ("docs/decisions/hand-off-and-polls.md", r"wait for up to (\d+) s", *WAIT),
    ("docs/decisions/sqlite-one-writer.md", r"(\d+) ms at most", *COMMIT),
    ("docs/decisions/sqlite-one-writer.md", r"wait for up to (\d+) ms", *COMMIT),
    ("docs/decisions/take-what-starts-soon.md", r"\(0\.(\d) s\)", SETTINGS, r"acquire_ahead\{std::chrono::milliseconds\((\d+)00\)\}"),
    ("docs/decisions/exclusive-groups.md", r"up to (\d+) at a time", "schema/concurrency.hpp", r"kMostClaimedOfGroup = (\d+);"),
    ("docs/correctness.md", r"in memory, ([\d,]+) orders", "test/simulation/CMakeLists.txt", r"set\(seeds (\d+)\)", lambda seeds: f"{int(seeds):,}"),
    ("docs/correctness.md", r"After (\d+) such steps", "test/simulation/simulation.cpp", r"kStepsWithFaults = (\d+);"),
    ("docs/correctness.md", r"yes, (\d+) kills", "test/ledger/ledger_test.cpp", r'"JOBSTRAND_LEDGER_KILLS", (\d+)\)'),
    ("docs/history.md", r"at most (\d+) runs a second", "executor/report/run_records.hpp", r"kOfType = (\d+);"),
    ("docs/history.md", r"of (\d+) types", "executor/report/run_records.hpp", r"kTypes = (\d+);"),
    ("README.md", r"the job waits \((\d+) s", "schema/job_failure.hpp", r"message_wait\{std::chrono::seconds\((\d+)\)\}"),
]


def same(value):
    return value


def problem_of(root, document, figure, source, truth, follows=same):
    said = re.search(figure, (root / document).read_text(encoding="utf-8"))
    is_so = re.search(truth, (root / source).read_text(encoding="utf-8"))
    if said is None or is_so is None:
        return f"{document if said is None else source} has no {figure if said is None else truth}"
    expected = follows(is_so[1])
    return None if said[1] == expected else f"{document} says {said[0]!r}, and by {source} it is {expected}"


def main():
    wrong = [problem for figure in FIGURES if (problem := problem_of(Path(sys.argv[1]), *figure))]
    print("\n".join(wrong) or f"{len(FIGURES)} figures are those of the sources")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
