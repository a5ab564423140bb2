#!/usr/bin/env python3
"""What a person sees at 80 and at 140 columns, in a real terminal, against the pictures in test/terminal/pictures.

Usage:  pictures_test.py JOBSTRAND_BINARY [--pin]

Ids are given, due dates lie far ahead; what is left of times, durations and ids is replaced by signs of the same width. No table
may wrap. The quickstart runs the release build and is looked at there only. --pin takes the pictures anew, also of columns that
were changed on purpose: look at them before you commit them. Exit codes: 0 all are as pinned, 1 one is not, 77 tmux is not
installed. The last line is `N passed, N failed`.
"""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

from terminal import Terminal, skip_without

ROOT = Path(__file__).resolve().parents[2]
PICTURES = Path(__file__).resolve().parent / "pictures"
WIDTHS = (80, 140)
END = "-- the end --"

# Name of the picture -> what is typed.
COMMANDS = {
    "job-ls": "jobstrand job ls",
    "job-ls-all": "jobstrand job ls --place all",
    "job-show": "jobstrand job show 01a20000-0000-7000-8000-000000000001",
    "dead-ls": "jobstrand dead ls",
    "stats": "jobstrand stats",
    "timer-ls": "jobstrand timer ls",
    "series-ls": "jobstrand series ls",
    "quickstart": f"{ROOT}/tools/quickstart --no-build --no-install files",
}

JOBS = [
    {"id": "01a20000-0000-7000-8000-000000000001", "handlerType": "send-invoice", "processInstanceId": "order-17"},
    {"id": "01a20000-0000-7000-8000-000000000002", "handlerType": "数据库-同步", "processInstanceId": "order-18", "priority": 5},
    {"id": "01a20000-0000-7000-8000-000000000003", "handlerType": "send-reminder", "dueDate": "2040-01-01T09:00:00Z"},
    {"id": "01a20000-0000-7000-8000-000000000004", "handlerType": "report", "dueDate": "2040-01-02T01:30:00Z", "repeat": "0 30 2 ? * MON-FRI",
     "series": "nightly-report", "group": "reports", "zone": "Europe/Berlin", "overlap": False},
    {"id": "01a20000-0000-7000-8000-000000000005", "handlerType": "poll", "dueDate": "2040-01-01T00:00:00Z", "repeat": "R/2040-01-01T00:00:00Z/PT10M",
     "series": "poll-mailbox"},
]
# Run by hand, each is a dead letter at once.
DEAD = {
    "01a20000-0000-7000-8000-00000000000a": '{"command":"mail"}',
    "01a20000-0000-7000-8000-00000000000b": '{"command":"thumbnail"}',
}
CONFIGURATION = """
[commands.mail]
program = "/bin/sh"
args = ["-c", "exit 1"]

[commands.thumbnail]
program = "/bin/sh"
args = ["-c", "echo 'cannot read /srv/pictures/2026/11/a-very-long-name-of-a-picture.png' >&2; exit 3"]
"""

DIGITS = re.compile(r"\d")
VOLATILE = [
    # The times that are not given; the years of those that are lie far ahead.
    (re.compile(r"20[23]\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?"), lambda match: DIGITS.sub("0", match[0])),
    (re.compile(r"\b\d\d:\d\d:\d\d(\.\d+)?"), lambda match: DIGITS.sub("0", match[0])),
    (re.compile(r"(?!01a20000)[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}(-[0-9a-f]{4}-[0-9a-f]{12}|(?=…))"), lambda match: re.sub(r"[0-9a-f]", "f", match[0])),
    (re.compile(r"\b\d+ (ms|s)\b"), r"N \1"),
    (re.compile(r"duration_ms=\d+"), "duration_ms=N"),
    (re.compile(r"tables of version \d+"), "tables of version N"),
    (re.compile(r"jobstrand-quickstart\.\w{6}"), "jobstrand-quickstart.XXXXXX"),
    (re.compile(r"^  executable \d+, timers .*\n", re.M), ""),  # How far it is, every half second.
]


