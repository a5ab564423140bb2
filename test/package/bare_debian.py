#!/usr/bin/env python3
"""Walks the first roads of README.md, Python's and JavaScript's, where nothing is but Debian 12, a language and a PostgreSQL.

Usage:  bare_debian.py PACKAGES [--mirror URL] [--root FOLDER]

PACKAGES is where tools/release has put them. What an app's developer has already is there before the clock starts: Python with
venv or Node.js with npm, a PostgreSQL with the app's database, and README.md's text of the app. Then its commands are
typed as they stand there, each at a terminal of its own, until the job has run and `jobstrand top` and the page show it. Only
ports are others, for the container has the network of this machine. Each command is printed with its seconds.

It needs root, debootstrap, systemd-nspawn, a Debian mirror, and the registries of Python and npm for the drivers; some five
minutes, most of which are Debian's.

  --mirror URL    where debootstrap finds Debian; by default http://deb.debian.org/debian
  --root FOLDER   keeps the installed Debian there for the next time

Exit codes: 0 both roads take at most five commands and two minutes, 1 one does not, 77 this machine cannot do that. The last
line is `N passed, N failed`.

Example:  tools/release python npm && sudo test/package/bare_debian.py build/packages
"""
import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import urllib.request

import debian_container

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'fixtures'))
from databases import free_port  # pylint: disable=wrong-import-position
from first_road import APPS, first_road  # pylint: disable=wrong-import-position

MOST_COMMANDS, MOST_SECONDS = 5, 120
PATIENCE_S = 2 * MOST_SECONDS  # Beyond this something hangs.
CTRL_C = b'\x03'
COMPILERS = ('gcc', 'g++', 'cc', 'c++', 'clang', 'clang++', 'tcc')
COLOURS = re.compile(r'\x1b\[[0-9;?]*[A-Za-z]')
# Debian's npm brings headers of Node.js, and no compiler either.
DEVELOPERS_HAVE = ('ca-certificates', 'python3-venv', 'nodejs', 'npm', 'postgresql')
# What this machine trusts, and where its registries are.
TRUSTED = ('etc/ssl/certs/ca-certificates.crt', 'etc/pip.conf', 'etc/npmrc')
# Commands that stay, by a word of theirs -> what they have said when the next one may be typed.
STAYS = {'serve': 'ready database=', 'app.py': 'sent 1', 'app.mjs': 'sent 1', 'top': 'mail'}


class Terminal:
    """One at which a user has typed a command."""

    def __init__(self, container, command):
        line = f'script --quiet --return --flush --command {shlex.quote(command)} /dev/null'
        self.process = subprocess.Popen(container.inside('runuser', '--login', 'app', '--command', line), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = ''
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while piece := self.process.stdout.read1():
            self.said += COLOURS.sub('', piece.decode(errors='replace'))

    def shows(self, text):
        """Whether it does before the command ends."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.said and self.reader.is_alive() and time.monotonic() < deadline:
            self.reader.join(0.02)
        return text in self.said

    def ends(self):
        is_good = self.process.wait(PATIENCE_S) == 0
        self.reader.join(PATIENCE_S)
        return is_good

    def interrupt(self):
        if self.process.poll() is None:
            self.process.stdin.write(CTRL_C)
            self.process.stdin.close()  # `script` may wait for more of it when its command has ended.
            self.ends()


class Results:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, is_so):
        print(f'{"ok" if is_so else "FAILED"}: {what}', flush=True)
        self.passed += is_so
        self.failed += not is_so


def prepare(container, packages):
    """What an app's developer has already; `packages` are copied to where README.md has them."""
    container.run('apt-get', 'update', '-q')
    container.run('apt-get', 'install', '-y', '-q', '--no-install-recommends', *DEVELOPERS_HAVE)
    for path in TRUSTED:
        if pathlib.Path('/', path).exists():
            shutil.copy(pathlib.Path('/', path), container.root / path)
    shutil.rmtree(container.root / 'srv/packages', ignore_errors=True)
    shutil.copytree(packages, container.root / 'srv/packages')


def found_compilers(container):
    return container.run('sh', '-c', f'for name in {" ".join(COMPILERS)}; do command -v $name; done; true').split()


def running(container):
    """The names of all processes; there is no `ps`."""
    return container.run('sh', '-c', 'cat /proc/[0-9]*/comm 2>&1; true').splitlines()


def newcomer(container, port):
    """A user with the packages in a folder and the app's text, and a database of the app on that port."""
    container.run('sh', '-c', 'userdel --remove --force app 2>&1; useradd --create-home --home-dir /srv/app --shell /bin/bash app && '
                  'install -d -o app /srv/app/build && ln -s /srv/packages /srv/app/build/packages')
    container.run('sh', '-c', f'pg_conftool $(ls /etc/postgresql) main set port {port} && systemctl restart postgresql')
    debian_container.eventually(lambda: 'accepting' in container.run('pg_isready', '--host', '127.0.0.1', '--port', str(port), check=False),
                                'PostgreSQL is there')
    container.run('runuser', '-u', 'postgres', '--', 'psql', '--quiet', f'--port={port}', '-c', 'DROP DATABASE IF EXISTS shop WITH (FORCE)',
                  '-c', 'DROP ROLE IF EXISTS app', '-c', "CREATE ROLE app LOGIN PASSWORD 'secret'", '-c', 'CREATE DATABASE shop OWNER app',
                  '-c', '\\connect shop', '-c', 'SET ROLE app', '-c', 'CREATE TABLE customers (id int)')


def walk(container, language, results):
    database_port, service_port = free_port(), free_port()
    commands, app = first_road(language, f'postgresql://app:secret@127.0.0.1:{database_port}/shop', f'127.0.0.1:{service_port}')
    newcomer(container, database_port)
    (container.root / 'srv/app' / APPS[language]).write_text(app, encoding='utf-8')
    terminals = []
    began = time.monotonic()
    try:
        for command in commands:
            since = time.monotonic()
            terminal = Terminal(container, command)
            terminals.append(terminal)
            awaited = next((said for word, said in STAYS.items() if word in command.split()), None)
            is_done = terminal.ends() if awaited is None else terminal.shows(awaited)
            results.check(f'{time.monotonic() - since:5.1f} s  {command}{"" if is_done else chr(10) + terminal.said}', is_done)
        took = time.monotonic() - began
        with urllib.request.urlopen(f'http://127.0.0.1:{service_port}/', timeout=PATIENCE_S) as page:
            results.check('the page is there', '<title>Jobstrand' in page.read().decode())
    finally:
        for terminal in reversed(terminals):
            terminal.interrupt()
    results.check('Ctrl-C ends all of it', 'jobstrand' not in running(container))
    typed = sum(1 + len(re.findall(r'&&|\|\||[;|]', command)) for command in commands)
    results.check(f'{language}: {typed} commands, {took:.1f} s', typed <= MOST_COMMANDS and took <= MOST_SECONDS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('packages', type=pathlib.Path)
    debian_container.add_options(parser)
    asked = parser.parse_args()
    if missing := debian_container.what_is_missing():
        print(f'skipped: {missing}')
        return 77
    results = Results()
    try:
        with debian_container.booted(asked) as container:
            prepare(container, asked.packages)
            found = found_compilers(container)
            results.check(f'there is no compiler {" ".join(found)}', not found)
            for language in APPS:
                walk(container, language, results)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        results.check(error, False)
    print(f'{results.passed} passed, {results.failed} failed')
    return 1 if results.failed else 0


if __name__ == '__main__':
    sys.exit(main())
