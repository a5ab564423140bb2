#!/usr/bin/env python3
"""The whole of the service from the clients of tools/clients: what it describes they have, and it does what it says.

Usage:  operations_test.py JOBSTRAND_BINARY

The last line is `N passed, N failed`.
"""
import asyncio
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from datetime import timedelta
from pathlib import Path

import clients

sys.path.insert(0, str(clients.ROOT / 'tools/clients'))
sys.path.insert(0, str(clients.ROOT / 'tools/clients/python'))
import jobstrand  # pylint: disable=wrong-import-position
import write_operations  # pylint: disable=wrong-import-position
from jobstrand import NewJob  # pylint: disable=wrong-import-position

BINARY = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path()
LATER = timedelta(hours=1)


class WithService(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.origin = self.enterContext(clients.service(BINARY, folder))
        self.client = jobstrand.Client(self.origin)
        self.addCleanup(self.client.close)


class Described(WithService):
    def test_the_clients_have_what_a_service_describes(self):
        done = subprocess.run([sys.executable, clients.ROOT / 'tools/clients/write_operations.py', self.origin, '--check'], capture_output=True,
                              text=True, timeout=clients.PATIENCE_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        paths = json.loads(clients.look(self.origin, '/api/v1/openapi.json'))['paths']
        typed = {said['operationId'] for path, methods in paths.items() if path.startswith('/api/v1/') for said in methods.values() if isinstance(said, dict)}
        self.assertEqual(set(write_operations.BY_HAND) - typed, set(), 'what is made by hand is described still')
        source = (clients.ROOT / 'tools/clients/javascript/src/client.js').read_text(encoding='utf-8')
        for name in filter(None, write_operations.BY_HAND.values()):
            self.assertTrue(hasattr(jobstrand.Client, name), name)
            self.assertRegex(source, rf'\n  async \*?{name}\(', name)


class Operations(WithService):
    def fail_some(self, *types):
        ids = self.client.enqueue_all(NewJob(kind, due=LATER) for kind in types)
        self.assertEqual([one['answer'] for one in self.client.jobs.cancel(ids, reason='the wrong file')], ['cancelled'] * len(ids))
        return ids

    def test_jobs_are_listed_shown_changed_and_deleted(self):
        ids = self.client.enqueue_all(NewJob('mail', due=LATER) for _ in range(25))
        self.assertEqual([job['id'] for job in self.client.jobs.list(place='timer', limit=10)], sorted(ids))
        self.assertEqual([job['id'] for job in self.client.timers.list(limit=10)], sorted(ids), 'this one leads on by a header')
        self.assertEqual(self.client.jobs.get(ids[0])['handlerType'], 'mail')
        self.assertEqual(self.client.jobs.explain(ids[0])['code'], 'not_due')
        self.assertEqual(self.client.jobs.suspend(ids[0])[0]['answer'], 'suspended', 'one needs no list')
        self.assertEqual(self.client.jobs.activate([ids[0]])[0]['answer'], 'activated')
        self.assertEqual(self.client.jobs.set(ids[:2], priority=7, retries=9)['items'][1]['answer'], 'set')
        self.assertEqual([job['id'] for job in self.client.jobs.list(place='timer', priority_min=7)], ids[:2])
        self.client.jobs.set(ids[0], priority=0)
        self.assertEqual(self.client.jobs.get(ids[0])['priority'], 0, 'which is not nothing')
        would = self.client.jobs.delete(place='timer', type=['mail', 'sms'], dry_run=True)
        self.assertEqual(would['items'][0]['id'], min(ids))
        self.assertEqual(self.client.jobs.delete(place='timer', type='mail')['removed'], 25)
        with self.assertRaises(jobstrand.NotFound):
            self.client.jobs.get(ids[0])
        with self.assertRaisesRegex(jobstrand.Invalid, 'say which jobs'):
            self.client.jobs.delete([])

    def test_dead_letters_are_looked_at_by_cause_and_requeued(self):
        self.fail_some('mail', 'mail', 'sms')
        groups = {group['handlerType']: group for group in self.client.dead.groups()}
        self.assertEqual({kind: group['jobs'] for kind, group in groups.items()}, {'mail': 2, 'sms': 1})
        self.assertEqual(len(self.client.dead.requeue(group=groups['mail']['group'], dry_run=True)['items']), 2)
        self.assertEqual(self.client.stats()['places']['dead'], 3)
        done = self.client.dead.requeue(group=groups['mail']['group'], due_in=LATER, spread=timedelta(minutes=1))
        self.assertEqual(done['requeued'], 2)
        self.assertEqual(self.client.stats()['places']['dead'], 1)
        batch = self.client.dead.requeue(type='sms', due_in=LATER, rate=100, background=True)['batch']
        self.assertEqual(self.client.batches.get(batch)['total'], 1)
        self.assertTrue(clients.eventually(lambda: self.client.batches.get(batch)['state'] == 'done'))
        self.assertEqual([one['id'] for one in self.client.batches.list()], [batch])

    def test_series_are_listed_paused_fired_and_rescheduled(self):
        self.client.enqueue(NewJob('noop', due=LATER, repeat='R/PT1H', id='hourly'))
        key, = [one['series'] for one in self.client.series.list()]
        self.assertEqual(self.client.series.pause(key)[0]['answer'], 'paused')
        self.assertEqual(self.client.series.get(key)['state'], 'paused')
        self.assertEqual(self.client.series.resume(key)[0]['answer'], 'resumed')
        self.client.series.reschedule(key, repeat='R/PT2H')
        self.assertEqual(self.client.series.get(key)['repeat'], 'R/PT2H')
        self.assertEqual(self.client.series.fire(key)[0]['why'], None)
        with self.assertRaises(jobstrand.NotFound):
            self.client.series.reschedule('none', repeat='R/PT2H')

    def test_limits_instances_nodes_and_what_was_done(self):
        self.assertEqual(self.client.limits.set('type:mail', concurrent=3)['concurrent'], 3)
        self.assertEqual([one['limit'] for one in self.client.limits.list()], ['type:mail'])
        self.client.limits.delete('type:mail')
        self.client.enqueue(NewJob('mail', due=LATER, process_instance_id='p/1'))
        self.client.instances.suspend('p/1')
        self.assertEqual([one['id'] for one in self.client.instances.list(suspended=True)], ['p/1'])
        self.client.instances.activate('p/1')
        self.assertEqual(len(list(self.client.nodes.list())), 1)
        self.assertIn('instance suspend', [one['action'] for one in self.client.audit.list(limit=1)])
        name, data = next(self.client.events())
        self.assertIn(name, ('stats', 'node'))
        self.assertTrue(data)

    def test_all_of_that_can_be_awaited(self):
        ids = self.fail_some('mail', 'mail', 'sms')

        async def ask():
            async with jobstrand.AsyncClient(self.origin) as client:
                added = await client.enqueue(NewJob('noop', due=LATER))
                self.assertEqual((await client.job(added.id))['id'], added.id)
                self.assertIsNone(await client.job('none'))
                self.assertEqual([job['id'] async for job in client.jobs(place='dead', limit=1)], sorted(ids))
                self.assertEqual(sum([group['jobs'] async for group in client.dead.groups()]), 3)
                self.assertEqual((await client.dead.requeue(type='mail', due_in=LATER))['requeued'], 2)
                async for event in client.events():
                    self.assertIn(event.name, ('stats', 'node'))
                    break
                with self.assertRaises(jobstrand.NotFound):
                    await client.jobs.get('none')
        asyncio.run(ask())

    def test_javascript_does_the_same(self):
        node = shutil.which('node')
        version = subprocess.run([node, '--version'], capture_output=True, text=True, check=True).stdout if node else 'v0'
        if int(re.match(r'v(\d+)', version)[1]) < 18:
            self.skipTest('there is no Node.js 18')
        ids = self.fail_some('mail', 'mail', 'sms')
        self.client.enqueue(NewJob('noop', due=LATER, repeat='R/PT1H', id='hourly'))
        done = subprocess.run([node, clients.HERE / 'javascript_operations.mjs', clients.ROOT / 'tools/clients/javascript', self.origin, *ids],
                              capture_output=True, text=True, timeout=clients.PATIENCE_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))


class Flaky(http.server.BaseHTTPRequestHandler):
    """Hangs up at first, whatever is asked, and says then what it was asked."""

    protocol_version = 'HTTP/1.1'

    def answer(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        self.server.asked.append((self.command, self.path, self.headers.get('Idempotency-Key'), body))
        if len(self.server.asked) == 1:
            self.close_connection = True
            return
        text = json.dumps({'id': 'a', 'ids': [], 'items': [], 'after': None, 'isNew': True}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Retries(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(http.server.ThreadingHTTPServer(('127.0.0.1', 0), Flaky))
        self.server.asked = []
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)
        self.origin = f'http://127.0.0.1:{self.server.server_port}'
        self.client = jobstrand.Client(self.origin)
        self.addCleanup(self.client.close)

    def test_an_enqueueing_without_an_answer_is_asked_again_with_the_same_key(self):
        self.assertEqual(self.client.enqueue('mail', {'n': 1}).id, 'a')
        first, second = self.server.asked
        self.assertEqual(first, second)
        self.assertTrue(first[2])
        self.client.enqueue('mail', {'n': 1})
        self.assertNotEqual(self.server.asked[2][2], first[2], 'another job has another key')

    def test_so_is_what_only_reads(self):
        self.assertEqual(list(self.client.jobs.list()), [])
        self.assertEqual(len(self.server.asked), 2)

    def test_what_changes_something_is_not(self):
        with self.assertRaises(jobstrand.Unreachable):
            self.client.dead.requeue(['a'])
        self.assertEqual(len(self.server.asked), 1)

    def test_nothing_is_if_that_is_said(self):
        with self.assertRaises(jobstrand.Unreachable):
            jobstrand.Client(self.origin, retries=0).enqueue('mail')
        self.assertEqual(len(self.server.asked), 1)


if __name__ == '__main__':
    sys.exit(clients.run_cases([Described, Operations, Retries]))
