#!/usr/bin/env python3
"""`jobstrand top` on a terminal: of a database and of a service, until somebody types q.

Usage: top_test.py PATH_OF_JOBSTRAND
"""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios
import unittest

PATIENCE_S = 30
LEAVES = rb'\x1b\[\?1049l'  # What stood on the terminal before comes back.


class TopTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.env = {**os.environ, 'HOME': folder.name, 'JOBSTRAND_DB': f'sqlite:{folder.name}/jobs.db'}
        self.jobstrand('schema', 'create')

    def jobstrand(self, *words):
        subprocess.run([sys.argv[1], *words], env=self.env, capture_output=True, timeout=PATIENCE_S, check=True)

    def test_of_a_database_it_goes_on(self):
        self.goes_on()

    def test_of_a_service_it_goes_on(self):
        with subprocess.Popen([sys.argv[1], 'serve', '--no-executor', '--http', '127.0.0.1:0'], env=self.env, stderr=subprocess.PIPE) as service:
            try:
                port = next(found[1] for line in service.stderr if (found := re.search(r' port=([0-9]+)', line.decode())))
                self.goes_on('--server', f'http://127.0.0.1:{port}')
            finally:
                service.terminate()

    def goes_on(self, *words):
        """What is there is shown, and then what has come."""
        ours, its = pty.openpty()
        self.addCleanup(os.close, ours)
        termios.tcsetwinsize(its, (40, 120))
        with subprocess.Popen([sys.argv[1], 'top', '--interval', '100ms', *words], env=self.env, stdin=its, stdout=its, stderr=its) as top:
            os.close(its)
            try:
                self.read_until(ours, rb'executable +0')
                self.jobstrand('job', 'add', '--type', 'mail')
                self.read_until(ours, rb'executable +1')
                os.write(ours, b'q')
                self.read_until(ours, LEAVES)
                self.assertEqual(top.wait(PATIENCE_S), 0)
            finally:
                top.kill()

    def read_until(self, terminal, wanted):
        shown = b''
        while not re.search(wanted, shown):
            self.assertTrue(select.select([terminal], [], [], PATIENCE_S)[0], shown)
            shown += os.read(terminal, 65536)


if __name__ == '__main__':
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(TopTest))
    failed = len(result.failures) + len(result.errors)
    print(f'{result.testsRun - failed} passed, {failed} failed')
    sys.exit(1 if failed else 0)
