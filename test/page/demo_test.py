#!/usr/bin/env python3
"""`jobstrand demo`: a page with living jobs, and nothing left of it afterwards.

Usage: demo_test.py PATH_OF_JOBSTRAND
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

PATIENCE_S = 60
DOCUMENT = Path(__file__).resolve().parents[2] / 'docs/page.md'
NGINX = shutil.which('nginx') or shutil.which('nginx', path='/usr/sbin')


class DemoTest(unittest.TestCase):
    def test_shows_jobs_that_run_fail_and_wait_until_it_is_interrupted(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.argv[1], 'demo', '--no-browser']
            with subprocess.Popen(command, env={**os.environ, 'TMPDIR': folder}, stdout=subprocess.PIPE, text=True) as demo:
                try:
                    origin = demo.stdout.readline().strip().rstrip('/')
                    self.assertRegex(origin, r'^http://127\.0\.0\.1:[0-9]+$')
                    self.assertIn('<title>Jobstrand</title>', self.get(origin, '/').decode())
                    self.until(lambda: len(self.ask(origin, 'dead/groups')) >= 3, 'dead letters by three causes')
                    self.until(lambda: self.ask(origin, 'stats')['runsLastMinute'] > 0, 'runs')
                    self.assertEqual(len(self.ask(origin, 'nodes')), 2)
                    self.assertEqual(len(self.ask(origin, 'series')), 4)
                    self.assertEqual(os.listdir(folder)[0][:15], 'jobstrand-demo-')
                finally:
                    demo.send_signal(signal.SIGINT)
                self.assertEqual(demo.wait(PATIENCE_S), 0)
            self.assertEqual(os.listdir(folder), [])

    def test_what_a_killed_one_has_left_goes_with_the_next_and_that_of_a_living_one_stays(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())  # It goes when they have gone.
        environment = {**os.environ, 'TMPDIR': folder}

        def demo():
            process = subprocess.Popen([sys.argv[1], 'demo', '--no-browser'], env=environment, stdout=subprocess.PIPE, text=True)
            self.addCleanup(process.wait, PATIENCE_S)
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.kill)
            self.assertIn('http', process.stdout.readline())
            for name in os.listdir(folder):  # As if a while had gone by.
                os.utime(Path(folder, name), (0, 0))
            return process, set(os.listdir(folder))

        killed, of_killed = demo()
        killed.kill()
        killed.wait(PATIENCE_S)
        living, both = demo()
        self.assertTrue(of_killed.isdisjoint(both))
        _, three = demo()
        self.assertEqual(len(three), 2)
        self.assertLess(both, three)
        self.assertIsNone(living.poll())

    def test_is_for_this_machine_only(self):
        done = subprocess.run([sys.argv[1], 'demo', '--http', '0.0.0.0:0'], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn('127.0.0.1 only', done.stderr)

    @unittest.skipUnless(NGINX, 'there is no nginx here')
    def test_the_proxy_that_the_docs_show_is_one(self):
        blocks = re.findall(r'^```nginx\n(.*?)^```', DOCUMENT.read_text(encoding='utf-8'), re.M | re.S)
        self.assertEqual(len(blocks), 2)
        with tempfile.TemporaryDirectory() as folder:
            temporary = ''.join(f'{name}_temp_path {folder}/{name};' for name in ('client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
            Path(folder, 'nginx.conf').write_text(
                f'pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off; {temporary} {blocks[0]} server {{ listen 127.0.0.1:1;'
                f' location = /oauth2/auth {{ return 200; }} {blocks[1]} }} }}', encoding='utf-8')
            done = subprocess.run([NGINX, '-t', '-p', folder, '-c', f'{folder}/nginx.conf'], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, f'in vain: {what}')
            threading.Event().wait(0.1)

    @staticmethod
    def get(origin, path):
        with urllib.request.urlopen(origin + path, timeout=PATIENCE_S) as answer:
            return answer.read()

    def ask(self, origin, path):
        return json.loads(self.get(origin, '/api/v1/' + path))


if __name__ == '__main__':
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(DemoTest))
    failed = len(result.failures) + len(result.errors)
    print(f'{result.testsRun - failed} passed, {failed} failed')
    sys.exit(1 if failed else 0)
