#!/usr/bin/env python3
"""Follows docs/tutorial.md and the pages of examples/ word by word, each in a fresh folder, and compares what they show with what is seen.

Usage:  tutorial_test.py JOBSTRAND_BINARY [--pin]

A block after a line that ends in `NAME`: is that file. In `console` blocks a line with `$ ` is typed into one shell
whose output is a terminal of 100 columns; the lines below it are what must appear. Ids and times are not compared.
Commands that only look are asked again until they show what the page says. --pin writes what is seen into the pages.
The last line is `N passed, N failed`.
"""
import fcntl
import os
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs/tutorial.md", *sorted(ROOT.glob("examples/*/README.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE_NAME = re.compile(r"`([\w.-]+)`:\n*\Z")
ONLY_LOOKS = re.compile(r"cat |tail |jobstrand (stats|\w+ (ls|show)\b)")
PATIENCE_S = 60  # Beyond this something hangs; nothing is measured.
UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){2}(-[0-9a-f]{4}-[0-9a-f]{12}|…)"  # Whole, or as a table shortens it.
AGE = r"\b\d+ (d|h|min|s) ago\b"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


class Shell:
    """One bash, as a reader keeps it open; the end of each command is told by a line that no command prints."""

    END = "--end-of-command--"

    def __init__(self, binary, folder):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        environment = {"PATH": f"{binary.parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        self.process = subprocess.Popen(["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=slave,
                                        stderr=slave, text=True, start_new_session=True)
        os.close(slave)

    def run(self, command):
        self.process.stdin.write(f"{command}\necho {self.END}\n")
        self.process.stdin.flush()
        seen = ""
        while not seen.endswith(f"{self.END}\n"):
            seen += os.read(self.master, 65536).decode().replace("\r\n", "\n")
        return re.sub(r"^\[\d+\].*\n", "", seen.removesuffix(f"{self.END}\n"), flags=re.M)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE_S)
        os.close(self.master)


def steps(text):
    """What a reader does, in order: ("file", name, content) and ("type", command, what appears)."""
    for block in BLOCK.finditer(text):
        name = FILE_NAME.search(text, 0, block.start())
        if block[1] == "console":
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block[2], re.M):
                yield "type", command, shown
        elif name:
            yield "file", name[1], block[2]


def comparable(text):
    if re.search(AGE, text):  # Its width changes, and with it those of columns and of texts that are cut.
        text = re.sub(r" {2,}", "  ", re.sub(AGE, "AGE", text))
        text = re.sub(r"(?<=  )\S(?:\S| (?! ))*…", "CUT…", text)
    return re.sub(TIME, "TIME", re.sub(UUID, "ID", text))


def is_as_told(seen, shown):
    return comparable(seen) == comparable(shown)


def follow(binary, folder, text):
    """Yields each command, what the page shows, and what was seen."""
    shell = Shell(binary, folder)
    try:
        for kind, what, shown in steps(text):
            if kind == "file":
                (folder / what).write_text(shown)
                continue
            seen = shell.run(what)
            deadline = time.monotonic() + PATIENCE_S
            while ONLY_LOOKS.match(what) and not is_as_told(seen, shown) and time.monotonic() < deadline:
                seen = shell.run(what)
            yield what, shown, seen
    finally:
        shell.close()


def pinned(text, seen):
    """The page with what was seen below each command."""
    outputs = iter(seen)
    def block(match):
        if match[1] != "console":
            return match[0]
        lines = [line for line in match[2].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{line}\n{next(outputs)}" for line in lines) + "```"
    return BLOCK.sub(block, text)


def try_out(binary, page, is_pinning):
    """Whether each command of the page did what it shows."""
    text = page.read_text(encoding="utf-8")
    results, outputs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for command, shown, seen in follow(binary, Path(folder), text):
            outputs.append(seen)
            results.append(is_as_told(seen, shown))
            told = "" if results[-1] else f"\n{page.relative_to(ROOT)} shows:\n{shown}seen was:\n{seen}"
            print(f"{'ok' if results[-1] else 'FAILED'}: {command}{told}", flush=True)
    if is_pinning:
        page.write_text(pinned(text, outputs), encoding="utf-8")
    return results


def main():
    global PATIENCE_S
    binary = Path(sys.argv[1]).resolve()
    is_pinning = sys.argv[2:] == ["--pin"]
    if is_pinning:
        PATIENCE_S = 10  # What changed is seen only after all patience.
    results = [result for page in PAGES for result in try_out(binary, page, is_pinning)]
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or len(PAGES) < 5 or len(results) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
