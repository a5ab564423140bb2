#!/usr/bin/env python3
"""Proves that every C++ snippet of README.md and docs/embedding.md stands, line for line, in a source that is compiled, and every one of
docs/frameworks.md in a source that a test runs; and that the members of a job are told in their order."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP = ("test/docs/*.cpp", "test/package/consumer/*.?pp", "tools/example_app/*.cpp")
# Of each language, by document, where its snippets stand.
DOCUMENTS = {
    "README.md": {"cpp": CPP},
    "docs/embedding.md": {"cpp": CPP},
    "docs/frameworks.md": {"php": ("examples/laravel/config/*.php",), "ruby": ("examples/rails/config/*.rb", "test/clients/rails/*.rb"),
                           "ts": ("examples/nest/src/*.ts",)},
}


def lines_of(text):
    """Without indentation, blank lines, and blanks before a comment."""
    lines = (re.sub(r"\s+//", "  //", line.strip()) for line in text.splitlines())
    return [line for line in lines if line]


def contains(whole, part):
    return any(whole[i:i + len(part)] == part for i in range(len(whole) - len(part) + 1))


class Snippets(unittest.TestCase):
    def test_every_snippet_is_in_a_source(self):
        found = 0
        for document, languages in DOCUMENTS.items():
            text = (ROOT / document).read_text(encoding="utf-8")
            for language, globs in languages.items():
                sources = [lines_of(path.read_text(encoding="utf-8")) for glob in globs for path in ROOT.glob(glob)]
                for snippet in re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S):
                    found += 1
                    with self.subTest(document=document, snippet=snippet):
                        self.assertTrue(any(contains(source, lines_of(snippet)) for source in sources))
        self.assertGreaterEqual(found, 17)

    def test_the_members_of_a_job_are_told_in_their_order(self):
        header = (ROOT / "include/jobstrand/job.hpp").read_text(encoding="utf-8")
        struct = re.search(r"^struct NewJob \{\n(.*?)^\};", header, re.M | re.S).group(1)
        declared = re.findall(r"(\w+)\s*=[^;]*;", re.sub(r"///<.*", "", struct))
        page = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        table = re.search(r"^\| \| Members, in their order \|\n(.*?)\n\n", page, re.M | re.S).group(1)
        self.assertEqual(re.findall(r"`(\w+)`", table), [name for name in declared if name != "operator"])


if __name__ == "__main__":
    unittest.main()
