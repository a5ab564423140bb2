#!/usr/bin/env python3
"""Whether the diagrams of docs/diagrams are what their sources say, and are shown by a document.

Usage:  diagrams_test.py [--draw]

--draw makes them anew with `dot`. Positions are not compared: they depend on the fonts of the machine. Exit codes: 0 all are up to date,
1 one is not, 77 `dot` is not installed.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/diagrams"


POSITIONS = re.compile(r' (d|points|x|y|width|height|viewBox|transform|[cr][xy])="[^"]*"')


def what_is_said(svg):
    return POSITIONS.sub("", svg)


def drawn(source):
    svg = subprocess.run(["dot", "-Tsvg", source], check=True, capture_output=True, text=True, timeout=60).stdout
    return re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S)


def problem_of(source):
    picture = source.with_suffix(".svg")
    if not picture.exists() or what_is_said(picture.read_text(encoding="utf-8")) != what_is_said(drawn(source)):
        return f"{picture.name} is not what {source.name} says; draw it: python3 test/docs/diagrams_test.py --draw"
    if not any(f"(diagrams/{picture.name})" in path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")):
        return f"no document shows {picture.name}"
    return None


def main():
    if shutil.which("dot") is None:
        print("dot is not installed: sudo tools/install_packages test")
        return 77
    sources = sorted(FOLDER.glob("*.dot"))
    if sys.argv[1:] == ["--draw"]:
        for source in sources:
            source.with_suffix(".svg").write_text(drawn(source), encoding="utf-8")
    problems = [problem for problem in map(problem_of, sources) if problem]
    print("\n".join(problems) or f"{len(sources)} diagrams are up to date")
    return 1 if problems or len(sources) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
