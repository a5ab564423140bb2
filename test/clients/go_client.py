#!/usr/bin/env python3
"""Whether the Go client does what docs/clients.md says, and runs the example there.

Usage:  go_client.py JOBSTRAND_BINARY

It is formatted and vetted, its tests (test/clients/go) run against services on SQLite and against servers of PostgreSQL and MariaDB, and each example in Go of
docs/clients.md is compiled and run. Needs Go 1.22, PostgreSQL, MariaDB, and Go's registry for the drivers of databases, so it is not
part of tools/check. Then it does what behaviours.toml says of all clients. The last line is
`N passed, N failed, N skipped`.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import behaviours
import clients

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

MODULE = clients.ROOT / 'tools/clients/go'
TESTS = clients.HERE / 'go'
BLOCK = re.compile(r'^```go\n(.*?)^```', re.M | re.S)
PATIENCE_S = 900  # The first time all drivers are downloaded and compiled.


def go(folder, *arguments, env=None):
    """Exit code and output."""
    done = subprocess.run(['nice', 'go', *arguments], cwd=folder, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout


def told(name, is_good, said=''):
    print(f'{"ok" if is_good else "FAILED"}: {name}{"" if is_good else chr(10) + said}', flush=True)
    return is_good


def shape():
    """Formatting, and what the compiler does not see."""
    unformatted = subprocess.run(['gofmt', '-l', MODULE, TESTS], stdout=subprocess.PIPE, text=True, check=True).stdout
    yield told('gofmt finds nothing', not unformatted, unformatted)
    for folder in (MODULE, TESTS):
        code, said = go(folder, 'vet', './...')
        yield told(f'go vet finds nothing in {folder.relative_to(clients.ROOT)}', code == 0, said)
    code, said = go(MODULE, 'list', '-m', 'all')
    yield told('the module needs no other', code == 0 and len(said.split()) == 1, said)


def tests(binary):
    """Each test of test/clients/go."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, databases.postgresql(Path(one)) as postgresql, \
            databases.mariadb(Path(other)) as mariadb:
        for server in (postgresql, mariadb):
            subprocess.run([binary, 'schema', 'create'], env={**os.environ, **server}, check=True, capture_output=True, timeout=clients.PATIENCE_S)
        account, where = mariadb['JOBSTRAND_DB'].removeprefix('mariadb://').removesuffix('/jobs').split('@')
        env = {'JOBSTRAND_BINARY': str(binary), 'POSTGRESQL_URL': postgresql['JOBSTRAND_DB'], 'MARIADB_NAME': f'{account}@tcp({where})/jobs'}
        code, said = go(TESTS, 'test', '-p', '2', '-count=1', '-v', '.', env=env)
    ended = re.findall(r'^\s*--- (PASS|FAIL|SKIP): (\S+)', said, re.M)
    for result, name in ended:
        if result != 'SKIP':
            yield told(name, result == 'PASS')
    yield told('the tests end', code == 0 and len(ended) > 20, said)


def examples(binary):
    """What docs/clients.md shows."""
    text = (clients.ROOT / 'docs/clients.md').read_text(encoding='utf-8')
    with tempfile.TemporaryDirectory() as name, clients.service(binary, name) as origin:
        for number, content in enumerate(BLOCK.findall(text)):
            yield told(f'example {number + 1} in Go', *run_example(Path(name) / f'example{number}', content.replace('http://127.0.0.1:8080', origin), name))
        yield told('the examples leave no jobs for workers', clients.eventually(lambda: clients.places(origin)['external'] == 0))


def run_example(folder, content, home):
    """Whether it ends well, a worker by SIGTERM after its job; and what it said."""
    folder.mkdir()
    (folder / 'main.go').write_text(content, encoding='utf-8')
    module = (TESTS / 'go.mod').read_text(encoding='utf-8')
    (folder / 'go.mod').write_text(module.replace('../../../tools/clients/go', str(MODULE)), encoding='utf-8')
    shutil.copy(TESTS / 'go.sum', folder)
    code, said = go(folder, 'build', '-p', '2', '-o', 'example', '.')
    if code != 0:
        return False, said
    is_worker = '.Run(' in content
    return clients.run_example([folder / 'example'], home, is_worker)


def main():
    binary = Path(sys.argv[1]).resolve()
    results = [*shape(), *tests(binary), *examples(binary)]
    with tempfile.TemporaryDirectory() as packages:
        return behaviours.concluded('go', binary, Path(packages), others=results)


if __name__ == '__main__':
    sys.exit(main())
