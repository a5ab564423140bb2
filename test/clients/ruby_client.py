#!/usr/bin/env python3
"""Whether the Ruby client does what docs/clients.md says, and runs the examples there.

Usage:  ruby_client.py JOBSTRAND_BINARY

It has no warnings, its gem is built, its tests (test/clients/ruby) run against services on SQLite and against servers of PostgreSQL and
MariaDB, and each example in Ruby of docs/clients.md is run. Needs Ruby 3.0 with minitest, pg, mysql2 and sqlite3 (tools/install_packages
clients), PostgreSQL and MariaDB, so it is not part of tools/check. Then it does what behaviours.toml says of
all clients. The last line is `N passed, N failed, N skipped`.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import behaviours
import clients

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

PACKAGE = clients.ROOT / 'tools/clients/ruby'
TESTS = clients.HERE / 'ruby'
BLOCK = re.compile(r'^```ruby\n(.*?)^```', re.M | re.S)
PATIENCE_S = 600


def run(*command, folder=None, env=None):
    """Exit code and output."""
    done = subprocess.run(['nice', *command], cwd=folder, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout


def told(name, is_good, said=''):
    print(f'{"ok" if is_good else "FAILED"}: {name}{"" if is_good else chr(10) + said}', flush=True)
    return is_good


def shape():
    """What Ruby warns of, and the gem."""
    for source in (*PACKAGE.rglob('lib/**/*.rb'), *TESTS.glob('*.rb')):
        code, said = run('ruby', '-wc', source)
        yield told(f'{source.name} has no warnings', code == 0 and said == 'Syntax OK\n', said)
    with tempfile.TemporaryDirectory() as name:
        code, said = run(clients.ROOT / 'tools/release', '--into', name, 'gem')
        yield told('the gem is built', code == 0, said)
        code, said = run('gem', 'install', '--local', '--no-document', '--install-dir', f'{name}/gems', *Path(name).glob('jobstrand-*.gem'))
        yield told('it is installed', code == 0, said)
        code, said = run('ruby', '-W', '-e', 'require "jobstrand"; Jobstrand::Worker.name', env={'GEM_PATH': f'{name}/gems'})
        yield told('and found', (code, said) == (0, ''), said)


def tests(binary, source, least):
    """Each test of a file, of which there are at least so many."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, databases.postgresql(Path(one)) as postgresql, \
            databases.mariadb(Path(other)) as mariadb:
        for server in (postgresql, mariadb):
            subprocess.run([binary, 'schema', 'create'], env={**os.environ, **server}, check=True, capture_output=True, timeout=clients.PATIENCE_S)
        env = {'JOBSTRAND_BINARY': str(binary), 'POSTGRESQL_URL': postgresql['JOBSTRAND_DB'], 'MARIADB_URL': mariadb['JOBSTRAND_DB']}
        code, said = run('ruby', f'-I{PACKAGE}/lib', source, '-v', env=env)
    # A driver may warn between the beginning and the end of a test.
    ended = re.findall(r'^(\w+#\w+) = (?:.*warning: .*\n)?[\d.]+ s = (.)$', said, re.M)
    for name, result in ended:
        yield told(name, result == '.')
    yield told('the tests end', code == 0 and len(ended) >= least, said)


def examples(binary):
    """What docs/clients.md shows."""
    shown = BLOCK.findall((clients.ROOT / 'docs/clients.md').read_text(encoding='utf-8'))
    with tempfile.TemporaryDirectory() as name, clients.service(binary, name) as origin:
        for number, content in enumerate(shown):
            yield told(f'example {number + 1} in Ruby', *run_example(content.replace('http://127.0.0.1:8080', origin), name))
        yield told('the examples leave no jobs for workers', len(shown) > 1 and clients.eventually(lambda: clients.places(origin)['external'] == 0))


def run_example(content, home):
    """Whether it ends well, a worker by SIGTERM after its jobs; and what it said."""
    is_worker = 'worker.run' in content
    return clients.run_example(['ruby', '-W', f'-I{PACKAGE}/lib', '-e', '$stdout.sync = true; ' + content], home, is_worker)


def main():
    binary = Path(sys.argv[1]).resolve()
    results = [*shape(), *tests(binary, TESTS / 'client_test.rb', 19), *examples(binary)]
    with tempfile.TemporaryDirectory() as packages:
        return behaviours.concluded('ruby', binary, Path(packages), others=results)


if __name__ == '__main__':
    sys.exit(main())
