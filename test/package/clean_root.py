#!/usr/bin/env python3
"""Installs the Debian package where nothing is but Debian 12 and systemd, and removes it again.

Usage:  clean_root.py PACKAGE.deb [--mirror URL] [--root FOLDER]

The service must start, run a job, come back after SIGKILL, and leave nothing behind but its settings (removed) or its jobs
(purged). It needs root, debootstrap, systemd-nspawn and a Debian mirror, and takes some two minutes.

  --mirror URL    where debootstrap finds Debian; by default http://deb.debian.org/debian
  --root FOLDER   keeps the installed Debian there for the next time

Exit codes: 0 all holds, 1 something does not, 77 this machine cannot do that.

Example:  cmake --build build/release --target package && sudo test/package/clean_root.py build/release/jobstrand_*.deb
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE_S = 120
SETTINGS = "/etc/jobstrand/jobstrand.toml"


def eventually(is_so, what):
    deadline = time.monotonic() + PATIENCE_S
    between_looks = threading.Event()
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError(f"in {PATIENCE_S} s it did not happen: {what}")
        between_looks.wait(0.2)


class Container:
    """A Debian that runs under systemd, with a network through this machine's."""

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

    def run(self, *command, check=True):
        done = subprocess.run(
            ["nsenter", "--target", self.leader, "--all", "env", "DEBIAN_FRONTEND=noninteractive", *command],
            capture_output=True, text=True, timeout=5 * PATIENCE_S, check=False,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def jobstrand(self, *words):
        return self.run("runuser", "-u", "jobstrand", "--", "jobstrand", *words, "--config", SETTINGS)

    def is_active(self):
        return self.run("systemctl", "is-active", "jobstrand", check=False).strip() == "active"

    def main_process(self):
        return self.run("systemctl", "show", "--property=MainPID", "--value", "jobstrand").strip()

    def files(self):
        """Whatever bears the name, but for what the service wrote and dpkg remembers."""
        found = self.run("find", "/", "-xdev", "-name", "*jobstrand*", "-not", "-path", "/srv/*").splitlines()
        return {path for path in found if not path.startswith(("/var/lib/dpkg", "/proc"))}

    def stop(self):
        self.run("systemctl", "poweroff", check=False)
        self.process.wait(timeout=PATIENCE_S)


def runs_jobs(container):
    eventually(container.is_active, "the service is active")
    container.jobstrand("job", "add", "--type", "noop")
    eventually(lambda: container.jobstrand("job", "ls").strip().count("\n") == 0, "the job has run")


def check(container, package):
    container.run("apt-get", "update")
    container.run("apt-get", "install", "--yes", "--no-install-recommends", package)
    runs_jobs(container)
    print("ok: installed, the service runs a job")

    killed = container.main_process()
    container.run("systemctl", "kill", "--signal=KILL", "jobstrand")
    eventually(lambda: container.is_active() and container.main_process() != killed, "it is there again")
    runs_jobs(container)
    print("ok: killed, it comes back")

    container.run("apt-get", "install", "--yes", "--reinstall", package)
    runs_jobs(container)
    print("ok: installed again, it goes on")

    container.run("apt-get", "remove", "--yes", "jobstrand")
    programs = [path for path in container.files() if path.startswith(("/usr", "/lib"))]
    if programs or container.is_active():
        raise RuntimeError(f"removed, and still there: {programs}")
    container.run("test", "-f", SETTINGS)
    print("ok: removed, its settings and its jobs are left")

    container.run("apt-get", "purge", "--yes", "jobstrand")
    left = container.files()
    if left != {"/var/lib/jobstrand"}:
        raise RuntimeError(f"purged, and still there: {left}")
    container.run("test", "-f", "/var/lib/jobstrand/jobs.db")
    print("ok: purged, its jobs are left")


def clean_root(folder, mirror):
    if not (folder / "etc/debian_version").exists():
        subprocess.run(
            ["debootstrap", "--variant=minbase", "--include=systemd,systemd-sysv,dbus", "bookworm", str(folder), mirror],
            check=True, stdout=subprocess.DEVNULL,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--root", type=pathlib.Path)
    asked = parser.parse_args()
    missing = [name for name in ("debootstrap", "systemd-nspawn", "nsenter") if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        print(f"skipped: not root, or not installed: {', '.join(missing) or '-'}")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        root = asked.root or pathlib.Path(scratch) / "root"
        root.mkdir(exist_ok=True)
        clean_root(root, asked.mirror)
        shutil.copy(asked.package, root / "srv/jobstrand.deb")
        container = Container(root)
        try:
            check(container, "/srv/jobstrand.deb")
        finally:
            container.stop()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        print(f"FAILED: {error}")
        sys.exit(1)
