"""The program `jobstrand`, where it came with this package: wheels for Linux have it."""
import os
import pathlib
import sys
from typing import NoReturn

__all__ = ["main", "path"]

_OWN = pathlib.Path(__file__).parent / "program_files/bin/jobstrand"


def path() -> str:
    """Where the program is, for subprocess.run([jobstrand.program.path(), "serve", ...]); FileNotFoundError: it did not come with this package."""
    if not _OWN.exists():
        raise FileNotFoundError(
            "this package came without the program, which wheels for Linux on x86-64 with glibc 2.35 or newer have; "
            "install it by itself, as a Debian package or an image"
        )
    return str(_OWN)


def main() -> NoReturn:
    """The program in the place of this process: signals, exit code and terminal are its own."""
    try:
        program = path()
    except FileNotFoundError as error:
        sys.exit(f"jobstrand: {error}")
    os.execv(program, ["jobstrand", *sys.argv[1:]])
