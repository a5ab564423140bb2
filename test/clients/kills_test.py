#!/usr/bin/env python3
"""Whether kills.py would notice a job that runs twice.

Usage:  kills_test.py

The last line is `N passed, N failed`.
"""
import sys
import unittest

import clients
from kills import LOCK_S, Acquisition, against_the_lock_rule


def held(since, until=0.0, is_given_back=False):
    """Times are seconds."""
    acquisition = Acquisition('a', since + LOCK_S, since)
    acquisition.prolonged_until = until
    acquisition.is_given_back = is_given_back
    return acquisition


class TheLockRule(unittest.TestCase):
    def assert_wrong(self, runs, *patterns):
        wrong = list(against_the_lock_rule(runs, 1))
        self.assertEqual(len(wrong), len(patterns), wrong)
        for line, pattern in zip(wrong, patterns):
            self.assertRegex(line, pattern)

    def test_one_run_is_right_and_so_is_a_second_after_the_lock(self):
        self.assert_wrong([(1, held(100))])
        self.assert_wrong([(1, held(101.0)), (1, held(100))])

    def test_a_second_run_within_the_lock_is_seen(self):
        self.assert_wrong([(1, held(100.9)), (1, held(100))], 'made attempt 1 again 0.09. s before the lock was over')

    def test_a_lock_that_was_prolonged_counts_until_its_end(self):
        self.assert_wrong([(1, held(100, until=105)), (1, held(102))], 'again 2.900 s before')

    def test_a_run_that_nobody_acquired_is_seen(self):
        self.assert_wrong([(1, held(100)), (1, None)], 'without having been acquired')
        self.assert_wrong([(1, held(100, is_given_back=True))], 'after it was given back')

    def test_an_attempt_that_no_failure_used_is_seen(self):
        self.assert_wrong([(1, held(100)), (2, held(101))], 'had 2 attempts')


if __name__ == '__main__':
    sys.exit(clients.run_cases([TheLockRule]))
