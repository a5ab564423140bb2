#!/usr/bin/env python3
"""Whether each page of docs/decisions tells what it has to, names only sources that are there, and stands in the index once.

Usage:  decisions_test.py REPOSITORY

Exit codes: 0 all do, 1 one does not.
"""
import re
import sys
from pathlib import Path

HEADINGS = ["## Context", "## Decision", "## What it costs", "## What would change our mind"]
ROW = re.compile(r"^\| \[([\w-]+)\]\(([\w-]+)\.md\) \|", re.M)
SOURCE = re.compile(r"`((?:deadletter|executor|include|persistence|schema|timers|tools)/[\w./]+)`")


def problems(folder, root):
    told = [name for name, target in ROW.findall((folder / "README.md").read_text(encoding="utf-8")) if name == target]
    pages = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    if sorted(told) != [page.stem for page in pages]:
        yield f"README.md has {sorted(told)}, the folder {[page.stem for page in pages]}"
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if re.findall(r"^## .*$", text, re.M) != HEADINGS:
            yield f"{page.name} does not have the headings {', '.join(HEADINGS)}, in this order"
        yield from (f"{page.name} names {source}, which is not there" for source in SOURCE.findall(text) if not is_there(root, source))


def is_there(root, source):
    """A file, a file without its suffix, or a folder."""
    return (root / source).exists() or any(root.glob(f"{source}.*"))


def main():
    root = Path(sys.argv[1])
    folder = root / "docs/decisions"
    found = list(problems(folder, root))
    count = len(list(folder.glob("*.md"))) - 1
    print("\n".join(found) if found else f"{count} decisions tell what they have to")
    return 1 if found or count < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
