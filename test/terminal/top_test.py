#!/usr/bin/env python3
"""`jobstrand top` as a person meets it: it shows what goes on, ends when it is told to, and leaves the terminal as it was.

Usage:  top_test.py JOBSTRAND_BINARY
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from terminal import Terminal, skip_without

BINARY = Path(sys.argv[1]).resolve()


class Top(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # SQLite may just delete its log.
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.environment = {"PATH": f"{BINARY.parent}:/usr/bin:/bin", "HOME": str(self.folder), "TERM": "tmux-256color",
                            "LC_ALL": "C.UTF-8", "JOBSTRAND_DB": f"sqlite:{self.folder}/jobs.db"}
        self.jobstrand("schema", "create")

    def jobstrand(self, *words):
        subprocess.run([BINARY, *words], env={**os.environ, **self.environment}, check=True, capture_output=True, timeout=60)

    def shell(self, rows=50):
        terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], self.folder, {**self.environment, "PS1": "ready> "},
                            columns=140, rows=rows)
        terminal.wait_for("ready>")
        return terminal

    def ends(self, terminal, *keys):
        """The keys end it, and what is typed then is seen again."""
        terminal.press(*keys)
        terminal.wait_for(r"ready>$")
        terminal.type("echo still $((40 + 2)) there")
        terminal.wait_for(r"ready> echo still \$\(\(40 \+ 2\)\) there")
        terminal.press("Enter")
        screen = terminal.wait_for("still 42 there")
        self.assertNotIn("ok/s", screen)

    def test_it_follows_what_goes_on_and_ends_with_q(self):
        with self.shell() as terminal:
            terminal.type("jobstrand top --interval 200ms\n")
            terminal.wait_for(r"executable +0")
            self.jobstrand("job", "add", "--type", "mail")
            terminal.wait_for(r"executable +1")
            terminal.wait_for(r"^mail ")
            self.ends(terminal, "x", "q")

    def test_it_ends_with_control_c(self):
        with self.shell() as terminal:
            terminal.type("jobstrand top\n")
            terminal.wait_for(r"executable +0")
            self.ends(terminal, "C-c")

    def test_a_small_terminal_shows_the_beginning(self):
        with self.shell(rows=6) as terminal:
            terminal.type("jobstrand top\n")
            terminal.wait_for(r"ok/s(.|\n)*executable")
            self.ends(terminal, "q")


if __name__ == "__main__":
    skip_without("tmux")
    unittest.main(argv=[sys.argv[0]], verbosity=2)
