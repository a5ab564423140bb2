#!/usr/bin/env python3
"""Completion as a person meets it: bash, zsh and fish in a terminal, with the script that the program prints.

Usage:  completion_test.py JOBSTRAND_BINARY [PREFIX]

With a PREFIX nobody tells the shells where the scripts are: they find those that were installed there, as they find those in /usr.
"""
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from terminal import Terminal, skip_without

BINARY = Path(sys.argv[1]).resolve()
PREFIX = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
PROMPT = "ready> "

# How each shell is started, and made to complete.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             ["source <(jobstrand completion bash)", "bind 'set show-all-if-ambiguous on'", f"PS1='{PROMPT}'"]),
    "zsh": (["zsh", "-f", "-i"],
            ["fpath=($HOME $fpath) && jobstrand completion zsh >$HOME/_jobstrand",
             "autoload -U compinit && compinit -u -d $HOME/.zcompdump", f"PS1='{PROMPT}'; PROMPT_SP=''"]),
    "fish": (["fish", "--no-config", "-i"],
             ["set -g fish_greeting", "jobstrand completion fish | source",
              f"function fish_prompt; printf '{PROMPT}'; end"]),
}

LOADER = Path("/usr/share/bash-completion/bash_completion")  # Debian's package, which looks for scripts by their names.
INSTALLED = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             [f"source {LOADER if LOADER.exists() else f'{PREFIX}/share/bash-completion/completions/jobstrand'}",
              "bind 'set show-all-if-ambiguous on'", f"PS1='{PROMPT}'"]),
    "zsh": (["zsh", "-f", "-i"],
            [f"fpath=({PREFIX}/share/zsh/site-functions $fpath)", "autoload -U compinit && compinit -u -d $HOME/.zcompdump",
             f"PS1='{PROMPT}'; PROMPT_SP=''"]),
    "fish": (["fish", "-i"], ["set -g fish_greeting", f"function fish_prompt; printf '{PROMPT}'; end"]),
}

# What is typed before the key Tab, and what the line is then.
COMPLETED = [
    ("jobstrand dea", "jobstrand dead"),
    ("jobstrand dead req", "jobstrand dead requeue"),
    ("jobstrand help ser", "jobstrand help ser"),
    ("jobstrand job ls --pl", "jobstrand job ls --place"),
    ("jobstrand job ls --place susp", "jobstrand job ls --place suspended"),
    ("jobstrand job ls --place=susp", "jobstrand job ls --place=suspended"),
    ("jobstrand -o jsonl timer ls --state pau", "jobstrand -o jsonl timer ls --state paused"),
    ("jobstrand series ls --state run", "jobstrand series ls --state running"),
    ("jobstrand job show invoice-1", "jobstrand job show invoice-17"),
    ("jobstrand timer show remind", "jobstrand timer show reminder-18"),
    ("jobstrand job ls --type send-inv", "jobstrand job ls --type send-invoice"),
    ("jobstrand series pause nigh", "jobstrand series pause nightly"),
    ("jobstrand group pause rep", "jobstrand group pause reports"),
    ("jobstrand calendar show holi", "jobstrand calendar show holidays"),
    ("jobstrand --config jobstr", "jobstrand --config jobstrand.toml"),
]


def environment(folder):
    return {
        "PATH": f"{BINARY.parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        "TERM": "screen",
        "LC_ALL": "C.UTF-8",
        "JOBSTRAND_DB": "sqlite:jobs.db",
        **({"XDG_DATA_DIRS": f"{PREFIX}/share:/usr/share"} if PREFIX else {}),
    }


def run(folder, *words):
    return subprocess.run([BINARY, *words], cwd=folder, env=environment(folder), capture_output=True, text=True,
                          timeout=60, check=False)


def fill(folder):
    for words in (
        ["schema", "create"],
        ["job", "add", "--id", "invoice-17", "--type", "send-invoice"],
        ["job", "add", "--id", "reminder-18", "--type", "remind", "--due", "2040-01-01T00:00:00Z"],
        ["job", "add", "--type", "report", "--repeat", "R/P1D", "--series", "nightly", "--group", "reports"],
        ["calendar", "set", "holidays", "weekly SUN"],
    ):
        assert run(folder, *words).returncode == 0, words
    (folder / "jobstrand.toml").write_text("")


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        fill(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def in_shell(self, shell):
        command, preparation = (INSTALLED if PREFIX else SHELLS)[shell]
        terminal = Terminal(command, self.folder, environment(self.folder), columns=120)
        for line in preparation:
            terminal.type(line)
            terminal.press("Enter")
        terminal.wait_for(f"^{PROMPT.rstrip()}$")
        return terminal

    def completed(self, terminal, typed, line):
        """The screen when `typed` and the key Tab have become `line`."""
        terminal.press("C-u")
        terminal.wait_for(f"^{PROMPT.rstrip()}\n\\Z")
        terminal.type(typed)
        terminal.press("Tab")
        terminal.type("#")  # Stands behind what was completed, with a blank or without.
        return terminal.wait_for(f"^{PROMPT}{line} ?#\n\\Z")

    def check_shell(self, shell):
        with self.in_shell(shell) as terminal:
            for typed, line in COMPLETED:
                self.completed(terminal, typed, line)
            self.check_silence(terminal)
            terminal.press("C-u")
            terminal.type("jobstrand ")
            terminal.press("Tab")
            for noun in ("calendar", "timer", "stats"):
                terminal.wait_for(rf"\b{noun}\b")

    def check_silence(self, terminal):
        """Where there is no database there is nothing to offer, and nothing is said."""
        line = "jobstrand --db sqlite:nowhere.db job show x"
        self.assertNotIn("jobstrand:", self.completed(terminal, line, line))
        self.assertFalse((self.folder / "nowhere.db").exists())

    def test_bash_completes_nouns_verbs_options_values_and_files(self):
        self.check_shell("bash")

    def test_zsh_completes_nouns_verbs_options_values_and_files(self):
        self.check_shell("zsh")

    def test_fish_completes_nouns_verbs_options_values_and_files(self):
        self.check_shell("fish")

    def test_a_database_that_does_not_answer_is_not_waited_for(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            asked = run(self.folder, "__complete", "--db", f"postgresql://u:p@127.0.0.1:{port}/d", "job", "show", "")
        self.assertEqual((asked.returncode, asked.stdout, asked.stderr), (0, "", ""))


if __name__ == "__main__":
    skip_without("tmux", *SHELLS)
    unittest.main(argv=sys.argv[:1])
