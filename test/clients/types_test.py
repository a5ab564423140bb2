#!/usr/bin/env python3
"""The types of the packages of tools/clients, inside and as an app sees them: mypy --strict, and tsc with strict.

Usage:  types_test.py FOLDER_FOR_PACKAGES

A program that is not to be had here is left out. Exit codes: 0 passed, 1 failed, 77 neither is there. The last line is
`N passed, N failed`.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import clients

PYTHON = clients.ROOT / 'tools/clients/python'
JAVASCRIPT = clients.ROOT / 'tools/clients/javascript'
OPTIONS = {'strict': True, 'noEmit': True, 'module': 'nodenext', 'target': 'es2022', 'types': ['node']}


def lines_with_errors(said, mark):
    return sorted({int(number) for number in re.findall(mark, said, re.M)})


def check_python(checks):
    def mypy(*paths):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(['mypy', '--strict', '--cache-dir', cache, *paths], cwd=cache, env={**os.environ, 'MYPYPATH': str(PYTHON)},
                                  capture_output=True, text=True, timeout=clients.INSTALL_S, check=False)
        return done.returncode, done.stdout
    checks.equal('mypy --strict of the package and of an app', mypy(PYTHON / 'jobstrand', clients.HERE / 'types_used.py')[0], 0)
    code, said = mypy(clients.HERE / 'types_misused.py')
    checks.equal('what mypy refuses', (code, lines_with_errors(said, r'^.*types_misused\.py:(\d+): error')), (1, [3, 4, 5, 6]))


def check_javascript(packages, checks):
    folder = packages / 'types'
    clients.install(folder, 'types.txt', ['npm', 'install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts',
                                          *(clients.HERE / 'types.txt').read_text().split()])
    link = folder / 'node_modules/jobstrand'
    link.unlink(missing_ok=True)
    link.symlink_to(JAVASCRIPT)

    def tsc(name):
        shutil.copy(clients.HERE / name, folder)
        (folder / 'tsconfig.json').write_text(json.dumps({'compilerOptions': OPTIONS, 'files': [name]}))
        done = subprocess.run(['node', folder / 'node_modules/typescript/bin/tsc', '--pretty', 'false', '-p', '.'], cwd=folder, capture_output=True,
                              text=True, timeout=clients.INSTALL_S, check=False)
        return done.stdout
    checks.equal('strict TypeScript of the package and of an app', tsc('types_used.mts'), '')
    checks.equal('what TypeScript refuses', lines_with_errors(tsc('types_misused.mts'), r'^types_misused\.mts\((\d+),'), [4, 5, 6])


def main():
    checks = clients.Checks()
    if shutil.which('mypy'):
        check_python(checks)
    else:
        print('left out: there is no mypy')
    try:
        check_javascript(Path(sys.argv[1]).resolve(), checks)
    except clients.CannotInstall as reason:
        print(f'left out: TypeScript: {reason}')
    if checks.passed + checks.failed == 0:
        print('skipped: there is neither mypy nor TypeScript')
        return clients.SKIPPED
    return checks.result()


if __name__ == '__main__':
    sys.exit(main())
