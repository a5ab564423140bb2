#!/usr/bin/env python3
"""Whether the manual pages are there for every noun, are good roff, and say what --help says.

Usage:  manual_test.py JOBSTRAND_BINARY
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from terminal import skip_without

BINARY = Path(sys.argv[1]).resolve()


def output_of(*words):
    # No word is broken at the end of a line.
    environment = {**os.environ, "MANROFFOPT": "-rHY=0", "MANWIDTH": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout + done.stderr


def nouns():
    """As `jobstrand help` lists them."""
    listed = output_of(BINARY, "help").split("Subcommands:")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines() if line.strip()]


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        output_of(BINARY, "manual", "--into", str(cls.folder))
        cls.pages = sorted(cls.folder.glob("*.1"))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_there_is_a_page_for_the_program_and_for_each_noun(self):
        wanted = {"jobstrand.1", *(f"jobstrand-{noun}.1" for noun in nouns())}
        self.assertEqual({page.name for page in self.pages}, wanted)
        self.assertIn("jobstrand-dead.1", wanted)

    def test_formatters_have_nothing_to_say_about_the_pages(self):
        for page in self.pages:
            with self.subTest(page=page.name):
                self.assertEqual(subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True,
                                                text=True, timeout=60, check=False).stderr, "")
                lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertEqual(lint.stdout, "")

    def test_man_shows_each_verb_with_its_options_and_examples(self):
        shown = re.sub(r".\x08", "", output_of("man", "-l", str(self.folder / "jobstrand-dead.1")))
        for text in ("jobstrand dead requeue [options]", "--due-in DURATION", "Not before a time from now",
                     "jobstrand dead requeue --all --retries 1", "--db URL"):
            self.assertIn(text, re.sub(r"[ \n]+", " ", shown))

    def test_the_page_of_the_program_has_nouns_options_examples_and_exit_codes(self):
        shown = re.sub(r"[ \n]+", " ", output_of("man", "-l", str(self.folder / "jobstrand.1")))
        for text in ("jobstrand-dead(1)", "--color WHEN", "JOBSTRAND_DB", "EXIT STATUS 0 done, 1 failed",
                     "EXAMPLES jobstrand schema create --db sqlite:jobs.db"):
            self.assertIn(text, shown)


if __name__ == "__main__":
    skip_without("man", "groff", "mandoc")
    unittest.main(argv=sys.argv[:1])
