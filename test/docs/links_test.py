#!/usr/bin/env python3
"""Whether every relative link of the documents leads somewhere: to a file, and to a heading of it if one is named.

Usage:  links_test.py FOLDER

FOLDER is the repository, or what was installed of it. Looks at README.md and the like, at docs and at examples. Exit codes: 0 all
lead somewhere, 1 one is dead.
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)")


def documents(root):
    patterns = ("*.md", "docs/**/*.md", "examples/**/*.md", "bench/README.md")
    return [path for pattern in patterns for path in sorted(root.glob(pattern))]


def anchors(path):
    """Of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def dead_links(document):
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target, anchor in LINK.findall(text):
        path = (document.parent / target).resolve() if target else document
        if not path.exists():
            yield target
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            yield f"{target}#{anchor}"


def main():
    root = Path(sys.argv[1])
    found = documents(root)
    dead = [f"{document}: {link}" for document in found for link in dead_links(document)]
    print("\n".join(dead) if dead else f"all links of {len(found)} documents lead somewhere")
    return 1 if dead or len(found) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
