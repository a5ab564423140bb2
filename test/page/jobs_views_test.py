#!/usr/bin/env python3
"""Home, dead letters, jobs, a job and the job log, in a real browser on a real service.

Usage:  jobs_views_test.py JOBSTRAND_BINARY [SHOWER.mjs] [test_NAME ...]

The last line is `N passed, N failed`.
"""
import datetime
import json
import sys

from browser import By, Keys, Tested, chosen, run_all
from view_cases import CONFIG, ViewCase

SEARCH = 'main input[type=search]'


def ids(prefix, n):
    return [f'{prefix}-{i:02}' for i in range(n)]


class JobsViews(ViewCase):
    def tearDown(self):
        self.forget()
        super().tearDown()

    def told(self):
        return self.page.text('.search-told')

    # Home

    def test_home_says_that_all_is_well(self):
        wrong = [each['text'] for each in self.page.ask('doctor') if each['level'] != 'ok']  # Such as a clock of this machine.
        self.page.open()
        self.page.says(*((wrong[0], '.problems') if wrong else ('All is well.', '[data-health=well]')))

    def test_home_says_first_what_is_wrong_and_leads_there(self):
        self.dead('fail', ['w-1'])
        self.enqueue({'id': 'w-2'})
        self.page.open()
        self.page.says('1 open incident of command', '.problems')
        self.page.says('nobody', '.problems')
        self.page.click('.problems a', 'Dead letters by cause')
        self.page.until(lambda: self.page.place == '#/dead?search=type:command', 'dead letters of that type')

    def test_home_counts_live_what_is_free_and_what_is_held(self):
        self.page.open()
        self.page.until(lambda: self.page.text('[data-place=timer]') == '0', 'no timers')
        self.enqueue({'id': 't-1', 'dueDate': 'P1D'}, {'id': 't-2', 'dueDate': 'P1D'})
        self.page.until(lambda: self.page.text('[data-place=timer]') == '2', 'two timers, without a reload')
        self.page.says('2 free, 0 held', '[data-split=timer]')

    def test_home_says_when_the_backlog_ends_and_what_waits_longest(self):
        self.page.open()
        self.page.says('Nothing waits.', '[data-eta]')
        self.enqueue(*({} for _ in range(200)))  # More than any test before has taken away in a minute.
        self.page.says('It grows by', '[data-eta]')
        self.assertEqual(self.page.text('[data-backlog]'), '200')
        self.page.says('nobody', '.tile')

    @chosen
    def test_home_lists_busy_and_failing_types(self):
        self.dead('fail', ['f-1'])
        self.page.open()
        self.page.until(lambda: self.page.all('main table caption, main table a', 'command'), 'the type that fails')
        link = self.page.one('main table a[href*="dead"]', 'command')
        self.assertIn('search=type%3Acommand', link.get_attribute('href'))

    def test_home_shows_rates_for_three_lengths(self):
        self.page.open()
        self.page.one('.chart canvas')
        self.page.click('.tabs a', '10 minutes')
        self.page.until(lambda: self.page.place == '#/?last=PT10M', 'the length in the address')
        self.page.one('.marks', 'joined')

    def test_home_marks_what_operators_did_on_the_charts(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.answer(audit=[{'time': (now - datetime.timedelta(minutes=30)).isoformat(), 'who': 'anna', 'action': 'limit set', 'changed': 1, 'reason': 'too fast'}])
        self.page.open('', last='PT1H')
        self.page.one('.marks li', 'anna: limit set')

    # Dead letters

    @chosen
    def test_dead_letters_are_grouped_by_cause(self):
        self.dead('fail', ids('c', 3))
        self.dead('gate', ['g-1'])
        self.page.open('dead')
        self.page.until(lambda: len(self.page.all('main section.card tr[data-key]')) == 2, 'two causes')
        first = self.page.one('main section.card tr[data-key]').text
        for part in ('3', 'command', 'exit 3', 'command fail failed'):
            self.assertIn(part, first)
        self.page.one('main section.card .sparkline')
        self.page.click('main section.card a', 'Show one')
        self.page.one('h1', 'c-')

    def test_a_probe_that_fails_again_touches_no_other(self):
        self.dead('fail', ids('p', 3))
        self.page.open('dead')
        self.page.click('[data-deed=requeue]')
        self.page.says('3 jobs', 'dialog .about')
        self.page.click('[data-deed=probe]')
        self.page.one('[data-probe=bad]', 'command fail failed')
        self.assertEqual([self.job(name)['attempts'] for name in ids('p', 3)].count(1), 2)

    @chosen
    def test_a_probe_that_succeeds_offers_the_others(self):
        gate = self.page.folder / 'gate'
        self.dead('gate', ids('q', 3))
        gate.touch()
        self.page.open('dead')
        self.page.click('[data-deed=requeue]')
        self.page.click('[data-deed=probe]')
        self.page.one('[data-probe=good]')
        self.do('Requeue 2 jobs', reason='the gate is open', retries='2')
        self.page.until(lambda: not any(self.page.is_there(name) for name in ids('q', 3)), 'all of them have run')
        gate.unlink()
        deed = self.page.ask('audit?limit=1')[0]
        self.assertEqual((deed['action'], deed['reason']), ('dead requeue', 'the gate is open'))

    def test_a_cause_is_requeued_over_a_time(self):
        self.dead('fail', ids('s', 3))
        self.page.open('dead')
        self.page.click('[data-deed=requeue]')
        self.do('Requeue 3 jobs', spread='6h', retries='1')
        self.page.until(lambda: sum(self.job(name)['place'] == 'timer' for name in ids('s', 3)) >= 2, 'they wait for their turns')

    def test_a_cause_is_requeued_at_a_rate_in_the_background(self):
        self.dead('fail', ids('rate', 3))
        self.page.open('dead')
        self.page.click('[data-deed=requeue]')
        self.page.type('dialog [name=rate]', '0')
        self.page.until(lambda: not self.page.one('dialog footer button[type=submit]').is_enabled(), 'no rate')
        self.do('Requeue 3 jobs', reason='slowly', rate='1')
        self.page.says('A batch of 3 jobs does it', '.toasts')
        batch = self.page.ask('batches')[0]
        self.assertEqual((batch['operation'], batch['rate'], batch['reason'], batch['total']), ('requeue', 1, 'slowly', 3))
        self.page.ask(f'batches/{batch["id"]}/cancel', method='POST')

    def test_a_cause_is_deleted_after_a_download_that_brings_it_back(self):
        self.dead('fail', ids('d', 3))
        self.page.open('dead')
        self.page.click('[data-deed=delete]')
        self.page.click('dialog button', 'Download first')
        self.page.says('3 jobs downloaded', '.toasts')
        files = self.page.until(lambda: list(self.page.downloads.glob('*.jsonl')), 'a file')
        self.page.until(lambda: files[0].read_text().count('\n') == 3, 'three lines')
        self.assertEqual(sorted(json.loads(line)['id'] for line in files[0].read_text().splitlines()), ids('d', 3))
        self.do('Delete 3 jobs')
        self.page.says('No dead letters: all is well.')
        self.assertFalse(self.page.is_there('d-00'))
        self.page.click('[data-deed=import]')
        self.page.one('dialog input[type=file]').send_keys(str(files[0]))
        self.do('Import 3 dead letters')
        self.page.until(lambda: all(self.page.is_there(name) for name in ids('d', 3)), 'they are back')

    def test_what_goes_on_in_the_background_is_shown(self):
        self.dead('fail', ids('bg', 12))
        batch = self.page.ask('dead/requeue', {'all': True, 'rate': 1, 'retries': 1, 'background': True})['batch']
        self.page.open('dead')
        self.page.one(f'[data-batch="{batch}"] progress')
        self.page.ask(f'batches/{batch}/cancel', method='POST')
        self.page.gone('[data-batch]')

    def test_a_cause_is_changed_within_the_filters_only(self):
        self.enqueue(*({'id': f'{tenant}-{i}', 'tenantId': tenant, 'handlerType': 'command', 'payload': {'command': 'fail'}, 'retries': 1} for tenant in ('acme', 'umbra') for i in (1, 2)))
        self.page.until(lambda: self.page.ask('stats')['places']['dead'] == 4, 'they are dead')
        self.page.open('dead', search='tenant:acme')
        self.page.until(lambda: self.page.text('[data-jobs]') == '2', 'those of one tenant')
        self.page.click('[data-deed=delete]')
        self.do('Delete 2 jobs')
        self.page.until(lambda: not self.page.is_there('acme-1'), 'those of the tenant are gone')
        self.assertTrue(self.page.is_there('umbra-1') and self.page.is_there('umbra-2'))

    def test_dead_letters_are_searched(self):
        self.dead('fail', ['e-1'])
        self.dead('gate', ['e-2'])
        self.page.open('dead', search='gate is shut')
        self.page.until(lambda: [row for row in self.page.rows() if row.startswith('e-')] == ['e-2'], 'the one that matches')
        self.assertEqual(len(self.page.all('main section.card tr[data-key]')), 1)

    # Jobs: searches

    def test_places_are_tabs_with_counts(self):
        self.enqueue({'id': 'x-1'}, {'id': 'x-2', 'dueDate': 'P1D'}, {'id': 'x-3', 'external': True})
        self.page.open('jobs')
        for place, n in (('Executable', 1), ('Timers', 1), ('For workers', 1), ('Suspended', 0)):
            self.page.one('.tabs a', f'{place}{n}')
        self.page.click('.tabs a', 'Timers')
        self.page.shows_rows(['x-2'])
        self.page.click('.tabs a', 'Anywhere')
        self.page.shows_rows(['x-1', 'x-2', 'x-3'])

    @chosen
    def test_finished_jobs_have_a_tab(self):
        self.enqueue({'id': 'z-1', 'handlerType': 'noop'})
        self.page.until(lambda: not self.page.is_there('z-1'), 'it has run')
        self.page.open('jobs', place='done', search='type:noop')
        self.page.one('.tabs a', 'Done')
        self.page.until(lambda: 'z-1' in self.page.rows(), 'the job that has ended')
        self.page.open('jobs', place='done', search='due<2h')
        self.page.says('Of finished jobs only type, tenant, instance are kept.', '.mistakes')

    @chosen
    def test_each_filter_of_the_service_can_be_typed(self):
        self.enqueue({'id': 'a', 'handlerType': 'mail', 'tenantId': 'acme', 'priority': 5},
                     {'id': 'b', 'handlerType': 'sms', 'tenantId': 'two words', 'retries': 7},
                     {'id': 'c', 'handlerType': 'fax', 'processInstanceId': 'i-1', 'category': 'slow', 'uniqueKey': 'k-1'},
                     {'id': 'd', 'handlerType': 'mail', 'processDefinitionId': 'def:1', 'elementId': 'el', 'correlationId': 'co', 'dueDate': 'P2D'})
        self.page.open('jobs', place='all')
        for search, wanted in (('type:mail type:sms', 'abd'), ('type:mail tenant:acme', 'a'), ('tenant:"two words"', 'b'), ('-tenant', 'cd'), ('priority>=5', 'a'),
                               ('priority<5', 'bcd'), ('retries>6', 'b'), ('retries:7', 'b'), ('instance:i-1', 'c'), ('-instance type:mail', 'ad'), ('category:slow', 'c'),
                               ('unique:k-1', 'c'), ('definition:def:1', 'd'), ('element:el', 'd'), ('correlation-id:co', 'd'), ('due<"2037-01-01 10:00"', 'd'), ('due>3d', ''),
                               ('-due', 'abc'), ('created>1h', 'abcd'), ('created<1h', ''), ('is:locked', ''), ('-locked', 'abcd'), ('is:free', 'abcd'), ('has:exception', ''),
                               ('-exception', 'abcd'), ('no such message', ''), ('error:x', '')):
            with self.subTest(search):
                self.page.go('jobs', place='all', search=search)
                self.page.until(lambda text=search: self.page.one(SEARCH).get_attribute('value') == text, 'the search')
                self.page.one('main tr[data-key], main .empty')
                self.page.shows_rows(list(wanted))

    def test_a_search_stands_in_the_address_and_is_said_in_words(self):
        self.enqueue({'id': 'y-1', 'handlerType': 'mail'}, {'id': 'y-2'})
        self.page.open('jobs')
        self.page.shows_rows(['y-1', 'y-2'])
        self.page.type(SEARCH, 'type:mail -locked' + Keys.ENTER)
        self.page.shows_rows(['y-1'])
        self.assertIn('search=type:mail -locked', self.page.place)
        self.assertIn('place=executable', self.page.place)
        self.assertEqual(self.told(), 'Shown: held by nobody; handler type is mail')
        self.page.driver.back()
        self.page.shows_rows(['y-1', 'y-2'])
        copied = [each.get_attribute('title') for each in self.page.all('.list-head button[title]')]
        self.assertIn('jobstrand job ls --place executable --limit 50', copied)

    def test_keys_and_values_are_completed(self):
        self.enqueue({'id': 'v-1', 'handlerType': 'mailing', 'tenantId': 'acme'})
        self.page.open('jobs')
        self.page.shows_rows(['v-1'])
        self.page.type(SEARCH, 'ten')
        self.page.one('.suggestions li', 'tenant:')
        self.page.one(SEARCH).send_keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.page.one('.suggestions li', 'tenant:acme')
        self.page.one(SEARCH).send_keys(Keys.ARROW_DOWN, Keys.TAB, 'type:ma')
        self.page.click('.suggestions li', 'type:mailing')
        self.page.until(lambda: self.page.one(SEARCH).get_attribute('value').strip() == 'tenant:acme type:mailing', 'both are typed')
        self.page.one(SEARCH).send_keys(Keys.ESCAPE, Keys.ENTER)
        self.page.until(lambda: 'tenant:acme type:mailing' in self.page.place, 'the search')

    def test_a_search_has_or_not_parentheses_and_parts_of_payloads(self):
        self.enqueue({'id': 'a', 'handlerType': 'mail', 'payload': {'order': {'no': 17}, 'sum': 9.5}},
                     {'id': 'b', 'handlerType': 'sms', 'payload': {'order': {'no': '17'}}, 'tenantId': 'acme'},
                     {'id': 'c', 'handlerType': 'fax', 'dueDate': 'P1D', 'payload': {'order': {'no': 18}, 'sum': 100}})
        self.page.open('jobs', place='all')
        for search, wanted in (('type:mail OR type:fax', 'ac'), ('(type:mail OR tenant:acme) -payload.sum', 'b'), ('NOT (type:mail OR type:sms)', 'c'),
                               ('-type:mail', 'bc'), ('payload.order.no:17', 'ab'), ('payload.sum>=9.5', 'ac'), ('payload.sum>9.5', 'c'), ('type:f* OR id:a', 'ac')):
            with self.subTest(search):
                self.page.go('jobs', place='all', search=search)
                self.page.until(lambda text=search: self.page.one(SEARCH).get_attribute('value') == text, 'the search')
                self.page.shows_rows(list(wanted))
        self.page.open('jobs', place='timer', search='payload.order.no>17')  # Sorted by the due date.
        self.page.shows_rows(['c'])

    def test_all_that_match_a_search_are_deleted_and_no_others(self):
        self.enqueue(*({'id': name, 'handlerType': kind, 'payload': {'order': n}} for name, kind, n in (('o-1', 'mail', 1), ('o-2', 'sms', 2), ('o-3', 'fax', 2))))
        self.page.open('jobs', place='executable', search='type:mail OR (type:sms payload.order:2)')
        self.page.shows_rows(['o-1', 'o-2'])
        self.page.click('thead input')
        self.page.click('.selection button', 'Select all that match')
        self.page.click('[data-deed=delete]')
        self.do('Delete 2 jobs')
        self.page.until(lambda: not self.page.is_there('o-1') and not self.page.is_there('o-2'), 'they are gone')
        self.assertTrue(self.page.is_there('o-3'))

    def test_mistakes_are_told_by_the_service_below_the_box(self):
        self.enqueue({'id': 'm-1', 'handlerType': 'mail'})
        self.page.open('jobs', place='executable', search='is:free tpye:mail')
        self.page.says('there is no key tpye; did you mean type?', '.mistakes')
        self.page.says('(character 9)', '.mistakes')
        self.assertEqual(self.page.all('.error'), [])
        self.page.click('.mistakes button', 'Use is:free type:mail')
        self.page.click('form[role=search] button[type=submit]')
        self.page.shows_rows(['m-1'])
        self.page.gone('.mistakes')
        for search, said in (('(type:a', 'this ( is not closed'), ('due:2h', 'due is a time'), ('due<whenever', 'whenever is no time'), ('priority:high', 'a whole number'),
                             ('is:lockd', 'is:locked or is:free'), ('-priority', 'every job has a value of priority'), ('tenant:', 'a value is missing behind tenant:'), ('type:a OR', 'a term is missing')):
            self.page.go('jobs', place='executable', search=search)
            self.page.says(said, '.mistakes')
        self.page.open('dead', search='tpye:mail')
        self.page.says('there is no key tpye', '.mistakes')
        self.assertEqual(self.page.all('.error'), [])
        self.page.open('jobs', place='done', search='type:a OR type:b')
        self.page.says('This list knows no OR', '.mistakes')
        self.page.ask('jobs/rm', {'place': 'executable', 'all': True, 'yes': True})

    def test_a_part_of_the_payload_is_completed_and_may_be_a_column(self):
        self.enqueue({'id': 'o-1', 'payload': {'order': {'no': 12345678901234567890}}}, {'id': 'o-2'})
        self.page.open('jobs', columns='id,payload.order.no')
        self.page.one('th', 'payload.order.no')
        self.page.one('td', '12345678901234567890')
        self.page.type(SEARCH, '(payload.or')
        self.page.click('.suggestions li', 'payload.order.no:')
        self.page.one(SEARCH).send_keys('12345678901234567890)', Keys.ESCAPE, Keys.ENTER)
        self.page.shows_rows(['o-1'])
        self.assertIn('search=(payload.order.no:12345678901234567890)', self.page.place)

    def test_columns_are_chosen(self):
        self.enqueue({'id': 'k-1', 'category': 'slow'})
        self.page.open('jobs')
        self.page.click('.list-head button', 'Columns')
        self.page.click('dialog input[name=category]')
        self.page.type('dialog input[name=path]', 'a.b')
        self.page.click('dialog button', 'Add')
        self.page.click('dialog footer button', 'Close')
        self.page.one('th', 'payload.a.b')
        self.page.one('td', 'slow')
        self.assertIn('columns=id,handlerType,createTime,priority,tenantId,lockOwner,category,payload.a.b', self.page.place)
        self.page.driver.execute_script('localStorage.clear()')

    def test_lists_are_sorted_where_the_service_sorts(self):
        self.enqueue(*({'id': f'n-{i}', 'priority': i} for i in (2, 3, 1)))
        self.page.open('jobs', place='executable')
        self.page.click('th button', 'Priority')
        self.page.shows_rows(['n-1', 'n-2', 'n-3'], is_ordered=True)
        self.page.click('th button', 'Priority')
        self.page.shows_rows(['n-3', 'n-2', 'n-1'], is_ordered=True)
        self.assertIn('sort=priority&order=desc', self.page.place)
        self.page.open('jobs', place='all')
        self.page.shows_rows(['n-1', 'n-2', 'n-3'])
        self.assertEqual(self.page.all('th button'), [])

    @chosen
    def test_pages_go_on_back_and_to_the_first(self):
        names = ids('h', 45)
        self.enqueue(*({'id': name, 'priority': 1} for name in names))
        for sort in ('', 'created'):
            self.page.open('jobs', place='executable', limit=20, **({'sort': sort} if sort else {}))
            self.page.shows_rows(names[:20], is_ordered=True)
            self.page.click('.pages button', 'Next page')
            self.page.shows_rows(names[20:40], is_ordered=True)
            self.page.click('.pages button', 'Next page')
            self.page.shows_rows(names[40:], is_ordered=True)
            self.page.gone('.pages button', 'Next page')
            self.page.click('.pages button', 'Previous page')
            self.page.shows_rows(names[20:40], is_ordered=True)
            self.page.click('.pages button', 'First page')
            self.page.shows_rows(names[:20], is_ordered=True)
        self.page.says('answered in', '[data-took]')

    def test_a_slow_answer_can_be_given_up(self):
        self.enqueue({'id': 'l-1'})
        self.page.open('jobs')
        self.page.shows_rows(['l-1'])
        self.page.driver.execute_script('''
            const real = fetch;
            window.fetch = (url, how) => !String(url).includes('tenant%3Aslow') ? real(url, how)
                : new Promise((_, refuse) => how.signal.addEventListener('abort', () => refuse(new DOMException('', 'AbortError'))));''')
        self.page.type(SEARCH, 'tenant:slow' + Keys.ENTER)
        self.page.click('main p[role=status] button', 'Cancel')
        self.page.says('Nobody waits for the answer any more.')

    # Jobs: many at once

    def test_rows_are_selected_by_click_range_and_key(self):
        names = ids('r', 6)
        self.enqueue(*({'id': name} for name in names))
        self.page.open('jobs')
        self.page.shows_rows(names)
        self.page.click('tr[data-key=r-01] input')
        self.page.says('1 job selected', '.selection')
        self.page.driver.execute_script('''
            document.querySelector('tr[data-key="r-04"] input').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: true}))''')
        self.page.says('4 jobs selected', '.selection')
        self.page.click('.selection button', 'Select none')
        self.page.gone('.selection')
        self.blur()
        self.page.press('j', 'j', 'x')
        self.page.says('1 job selected', '.selection')
        self.assertTrue(self.page.one('tr[data-key=r-01] input').is_selected())
        self.blur()
        self.page.press(Keys.ENTER)
        self.page.one('h1', 'r-01')

    @chosen
    def test_all_that_match_are_changed_after_a_dry_run_by_type(self):
        names = ids('u', 25)
        self.enqueue(*({'id': name, 'handlerType': 'mail' if i % 5 else 'sms', 'tenantId': 'acme'} for i, name in enumerate(names)), {'id': 'other', 'tenantId': 'umbra'})
        self.page.open('jobs', place='executable', search='tenant:acme', limit=20)
        self.page.shows_rows(names[:20])
        self.page.click('thead input')
        self.page.says('20 jobs selected', '.selection')
        self.page.click('.selection button', 'Select all that match')
        self.page.click('[data-deed=priority]')
        self.page.says('25 jobs', 'dialog .about')
        self.assertEqual(self.page.text('dialog tr[data-type=mail]').split(), ['mail', '20'])
        self.assertEqual(self.page.text('dialog tr[data-type=sms]').split(), ['sms', '5'])
        command = self.page.one('dialog button[title^=jobstrand]').get_attribute('title')
        self.assertIn('jobstrand job set --place executable --where tenant:acme', command)
        self.do('Set the priority of 25 jobs', reason='month end', priority='9')
        self.page.says('25 jobs set', '.toasts')
        self.assertEqual((self.job('u-00')['priority'], self.job('u-24')['priority'], self.job('other')['priority']), (9, 9, 0))
        self.assertEqual(self.page.ask('audit?limit=1')[0]['reason'], 'month end')

    def test_those_selected_are_suspended_activated_cancelled_and_deleted(self):
        names = ids('i', 4)
        self.enqueue(*({'id': name} for name in names))
        self.page.open('jobs', place='executable')
        self.page.shows_rows(names)
        for name in names[:2]:
            self.page.click(f'tr[data-key={name}] input')
        self.page.click('.selection [data-deed=suspend]')
        self.do('Suspend 2 jobs')
        self.page.until(lambda: self.job('i-00')['place'] == self.job('i-01')['place'] == 'suspended', 'both are suspended')
        self.page.open('jobs', place='suspended')
        self.page.click('thead input')
        self.page.click('.selection button', 'Select all that match')
        self.page.click('.selection [data-deed=activate]')
        self.do('Activate 2 jobs')
        self.page.until(lambda: self.job('i-01')['place'] == 'executable', 'it is activated')
        self.page.open('jobs', place='executable', search='-locked')
        self.page.shows_rows(names)
        self.page.click('tr[data-key=i-02] input')
        self.page.click('.selection [data-deed=cancel]')
        self.page.until(lambda: self.page.one('dialog footer button[type=submit]').is_enabled(), 'it may be done')
        self.page.click('dialog footer button[type=submit]')
        self.page.says('Say why', 'dialog .error')
        self.do('Cancel it', reason='ordered twice')
        self.page.until(lambda: 'ordered twice' in (self.job('i-02')['exceptionMessage'] or ''), 'the dead letter says why')
        self.page.open('jobs', place='executable')
        self.page.click('tr[data-key=i-03] input')
        self.page.click('.selection [data-deed=delete]')
        self.do('Delete it')
        self.page.until(lambda: not self.page.is_there('i-03'), 'it is gone')
        self.assertTrue(self.page.is_there('i-00'))

    def test_timers_that_match_are_fired_and_rescheduled(self):
        self.enqueue({'id': 'j-1', 'dueDate': 'P1D', 'tenantId': 'acme'}, {'id': 'j-2', 'dueDate': 'P1D'})
        self.page.open('jobs', place='timer', search='tenant:acme')
        self.page.click('thead input')
        self.page.click('.selection button', 'Select all that match')
        self.page.click('.selection [data-deed=fire]')
        self.do('Run now 1 job')
        self.page.until(lambda: self.job('j-1')['place'] == 'executable', 'it has been fired')
        self.page.open('jobs', place='timer')
        self.page.shows_rows(['j-2'])
        self.page.click('tr[data-key=j-2] input')
        self.page.click('.selection [data-deed=reschedule]')
        self.do('Reschedule it', due='2037-05-01T10:00:00Z')
        self.page.until(lambda: self.job('j-2')['dueDate'].startswith('2037-05-01'), 'it is due then')

    # A job

    def test_a_job_shows_its_payload_with_all_digits_and_why_it_does_not_run(self):
        self.enqueue({'id': 'job 1', 'tenantId': 'acme', 'payload': {'big': 12345678901234567890, 'deep': {'list': [1, 'two']}}})
        self.page.open('job/job%201')
        self.page.one('h1', 'job 1')
        self.page.says('12345678901234567890', '.json')
        self.page.says('"two"', '.json')
        self.page.says('nobody', '[data-why]')
        self.page.one('h2', 'Why does it not run?')
        self.assertEqual(self.page.text('[data-fact=tenantId]'), 'acme')
        copied = [each.get_attribute('title') for each in self.page.all('.view-head button[title]')]
        self.assertIn("jobstrand job show 'job 1'", copied)
        self.assertTrue(any(text.startswith('curl ') and '/api/v1/jobs/job%201' in text for text in copied))

    def test_each_job_that_waits_has_a_why(self):
        self.enqueue({'id': 'asked'})
        self.dead('fail', ['not-asked'])
        self.page.open('jobs', place='all')
        self.page.shows_rows(['asked', 'not-asked'])
        self.assertEqual(self.page.texts('tr[data-key=not-asked] a'), ['not-asked'])
        self.page.click('tr[data-key=asked] a', 'why?')
        self.page.says('nobody', '[data-why]')

    def test_a_job_shows_its_attempts_with_message_node_and_output(self):
        self.enqueue({'id': 'retried', 'handlerType': 'command', 'payload': {'command': 'fail'}, 'retries': 3, 'retryCycle': 'R3/PT10M'})
        self.page.until(lambda: self.job('retried')['attempts'] == 1, 'it has failed')
        self.page.open('job/retried')
        self.page.one('[data-event=created]')
        self.page.one('[data-event=failed]', 'Attempt 1 failed')
        self.page.says('command fail failed with exit code 3', '[data-event=failed]')
        self.page.one('[data-event=failed] button', 'on ')
        self.page.click('[data-event=failed] button', 'Show its output')
        self.page.says('at Mail.send(Mail.java:17)', '[data-event=failed] pre')
        self.page.one('.timeline .next', 'in ')
        self.page.says('next attempt is due', '[data-why=not_due]')
        self.page.click('.deeds [data-deed=fire]')
        self.do('Run it now')
        self.page.one('[data-event=failed]', 'Attempt 2 failed')

    def test_each_deed_that_fits_is_offered_and_done(self):
        self.enqueue({'id': 'deeds', 'payload': {'a': 1}})
        self.page.open('job/deeds')
        self.page.one('.deeds [data-deed=suspend]')
        self.assertEqual(self.page.all('.deeds [data-deed=fire], .deeds [data-deed=activate], .deeds [data-deed=requeue]'), [])
        for deed, label, fields, is_done in (('priority', 'Set the priority', {'priority': '4'}, lambda job: job['priority'] == 4),
                                             ('retries', 'Set the retries', {'retries': '8'}, lambda job: job['retries'] == 8),
                                             ('payload', 'Change the payload', {'payload': '{"exact": 1.50}'}, lambda job: job['payload'] == {'exact': 1.5}),
                                             ('reschedule', 'Reschedule it', {'due': 'in 3 days'}, lambda job: job['place'] == 'timer'),
                                             ('suspend', 'Suspend it', {}, lambda job: job['place'] == 'suspended'),
                                             ('activate', 'Activate it', {}, lambda job: job['place'] == 'timer'),
                                             ('fire', 'Run it now', {}, lambda job: job['place'] == 'executable')):
            with self.subTest(deed):
                self.page.click(f'.deeds [data-deed={deed}]')
                self.do(label, **fields)
                self.page.until(lambda done=is_done: done(self.job('deeds')), deed)
        self.page.says('1.50', '.json')
        self.page.click('.deeds [data-deed=payload]')
        self.page.type('dialog textarea', '{')
        self.page.says('This is no JSON', 'dialog')
        self.page.click('dialog footer button', 'Cancel')
        self.page.click('.deeds [data-deed=cancel]')
        self.do('Cancel it', reason='enough')
        self.page.click('.deeds [data-deed=requeue]')
        self.do('Requeue it', retries='2')
        self.page.until(lambda: self.job('deeds')['place'] == 'executable', 'it is requeued')
        self.page.click('.deeds [data-deed=delete]')
        self.do('Delete it')
        self.page.says('This job is not there', 'main')
        self.page.one('[data-event=created]')

    def test_a_dialog_stays_where_its_job_goes_elsewhere(self):
        self.enqueue({'id': 'moves'})
        self.page.open('job/moves')
        self.page.click('.deeds [data-deed=suspend]')
        self.page.type('dialog input[name=reason]', 'a look')
        self.page.ask('jobs/set', {'ids': ['moves'], 'due': 'in 3 days'})
        self.page.until(lambda: 'Timers' in self.page.driver.execute_script('return document.querySelector("main .badge").innerText'), 'the page has noticed')
        self.assertEqual(self.page.one('dialog input[name=reason]').get_property('value'), 'a look')
        self.do('Suspend it')
        self.page.until(lambda: self.job('moves')['place'] == 'suspended', 'it is suspended')

    def test_what_is_refused_is_told_where_it_was_asked(self):
        self.enqueue({'id': 'turn', 'repeat': 'R/PT1H', 'dueDate': 'P1D'})
        self.page.open('job/turn')
        self.page.click('.deeds [data-deed=delete]')
        self.page.click('dialog footer button', 'Delete it')
        self.page.says('series', 'dialog .error')
        self.page.click('dialog footer button', 'Cancel')
        self.page.ask('series/end', {'keys': ['turn']})

    def test_a_job_that_runs_can_only_be_stopped(self):
        self.enqueue({'id': 'running', 'handlerType': 'command', 'payload': {'command': 'slow'}})
        self.page.until(lambda: self.job('running')['lockOwner'], 'it runs')
        self.page.open('job/running')
        self.page.one('h2', 'What does it do?')
        self.page.until(lambda: [each.get_attribute('data-deed') for each in self.page.all('.deeds button')] == ['suspend', 'cancel'], 'two deeds')
        self.page.click('.deeds [data-deed=cancel]')
        self.do('Cancel it', reason='too long')
        self.page.until(lambda: self.job('running')['place'] == 'dead', 'it is a dead letter')

    def test_a_job_that_runs_shows_how_far_it_is(self):
        self.enqueue({'id': 'far', 'handlerType': 'letters', 'external': True})
        held = self.page.ask('external-jobs/acquire', {'worker': 'w-1', 'topics': ['letters']})['items'][0]
        named = {'id': 'far', 'revision': held['revision']}

        def tell(**news):
            self.page.ask('external-jobs/progress', {'worker': 'w-1', 'jobs': [{**named, **news}]})
        tell(progress=0.4, note='page 4 of 10', lines=['reading', '<b>writing</b>'])
        self.page.open('job/far')
        self.page.until(lambda: self.page.one('[role=progressbar]').get_attribute('aria-valuenow') == '40', 'so far it is')
        self.page.says('page 4 of 10', '[data-news=note]')
        self.page.says('reading\n<b>writing</b>', '[data-news=lines]')
        tell(progress=0.9, note='page 9 of 10')
        self.page.until(lambda: self.page.one('[role=progressbar]').get_attribute('aria-valuenow') == '90', 'it goes on without a reload')
        self.page.ask('external-jobs/finish', {'worker': 'w-1', 'results': [named]})
        self.page.gone('[role=progressbar]')

    def test_nothing_that_a_producer_has_stored_runs(self):
        evil = '<img src=x onerror="window.owned=1">'
        self.enqueue({'id': evil, 'handlerType': evil, 'tenantId': evil, 'payload': {evil: evil}, 'category': evil})
        for place, query in (('jobs', {'columns': 'id,handlerType,payload,category'}), ('', {}), ('log', {})):
            self.page.open(place, **query)
            self.page.says('<img src=x', 'main')
        self.page.open('jobs')
        self.page.click('td a')
        self.page.one('h1', evil)
        self.page.one('.json', evil)
        self.assertEqual(self.page.driver.find_elements(By.CSS_SELECTOR, 'img'), [])
        self.assertIsNone(self.page.driver.execute_script('return window.owned'))

    # The job log

    def test_the_job_log_is_filtered_and_shows_output(self):
        self.dead('fail', ['lost'])
        self.enqueue({'id': 'made'})
        self.page.open('log', search='event:failed job:lost')
        self.page.until(lambda: len(self.page.rows()) == 1, 'one line')
        self.page.click('main td button', 'Show its output')
        self.page.says('java.io.IOException', 'dialog pre')
        self.page.click('dialog header button')
        self.page.type(SEARCH, 'job:made' + Keys.ENTER)
        self.page.one('td', 'created')
        self.page.one('td a', 'made')
        self.page.open('log', search='time>1h time<"1h ago" job:made')
        self.page.says('The job log is empty, or nothing in it matches.')
        self.page.type(SEARCH, 'event:died')
        self.page.says('event is one of created, failed', '.mistakes')
        self.page.type(SEARCH, 'job:a job:b')
        self.page.says('job may be said once.', '.mistakes')

    # For every reader

    def test_readers_see_no_deeds(self):
        self.dead('fail', ['seen'])
        self.enqueue({'id': 'read-1'})
        self.as_reader()
        for place, shown in (('jobs', 'read-1'), ('dead', 'seen'), ('job/read-1', 'Why does it not run?'), ('job/seen', 'Last failure'), ('log', 'read-1')):
            self.page.open(place)
            self.page.says(shown, 'main')
            self.assertEqual(self.page.all('[data-deed], tbody input[type=checkbox]'), [], place)

    def test_no_view_scrolls_sideways_on_a_phone(self):
        self.dead('fail', ids('phone', 2))
        self.enqueue({'id': 'w' * 60, 'handlerType': 'v' * 100, 'payload': {'x' * 80: 'y' * 200}})
        self.page.width(360)
        self.page.open()
        for place, shown in (('', '.problems'), ('dead', 'tr[data-key]'), ('jobs', 'tr[data-key]'), ('job/' + 'w' * 60, '.json'), ('job/phone-00', '.timeline li'), ('log', 'tr[data-key]')):
            self.page.go(place)
            self.page.one(shown)
            self.assertFalse(self.page.scrolls_sideways(), place)


SERVICES = [Tested((JobsViews,), CONFIG)]

if __name__ == '__main__':
    sys.exit(run_all(SERVICES, sys.argv))
