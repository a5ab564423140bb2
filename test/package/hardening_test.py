#!/usr/bin/env python3
"""Whether the built program is hardened as cmake/hardening.cmake wants it.

Usage:  hardening_test.py PROGRAM BUILD_TYPE

Prints one line for each property and exits 1 if one is missing; 77, which means skipped, for a build that is not meant
to be run.
"""
import platform
import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions_begin_with_landing_pads(program):
    """CET: an indirect jump may only arrive where an endbr64 stands; here at the beginning of `main`."""
    code = output_of("objdump", "--disassemble=main", "--no-show-raw-insn", program)
    first = re.search(r"<main>:\n\s*\w+:\s*(\w+)", code)
    return first is not None and first[1] == "endbr64"


def properties(program):
    headers = output_of("readelf", "--wide", "--file-header", "--program-headers", "--dynamic", program)
    imported = set(re.findall(r"UND (\w+)@", output_of("readelf", "--wide", "--dyn-syms", program)))
    stack = re.search(r"GNU_STACK.*", headers)
    yield "loaded at any address (PIE)", re.search(r"Type:\s+DYN", headers) is not None
    yield "addresses of functions read-only (RELRO)", "GNU_RELRO" in headers
    yield "all of them, from the start (BIND_NOW)", re.search(r"BIND_NOW|Flags:.*NOW", headers) is not None
    yield "no code on the stack", stack is not None and "RWE" not in stack[0]
    yield "stack protector", "__stack_chk_fail" in imported
    yield "checked copies (FORTIFY)", any(re.fullmatch(r"__\w+_chk", name) for name in imported - {"__stack_chk_fail"})
    if platform.machine() == "x86_64":
        yield "landing pads (CET)", functions_begin_with_landing_pads(program)


def main(program, build_type):
    if build_type != "Release":
        print(f"a {build_type} build is not hardened")
        return 77
    missing = 0
    for name, is_there in properties(program):
        print(f"{'ok' if is_there else 'MISSING'}: {name}")
        missing += not is_there
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
