#!/usr/bin/env python3
"""The types of the page: tsc --strict without a word.

Usage: types_test.py FOLDER_FOR_PACKAGES
"""
import shutil
import subprocess
import sys

import page_packages


def main():
    try:
        packages = page_packages.installed(sys.argv[1])
    except page_packages.clients.CannotInstall as reason:
        print('skipped:', reason)
        sys.exit(page_packages.clients.SKIPPED)
    shutil.copy(page_packages.PAGE / 'tsconfig.json', packages.parent)
    shutil.rmtree(packages.parent / 'src', ignore_errors=True)
    shutil.copytree(page_packages.PAGE / 'src', packages.parent / 'src')
    done = subprocess.run(['node', packages / 'typescript/bin/tsc', '--noEmit', '--pretty', 'false'], cwd=packages.parent, timeout=300, check=False)
    print('1 passed, 0 failed' if done.returncode == 0 else '0 passed, 1 failed')
    sys.exit(done.returncode)


main()
