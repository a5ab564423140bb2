"""What the tests of examples in frameworks share: a shop that takes orders, and its worker."""
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
sys.path[:0] = [str(ROOT / 'test/clients'), str(ROOT / 'test/fixtures')]
import clients  # pylint: disable=wrong-import-position
from databases import free_port  # pylint: disable=wrong-import-position


def status_of(url, form=None):
    try:
        with urllib.request.urlopen(url, form and urllib.parse.urlencode(form).encode(), timeout=clients.PATIENCE_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, None
    except (urllib.error.URLError, ConnectionError):
        return None, None


class Shop(unittest.TestCase):
    binary = Path()

    def setUp(self):
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.origin = self.stack.enter_context(clients.service(self.binary, self.folder))
        self.port = free_port()

    def start(self, *command, env=None, **options):
        process = subprocess.Popen([str(word) for word in command], cwd=self.app, stderr=subprocess.DEVNULL, env={
            **os.environ, 'DATABASE_FILE': str(self.folder / 'jobs.db'), 'JOBSTRAND_URL': self.origin, 'PORT': str(self.port),
            'PYTHONPATH': str(ROOT / 'tools/clients/python'), 'PYTHONDONTWRITEBYTECODE': '1', 'PYTHONUNBUFFERED': '1', **(env or {})}, **options)
        self.stack.callback(clients.end, process)
        return process

    def check(self, name, server, worker, prepare=None, in_query=False, packages=(), env=None):
        """Whether an order and its job are there, or neither. `packages`: where the app has a folder, and what that is."""
        self.app = self.folder / name
        shutil.copytree(ROOT / 'examples' / name, self.app)
        for place, folder in packages:
            (self.app / place).symlink_to(folder)
        if prepare:
            self.assertEqual(self.start(*prepare, env=env, stdout=subprocess.DEVNULL).wait(clients.PATIENCE_S), 0)
        self.start(*server, env=env, stdout=subprocess.DEVNULL)
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
        process = self.start(*worker, env=env, stdout=subprocess.PIPE, text=True)
        self.assertEqual(next(line for line in process.stdout if line.startswith('mail')), 'mail for order 1: book\n')
        self.assertTrue(clients.eventually(lambda: clients.places(self.origin)['external'] == 0))
