#!/usr/bin/env python3
"""Proves that every C++ snippet of README.md and docs/embedding.md stands, line for line, in a source that is compiled, and that the
members of a job are told in their order."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "docs/embedding.md")
SOURCES = ("test/docs/*.cpp", "test/package/consumer/*.?pp", "tools/example_app/*.cpp")


def lines_of(text):
    """Without indentation, blank lines, and blanks before a comment."""
    lines = (re.sub(r"\s+//", "  //", line.strip()) for line in text.splitlines())
    return [line for line in lines if line]


def contains(whole, part):
    return any(whole[i:i + len(part)] == part for i in range(len(whole) - len(part) + 1))


class Snippets(unittest.TestCase):
    def test_every_snippet_is_compiled(self):
        sources = [lines_of(path.read_text(encoding="utf-8")) for glob in SOURCES for path in ROOT.glob(glob)]
        found = 0
        for document in DOCUMENTS:
            text = (ROOT / document).read_text(encoding="utf-8")
            for snippet in re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S):
                found += 1
                with self.subTest(document=document, snippet=snippet):
                    self.assertTrue(any(contains(source, lines_of(snippet)) for source in sources))
        self.assertGreaterEqual(found, 12)

    def test_the_members_of_a_job_are_told_in_their_order(self):
        header = (ROOT / "include/jobstrand/job.hpp").read_text(encoding="utf-8")
        struct = re.search(r"^struct NewJob \{\n(.*?)^\};", header, re.M | re.S).group(1)
        declared = re.findall(r"(\w+)\s*=[^;]*;", re.sub(r"///<.*", "", struct))
        page = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        table = re.search(r"^\| \| Members, in their order \|\n(.*?)\n\n", page, re.M | re.S).group(1)
        self.assertEqual(re.findall(r"`(\w+)`", table), [name for name in declared if name != "operator"])


if __name__ == "__main__":
    unittest.main()
