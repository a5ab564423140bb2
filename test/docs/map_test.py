#!/usr/bin/env python3
"""Whether each step of the walk in docs/map.md is there: the file, and in it what the step says to look for, so rare that a search leads there.

Usage:  map_test.py REPOSITORY

Exit codes: 0 all are there, 1 one is not.
"""
import re
import sys
from pathlib import Path

STEP = re.compile(r"\| \[[^\]]+\]\(\.\./(?P<path>[^)]+)\) \| `(?P<text>[^`]+)`: ")
QUESTIONS = 5
MOST_HITS = 2  # A declaration and a definition.


def main():
    root = Path(sys.argv[1])
    lines = (root / "docs/map.md").read_text(encoding="utf-8").splitlines()
    questions = [line for line in lines if line.startswith("## Where ")]
    steps = [step for step in map(STEP.match, lines) if step]
    links = [line for line in lines if line.startswith("| [")]
    wrong = [f"{step['path']} has no {step['text']}, or has it too often" for step in steps if not is_found(root / step["path"], step["text"])]
    wrong += [f"no step: {line}" for line in links if not STEP.match(line)]
    print("\n".join(wrong) if wrong else f"{len(steps)} steps of {len(questions)} walks are there")
    return 1 if wrong or len(questions) < QUESTIONS or len(steps) < 3 * QUESTIONS else 0


def is_found(path, text):
    return path.is_file() and 1 <= path.read_text(encoding="utf-8").count(text) <= MOST_HITS


if __name__ == "__main__":
    sys.exit(main())
