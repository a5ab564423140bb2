#!/usr/bin/env python3
"""Someone who has never seen the page walks through it: from its first view, by clicks on words that stand there.

Usage: walk_test.py JOBSTRAND [record] [TEST...]

What was done stands in walk.md; `record` writes it anew. Each question takes four clicks at most.
"""
import sys
from pathlib import Path

from browser import Tested, run_all
from view_cases import CONFIG, ViewCase

WALK = Path(__file__).resolve().parent / 'walk.md'
TITLE = '''# A walk through the page

How someone finds what they look for who has never seen the page: each walk begins at `/`. `walk_test.py` takes these steps in a real browser, and `walk_test.py JOBSTRAND record` writes them.
'''
MOST_CLICKS = 4
# What can be clicked and says this, in the window that is open, in the row with these words; the shortest that has them.
SAYING = '''
const [words, row] = arguments;
const shown = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
const isSeen = (each) => each.checkVisibility({visibilityProperty: true}) && !each.disabled;
const rows = row === null ? [shown] : [...shown.querySelectorAll('tr')].filter((each) => isSeen(each) && each.innerText.includes(row));
return rows.flatMap((each) => [...each.querySelectorAll('a, button, label')]).filter((each) => isSeen(each) && each.innerText.includes(words))
  .sort((a, b) => a.innerText.length - b.innerText.length)[0] ?? null;'''


class Walk(ViewCase):
    recorded = TITLE

    @classmethod
    def setUpClass(cls):
        page = cls.page
        page.jobstrand('job', 'add', '--type', 'noop', '--series', 'nightly', '--repeat', '0 30 2 ? * MON-FRI', '--zone', 'Europe/Berlin')
        page.ask('jobs', [{'id': 'order-17', 'handlerType': 'invoice'}, {'id': 'order-18', 'handlerType': 'noop', 'dueDate': 'P1D'}])
        dead = {f'{command}-{i}': command for command, n in (('gate', 3), ('late', 1)) for i in range(n)}
        page.ask('jobs', [{'id': name, 'handlerType': 'command', 'payload': {'command': command}, 'retries': 1} for name, command in dead.items()])
        page.until(lambda: page.ask('stats')['places']['dead'] == len(dead), 'dead letters')
        page.until(lambda: sum(each['incidents'] for each in page.ask('incidents')) == len(dead), 'incidents')

    @classmethod
    def tearDownClass(cls):
        if 'record' in sys.argv:
            WALK.write_text(cls.recorded, encoding='utf-8')

    def setUp(self):
        super().setUp()
        self.clicks = 0
        self.steps = []

    def begin(self, question):
        self.page.driver.get('about:blank')
        self.page.driver.get(self.page.origin + '/')
        self.question = question

    def click(self, words, row=None):
        self.page.click_found(lambda: self.page.driver.execute_script(SAYING, words, row), f'{words!r} in the row of {row!r}')
        self.clicks += 1
        self.steps.append(f'{len(self.steps) + 1}. Click “{words}”{f" in the row of “{row}”" if row else ""}')

    def type(self, label, text):
        """Into the field with this label."""
        field = self.page.one('label', label).get_attribute('for')
        self.page.type(f'[id="{field}"]', text)
        self.steps.append(f'{len(self.steps) + 1}. Type `{text}` into “{label}”')

    def read(self, words):
        self.page.says(words, 'main, dialog[open]')
        self.steps.append(f'{len(self.steps) + 1}. Read “{words}”')

    def end(self):
        self.assertLessEqual(self.clicks, MOST_CLICKS)
        walk = f'\n## {self.question}\n\n' + '\n'.join(self.steps) + f'\n\nClicks: {self.clicks}\n'
        type(self).recorded += walk
        if 'record' not in sys.argv:
            self.assertIn(walk, WALK.read_text(encoding='utf-8'))

    def test_why_a_job_waits(self):
        self.begin('Why does order-17 wait?')
        self.click('Jobs')
        self.click('why?', row='order-17')
        self.read('Why does it not run?')
        self.read('has a handler of the type invoice')
        self.end()

    def test_the_cause_of_most_failures(self):
        self.begin('What do most jobs fail of?')
        self.read('3 open incidents of command')
        self.click('Dead letters by cause')
        self.read('the gate is shut')
        self.page.until(lambda: 'the gate is shut' in self.page.texts('main section.card tr[data-key]')[0], 'it stands first')
        self.end()

    def test_that_cause_is_requeued_with_a_probe(self):
        gate = self.page.folder / 'gate'
        gate.touch()
        self.begin('The gate is open again: one of its jobs first, then the others')
        self.click('Dead letters')
        self.click('Requeue…', row='the gate is shut')
        self.click('Try one first')
        self.read('It has run well.')
        self.click('Requeue 2 jobs')
        self.page.until(lambda: not any(self.page.is_there(f'gate-{i}') for i in range(3)), 'all have run')
        self.end()

    def test_a_type_is_paused(self):
        self.begin('No more invoices for now')
        self.click('Types and limits')
        self.click('Pause', row='invoice')
        self.read('paused')
        self.wait_for('limits', lambda found: [each['concurrent'] for each in found if each['limit'] == 'type:invoice'] == [0])
        self.end()

    def test_a_schedule_is_moved(self):
        self.begin('The nightly run is to be at 03:15')
        self.click('Schedules')
        self.click('nightly')
        self.click('Reschedule…')
        self.type('Text', '0 15 3 ? * MON-FRI')
        self.read('weekdays 03:15, Berlin')
        self.click('Reschedule')
        self.wait_for('series/nightly', lambda found: found['repeat'] == '0 15 3 ? * MON-FRI')
        self.end()


SERVICES = [Tested((Walk,), CONFIG)]

if __name__ == '__main__':
    sys.exit(run_all(SERVICES, sys.argv))
