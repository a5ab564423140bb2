#!/usr/bin/env python3
"""Whether GLOSSARY.md is short enough to be read, gives each term one meaning, and has no term that nothing else uses.

Usage:  glossary_test.py REPOSITORY

Exit codes: 0 it does, 1 it does not.
"""
import re
import sys
from collections import Counter
from pathlib import Path

TERM = re.compile(r"^\| \*\*([^*]+)\*\* \|", re.M)
MOST = 60


def problems(root):
    terms = TERM.findall((root / "GLOSSARY.md").read_text(encoding="utf-8"))
    if not 30 <= len(terms) <= MOST:
        yield f"{len(terms)} terms; {MOST} are as many as a reader keeps"
    yield from (f"{term} has {count} meanings" for term, count in Counter(map(str.lower, terms)).items() if count > 1)
    documents = [root / "README.md", *(root / "docs").rglob("*.md")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in documents).lower()
    yield from (f"{term} is used in no document" for term in terms if not re.search(rf"\b{re.escape(term)}", text))


def main():
    found = list(problems(Path(sys.argv[1])))
    print("\n".join(found) or "each term has one meaning, and is used")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
