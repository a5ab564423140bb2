#!/usr/bin/env python3
"""The Python package of tools/clients/python over HTTP: enqueueing, and workers with threads and coroutines.

Usage:  python_http_test.py JOBSTRAND_BINARY

The last line is `N passed, N failed`.
"""
import asyncio
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid
from collections import Counter
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import clients

sys.path.insert(0, str(clients.ROOT / 'tools/clients/python'))
sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position
import jobstrand  # pylint: disable=wrong-import-position
from jobstrand import NewJob, Variables  # pylint: disable=wrong-import-position

BINARY = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path()
SHORT = timedelta(seconds=1)


def throw(error):
    raise error


def ring():
    one = []
    one.append(one)
    return one


class Broken(Exception):
    """Even its text is a bug."""

    def __str__(self):
        raise ValueError('no text')


class EngineOf(unittest.TestCase):
    def test_it_is_the_one_that_all_clients_name(self):
        for one in json.loads(clients.ENGINE_OF.read_text(encoding='utf-8')):
            self.assertEqual(jobstrand.engine_of(one['key'], one['names']), one['engine'], one['key'])
        with self.assertRaises(ValueError):
            jobstrand.engine_of('key', [])


class WithService(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.origin = self.enterContext(clients.service(BINARY, self.folder))
        self.client = jobstrand.Client(self.origin)
        self.addCleanup(self.client.close)

    def add_external(self, count, **settings):
        return self.client.enqueue_all(
            NewJob('mail', {'n': number}, external=True, retry_cycle='R3/PT0.05S', **settings) for number in range(count))

    def places(self):
        return self.client.stats()['places']


class OverHttp(WithService):
    def test_a_job_is_enqueued_looked_at_and_gone_when_it_has_run(self):
        job = self.client.enqueue(NewJob('noop', {'a': [1, 2]}, due=timedelta(hours=1)))
        self.assertTrue(job.is_new)
        self.assertEqual(self.client.job(job.id)['payload'], {'a': [1, 2]})
        self.assertIsNone(self.client.job('there is/none'))
        self.client.wake()

    def test_a_unique_key_keeps_the_first_or_makes_room(self):
        first = self.client.enqueue(NewJob('noop', due=timedelta(hours=1), unique_key='k'))
        kept = self.client.enqueue(NewJob('noop', unique_key='k', on_duplicate='keep'))
        self.assertEqual((kept.id, kept.is_new), (first.id, False))
        replaced = self.client.enqueue(NewJob('noop', due='PT1H', unique_key='k', on_duplicate='replace'))
        self.assertEqual(replaced.replaced, first.id)
        with self.assertRaises(jobstrand.Refused) as refusal:
            self.client.enqueue(NewJob('noop', unique_key='k'))
        self.assertEqual(refusal.exception.status, 409)

    def test_lists_go_on_from_page_to_page(self):
        ids = self.client.enqueue_all(NewJob('noop', due=timedelta(hours=1)) for _ in range(25))
        self.assertEqual([job['id'] for job in self.client.jobs(place='timer', limit=10)], sorted(ids))

    def test_a_mistake_is_told_with_its_reason(self):
        with self.assertRaisesRegex(jobstrand.Refused, 'retries') as refusal:
            self.client.enqueue(NewJob('noop', retries=-1))
        self.assertEqual(refusal.exception.status, 400)

    def test_a_misspelt_name_is_refused_with_the_nearest(self):
        for kind, name, nearest in ((NewJob, 'retrys', 'retries'), (NewJob, 'uniqe_key', 'unique_key'), (jobstrand.Worker, 'thread', 'threads'),
                                    (jobstrand.AsyncWorker, 'concurency', 'concurrency'), (jobstrand.Client, 'tokn', 'token'),
                                    (jobstrand.Fail, 'retry', 'retries')):
            with self.assertRaisesRegex(TypeError, f"^{kind.__name__} has no '{name}'; did you mean '{nearest}'"):
                kind('mail', **{name: 1})


class Workers(WithService):
    def run_until(self, worker, is_done):
        """In a thread of its own, so that signals stay here."""
        failures = []

        def work():
            try:
                worker.run()
            except Exception as error:  # pylint: disable=broad-exception-caught
                failures.append(error)
        thread = threading.Thread(target=work)
        thread.start()
        clients.eventually(lambda: is_done() or not thread.is_alive())
        worker.stop()
        thread.join(clients.PATIENCE_S)
        self.assertEqual(failures, [])
        self.assertTrue(is_done())

    def test_a_thousand_jobs_are_done_with_failures_and_retries(self):
        self.add_external(1000)
        runs, lock = Counter(), threading.Lock()
        worker = jobstrand.Worker(self.client, threads=4, prefetch=200, wait=SHORT)

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            number = job.payload['n']
            with lock:
                runs[number] += 1
            if number % 10 == 1 and job.attempt == 1:
                raise RuntimeError('the first time')
            if number % 10 == 2:
                raise jobstrand.Fail('never', retries=0)
            if number % 10 == 3:
                raise jobstrand.BusinessError('E1', 'so', {'n': number})
            # Whatever it is, that means done.
            return {4: Variables(total=number), 5: 'ok', 6: 17, 7: {'at': datetime(2030, 1, 1)}}.get(number % 10)

        self.run_until(worker, lambda: sum(runs.values()) == 1100 and self.places()['external'] == self.places()['timer'] == 0)
        self.assertEqual(len(runs), 1000)
        self.assertEqual(self.places()['dead'], 100)
        self.assertEqual(self.places()['executable'], 200, 'errors and variables are for the app')
        self.assertEqual(clients.metric(self.origin, 'jobstrand_worker_not_held_total'), 0)

    def test_a_free_place_is_filled_while_long_jobs_run_beside_it(self):
        self.add_external(3)
        long, may_end = [], asyncio.Event()
        worker = jobstrand.AsyncWorker(self.client, concurrency=4, wait=SHORT)

        @worker.handler('mail')
        async def mail(job):  # pylint: disable=unused-variable
            long.append(job.id)
            await may_end.wait()

        @worker.handler('short')
        async def short(_job):  # pylint: disable=unused-variable
            pass

        async def work():
            running = asyncio.ensure_future(worker.run())
            await asyncio.to_thread(clients.eventually, lambda: len(long) == 3)
            self.client.enqueue_all(NewJob('short', external=True) for _ in range(20))
            are_done = await asyncio.to_thread(clients.eventually, lambda: self.places()['external'] == 3)
            may_end.set()
            worker.stop()
            await running
            self.assertTrue(are_done)
        asyncio.run(work())

    def test_what_waits_for_a_busy_worker_is_run_by_another(self):
        self.add_external(6)
        begun, may_end, done = threading.Event(), threading.Event(), []
        busy, other = jobstrand.Worker(self.client, threads=1, wait=SHORT), jobstrand.Worker(self.client, threads=1, wait=SHORT)

        @busy.handler('mail')
        def hang(job):  # pylint: disable=unused-variable
            begun.set()
            may_end.wait(2 * clients.PATIENCE_S)
            done.append(job.id)
        other.handler('mail')(lambda job: done.append(job.id))
        thread = threading.Thread(target=busy.run)
        thread.start()
        self.assertTrue(begun.wait(clients.PATIENCE_S))
        self.run_until(other, lambda: self.places()['external'] == 1)
        self.assertEqual(len(done), 5)
        busy.stop()
        may_end.set()
        thread.join(clients.PATIENCE_S)
        self.assertEqual(len(done), 6)

    def test_what_was_fetched_ahead_of_a_handler_that_hangs_is_run_by_another(self):
        self.add_external(300)
        may_end, hanging, given_back, done = threading.Event(), threading.Event(), [], []

        class Watching(jobstrand.Client):
            has_more = False

            def acquire(self, *values, **named):
                jobs = super().acquire(*values, **named)
                self.has_more = self.has_more or len(jobs) > 1
                return jobs

            def release(self, worker, jobs):
                given_back.extend(jobs)
                super().release(worker, jobs)
        watching = Watching(self.origin)
        busy, other = jobstrand.Worker(watching, threads=1, wait=SHORT), jobstrand.Worker(self.client, threads=1, wait=SHORT)

        @busy.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            if watching.has_more:
                hanging.set()
                may_end.wait(2 * clients.PATIENCE_S)
            done.append(job.id)
        other.handler('mail')(lambda job: done.append(job.id))
        thread = threading.Thread(target=busy.run)
        thread.start()
        self.assertTrue(hanging.wait(clients.PATIENCE_S))
        self.run_until(other, lambda: self.places()['external'] == 1)
        self.assertGreater(len(given_back), 0)
        busy.stop()
        may_end.set()
        thread.join(clients.PATIENCE_S)
        self.assertEqual((len(done), len(set(done))), (300, 300), 'none twice')

    def test_what_a_handler_raises_arrives_with_class_notes_and_cause(self):
        with_error, with_fail = self.add_external(2, retries=1)
        worker = jobstrand.Worker(self.client, wait=SHORT)

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            try:
                throw(ConnectionError('the server hung up'))
            except ConnectionError as cause:
                error = jobstrand.Fail('not sent') if job.id == with_fail else LookupError('no such order')
                error.add_note('order 17')
                raise error from cause
        self.run_until(worker, lambda: self.places()['dead'] == 2)
        for job_id, message in ((with_error, 'LookupError: no such order'), (with_fail, 'not sent')):
            dead = self.client.job(job_id)
            self.assertEqual(dead['exceptionMessage'], message)
            for said in ('ConnectionError: the server hung up', 'order 17', 'in mail', message):
                self.assertIn(said, dead['exceptionDetails'])

    def test_a_coroutine_that_nothing_would_await_is_no_handler(self):
        async def mail(_job):
            pass
        with self.assertRaisesRegex(TypeError, 'mail is a coroutine.*AsyncWorker'):
            jobstrand.Worker(self.client).handler('mail')(mail)

    #: What a handler may do, and what its dead letter says then.
    UNTOLD = (
        (lambda: Variables({'at': datetime(2030, 1, 1)}), 'what the handler returned cannot be told: Object of type datetime'),
        (lambda: Variables({'sum': Decimal('1.5')}), 'Object of type Decimal'),
        (lambda: Variables({'id': uuid.uuid4()}), 'Object of type UUID'),
        (lambda: Variables({'ring': ring()}), 'Circular reference'),
        (lambda: Variables({'n': float('nan')}), 'Out of range float'),
        (lambda: Variables({'half': '\ud800'}), 'surrogates not allowed'),
        (lambda: Variables({'long': 'x' * 9_000_000}), 'bytes long'),
        (lambda: Variables(17), "'int' object is not iterable"),
        (lambda: throw(jobstrand.BusinessError('E1', 'so', {'at': datetime(2030, 1, 1)})), 'so (BusinessError, which cannot be told as it is: '
         'Object of type datetime'),
        (lambda: throw(jobstrand.BusinessError(17)), 'the service refuses its result: result '),
        (lambda: throw(jobstrand.Fail('soon', retries=-7)), 'the service refuses its result: result '),
        (lambda: throw(jobstrand.Fail('soon', retry_after=timedelta(-1))), 'soon (Fail, which cannot be told as it is: a duration must not be'),
        (lambda: throw(RuntimeError('no file \udcff')), 'no file \\udcff'),
        (lambda: throw(SystemExit(3)), '3'),
        (lambda: throw(Broken()), 'Broken'),
    )

    def assert_each_result_stands_for_itself(self):
        self.assertEqual(self.places()['external'], 0)
        self.assertEqual(self.places()['executable'], 10, 'variables are for the app')
        dead = {job['payload']['n']: job['exceptionMessage'] for job in self.client.jobs(place='dead')}
        self.assertEqual(sorted(dead), list(range(len(self.UNTOLD))))
        for number, (_, why) in enumerate(self.UNTOLD):
            self.assertIn(why, dead[number])

    def test_what_json_cannot_say_fails_its_own_job_and_no_other(self):
        self.add_external(len(self.UNTOLD) + 10, retries=1)
        worker = jobstrand.Worker(self.client, threads=4, prefetch=40, wait=SHORT)

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            number = job.payload['n']
            return self.UNTOLD[number][0]() if number < len(self.UNTOLD) else Variables(n=number)
        self.run_until(worker, lambda: self.places()['external'] == 0)
        self.assert_each_result_stands_for_itself()

    def test_so_it_does_with_coroutines(self):
        self.add_external(len(self.UNTOLD) + 10, retries=1)
        worker = jobstrand.AsyncWorker(self.client, wait=SHORT)

        @worker.handler('mail')
        async def mail(job):  # pylint: disable=unused-variable
            number = job.payload['n']
            if number >= len(self.UNTOLD):
                return Variables(n=number)
            try:
                return self.UNTOLD[number][0]()
            except SystemExit as error:
                raise asyncio.CancelledError('3') from error

        async def work():
            running = asyncio.ensure_future(worker.run())
            await asyncio.to_thread(clients.eventually, lambda: running.done() or self.places()['external'] == 0)
            worker.stop()
            await running
        asyncio.run(work())
        self.assert_each_result_stands_for_itself()

    def test_a_worker_that_ends_by_a_bug_ends_loudly(self):
        for kind, run in (('Worker', 'worker.run()'), ('AsyncWorker', 'asyncio.run(worker.run())')):
            for broken, has_ended in (('finish', True), ('extend', False)):
                self.add_external(1)
                program = ("import asyncio, sys, threading, jobstrand, datetime\n"
                           "def bug(*_): raise ZeroDivisionError('a bug')\n"
                           f"jobstrand.Client.{broken} = bug\n"
                           f"worker = jobstrand.{kind}(sys.argv[1], lock=datetime.timedelta(seconds=1.5),\n"
                           "    wait=datetime.timedelta(seconds=1), grace=0.1)\n"
                           f"def Worker(job): {has_ended} or threading.Event().wait()\n"
                           f"async def AsyncWorker(job): {has_ended} or await asyncio.Event().wait()\n"
                           f"worker.handler('mail')({kind})\n"
                           f"{run}\nprint('ended')\n")
                env = {**os.environ, 'PYTHONPATH': str(clients.ROOT / 'tools/clients/python')}
                done = subprocess.run([sys.executable, '-c', program, self.origin], env=env, capture_output=True, text=True,
                                      timeout=clients.PATIENCE_S, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ''), done.stderr)
                self.assertIn("RuntimeError: the worker has ended by a bug: ZeroDivisionError('a bug')", done.stderr)

    def test_coroutines_work_too_and_many_at_a_time(self):
        self.add_external(300)
        worker = jobstrand.AsyncWorker(self.client, concurrency=100, wait=SHORT)
        running, ended = 0, 0
        many = asyncio.Event()

        @worker.handler('mail')
        async def mail(_job):  # pylint: disable=unused-variable
            nonlocal running, ended
            running += 1
            if running == 60:
                many.set()
            await asyncio.wait_for(many.wait(), clients.PATIENCE_S)
            ended += 1
            if ended == 300:
                worker.stop()
        asyncio.run(worker.run())
        self.assertEqual(self.places()['external'], 0)
        self.assertEqual(self.places()['dead'], 0)

    def test_what_has_not_begun_is_given_back_and_what_has_ends(self):
        self.add_external(10)
        begun, may_end, ended = threading.Event(), threading.Event(), []
        worker = jobstrand.Worker(self.client, threads=1, prefetch=9, wait=SHORT)

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            begun.set()
            may_end.wait(clients.PATIENCE_S)
            ended.append(job.id)
        thread = threading.Thread(target=worker.run)
        thread.start()
        self.assertTrue(begun.wait(clients.PATIENCE_S))
        worker.stop()
        may_end.set()
        thread.join(clients.PATIENCE_S)
        self.assertEqual(len(ended), 1)
        left = list(self.client.jobs(place='external'))
        self.assertEqual(len(left), 9)
        self.assertEqual({(job['lockOwner'], job['attempts']) for job in left}, {(None, 0)})

    def test_a_handler_hears_that_its_lock_is_lost(self):
        job_id, = self.add_external(1)
        worker = jobstrand.Worker(self.client, 'first', threads=1, prefetch=0, lock=timedelta(seconds=0.6), wait=SHORT)
        heard = []

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            self.client.release('first', [job])  # As an operator may.
            self.client.acquire('second', ['mail'])
            heard.append(job.lost.wait(clients.PATIENCE_S))
        self.run_until(worker, lambda: bool(heard))
        self.assertEqual(heard, [True])
        self.assertEqual(self.client.job(job_id)['lockOwner'].rpartition(':')[2], 'second')

    def cancel(self, job):
        subprocess.run([BINARY, 'job', 'cancel', job.id, '--reason', 'the wrong file'], cwd=self.folder, check=True, capture_output=True,
                       env={**os.environ, 'JOBSTRAND_DB': 'sqlite:jobs.db'}, timeout=clients.PATIENCE_S)

    def test_progress_and_lines_are_seen_while_the_handler_runs(self):
        job_id, = self.add_external(1, retries=1)
        seen, shown = threading.Event(), {}
        worker = jobstrand.Worker(self.client, name='w-1', threads=1, wait=SHORT)

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            job.progress(0.1)
            job.progress(0.4, 'page 4 of 10')
            job.log('reading\nwriting')
            job.log('half of a pair: \ud800')
            if seen.wait(clients.PATIENCE_S):
                raise ValueError('no ink')

        def look():
            shown.update(self.client.job(job_id).get('news') or {})
            if shown:
                seen.set()
            return self.places()['dead'] == 1
        self.run_until(worker, look)
        self.assertEqual((shown['progress'], shown['note']), (0.4, 'page 4 of 10'))
        self.assertEqual(shown['lines'], ['reading', 'writing', 'half of a pair: \\ud800'])
        self.assertRegex(self.client.job(job_id)['exceptionDetails'], '(?s)ValueError: no ink.*reading\nwriting\nhalf of a pair')
        self.assertNotIn('news', self.client.job(job_id))

    def test_coroutines_tell_too_and_many_calls_are_one_request_a_second(self):
        self.add_external(1)
        calls = []

        class Counting(jobstrand.Client):
            def tell(self, worker, jobs, news):
                calls.append(news)
                return super().tell(worker, jobs, news)
        worker = jobstrand.AsyncWorker(Counting(self.origin), wait=SHORT)

        @worker.handler('mail')
        async def mail(job):  # pylint: disable=unused-variable
            notes = itertools.count(1)

            def tell():
                job.progress(1, str(next(notes)))
                return bool(calls)
            await asyncio.to_thread(clients.eventually, tell)
            worker.stop()
        asyncio.run(asyncio.wait_for(worker.run(), clients.PATIENCE_S))
        self.assertLessEqual(len(calls), 2)
        self.assertEqual(len(calls[0]), 1)
        self.assertGreater(int(next(iter(calls[0].values()))['note']), 1)

    def test_a_coroutine_is_cancelled_with_its_job(self):
        self.add_external(1)
        worker = jobstrand.AsyncWorker(self.client, wait=SHORT)
        heard = []

        @worker.handler('mail')
        async def mail(job):  # pylint: disable=unused-variable
            await asyncio.to_thread(self.cancel, job)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                heard.append(job.lost.is_set())
                raise
            finally:
                worker.stop()
        asyncio.run(worker.run())
        self.assertEqual(heard, [True])

    def assert_too_long(self):
        dead, = self.client.jobs(place='dead')
        self.assertEqual(dead['exceptionMessage'], 'TimeoutError: the handler of mail did not end within 0.2 s')

    def test_a_handler_that_hangs_is_told_and_its_job_has_failed(self):
        self.add_external(1, retries=1)
        worker, heard, may_end = jobstrand.Worker(self.client, threads=1, wait=SHORT), [], threading.Event()

        @worker.handler('mail', timeout=timedelta(seconds=0.2))
        def mail(job):  # pylint: disable=unused-variable
            heard.append(job.cancelled.wait(clients.PATIENCE_S))
            may_end.wait(clients.PATIENCE_S)
        done = []
        worker.handler('short')(done.append)

        def is_over():
            if self.places()['dead'] == 1 and not may_end.is_set():
                self.client.enqueue(NewJob('short', external=True))
                may_end.set()
            return bool(done)
        with self.assertLogs('jobstrand') as logs:
            self.run_until(worker, is_over)
        self.assertEqual(heard, [True])
        self.assert_too_long()
        said = '\n'.join(logs.output)
        self.assertIn('its place is lost until it does', said)
        self.assertIn('has ended after all, and its place is free', said)

    def test_a_coroutine_that_hangs_leaves_its_place_to_others(self):
        self.add_external(1, retries=1)
        self.client.enqueue(NewJob('short', external=True))
        worker, may_end = jobstrand.AsyncWorker(self.client, concurrency=1, wait=SHORT), asyncio.Event()

        @worker.handler('mail', timeout=timedelta(seconds=0.2))
        async def mail(_job):  # pylint: disable=unused-variable
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                await may_end.wait()  # It does not even heed that.

        @worker.handler('short')
        async def short(_job):  # pylint: disable=unused-variable
            may_end.set()
            worker.stop()
        asyncio.run(worker.run())
        self.assert_too_long()

    def test_a_job_that_comes_again_is_lost_to_its_former_run(self):
        self.add_external(1)
        worker = jobstrand.Worker(self.client, threads=2, lock=timedelta(minutes=1), wait=SHORT)
        runs = []

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            runs.append(job)
            if len(runs) == 1:
                self.client.release(worker.name, [job])
                self.assertTrue(job.lost.wait(clients.PATIENCE_S))
        self.run_until(worker, lambda: self.places()['external'] == 0)
        self.assertEqual([run.lost.is_set() for run in runs], [True, False])

    def test_what_the_service_refuses_ends_the_worker_with_the_reason(self):
        worker = jobstrand.Worker(self.client, 'x' * 300)
        worker.handler('mail')(lambda job: None)
        with self.assertRaises(jobstrand.Refused):
            worker.run()

    def test_sigterm_ends_it(self):
        self.add_external(1)
        program = ("import sys, jobstrand, datetime\n"
                   "worker = jobstrand.Worker(sys.argv[1], wait=datetime.timedelta(seconds=1))\n"
                   "worker.handler('mail')(lambda job: print('ran', flush=True))\n"
                   "worker.run()\nprint('ended')\n")
        env = {**os.environ, 'PYTHONPATH': str(clients.ROOT / 'tools/clients/python')}
        with subprocess.Popen([sys.executable, '-c', program, self.origin], env=env, stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), 'ran\n')
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=clients.PATIENCE_S)
        self.assertEqual((said, process.returncode), ('ended\n', 0))


