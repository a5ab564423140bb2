#!/usr/bin/env python3
"""Our client for Java: the tests of test/clients/java_client that do not take long, on SQLite. `java_client.py` runs all of them, on servers too.

Usage:  java_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

Exit codes: 0 passed, 1 failed, 77 there is no JDK 17 or Maven, or its packages cannot be downloaded. The last line is
`N passed, N failed`.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import clients
import java_packages

SOURCES = (clients.ROOT / 'tools/clients/java/src/main/java', clients.HERE / 'java_client/src/test/java')


def main():
    binary, packages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / 'own_java'
    try:
        classpath = java_packages.installed(packages, 'java/own/pom.xml')
    except clients.CannotInstall as reason:
        print(f'skipped: {reason}')
        return clients.SKIPPED
    with tempfile.TemporaryDirectory() as classes:
        sources = [str(source) for folder in SOURCES for source in folder.rglob('*.java')]
        subprocess.run(['javac', '-nowarn', '--release', str(java_packages.JDK), '-d', classes, '-cp', classpath, *sources], check=True,
                       timeout=3 * clients.PATIENCE_S)
        done = subprocess.run(['java', '-cp', f'{classes}:{classpath}', f'-Djobstrand.binary={binary}', f'-Djobstrand.engines={clients.ENGINE_OF}',
                               'org.junit.platform.console.ConsoleLauncher',
                               'execute', '--select-package=jobstrand.test', '--exclude-tag=slow', '--details=tree', '--disable-ansi-colors'],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=3 * clients.PATIENCE_S, check=False)
    print(done.stdout)
    passed, failed = (int(re.search(rf'\[ *(\d+) tests {what}', done.stdout)[1]) for what in ('successful', 'failed'))
    print(f'{passed} passed, {failed} failed')
    return 0 if done.returncode == 0 and passed > 20 else 1


if __name__ == '__main__':
    sys.exit(main())