# Times that are told from now: their widths change, and with them those of columns and of texts that are cut.
FROM_NOW = re.compile(r"\bin \d+ (y|d|h|min|s)\b|\b\d+ (y|d|h|min|s|ms) ago\b|(?<=  )now(?=  |$)", re.M)


def without_widths(screen):
    screen = re.sub(r"(?<=  )\S(?:\S| (?! ))*…", "CUT…", FROM_NOW.sub("WHEN", screen))
    return re.sub(r" {2,}", "  ", screen)


def stable(screen, home):
    screen = screen.replace(str(home), "~").replace(f"{ROOT}/", "")
    if FROM_NOW.search(screen):
        screen = without_widths(screen)
    for pattern, sign in VOLATILE:
        screen = pattern.sub(sign, screen)
    return screen


class Stage:
    """A folder with a database whose content is always the same."""

    def __init__(self, binary, folder):
        self.folder = folder
        self.environment = {
            "PATH": f"{binary.parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder),
            "TERM": "screen", "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1", "JOBSTRAND_DB": "sqlite:jobs.db",
            "JOBSTRAND_CONFIG": str(folder / "jobstrand.toml"),
        }
        (folder / "jobstrand.toml").write_text(CONFIGURATION)
        (folder / "files").mkdir()
        for name in ("a.txt", "b.txt"):
            (folder / "files" / name).write_text(name)
        self.run("jobstrand schema create")
        self.run("jobstrand job add --from -", "".join(json.dumps(job) + "\n" for job in JOBS))
        for job, payload in DEAD.items():
            self.run(f"jobstrand job add --id {job} --type command --retries 1 --payload '{payload}'")
            self.run(f"jobstrand job run {job}", codes=(1,))
        died = "strftime('%Y-%m-%d %H:%M:%f', 'now', '-3 days', '-12 hours')"
        self.run(f'sqlite3 jobs.db "UPDATE ACT_RU_DEADLETTER_JOB SET FAILED_TIME_ = {died}"')

    def run(self, line, text="", codes=(0,)):
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, input=text, capture_output=True, text=True,
                              timeout=120, check=False)
        if done.returncode not in codes:
            raise AssertionError(f"{line}: {done.stdout}{done.stderr}")

    def picture(self, command, columns):
        shown = f"printf '$ %s\\n' '{command}'; {command}; echo '{END}' $?; exec cat"
        with Terminal(["bash", "-c", shown], self.folder, self.environment, columns=columns) as terminal:
            return stable(terminal.wait_for(f"^{END} 0$").split(END)[0], self.folder)


def wraps(name, seen):
    """Whether a table has a line that is wider than the terminal."""
    columns = int(name.split(".")[1])
    return "-ls" in name and any(width(line) > columns for line in seen.splitlines()[1:])


def width(line):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def check(name, seen, is_pinning):
    path = PICTURES / name
    if is_pinning:
        path.write_text(seen, encoding="utf-8")
    pinned = path.read_text(encoding="utf-8") if path.exists() else "nothing\n"
    is_good = seen == pinned and not wraps(name, seen)
    difference = difflib.unified_diff(pinned.splitlines(), seen.splitlines(), "pinned", "seen", lineterm="", n=1)
    print(f"ok: {name}" if is_good else "\n".join([f"FAILED: {name}", *difference]), flush=True)
    return is_good


def main():
    skip_without("tmux")
    binary = Path(sys.argv[1]).resolve()
    is_pinning = "--pin" in sys.argv[2:]
    results = []
    with tempfile.TemporaryDirectory(prefix="jobstrand-pictures-", dir="/tmp") as folder:
        stage = Stage(binary, Path(folder))
        for name, command in COMMANDS.items():
            if name == "quickstart" and binary.parent != ROOT / "build/release/tools":
                continue  # It runs the release.
            for columns in WIDTHS:
                results.append(check(f"{name}.{columns}.txt", stage.picture(command, columns), is_pinning))
    failed = results.count(False)
    if failed:
        print("If it looks right, pin it: python3 test/terminal/pictures_test.py PATH_OF_JOBSTRAND --pin")
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or len(results) < 14 else 0


if __name__ == "__main__":
    sys.exit(main())
