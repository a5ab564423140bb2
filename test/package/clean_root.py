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
import pathlib
import shutil
import sys

from debian_container import Container, add_options, booted, eventually, what_is_missing

SETTINGS = "/etc/jobstrand/jobstrand.toml"


class ServiceContainer(Container):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", type=pathlib.Path)
    add_options(parser)
    asked = parser.parse_args()
    if missing := what_is_missing():
        print(f"skipped: {missing}")
        return 77
    with booted(asked, ServiceContainer) as container:
        shutil.copy(asked.package, container.root / "srv/jobstrand.deb")
        check(container, "/srv/jobstrand.deb")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        print(f"FAILED: {error}")
        sys.exit(1)
