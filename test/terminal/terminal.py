"""A program in a real terminal: tmux, driven by keys and read from its screen."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 90  # Beyond this something hangs; nothing is measured.


def skip_without(*programs):
    """Ends the process with 77, which means skipped, where one of the programs is not installed."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}; sudo tools/install_packages test")
        sys.exit(77)


class Terminal:
    """Runs a command in a terminal of its own, in `folder`, with exactly the environment that is given."""

    def __init__(self, command, folder, environment, columns=80, rows=50):
        self.sockets = tempfile.TemporaryDirectory(prefix="jobstrand-tmux-")
        self.socket = os.path.join(self.sockets.name, "tmux")
        words = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *command]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder),
                  shlex.join(words))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        self.sockets.cleanup()

    def tmux(self, *words, check=True):
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["tmux", "-S", self.socket, *words], env=environment, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"tmux {words[0]}: {done.stderr}")
        return done.stdout

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def screen(self):
        """What can be read, from the first line that was ever written; without blanks at the ends. A line that was too long
        for the terminal is one line again."""
        lines = self.tmux("capture-pane", "-p", "-J", "-S", "-").splitlines()
        return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"

    def wait_for(self, pattern):
        """The screen as soon as the pattern is on it."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            screen = self.screen()
            if re.search(pattern, screen, re.M):
                return screen
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {pattern!r} on this screen:\n{screen}")
