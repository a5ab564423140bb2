"""A Debian 12 of its own, made by debootstrap and run under systemd: for the tests that install packages where nothing else is."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

PATIENCE_S = 120
PROGRAMS = ("debootstrap", "systemd-nspawn", "nsenter")


def eventually(is_so, what):
    deadline = time.monotonic() + PATIENCE_S
    between_looks = threading.Event()
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError(f"in {PATIENCE_S} s it did not happen: {what}")
        between_looks.wait(0.2)


class Container:
    """A Debian that runs under systemd, with the network of this machine."""

    def __init__(self, root):
        self.root = root
        command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=read-only", "--boot", "-D", str(root)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.leader = None
        eventually(self.has_booted, "the container boots")

    def has_booted(self):
        if self.process.poll() is not None:
            raise RuntimeError("the container has ended")
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii").split()
        self.leader = children[0] if children else None
        state = self.run("systemctl", "is-system-running", check=False) if self.leader else ""
        return state.strip() in ("running", "degraded")

    def inside(self, *command):
        """The command as this machine has to be given it."""
        return ["nsenter", "--target", self.leader, "--all", "env", "DEBIAN_FRONTEND=noninteractive", *command]

    def run(self, *command, check=True):
        done = subprocess.run(self.inside(*command), capture_output=True, text=True, timeout=5 * PATIENCE_S, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def stop(self):
        self.run("systemctl", "poweroff", check=False)
        self.process.wait(timeout=PATIENCE_S)


def add_options(parser):
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--root", type=pathlib.Path)


def what_is_missing():
    """Why there can be no container on this machine, in words; empty: there can."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    return "" if os.geteuid() == 0 and not missing else f"not root, or not installed: {', '.join(missing) or '-'}"


@contextlib.contextmanager
def booted(asked, kind=Container):
    """A container as the options ask for; its root is kept where they name one."""
    with tempfile.TemporaryDirectory() as scratch:
        root = asked.root or pathlib.Path(scratch) / "root"
        root.mkdir(exist_ok=True)
        if not (root / "etc/debian_version").exists():
            subprocess.run(
                ["debootstrap", "--variant=minbase", "--include=systemd,systemd-sysv,dbus", "bookworm", str(root), asked.mirror],
                check=True, stdout=subprocess.DEVNULL,
            )
        container = kind(root)
        try:
            yield container
        finally:
            container.stop()
