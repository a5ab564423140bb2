#!/usr/bin/env python3
"""What the page shows beside more jobs than are looked at at once, in a real browser on a real service.

Usage:  many_jobs_test.py JOBSTRAND_BINARY [SHOWER.mjs] [test_NAME ...]

The last line is `N passed, N failed`.
"""
import sys
import unittest

from browser import Tested, run_all

SOME = 20_000
ALL = SOME + 7
AT_ONCE = 1000


class ManyJobs(unittest.TestCase):
    page = None

    @classmethod
    def setUpClass(cls):
        for first in range(0, ALL, AT_ONCE):
            rows = ', '.join(f"('d{i:06}', 'message', 'jobstrand', 'mail', 'mailbox {i} is full', '2026-01-01 00:00:00.000', '2026-01-01 00:00:00.000')"
                             for i in range(first, min(first + AT_ONCE, ALL)))
            cls.page.sql(f'INSERT INTO ACT_RU_DEADLETTER_JOB (ID_, TYPE_, SCOPE_TYPE_, HANDLER_TYPE_, EXCEPTION_MSG_, CREATE_TIME_, FAILED_TIME_) VALUES {rows};')

    def test_causes_are_of_the_latest_until_somebody_wants_all(self):
        self.page.open('dead')
        self.page.says(f'Of the latest {SOME:,} dead letters only', '[data-looked=some]')
        self.page.says(f'{SOME:,}+', '[data-jobs]')
        self.page.click('[data-looked=some] button', 'Count all')
        self.page.says('All were read', '[data-looked=all]')
        self.page.until(lambda: self.page.text('[data-jobs]') == f'{ALL:,}', 'all are counted')
        self.page.click('[data-looked=all] button')
        self.page.says(f'{SOME:,}+', '[data-jobs]')
        self.assertEqual(self.page.mistakes(), [])

    def test_a_search_says_how_far_it_has_looked(self):
        self.page.open('jobs', place='dead', search='type:fax')
        self.page.says(f'Only {SOME:,} jobs were looked at', '[data-looked=some]')
        self.page.click('nav.pages button', 'Next page')
        self.page.gone('[data-looked]')
        self.page.open('jobs', place='dead', search='type:fax')
        self.page.click('[data-looked=some] button', 'Search all')
        self.page.says('All were read', '[data-looked=all]')

    def test_all_that_match_are_counted_behind_those_that_were_looked_at_first(self):
        self.page.open('dead', search=f'"mailbox {ALL - 1} is full"')
        self.page.click('thead input')
        self.page.click('.selection button', 'Select all that match')
        self.page.click('[data-deed=requeue]')
        self.page.says('Requeue 1 job', 'dialog footer button[type=submit]')
        self.page.click('dialog footer button', 'Cancel')
        self.page.gone('dialog')

    def test_a_series_shows_its_turn_beside_jobs_that_were_not_looked_at(self):
        self.page.jobstrand('job', 'add', '--id', 'z-turn', '--type', 'noop', '--series', 'yearly', '--repeat', '0 0 4 1 1 ?')
        self.page.open('series/yearly')
        self.page.says(f'Only {SOME:,} jobs were looked at', '[data-looked=some]')
        self.page.shows_rows(['z-turn'])
        self.page.click('[data-looked=some] button', 'Search all')
        self.page.says('All were read', '[data-looked=all]')
        self.page.shows_rows(['z-turn'])

    def test_home_tells_the_age_of_what_is_counted_beside_it(self):
        self.page.open()
        self.page.until(lambda: self.page.text('[data-place=dead]') == f'{ALL:,}', 'all are counted')
        self.page.says('counted', '[data-as-of=dead]')

    def test_types_say_where_there_are_more(self):
        self.page.open('types')
        self.page.says(f'{SOME:,}+', 'main table')
        self.page.click('[data-looked=some] button', 'Count all')
        self.page.says(f'{ALL:,}', 'main table')


SERVICES = [Tested((ManyJobs,))]

if __name__ == '__main__':
    sys.exit(run_all(SERVICES, sys.argv))
