#!/usr/bin/env python3
"""The helpers of tools/clients for the tests of apps: jobstrand.testing, and jobstrand/testing of JavaScript. Without a service.

Usage:  testing_test.py

The last line is `N passed, N failed`.
"""
import asyncio
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest
from datetime import datetime, timedelta, timezone

import clients

sys.path.insert(0, str(clients.ROOT / 'tools/clients/python'))
import jobstrand  # pylint: disable=wrong-import-position
import jobstrand.testing  # pylint: disable=wrong-import-position
from jobstrand import NewJob  # pylint: disable=wrong-import-position

NOON = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
NOWHERE = 'http://127.0.0.1:1'


class Testing(unittest.TestCase):
    def setUp(self):
        self.connection = sqlite3.connect(':memory:')
        self.addCleanup(self.connection.close)
        self.client = jobstrand.Client(NOWHERE)
        self.jobs = self.enterContext(jobstrand.testing.Recorder(NOON))
        self.worker = jobstrand.Worker(NOWHERE)
        self.said = []

    def handle(self, topic, function=None):
        self.worker.handler(topic)(function or (lambda job: self.said.append((topic, job.payload))))

    def test_what_is_enqueued_is_kept_and_run_here(self):
        self.handle('mail', lambda job: jobstrand.enqueue(self.connection, 'log', {'of': job.id}))
        self.handle('log')
        jobstrand.enqueue(self.connection, NewJob('mail', {'order': 17}, external=True, id='mine'))
        self.client.enqueue_all([NewJob('log', {'n': 1})])
        self.client.enqueue('other')
        self.assertEqual([(job.handler_type, job.payload) for job in self.jobs.enqueued], [('mail', {'order': 17}), ('log', {'n': 1}), ('other', None)])
        ran = self.jobs.run(self.worker)
        self.assertEqual([one.job.handler_type for one in ran], ['mail', 'log', 'log'])
        self.assertEqual(self.said, [('log', {'n': 1}), ('log', {'of': 'mine'})])
        self.assertEqual([job.handler_type for job in self.jobs.waiting], ['other'], 'which nobody here serves')

    def test_what_waits_is_due_when_the_clock_says_so(self):
        self.handle('mail')
        for n, due in enumerate((2 * HOUR, 'PT1H30M', NOON + HOUR, '2030-01-01T12:30:00Z')):
            jobstrand.enqueue(self.connection, NewJob('mail', n, due=due))
        self.assertEqual([job.payload for job in self.jobs.waiting], [3, 2, 1, 0])
        self.assertEqual(self.jobs.run(self.worker), [])
        self.jobs.advance(HOUR)
        self.jobs.run(self.worker)
        self.assertEqual(self.said, [('mail', 3), ('mail', 2)])
        with self.assertRaises(ValueError):
            self.client.enqueue(NewJob('mail', due='tomorrow 09:00'))

    def test_what_a_handler_raises_comes_through_or_is_an_attempt(self):
        attempts = []

        def fail(job):
            attempts.append(job.attempt)
            raise jobstrand.Fail('no', retry_after=HOUR) if job.attempt == 1 else LookupError('no')
        self.handle('mail', fail)
        self.client.enqueue(NewJob('mail', retries=2))
        self.assertEqual(len(self.jobs.run(self.worker, raises=False)), 1)
        self.assertEqual(self.jobs.run(self.worker), [], 'it waits for an hour')
        self.jobs.advance(HOUR)
        self.jobs.run(self.worker, raises=False)
        self.assertEqual((attempts, len(self.jobs.dead), self.jobs.waiting), ([1, 2], 1, []))
        self.client.enqueue('mail')
        with self.assertRaises(jobstrand.Fail):
            self.jobs.run(self.worker)

    def test_what_a_run_tells_is_there_to_be_looked_at(self):
        def tell(job):
            job.progress(2, 'more than all')
            job.log('one\ntwo')
        self.handle('mail', tell)
        self.client.enqueue('mail')
        job = self.jobs.run(self.worker)[0].job
        self.assertEqual((job.news.part, job.news.note, job.news.lines), (1.0, 'more than all', ['one', 'two']))
        for number in range(1000):
            job.log(f'{number} ' + 'x' * 2000)
        self.assertLessEqual(sum(len(line) for line in job.news.lines), 8000)
        self.assertTrue(job.news.lines[-1].startswith('999 '))

    def test_unique_keys_hold_as_they_do_in_earnest(self):
        first = self.client.enqueue(NewJob('mail', unique_key='k'))
        with self.assertRaises(jobstrand.Conflict):
            self.client.enqueue(NewJob('mail', unique_key='k'))
        kept = self.client.enqueue(NewJob('mail', unique_key='k', on_duplicate='keep'))
        self.assertEqual((kept.id, kept.is_new), (first.id, False))
        self.assertEqual(self.client.enqueue(NewJob('mail', unique_key='k', on_duplicate='replace')).replaced, first.id)
        self.assertEqual(len(self.jobs.waiting), 1)

    def test_coroutines_are_run_from_outside_and_inside_of_a_loop(self):
        worker = jobstrand.AsyncWorker(NOWHERE)

        @worker.handler('mail')
        async def mail(job):
            await asyncio.to_thread(str)
            return job.payload
        self.client.enqueue('mail', 1)
        self.assertEqual([one.returned for one in self.jobs.run(worker)], [1])

        async def test():
            async with jobstrand.AsyncClient(NOWHERE) as client:
                await client.enqueue('mail', 2)
            return await self.jobs.run_awaited(worker)
        self.assertEqual([one.returned for one in asyncio.run(test())], [2])

    def test_one_at_a_time_and_what_json_cannot_say_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, 'another Recorder'), jobstrand.testing.Recorder():
            pass
        with self.assertRaises(TypeError):
            self.client.enqueue('mail', {'at': NOON})

    def test_javascript_does_the_same(self):
        node = shutil.which('node')
        version = subprocess.run([node, '--version'], capture_output=True, text=True, check=True).stdout if node else 'v0'
        if int(re.match(r'v(\d+)', version)[1]) < 18:
            self.skipTest('there is no Node.js 18')
        done = subprocess.run([node, clients.HERE / 'javascript_testing.mjs', clients.ROOT / 'tools/clients/javascript'], capture_output=True,
                              text=True, timeout=clients.PATIENCE_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))


if __name__ == '__main__':
    sys.exit(clients.run_cases([Testing]))
