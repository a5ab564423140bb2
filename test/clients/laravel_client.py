#!/usr/bin/env python3
"""Whether the driver of the PHP client for Laravel's queues does what docs/frameworks.md says, and the app of examples/laravel.

Usage:  laravel_client.py JOBSTRAND_BINARY

Its tests (test/clients/laravel) run against services on SQLite and against servers of PostgreSQL and MariaDB. Needs Laravel 8.83 or newer
where PHP finds it (Debian: php-laravel-framework) and what php_client.py needs (tools/install_packages clients), so it is not part of
tools/check. The last line is `N passed, N failed`.
"""
import json
import sys
import unittest
from pathlib import Path

import clients
import php_client

sys.path.append(str(clients.ROOT / 'test/examples'))
import shop  # pylint: disable=wrong-import-position

TESTS = clients.HERE / 'laravel'


# As Composer would make it: classes of the app and, by what its composer.json says, the package.
AUTOLOAD = """<?php
require '{tests}/autoload.php';
spl_autoload_register(static function (string $class): void {{
    if (str_starts_with($class, 'App\\\\')) {{
        require '{app}/' . strtr(lcfirst($class), '\\\\', '/') . '.php';
    }}
}});
"""


class Laravel(shop.Shop):
    def test_laravel(self):
        vendor = self.folder / 'packages'
        (vendor / 'composer').mkdir(parents=True)
        (vendor / 'autoload.php').write_text(AUTOLOAD.format(tests=TESTS, app=self.folder / 'laravel'), encoding='utf-8')
        about = json.loads((php_client.PACKAGE / 'composer.json').read_text(encoding='utf-8'))
        (vendor / 'composer/installed.json').write_text(json.dumps({'packages': [about]}), encoding='utf-8')
        run = ('php', '-d', 'error_reporting=8191')  # Without what Laravel 8 does that PHP 8.2 calls deprecated.
        self.check('laravel', (*run, '-S', f'127.0.0.1:{self.port}', 'public/index.php'), (*run, 'artisan', 'queue:work'),
                   (*run, 'artisan', 'migrate', '--force'), packages=[('vendor', vendor)])


def main():
    Laravel.binary = Path(sys.argv[1]).resolve()
    results = [*php_client.compiled([*TESTS.glob('*.php')]), *php_client.tests(Laravel.binary, TESTS, 'QueueTest.php', 10)]
    example = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(Laravel))
    results.append(php_client.told('the example in Laravel', example.wasSuccessful()))
    failed = results.count(False)
    print(f'{len(results) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
