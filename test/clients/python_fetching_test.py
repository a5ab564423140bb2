#!/usr/bin/env python3
"""How many jobs a worker of tools/clients/python fetches, and what it gives back. On a clock that the test sets.

Usage:  python_fetching_test.py

The last line is `N passed, N failed`.
"""
import sys
import threading
import unittest

import clients

sys.path.insert(0, str(clients.ROOT / 'tools/clients/python'))
from jobstrand import Job  # pylint: disable=wrong-import-position
from jobstrand.forecast import AHEAD_S  # pylint: disable=wrong-import-position
from jobstrand.in_hand import JobsInHand  # pylint: disable=wrong-import-position
from jobstrand.shares import Shares  # pylint: disable=wrong-import-position

MS = 0.001


class Fetching(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        self.names = 0
        self.stopping = threading.Event()

    def in_hand(self, places, *topics, prefetch=None):
        return JobsInHand(places, prefetch, topics, self.stopping, lambda job: None, lambda: self.now)

    def jobs(self, count, topic='mail'):
        self.names += count
        return [Job(f'{topic}-{self.names - n}', topic, None, 1, 1, {}) for n in range(count)]

    def run_all(self, held, seconds):
        """What waits, each for so long, at all places, and tells of it."""
        while jobs := list(iter(held.take_now, None)):
            self.now += seconds
            for job in jobs:
                held.free_place_of(job)
            held.remove(jobs)

    def warm(self, held, seconds, topic='mail'):
        for _ in range(3):
            held.add(self.jobs(50, topic))
            self.run_all(held, seconds)

    def room(self, held, **more):
        return held.wait_for_room(0, **more)

    def test_of_a_topic_that_has_not_run_no_more_is_fetched_than_there_are_places(self):
        held = self.in_hand(4, 'mail')
        self.assertEqual(self.room(held)[:2], (4, 0))
        held.add(self.jobs(4))
        self.assertEqual(len([held.take_now() for _ in range(4)]), 4)
        self.assertIsNone(held.take_now())
        self.assertEqual(self.room(held)[:2], (0, 0))

    def test_short_jobs_are_fetched_ahead_as_many_as_start_soon(self):
        held = self.in_hand(1, 'mail')
        self.warm(held, MS)
        room = self.room(held)
        self.assertEqual(room.free, 1)
        self.assertIn(room.ahead, range(45, 51), '50 ms of 1 ms each')
        held.add(self.jobs(40))
        self.assertEqual(self.room(held)[:2], (0, 0), 'not for a few')

    def test_long_jobs_are_not_fetched_ahead(self):
        held = self.in_hand(4, 'mail')
        self.warm(held, AHEAD_S * 2)
        self.assertEqual(self.room(held)[:2], (4, 0))

    def test_places_of_runs_that_go_on_start_nothing(self):
        held = self.in_hand(4, 'mail')
        self.warm(held, MS)
        self.assertIn(self.room(held).ahead, range(180, 201))
        held.add(self.jobs(3))
        for _ in range(3):
            held.take_now()
        self.now += AHEAD_S * 2
        self.assertIn(self.room(held).ahead, range(45, 51))

    def test_what_waits_behind_a_run_that_has_become_slow_is_given_back(self):
        held = self.in_hand(1, 'mail')
        self.warm(held, MS)
        jobs = self.jobs(30)
        held.add(jobs)
        self.assertIs(held.take_now(), jobs[0])
        self.now += AHEAD_S * 0.9
        self.assertEqual(held.surplus(0), [])
        self.now += AHEAD_S * 0.2
        self.assertEqual(held.surplus(0), jobs[:0:-1], 'the last first')
        self.assertEqual(self.room(held)[:2], (0, 0), 'the topic is slow now')

    def test_what_is_left_of_a_batch_that_is_slower_than_the_last_is_given_back(self):
        held = self.in_hand(1, 'mail')
        self.warm(held, MS)
        held.add(self.jobs(40))
        for _ in range(8):
            job = held.take_now()
            self.now += 10 * MS
            held.free_place_of(job)
        given_back = held.surplus(0)
        self.assertGreater(len(given_back), 10)
        self.assertLess(len(given_back), 32, 'not what will start soon')

    def test_a_fixed_number_stays_however_long_it_waits(self):
        held = self.in_hand(1, 'mail', prefetch=9)
        self.assertEqual(self.room(held)[:2], (1, 9))
        held.add(self.jobs(10))
        held.take_now()
        self.now += 60
        self.assertEqual(held.surplus(0), [])

    def test_only_the_short_ones_of_several_topics_are_fetched_ahead(self):
        held = self.in_hand(2, 'mail', 'report', 'rare')
        self.warm(held, MS)
        self.warm(held, 1.0, 'report')
        room = self.room(held)
        self.assertEqual((room.free, room.quick), (2, ['mail']))
        self.assertGreater(room.ahead, 0)
        self.assertEqual(self.room(held, of_some=False)[:2], (2, 0))

    def test_no_further_work_begins_while_results_cannot_be_told(self):
        held = self.in_hand(4, 'mail')
        for _ in range(2):
            held.add(self.jobs(4))
            while (job := held.take_now()) is not None:
                self.now += 1.0
                held.free_place_of(job)
        self.assertEqual(self.room(held)[:2], (0, 0))

    def test_a_job_whose_lock_is_lost_while_it_waits_is_not_run(self):
        held = self.in_hand(1, 'mail')
        first, lost, last = self.jobs(3)
        held.add([first, lost, last])
        self.assertEqual(held.lose([lost.id], [lost]), [lost])
        self.assertTrue(lost.lost.is_set())
        self.assertIs(held.take_now(), first)
        held.free_place_of(first)
        self.assertIs(held.take_now(), last)

    def test_nothing_is_started_after_a_stop_and_what_waits_comes_back(self):
        held = self.in_hand(4, 'mail')
        jobs = self.jobs(4)
        held.add(jobs)
        self.stopping.set()
        self.assertIsNone(held.take())
        self.assertEqual(held.close(), jobs)

    def test_weights_tell_the_order_and_go_on_from_fetch_to_fetch(self):
        shares = Shares({'mail': 1, 'report': 3})
        order = [topic for places in (1, 2, 5, 8) for topic in shares.of(places)]
        for start in range(0, 16, 4):
            self.assertEqual(sorted(order[start:start + 4]), ['mail', 'report', 'report', 'report'])


if __name__ == '__main__':
    sys.exit(clients.run_cases([Fetching]))
