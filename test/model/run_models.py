#!/usr/bin/env python3
"""Searches all states of the models in this folder with SPIN: the model itself has no error, each variant has one."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def variants_of(model):
    """The names that the comment at its head lists."""
    head = model.read_text().split("*/", 1)[0]
    return re.findall(r"^ \*   ([A-Z_]+) ", head, re.MULTILINE)


def errors_of(model, variant, folder):
    """How many errors a search of all states finds, and how many states there are."""

    def run(*command, check=True):
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=check).stdout

    define = [f"-D{variant}"] if variant else []
    run("spin", *define, "-a", str(model))
    # A run that never gets the job waits for ever, which is no error: invalid end states are not looked for.
    run("cc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "search", "pan.c")
    report = run("./search", "-E", "-m1000000", check=False)  # An error that it finds is one of its own, too.
    if "error: max search depth too small" in report:
        raise RuntimeError(f"{model.name}: the search was cut")
    return int(re.search(r"errors: (\d+)", report)[1]), int(re.search(r"(\d+) states, stored", report)[1])


def main():
    if not shutil.which("spin"):
        print("not on this machine: spin (tools/install_packages test)")
        return SKIPPED
    passed = failed = 0
    for model in sorted(HERE.glob("*.pml")):
        variants = variants_of(model)
        if not variants:
            raise RuntimeError(f"{model.name} lists no variants")
        for variant in ["", *variants]:
            with tempfile.TemporaryDirectory() as folder:
                errors, states = errors_of(model, variant, folder)
            is_right = (errors > 0) == bool(variant)
            passed, failed = passed + is_right, failed + (not is_right)
            found = "an error" if errors else "no error"
            print(f"{model.stem} {variant or 'as it is'}: {found} in {states:,} states{'' if is_right else ' - WRONG'}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
