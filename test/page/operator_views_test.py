#!/usr/bin/env python3
"""The operators' views of the page: schedules, types and limits, nodes, batches, incidents, audit, doctor, settings.

Usage:  operator_views_test.py JOBSTRAND_BINARY [SERVER_OF_THE_PAGE [TEST...]]

A real Chromium on a real service. What only newer services tell (rates, finished jobs, findings, settings) is answered by the test itself, so
that it is the same each time. The last line is `N passed, N failed`.
"""
import datetime
import json
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

from browser import PATIENCE_S, Tested, chosen, run_all
from selenium.webdriver.common.action_chains import ActionChains
from view_cases import CONFIG, ViewCase

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / 'tools/page'
FINDINGS = [{'check': 'database', 'level': 'ok', 'text': 'answers', 'advice': None},
            {'check': 'tables', 'level': 'note', 'text': 'an index is missing', 'advice': 'jobstrand schema index due --create'},
            {'check': 'series', 'level': 'wrong', 'text': '1 series has lost its turn', 'advice': 'jobstrand series resume nightly, and the like'},
            {'check': 'vacuum', 'level': 'unknown', 'text': 'may not be looked at', 'advice': 'this role needs a right: GRANT pg_read_all_stats TO jobs;'}]


class OperatorViews(ViewCase):
    def add_series(self, key, repeat, *words, kind='noop'):
        self.page.jobstrand('job', 'add', '--type', kind, '--series', key, '--repeat', repeat, *words)

    def deed(self, button, reason='', css='main'):
        """Opens a deed, gives its reason, does it."""
        self.page.click(f'{css} button', button)
        self.do(reason=reason)

    # Schedules

    def test_words_of_schedules(self):
        table = json.loads((HERE / 'schedule_words.json').read_text(encoding='utf-8'))
        with tempfile.TemporaryDirectory() as folder:
            packages = [each for each in (PAGE / 'node_modules', Path(sys.argv[1]).resolve().parent / 'service/page/build/node_modules') if each.exists()]
            if not packages:
                self.skipTest('esbuild is not there')
            subprocess.run([packages[0] / '.bin/esbuild', PAGE / 'src/series/words.ts', '--bundle', '--format=esm', f'--outfile={folder}/words.mjs',
                            '--log-level=error'], check=True, timeout=PATIENCE_S)
            say = ('import { scheduleWords } from "./words.mjs"; import { readFileSync } from "node:fs";'
                   'console.log(JSON.stringify(JSON.parse(readFileSync(0)).map((text) => scheduleWords(text, "Europe/Berlin") ?? null)));')
            done = subprocess.run(['node', '--input-type=module', '-e', say], cwd=folder, input=json.dumps([text for text, _ in table]), text=True,
                                  capture_output=True, check=True, timeout=PATIENCE_S)
        for (text, words), found in zip(table, json.loads(done.stdout), strict=True):
            with self.subTest(text):
                self.assertEqual(found, words)

    def test_schedules_are_listed_in_words(self):
        self.add_series('words-nightly', '0 30 2 ? * MON-FRI', '--zone', 'Europe/Berlin', '--group', 'words', '--description', 'Report of the night')
        self.add_series('words-unsaid', '0 0 9 L-3W * ?', '--group', 'words', '--paused')
        self.page.open('series', group='words')
        self.page.shows_rows(['words-nightly', 'words-unsaid'])
        self.page.says('weekdays 02:30, Berlin', 'tr[data-key=words-nightly]')
        self.page.says('Report of the night', 'tr[data-key=words-nightly]')
        self.page.says('0 0 9 L-3W * ?', 'tr[data-key=words-unsaid] code')
        self.page.says('paused', 'tr[data-key=words-unsaid] .badge')
        self.page.open('series', group='words', state='paused')
        self.page.shows_rows(['words-unsaid'])

    def test_next_turns_over_a_change_of_clocks(self):
        self.add_series('clocks', '0 30 2 * * ?', '--zone', 'Europe/Berlin', '--start', '2027-03-25T00:00:00Z', '--misfire', 'do-nothing')
        self.page.open('series/clocks')
        self.page.until(lambda: len(self.page.all('tr.turn')) == 10, 'ten turns')
        turns = self.page.text('table.turns')
        self.assertIn('Sat, 27 Mar 2027, 02:30 GMT+1', turns)
        self.assertNotIn('28 Mar', turns)
        self.assertIn('Mon, 29 Mar 2027, 02:30 GMT+2', turns)
        self.page.says('clocks are changed before it: +1 h', 'table.turns tr:nth-child(4)')
        self.assertEqual(len(self.page.all('.turn-line .turn')), 10)
        self.page.says('clocks +1 h', '.turn-line .change')
        self.page.says('do-nothing', 'dl.facts')

    def test_turns_in_the_readers_zone_too(self):
        self.add_series('zones', '0 0 12 * * ?', '--zone', 'Asia/Tokyo', '--start', '2027-01-01T00:00:00Z')
        self.page.driver.execute_cdp_cmd('Emulation.setTimezoneOverride', {'timezoneId': 'America/New_York'})
        try:
            self.page.open('series/zones')
            self.page.says('Here (America/New_York)', 'table.turns')
            self.page.says('Fri, 1 Jan 2027, 12:00 GMT+9', 'table.turns')
            self.page.says('Thu, 31 Dec 2026, 22:00 GMT-5', 'table.turns')
        finally:
            self.page.driver.execute_cdp_cmd('Emulation.setTimezoneOverride', {'timezoneId': ''})

    def test_calendars_leave_turns_out(self):
        self.page.jobstrand('calendar', 'set', 'closed', 'zone Europe/Berlin; weekly SUN; holidays 2027-01-06')
        self.add_series('open-days', '0 0 8 * * ?', '--zone', 'Europe/Berlin', '--calendar', 'closed', '--start', '2027-01-01T00:00:00Z')
        self.page.open('series/open-days')
        self.page.until(lambda: len(self.page.all('tr.turn')) == 10, 'ten turns that are run')
        left_out = ' '.join(row.text for row in self.page.all('tr.left-out'))
        self.assertIn('Sun, 3 Jan 2027, 08:00', left_out)
        self.assertIn('Wed, 6 Jan 2027, 08:00', left_out)
        self.page.open('series', show='calendars')
        self.page.says('weekly SUN', '.card pre')
        self.page.click('.card a', 'open-days')
        self.page.says('open-days', 'h1')

    def test_a_series_is_paused_resumed_fired_ended_and_removed(self):
        self.add_series('deeds', '0 0 4 1 1 ?')
        self.page.open('series/deeds')
        self.deed('Pause', 'a look at the numbers')
        self.page.says('paused', '.view-head .badge')
        self.assertEqual(self.reason_of('series pause'), 'a look at the numbers')
        self.deed('Resume')
        self.page.says('waiting', '.view-head .badge')
        self.deed('Fire now')
        self.wait_for('log?type=noop&event=succeeded&limit=1', bool)
        self.deed('End')
        self.page.says('ended', '.view-head .badge')
        self.deed('Remove')
        self.wait_for('series', lambda all_of_them: not any(each['series'] == 'deeds' for each in all_of_them))

    def test_many_series_at_once(self):
        for key in ('many-1', 'many-2', 'many-3'):
            self.add_series(key, '0 0 4 1 1 ?', '--group', 'many')
        self.page.open('series', group='many')
        self.page.shows_rows(['many-1', 'many-2', 'many-3'])
        self.page.click('tr[data-key=many-1] input')
        self.page.click('tr[data-key=many-3] input')
        self.deed('Pause', css='.toolbar')
        self.wait_for('series?group=many', lambda found: [each['state'] for each in found] == ['paused', 'waiting', 'paused'])

    def test_reschedule_shows_the_turns_beforehand(self):
        self.add_series('moved', '0 0 4 1 1 ?', '--zone', 'Europe/Berlin')
        self.page.open('series/moved')
        self.page.click('main button', 'Reschedule')
        self.page.type('dialog input[name=repeat]', '0 61 2 * * ?')
        self.page.says('the minute must be 0 to 59', 'dialog .error')
        self.assertFalse(self.page.one('dialog footer button[type=submit]').is_enabled())
        self.page.type('dialog input[name=repeat]', '0 15 3 ? * MON-FRI')
        self.page.says('weekdays 03:15, Berlin', 'dialog')
        self.page.until(lambda: len(self.page.all('dialog [data-part=preview] tr.turn')) == 5, 'a preview')
        self.assertIn('03:15', self.page.text('dialog [data-part=preview]'))
        self.assertEqual(self.page.ask('series/moved')['repeat'], '0 0 4 1 1 ?')
        self.page.until(lambda: self.page.one('dialog footer button[type=submit]').is_enabled(), 'the button')
        self.do(reason='nights are too short')
        found = self.page.ask('series/moved')
        self.assertEqual((found['repeat'], found['zone']), ('0 15 3 ? * MON-FRI', 'Europe/Berlin'))
        self.page.says('weekdays 03:15, Berlin', 'dl.facts')

    def test_groups_are_paused_and_resumed(self):
        self.add_series('in-group', '0 0 4 1 1 ?', '--group', 'grouped')
        self.page.open('series', show='groups')
        self.page.click('tr[data-key=grouped] button', 'Pause')
        self.do(reason='the warehouse moves')
        self.page.says('paused', 'tr[data-key=grouped] .badge')
        self.assertEqual(self.page.ask('series/in-group')['state'], 'paused')
        self.page.click('tr[data-key=grouped] button', 'Resume')
        self.do()
        self.wait_for('series/in-group', lambda found: found['state'] == 'waiting')

    def test_a_text_is_tried(self):
        self.page.open('series', show='try')
        self.page.type('input[name=expression]', '0 30 2 * * ?')
        self.page.type('input[name=zone]', 'Europe/Berlin')
        self.page.type('input[name=after]', '2027-03-27')
        self.page.type('input[name=count]', '3')
        self.page.says('every day 02:30, Berlin')
        self.page.until(lambda: len(self.page.all('tr.turn')) == 3, 'three turns')
        self.page.until(lambda: 'Mon, 29 Mar 2027, 02:30' in self.page.text('table.turns'), 'the turn behind the gap')
        self.page.until(lambda: 'after=2027-03-27' in self.page.place, 'a link to it')
        self.page.driver.refresh()
        self.page.until(lambda: len(self.page.all('tr.turn')) == 3, 'the same by its link')
        self.page.type('input[name=expression]', '0 30 2 * foo ?')
        self.page.says("'FOO' does not begin the name of a month", '.error')
        self.page.says('^', '.error pre')

    @chosen
    def test_past_turns_and_how_they_ended(self):
        self.add_series('past', 'R1/PT1S', '--retries', '1', '--payload', '{"command":"fails"}', kind='command')
        self.wait_for('jobs?place=dead&series=past', lambda found: found['items'])
        self.page.open('series/past')
        self.page.says('Dead letters', '.card .badge')
        self.page.says('failed with exit code 100: no such address')
        self.page.says('failed', '.card .badge')

    # Types and limits

    def test_types_that_nobody_serves_are_wrong(self):
        self.page.ask('jobs', [{'handlerType': 'orphan'}])
        self.page.open('types')
        self.page.says('nobody serves it', 'tr[data-key=orphan] .badge.bad')
        self.page.open('types/orphan')
        self.page.says('No living node takes these jobs', '.card.bad')

    def test_a_limit_is_edited_in_place(self):
        self.page.ask('limits/type:edited', {'concurrent': 7}, 'PUT')
        self.page.open('types', search='edited')
        self.page.says('7 at once', 'tr[data-key=edited]')
        self.page.click('tr[data-key=edited] button', 'Edit')
        self.page.type('tr[data-key=edited] input[name=concurrent]', '3')
        self.page.type('tr[data-key=edited] input[name=perNode]', '2')
        self.page.type('tr[data-key=edited] input[name=rate]', '100/PT1M')
        self.page.type('tr[data-key=edited] input[name=reason]', 'the partner asked')
        self.page.click('tr[data-key=edited] button', 'Save')
        self.page.says('3 at once, 2 per node, 100/PT1M', 'tr[data-key=edited]')
        found = next(each for each in self.page.ask('limits') if each['limit'] == 'type:edited')
        self.assertEqual((found['concurrent'], found['perNode'], found['rate']), (3, 2, '100/PT1M'))
        self.assertEqual(self.reason_of('limit set'), 'the partner asked')

    def test_a_type_is_paused_in_one_click_and_resumed_as_it_was(self):
        self.page.ask('limits/type:clicked', {'concurrent': 4, 'rate': '9/PT1S'}, 'PUT')
        limit = lambda: next(each for each in self.page.ask('limits') if each['limit'] == 'type:clicked')
        self.page.open('types/clicked')
        self.page.click('.view-head button', 'Pause')
        self.page.says('paused', '.view-head .badge')
        self.assertEqual((limit()['concurrent'], limit()['rate']), (0, '9/PT1S'))
        self.page.click('.view-head button', 'Resume')
        self.page.says('Pause', '.view-head button')
        self.assertEqual((limit()['concurrent'], limit()['rate']), (4, '9/PT1S'))

    def test_a_pause_without_a_limit_before_leaves_none(self):
        self.page.ask('jobs', [{'handlerType': 'unlimited', 'dueDate': '2037-01-01T00:00:00Z'}])
        self.page.open('types', search='unlimited')
        self.page.click('tr[data-key=unlimited] button', 'Pause')
        self.page.says('paused', 'tr[data-key=unlimited] .badge')
        self.page.click('tr[data-key=unlimited] button', 'Resume')
        self.wait_for('limits', lambda found: not any(each['limit'] == 'type:unlimited' for each in found))

    def test_a_types_rates_last_runs_and_causes(self):
        self.page.ask('jobs', [{'id': 'typed', 'handlerType': 'command', 'payload': {'command': 'late'}, 'retries': 1}])
        self.wait_for('dead/groups?type=command', lambda found: any('too late' in each['message'] for each in found))
        now = self.page.driver.execute_script('return new Date().toISOString()')
        rate = {'begun': 9, 'completed': 7, 'failed': 2, 'dead': 1, 'waitP50': 0.5, 'waitP95': 1, 'waitP99': 2, 'runP50': 0.1, 'runP95': 0.2, 'runP99': 12}
        done = {'id': 'ended-1', 'place': 'done', 'handlerType': 'command', 'ended': now, 'node': 'n1', 'attempt': 2, 'waitedMs': 1500, 'durationMs': 250, 'message': 'sent'}
        self.answer(**{'rates': [{'time': now, 'seconds': 60, **rate}], 'rates__types': [{'type': 'command', **rate}],
                       'jobs?place=done&type=command&limit=20': {'items': [done], 'after': None}})
        self.page.open('types', search='command')
        self.page.says('2 (22 %)', 'tr[data-key=command]')
        self.page.says('500 ms / 2.0 s', 'tr[data-key=command]')
        self.page.open('types/command')
        self.page.until(lambda: len(self.page.all('.chart canvas')) == 3, 'three charts')
        self.page.click('.chart summary')
        for name, n in (('Begun', '9'), ('Succeeded', '7'), ('Failed', '2'), ('Died', '1')):
            self.page.says(name, '.chart table th')
            self.page.says(n, '.chart table td')
        self.page.says('ended-1', '.card tr[data-key]')
        self.page.says('250 ms', '.card tr[data-key]')
        self.page.says('command late failed with exit code 100: too late', '.message')
        self.page.one('a[href*="#/jobs?"]')
        self.page.one('a[href*="#/dead?"]')

    def test_a_narrow_token_sees_no_rates(self):
        self.answer(rates={'status': 403, 'body': {}}, rates__types={'status': 403, 'body': {}})
        self.page.open('types/noop')
        self.page.says('Dead letters by cause')
        self.page.gone('.error')
        self.page.gone('.chart')

    def test_all_limits(self):
        self.page.open('types', show='limits')
        self.page.type('input[name=limit]', 'tenant:*')
        self.page.click('.card button', 'Edit')
        self.page.type('.card input[name=concurrent]', '20')
        self.page.click('.card button', 'Save')
        self.page.says('20 at once', 'tr[data-key="tenant:*"]')
        self.page.click('tr[data-key="tenant:*"] button', 'Remove')
        self.do(reason='no longer')
        self.page.gone('tr[data-key="tenant:*"]')
        self.assertEqual(self.reason_of('limit rm'), 'no longer')

    # Nodes and workers

    def test_a_node_is_drained_and_resumed(self):
        node = self.page.ask('nodes')[0]
        row = f'tr[data-key="{node["node"]}"]'
        self.page.open('nodes')
        self.page.says(f'{node["host"]}, process {node["process"]}', row)
        self.page.says('noop', row)
        self.page.click(f'{row} button', 'Drain')
        self.do(reason='a new kernel')
        self.page.says('draining', f'{row} .badge')
        self.assertEqual(self.reason_of('node drain'), 'a new kernel')
        self.page.click(f'{row} button', 'Resume')
        self.do()
        self.page.says('running', f'{row} .badge')

    def test_what_runs_for_how_long_and_its_cancel(self):
        self.page.ask('jobs', [{'id': 'sleeper', 'handlerType': 'command', 'payload': {'command': 'slow'}}])
        self.page.open('nodes')
        self.page.until(lambda: 's' in self.page.text('tr[data-key=sleeper] time'), 'how long it runs')
        self.page.says('process', 'tr[data-key=sleeper]')
        self.page.click('tr[data-key=sleeper] button', 'Cancel')
        self.assertFalse(self.page.one('dialog footer button[type=submit]').is_enabled())
        self.do(reason='it hangs')
        self.page.gone('tr[data-key=sleeper]')
        self.assertIn('it hangs', self.wait_for('jobs/sleeper', lambda found: found['place'] == 'dead')['exceptionMessage'])

    def test_external_workers(self):
        self.page.ask('jobs', [{'id': f'outside-{n}', 'handlerType': 'outside', 'external': True} for n in range(2)])
        self.page.open('nodes')
        self.page.says('nobody has asked', 'tr[data-key=outside]')
        self.page.ask('external-jobs/acquire', {'worker': 'worker-9', 'topics': ['outside'], 'jobs': 1, 'lockDuration': 'PT5M'})
        self.page.says('by worker-9', 'tr[data-key=outside]')
        self.page.says('worker-9', 'tr[data-key^=outside-]')

    def test_a_lost_node_is_told_first_and_has_no_deed(self):
        moment = datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M:%S.000')
        self.page.open()
        self.page.sql('INSERT INTO JS_NODE (NODE_, INCARNATION_, HOST_, PROCESS_, VERSION_, STARTED_, LEASE_EXP_TIME_, LOCKS_) '
                      f"VALUES ('gone:1', '1', 'gone', 1, '0', '{moment}', '{moment}', 'row');")
        self.page.says('Node gone, process 1 is gone', '.problems li.is-bad:first-child')
        self.page.show('nodes')
        self.page.says('lost', 'tr[data-key="gone:1"] .badge.bad')
        self.assertEqual(self.page.texts('tr[data-key="gone:1"] button'), [])
        self.page.sql("DELETE FROM JS_NODE WHERE NODE_ = 'gone:1';")

    # Batches

    @chosen
    def test_a_batch_is_paused_resumed_cancelled_and_forgotten(self):
        self.page.ask('jobs', [{'id': f'parked-{n}', 'handlerType': 'parked', 'dueDate': '2037-01-01T00:00:00Z'} for n in range(40)])
        self.page.jobstrand('job', 'cancel', *[f'parked-{n}' for n in range(40)], '--reason', 'to have dead letters')
        self.page.jobstrand('dead', 'requeue', '--type', 'parked', '--rate', '1', '--background', '--yes', '--reason', 'slowly')
        batch = self.page.ask('batches')[0]['id']
        row = f'tr[data-key="{batch}"]'
        self.page.open('batches')
        self.page.says('slowly', row)
        self.page.says('of 40', row)
        self.page.one(f'{row} progress')
        self.page.click(f'{row} button', 'Pause')
        self.do(reason='a moment')
        self.page.says('paused', f'{row} .badge')
        self.page.open(f'batches/{batch}')
        self.deed('Resume', css='.view-head')
        self.page.says('running', '.view-head .badge')
        self.deed('Cancel', css='.view-head')
        self.page.says('cancelled', '.view-head .badge')
        self.page.says('parked', 'dl.facts')
        self.deed('Forget', css='.view-head')
        self.wait_for('batches', lambda found: not any(each['id'] == batch for each in found))

    # Incidents

    def kill(self, command, *names):
        """Dead letters that have incidents."""
        self.dead(command, names)
        self.wait_for('incidents?each=true&limit=1000', lambda found: {each['jobId'] for each in found} >= set(names))

    @chosen
    def test_incidents_by_cause_lead_to_each(self):
        self.kill('fails', 'cause-1', 'cause-2')
        self.kill('late', 'cause-3')
        self.page.open('incidents')
        self.page.click('tbody a', 'no such address')
        self.page.one('tr[data-key=cause-1]')
        self.page.one('tr[data-key=cause-2]')
        self.assertNotIn('cause-3', self.page.rows())
        self.page.click('tr[data-key=cause-1] a')
        self.page.says('Incidents of cause-1', 'h1')
        self.page.one('a[href="#/job/cause-1"]')

    def test_incidents_are_assigned_noted_and_resolved(self):
        self.kill('fails', 'inbox-1', 'inbox-2')
        self.page.open('incidents', show='each')
        self.page.click('tr[data-key=inbox-1] input')
        self.page.click('tr[data-key=inbox-2] input')
        self.page.click('.toolbar button', 'Assign')
        self.page.type('dialog input[name=note]', 'anna')
        self.do()
        self.page.says('@anna', 'tr[data-key=inbox-1]')
        self.page.says('@anna', 'tr[data-key=inbox-2]')
        self.page.open('incidents/inbox-1')
        self.page.click('main button', 'Note')
        self.page.type('dialog input[name=note]', '@anna the address is mended')
        self.do()
        self.page.says('the address is mended', 'dl.facts')
        self.page.open('incidents', show='each', owner='anna')
        self.page.shows_rows(['inbox-1', 'inbox-2'])
        self.page.click('th input')
        self.page.click('.toolbar button', 'Resolve')
        self.do(reason='mended')
        self.page.gone('tr[data-key=inbox-1]')
        self.assertEqual(self.reason_of('incident resolve'), 'mended')
        self.page.open('incidents', show='resolved')
        self.page.says('inbox-2', 'tbody')
        self.page.says('by hand', 'tbody')

    # Audit, doctor, settings

    def test_the_audit_has_filters_and_pages(self):
        for n in range(1, 61):
            self.page.ask('limits/category:audited', {'concurrent': n}, 'PUT')
        self.page.jobstrand('limit', 'rm', 'category:audited', '--reason', 'was a test')
        self.page.open('audit', action='limit rm')
        self.page.says('was a test', 'tbody')
        self.page.until(lambda: all('limit rm' in row.text for row in self.page.all('tbody tr')), 'only these')
        self.page.open('audit')
        self.page.type('input[name=action]', 'limit set')
        self.page.until(lambda: 'action=limit set' in self.page.place, 'the filter in the place')
        self.page.until(lambda: len(self.page.all('tbody tr')) == 50 and all('limit set' in row.text for row in self.page.all('tbody tr')), 'a page')
        first = self.page.rows()
        self.page.click('main button', 'Next page')
        self.page.until(lambda: self.page.rows() and not set(self.page.rows()) & set(first), 'the next page')
        self.page.click('main button', 'First page')
        self.page.until(lambda: self.page.rows() == first, 'the first page')
        self.page.click('tbody tr:first-child td:nth-child(2) a')
        self.page.until(lambda: 'who=' in self.page.place, 'who by a click')

    def test_the_doctor_tells_the_worst_first(self):
        self.answer(doctor=FINDINGS)
        self.page.open('doctor')
        self.page.says('1 thing wrong')
        self.assertEqual([each.get_attribute('data-check') for each in self.page.all('.finding')], ['series', 'vacuum', 'tables', 'database'])
        self.page.says('jobstrand series resume nightly', '.command code')
        self.page.says('GRANT pg_read_all_stats TO jobs;', '.command code')
        self.page.click('[data-check=vacuum] .command button', 'Copy')
        self.page.says('Copied', '[data-check=vacuum] .command button')

    def test_without_a_doctor_its_command_stands_there(self):
        self.answer(doctor={'status': 403, 'body': {}})
        self.page.open('doctor')
        self.page.says('jobstrand doctor', 'code')
        self.page.gone('.error')

    def test_a_refusal_that_has_nothing_to_do_with_rights_is_shown(self):
        self.answer(doctor={'status': 404, 'body': {'detail': 'there is no such path'}})
        self.page.open('doctor')
        self.page.says('there is no such path', '.error')

    def test_settings_are_searched(self):
        self.answer(settings={'jobLog': 'full', 'maxPoolSize': 8, 'commands': {'fails': {'program': '/bin/sh'}}})
        self.page.open('settings')
        self.page.shows_rows(['jobLog', 'maxPoolSize', 'commands'])
        self.page.press('/')
        self.page.type('input[type=search]', 'bin/sh')
        self.page.shows_rows(['commands'])
        self.assertIn('search=bin/sh', self.page.place)

    # All of them

    def test_a_reader_is_shown_no_deed(self):
        self.add_series('readable', '0 0 4 1 1 ?')
        self.page.ask('limits/type:readable', {'concurrent': 1}, 'PUT')
        self.kill('fails', 'readable')
        self.as_reader()
        self.page.open()
        for place, query, shown in (('series', {}, 'readable'), ('series/readable', {}, 'What it says'), ('series', {'show': 'groups'}, 'DEFAULT'),
                                    ('types', {}, 'readable'), ('types/readable', {}, '1 at once'), ('types', {'show': 'limits'}, 'type:readable'),
                                    ('nodes', {}, 'running'), ('incidents', {'show': 'each'}, 'readable'), ('incidents/readable', {}, 'no such address')):
            with self.subTest(f'{place} {query}'):
                self.page.go(place, **query)
                self.page.says(shown, 'main')
                words = set(self.page.texts('main button')) - {'Copy', 'Next page'}
                self.assertEqual(words, set())
                self.assertEqual(self.page.all('main input[type=checkbox]'), [])

    def test_360_pixels_are_enough(self):
        self.add_series('narrow', 'every 45m from 09:00 to 16:45 on MON-FRI', '--zone', 'Europe/Berlin')
        self.kill('fails', 'narrow')
        self.answer(doctor=FINDINGS, settings={'a': 'x' * 300})
        self.page.width(360)
        self.page.open()
        for place in ('series', 'series/narrow', 'series?show=try&expression=R/PT10M', 'types', 'types/command', 'nodes', 'batches', 'incidents', 'incidents/narrow',
                      'audit', 'doctor', 'settings'):
            with self.subTest(place):
                self.page.show(place)
                self.assertFalse(self.page.scrolls_sideways())

    def test_others_changes_wait_for_the_pointer_and_own_deeds_do_not(self):
        self.add_series('hold-1', '0 0 4 1 1 ?', '--group', 'hold')
        self.page.open('series', group='hold')
        self.page.shows_rows(['hold-1'])
        ActionChains(self.page.driver).move_to_element(self.page.one('tr[data-key=hold-1]')).perform()
        self.add_series('hold-0', '0 0 4 1 1 ?', '--group', 'hold')
        self.page.says('New values wait', '.held')
        self.page.shows_rows(['hold-1'])
        self.page.click('tr[data-key=hold-1] input')
        self.deed('Pause', css='.toolbar')
        ActionChains(self.page.driver).move_to_element(self.page.one('tr[data-key=hold-1]')).perform()
        self.page.says('paused', 'tr[data-key=hold-1] .badge')
        self.page.shows_rows(['hold-0', 'hold-1'])

    def test_keys_lead_to_rows_and_views(self):
        self.add_series('key-1', '0 0 4 1 1 ?', '--group', 'keys')
        self.add_series('key-2', '0 0 4 1 1 ?', '--group', 'keys')
        self.page.open('series', group='keys')
        self.page.shows_rows(['key-1', 'key-2'])
        self.page.press('j', 'j', 'x')
        self.page.says('1 selected', '.toolbar')
        self.blur()
        self.page.press('\ue007')
        self.page.says('key-2', 'h1')
        self.page.press('g', 'o')
        self.page.says('Doctor', 'h1')

    def test_what_a_producer_sets_is_text_only(self):
        bad = '<img src=x onerror="document.title=1">'
        self.page.ask('jobs', [{'id': 'script', 'handlerType': bad, 'dueDate': '2037-01-01T00:00:00Z'}])
        self.page.jobstrand('job', 'cancel', 'script', '--reason', bad)
        self.kill('rude', 'rude')
        for place in ('types', 'incidents', 'incidents/rude', 'audit'):
            self.page.open(place)
            self.page.says('onerror', 'main')
            self.assertEqual(self.page.all('main img'), [])
            self.assertIn('Jobstrand', self.page.driver.title)


SERVICES = [Tested((OperatorViews,), CONFIG)]

if __name__ == '__main__':
    sys.exit(run_all(SERVICES, sys.argv))
