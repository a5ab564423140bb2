#!/usr/bin/env python3
"""Whether the PHP client does what docs/clients.md says, and runs the examples there.

Usage:  php_client.py JOBSTRAND_BINARY

Its sources have no errors of syntax, its tests (test/clients/php) run against services on SQLite and against servers of PostgreSQL and
MariaDB, and each example in PHP of docs/clients.md is run. Needs PHP 8.1 with PDO's drivers, and PHPUnit 9 (tools/install_packages
clients), PostgreSQL and MariaDB, so it is not part of tools/check. Then it does what behaviours.toml says of
all clients. The last line is `N passed, N failed, N skipped`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

import behaviours
import clients

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

PACKAGE = clients.ROOT / 'tools/clients/php'
TESTS = clients.HERE / 'php'
BLOCK = re.compile(r'^```php\n(.*?)^```', re.M | re.S)
PATIENCE_S = 600


def run(*command, folder=None, env=None):
    """Exit code and output."""
    done = subprocess.run(['nice', *command], cwd=folder, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout


def told(name, is_good, said=''):
    print(f'{"ok" if is_good else "FAILED"}: {name}{"" if is_good else chr(10) + said}', flush=True)
    return is_good


def compiled(sources):
    for source in sorted(sources):
        code, said = run('php', '-l', source)
        yield told(f'{source.name} can be compiled', code == 0, said)


def shape():
    """What the compiler sees, and what Composer is told."""
    yield from compiled([*PACKAGE.rglob('src/**/*.php'), *TESTS.glob('*.php')])
    with tempfile.TemporaryDirectory() as name:
        code, said = run(clients.ROOT / 'tools/release', '--into', name, 'composer')
        yield told('the package for Composer is made', code == 0, said)
        app = Path(name) / 'app'
        app.mkdir()
        wanted = {'repositories': [{'type': 'artifact', 'url': name}, {'packagist.org': False}], 'require': {'jobstrand/jobstrand': '*'}}
        (app / 'composer.json').write_text(json.dumps(wanted), encoding='utf-8')
        code, said = run('composer', 'install', '--no-interaction', folder=app)
        yield told('it is installed', code == 0, said)
        code, said = run('php', '-r', 'require "vendor/autoload.php"; new Jobstrand\\NewJob("mail"); echo Jobstrand\\Laravel\\JobstrandQueue::class;', folder=app)
        yield told('and found', (code, said) == (0, 'Jobstrand\\Laravel\\JobstrandQueue'), said)


def tests(binary, folder, name, least):
    """Each test of a file, of which there are at least so many."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, databases.postgresql(Path(one)) as postgresql, \
            databases.mariadb(Path(other)) as mariadb:
        for server in (postgresql, mariadb):
            subprocess.run([binary, 'schema', 'create'], env={**os.environ, **server}, check=True, capture_output=True, timeout=clients.PATIENCE_S)
        source, user, word = source_of(mariadb, 'mysql')
        env = {'JOBSTRAND_BINARY': str(binary), 'POSTGRESQL_DSN': '{};user={};password={}'.format(*source_of(postgresql, 'pgsql')),
               'MARIADB_DSN': f'{source};charset=utf8mb4', 'MARIADB_USER': user, 'MARIADB_PASSWORD': word}
        code, said = run('phpunit', '--no-configuration', '--do-not-cache-result', '--fail-on-warning', '--fail-on-risky', '--log-junit', f'{one}/results.xml', '--bootstrap',
                         folder / 'autoload.php', folder / name, env=env)
        cases = [*xml.etree.ElementTree.parse(f'{one}/results.xml').getroot().iter('testcase')] if code in (0, 1, 2) else []
    for case in cases:
        yield told(case.get('name'), not {'failure', 'error', 'skipped', 'warning'} & {part.tag for part in case})
    yield told('the tests end', code == 0 and len(cases) >= least, said)


def source_of(server, driver):
    """The name of a server as PDO wants it, a user and a password."""
    account, where = server['JOBSTRAND_DB'].partition('://')[2].removesuffix('/jobs').split('@')
    (user, _, word), (host, _, port) = account.partition(':'), where.partition(':')
    return f'{driver}:host={host};port={port};dbname=jobs', user, word


def examples(binary):
    """What docs/clients.md shows."""
    shown = BLOCK.findall((clients.ROOT / 'docs/clients.md').read_text(encoding='utf-8'))
    with tempfile.TemporaryDirectory() as name, clients.service(binary, name) as origin:
        for number, content in enumerate(shown):
            yield told(f'example {number + 1} in PHP', *run_example(content.replace('http://127.0.0.1:8080', origin), name))
        yield told('the examples leave no jobs for workers', len(shown) > 1 and clients.eventually(lambda: clients.places(origin)['external'] == 0))


def run_example(content, home):
    """Whether it ends well, a worker by SIGTERM after its jobs; and what it said."""
    is_worker = '$worker->run()' in content
    (Path(home) / 'example.php').write_text(content.replace("'vendor/autoload.php'", f"'{TESTS}/autoload.php'"), encoding='utf-8')
    return clients.run_example(['php', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr', 'example.php'], home, is_worker)


def main():
    binary = Path(sys.argv[1]).resolve()
    results = [*shape(), *tests(binary, TESTS, 'ClientTest.php', 14), *examples(binary)]
    with tempfile.TemporaryDirectory() as packages:
        return behaviours.concluded('php', binary, Path(packages), others=results)


if __name__ == '__main__':
    sys.exit(main())