class WhileTheServiceIsAway(unittest.TestCase):
    def test_a_worker_waits_and_goes_on(self):
        done, port, tries = [], databases.free_port(), []

        class Counting(jobstrand.Client):
            def acquire(self, *values, **named):
                tries.append(values)
                return super().acquire(*values, **named)
        worker = jobstrand.Worker(Counting(f'http://worker:secret@127.0.0.1:{port}'), 'w-1', threads=1, wait=SHORT)

        @worker.handler('mail')
        def mail(job):  # pylint: disable=unused-variable
            done.append(job.id)
            worker.stop()
        with tempfile.TemporaryDirectory() as folder, self.assertLogs('jobstrand', 'INFO') as logs:
            thread = threading.Thread(target=worker.run)
            thread.start()
            clients.eventually(lambda: len(tries) > 3)
            with clients.service(BINARY, folder, port) as origin:
                job = jobstrand.Client(origin).enqueue(NewJob('mail', external=True))
                thread.join(clients.PATIENCE_S)
        self.assertEqual(done, [job.id])
        begins, away, back = logs.output  # However often it was tried.
        self.assertEqual(begins, f'INFO:jobstrand:worker w-1 serves mail, 1 places, at http://127.0.0.1:{port}')
        self.assertRegex(away, r'^WARNING:jobstrand:cannot fetch jobs: no answer from http://127\.0\.0\.1:')
        self.assertRegex(back, r'^WARNING:jobstrand:the service answers again, after \d+ s$')


if __name__ == '__main__':
    sys.exit(clients.run_cases([EngineOf, OverHttp, Workers, WhileTheServiceIsAway]))
