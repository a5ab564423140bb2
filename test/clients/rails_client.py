#!/usr/bin/env python3
"""Whether the adapter of the Ruby client for Active Job does what docs/frameworks.md says, and the app of examples/rails.

Usage:  rails_client.py JOBSTRAND_BINARY

Its tests (test/clients/rails) run against services on SQLite and against servers of PostgreSQL and MariaDB. Needs Rails 6.1 or newer
and what ruby_client.py needs (tools/install_packages clients), so it is not part of tools/check. The last line is `N passed, N failed`.
"""
import sys
import unittest
from pathlib import Path

import clients
import ruby_client

sys.path.append(str(clients.ROOT / 'test/examples'))
import shop  # pylint: disable=wrong-import-position

TESTS = clients.HERE / 'rails/adapter_test.rb'


class Rails(shop.Shop):
    def test_rails(self):
        env = {'RUBYLIB': str(ruby_client.PACKAGE / 'lib')}
        self.check('rails', ('rackup', '--env', 'production', '--port', self.port), ('rake', 'jobstrand:work'), ('rake', 'db:migrate'), env=env)


def main():
    Rails.binary = Path(sys.argv[1]).resolve()
    code, said = ruby_client.run('ruby', '-wc', TESTS)
    results = [ruby_client.told(f'{TESTS.name} has no warnings', code == 0 and said == 'Syntax OK\n', said),
               *ruby_client.tests(Rails.binary, TESTS, 11)]
    example = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(Rails))
    results.append(ruby_client.told('the example in Rails', example.wasSuccessful()))
    failed = results.count(False)
    print(f'{len(results) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
