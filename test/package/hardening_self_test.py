#!/usr/bin/env python3
"""Whether hardening_test.py sees each property of a program that has it, and misses each one that was left out.

Usage:  hardening_self_test.py COMPILER
"""
import os
import platform
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hardening_test  # noqa: E402

SOURCE = """
#include <cstdio>
#include <cstring>
int main(int count, char** words) {
    char text[16] = "";
    if (count > 1) std::strcpy(text, words[1]);
    return std::puts(text) < 0;
}
"""
HARDENED = ["-O2", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fPIE", "-pie",
            "-Wl,-z,relro,-z,now,-z,noexecstack"]
if platform.machine() == "x86_64":
    HARDENED.append("-fcf-protection=full")

# What takes one property away, and a word of that property's name.
TAKEN_AWAY = [
    (["-no-pie", "-fno-pie"], "PIE"),
    (["-Wl,-z,norelro"], "RELRO"),
    (["-Wl,-z,lazy"], "BIND_NOW"),
    (["-Wl,-z,execstack"], "stack"),
    (["-fno-stack-protector"], "protector"),
    (["-U_FORTIFY_SOURCE"], "FORTIFY"),
    (["-fcf-protection=none"], "CET"),
]


def verdict(compiler, folder, flags):
    program = os.path.join(folder, "program")
    subprocess.run([compiler, "-x", "c++", "-", "-o", program, *flags], input=SOURCE, check=True, text=True)
    return dict(hardening_test.properties(program))


def main(compiler):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        whole = verdict(compiler, folder, HARDENED)
        print(f"{'ok' if all(whole.values()) else 'FAILED'}: a hardened program has everything")
        failed += not all(whole.values())
        for flags, word in TAKEN_AWAY:
            names = [name for name in whole if word in name]
            without = verdict(compiler, folder, HARDENED + flags) if names else {}
            is_seen = not names or not any(without[name] for name in names[:1])
            print(f"{'ok' if is_seen else 'FAILED'}: {word} that was left out is missed")
            failed += not is_seen
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
