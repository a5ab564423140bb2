#!/usr/bin/env python3
"""The frame of all views: for every hand and eye, behind any prefix, for nobody who may not, with no script of others.

Usage: frame_test.py PATH_OF_JOBSTRAND [DATABASE] [DEV_SERVER] [TEST...]

With JOBSTRAND_TEST_PACKAGES, a folder, axe is installed there.
"""
import http.client
import http.server
import os
import subprocess
import sys
import threading
import unittest
import urllib.parse
from contextlib import contextmanager

import browser
import page_packages

VIEWS = ('', 'dead', 'jobs', 'jobs?place=timer', 'jobs?place=done', 'jobs?place=all&search=type:', 'job/bad', 'job/later', 'series', 'series/nightly', 'series?show=groups',
         'series?show=calendars', 'series?show=try&expression=R/PT10M', 'types', 'types/http', 'types?show=limits', 'nodes', 'batches', 'incidents', 'incidents?show=each',
         'incidents/bad', 'log', 'audit', 'doctor', 'settings')
SCRIPT = '"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

# What axe checks; a finding names its rule and elements.
AXE = """
const [rules, done] = arguments;
axe.run(document, {runOnly: rules, resultTypes: ['violations'], selectors: false}).then(
  (result) => done(result.violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.html.slice(0, 160) + ' ' + node.any.map((one) => one.message).join()).slice(0, 3).join(' | '))),
  (error) => done([String(error)]));
"""

# What axe does not ask for: each table says what it is, and what becomes of a deed is read out.
UNTOLD = """
return [...document.querySelectorAll('table:not(:has(> caption), [aria-hidden="true"] *)')].map((each) => 'no caption: ' + each.outerHTML.slice(0, 160))
  .concat(document.querySelector('.toasts[role="status"][aria-live="polite"]') ? [] : ['nobody is told of deeds']);"""

ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
COLOUR_RULES = ['color-contrast', 'link-in-text-block']
# All colours of a theme.
COLOURS = """
const style = getComputedStyle(document.documentElement);
return Object.fromEntries(['--page', '--card', '--text', '--quiet', '--line', '--accent', '--on-accent', '--good', '--warn', '--bad', '--good-back', '--warn-back',
  '--bad-back', '--held', '--blue', '--violet', 'color-scheme', 'background-color'].map((name) => [name, style.getPropertyValue(name)]));"""
# What a browser sends for any site without asking: the answer cannot be read there, but the deed would be done.
FORGED = """
const [to, done] = arguments;
fetch(to, {method: 'POST', mode: 'no-cors', credentials: 'include', body: JSON.stringify({all: true, yes: true})}).then(done, done);"""
FRAMED = """
const [to, done] = arguments;
const frame = document.createElement('iframe');
frame.onload = () => done();
frame.src = to;
document.body.append(frame);"""
THEME = 'button[aria-label^="Theme"]'


def live_jobs(page):
    """Jobs in each place, with a text that would run if it were no text."""
    page.ask('jobs', [
        {'handlerType': 'noop', 'id': 'later', 'dueDate': 'P1D', 'payload': {'html': SCRIPT, 'big': 12345678901234567890}, 'tenantId': SCRIPT},
        {'handlerType': SCRIPT, 'id': 'nobody', 'payload': SCRIPT},
        {'handlerType': SCRIPT, 'id': 'cancelled'},
        {'handlerType': 'noop', 'id': 'held', 'dueDate': 'P1D', 'processInstanceId': SCRIPT[:60]},
        {'handlerType': 'http', 'id': 'bad', 'payload': {'note': SCRIPT}},
        {'handlerType': 'invoice', 'id': 'outside', 'external': True},
        {'handlerType': 'noop', 'id': 'night', 'repeat': '0 30 2 ? * MON-FRI', 'series': 'nightly'},
        {'handlerType': 'noop', 'id': 'turn', 'repeat': '0 30 2 ? * MON-FRI', 'series': SCRIPT[:50]},
    ])
    page.ask('jobs/suspend', {'ids': ['held']})
    page.ask('jobs/cancel', {'ids': ['cancelled'], 'reason': SCRIPT})
    page.ask('limits/type:http', {'concurrent': 7}, 'PUT')
    page.until(lambda: page.ask('stats')['places']['dead'] == 2, 'two dead letters')


class FrameTest(unittest.TestCase):
    page = None
    axe = None

    @classmethod
    def setUpClass(cls):
        live_jobs(cls.page)
        folder = os.environ.get('JOBSTRAND_TEST_PACKAGES')
        try:
            cls.axe = (page_packages.installed(folder) / 'axe-core/axe.min.js').read_text() if folder else None
        except page_packages.clients.CannotInstall as reason:
            print('without axe:', reason)

    def test_axe_finds_nothing_in_any_view_and_theme(self):
        if self.axe is None:
            self.skipTest('axe-core could not be installed')
        page = self.page
        page.open()
        page.driver.execute_script(self.axe)
        found = {}
        for view in VIEWS:
            page.show(view)
            untold = page.driver.execute_script(UNTOLD)
            if untold:
                found[view or 'home'] = untold
            # The other theme has other colours and nothing else; the third is one of these two, as the next test shows.
            for system, rules in (('light', ALL_RULES), ('dark', COLOUR_RULES)):
                self.system(system)
                page.until(lambda theme=system: page.driver.execute_script(COLOURS)['color-scheme'] == theme, system)
                findings = page.driver.execute_async_script(AXE, rules)
                if findings:
                    found[f'{view or "home"}, {system}'] = findings
        self.assertEqual(found, {})

    def test_a_chosen_theme_stays_whatever_the_system_says(self):
        page = self.page

        def colours():
            return page.driver.execute_script(COLOURS)

        def of_system(theme):
            self.system(theme)
            page.until(lambda: colours()['color-scheme'] == theme, f'as the system, which is {theme}')
            return colours()

        page.open()
        light, dark = of_system('light'), of_system('dark')
        self.assertEqual([name for name in light if not light[name]], [])
        self.assertNotEqual(light['background-color'], dark['background-color'])
        for theme, chosen in (('light', light), ('dark', dark)):
            page.click(THEME)
            page.one(f'button[aria-label="Theme: {theme}"]')
            page.open('jobs')
            for system in ('light', 'dark'):
                self.system(system)
                self.assertEqual(colours(), chosen, f'{theme} where the system is {system}')
        page.click(THEME)
        page.one('button[aria-label="Theme: as the system"]')
        self.assertEqual((of_system('light'), of_system('dark')), (light, dark))

    def test_no_view_scrolls_sideways_at_360_pixels(self):
        page = self.page
        page.width(360, 740)
        try:
            wide = []
            page.open()
            for view in VIEWS:
                page.show(view)
                if page.scrolls_sideways():
                    wide.append(view or 'home')
            self.assertEqual(wide, [])
            page.open()
            page.click('button.menu-button')
            page.click('nav.menu a', 'Jobs')
            page.one('main h1', 'Jobs')
        finally:
            page.width(1280)

    def test_what_a_producer_says_is_text_and_never_runs(self):
        page = self.page
        page.open()
        page.mistakes()
        for view in (*VIEWS, 'job/nobody', 'job/cancelled', 'jobs?place=dead', 'jobs?' + urllib.parse.urlencode({'search': SCRIPT})):
            page.show(view)
            self.assertIsNone(page.driver.execute_script('return window.hacked ?? null'), view)
            self.assertEqual(page.mistakes(), [], view)
        asked = page.driver.execute_script('return performance.getEntriesByType("resource").map((each) => each.name)')
        self.assertEqual([each for each in asked if not each.startswith(page.origin + '/')], [], 'asked elsewhere')
        page.open('job/nobody')
        page.says('onerror')

    def test_keys_lead_everywhere(self):
        page = self.page
        page.open()
        page.press('g', 'd')
        page.one('main h1', 'Dead letters')
        page.press('?')
        page.one('dialog h2', 'Keys')
        page.press(browser.Keys.ESCAPE)
        page.gone('dialog')
        page.driver.execute_script('document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true}))')
        page.type('dialog input', 'audi')
        page.one('dialog input').send_keys(browser.Keys.ENTER)
        page.one('main h1', 'Audit')
        page.press('g', 'j')
        page.one('main h1', 'Jobs')
        page.press('/')
        page.until(lambda: page.driver.execute_script('return document.activeElement.type') == 'search', 'the search has the focus')

    def test_a_dialog_opened_as_another_closes_stays(self):
        page = self.page
        page.open()
        page.press('?')
        page.one('dialog h2', 'Keys')
        page.driver.execute_script('document.querySelector("dialog").close(); dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true}))')
        page.gone('dialog h2', 'Keys')
        # The event of the first one's end has come by the next drawing.
        page.driver.execute_async_script('requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))')
        self.assertEqual(page.texts('dialog h2'), ['Go to'])

    def test_a_link_is_followed_from_the_first_drawing_on(self):
        page = self.page
        follow = '''new MutationObserver((_, observer) => {
            if (document.querySelector("main h1")) { observer.disconnect(); location.hash = "#/audit"; }
        }).observe(document, {childList: true, subtree: true});'''
        script = page.driver.execute_cdp_cmd('Page.addScriptToEvaluateOnNewDocument', {'source': follow})
        try:
            page.open('jobs')
            page.one('main h1', 'Audit')
        finally:
            page.driver.execute_cdp_cmd('Page.removeScriptToEvaluateOnNewDocument', script)

    def test_it_is_live_until_it_is_paused_and_says_when_it_is_cut(self):
        page = self.page
        page.open()
        timers = int(page.text('[data-place="timer"]').replace(',', ''))
        page.one('.live', 'Live')
        page.ask('jobs', [{'handlerType': 'noop', 'dueDate': 'P1D'}])
        page.until(lambda: page.text('[data-place="timer"]') == f'{timers + 1:,}', 'one timer more')
        page.click('button.live')
        page.one('.live', 'Paused')
        page.click('button.live')
        page.one('.live', 'Live')
        # Nothing reaches the service any more.
        page.driver.execute_cdp_cmd('Network.enable', {})
        offline = {'offline': True, 'latency': 0, 'downloadThroughput': 0, 'uploadThroughput': 0}
        page.driver.execute_cdp_cmd('Network.emulateNetworkConditions', offline)
        try:
            page.click('button.live')
            page.click('button.live')
            page.one('.live', 'Cut off')
        finally:
            page.driver.execute_cdp_cmd('Network.emulateNetworkConditions', {**offline, 'offline': False, 'downloadThroughput': -1, 'uploadThroughput': -1})
        page.one('.live', 'Live')

    def test_it_rests_while_it_is_hidden(self):
        page = self.page
        page.open()
        page.one('.live', 'Live')
        hide = 'Object.defineProperty(document, "hidden", {configurable: true, value: arguments[0]}); document.dispatchEvent(new Event("visibilitychange"))'
        page.driver.execute_script(hide, True)
        page.one('button.live.hidden', 'Paused')
        timers = page.text('[data-place="timer"]')
        page.ask('jobs', [{'handlerType': 'noop', 'id': 'unseen', 'dueDate': 'P1D'}])
        page.until(lambda: page.ask('stats')['places']['timer'] == int(timers) + 1, 'one timer more')
        self.assertEqual(page.text('[data-place="timer"]'), timers)
        page.driver.execute_script(hide, False)
        page.one('.live', 'Live')
        page.until(lambda: page.text('[data-place="timer"]') == str(int(timers) + 1), 'it is shown now')

    def test_another_site_can_neither_send_a_deed_nor_frame_it(self):
        page = self.page
        with foreign_site() as site:
            page.driver.get(site)
            page.driver.execute_async_script(FORGED, page.service + '/api/v1/dead/rm')
            page.driver.execute_async_script(FRAMED, page.origin + '/')
            page.driver.switch_to.frame(0)
            self.assertEqual(page.driver.find_elements(browser.By.CSS_SELECTOR, 'script[src*="page.js"]'), [])
            page.driver.switch_to.default_content()
        self.assertIn('frame-ancestors', ''.join(page.mistakes()))
        self.assertEqual(page.ask('stats')['places']['dead'], 2)

    def test_any_prefix_may_stand_before_it(self):
        page = self.page
        with behind_a_prefix(page.service) as origin:
            page.driver.get(origin + '/ops/jobstrand/#/jobs')
            page.one('main h1', 'Jobs')
            page.one('.live', 'Live')
            self.assertEqual(page.mistakes(), [])

    def test_the_first_paint_takes_less_than_200_kb(self):
        page = self.page
        page.driver.execute_cdp_cmd('Network.enable', {})
        page.driver.execute_cdp_cmd('Network.clearBrowserCache', {})
        page.open()
        sizes = page.driver.execute_script(
            'return performance.getEntries().filter((each) => each.transferSize && !each.name.includes("/api/"))'
            '.map((each) => [each.name, each.transferSize])')
        self.assertGreaterEqual(len(sizes), 3)
        self.assertLess(sum(size for _, size in sizes), 200_000, sizes)

    def system(self, theme):
        self.page.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': theme}]})


class TokensTest(unittest.TestCase):
    """A service with tokens."""
    page = None
    tokens = {}
    file = ''
    hidden = 'iban'

    @classmethod
    def config(cls, folder):
        cls.file = f'{folder}/tokens'
        cls.tokens = {}
        for name, role in (('look', 'read'), ('short', 'admin')):
            made = subprocess.run([sys.argv[1], 'token', 'make', name, '--role', role, '--file', cls.file], capture_output=True, text=True,
                                  timeout=browser.PATIENCE_S, check=True)
            cls.tokens[name] = made.stdout.strip()
        return f'httpTokenFile = "{cls.file}"\nhttpHiddenMembers = ["{cls.hidden}"]\n'

    def sign_in(self, name, place):
        self.page.driver.get(f'{self.page.origin}/#/{place}')
        self.page.type('input[type="password"]', self.tokens[name])
        self.page.click('button[type="submit"]')

    def sign_out(self):
        self.page.click('button', 'Sign out')
        self.page.one('input[type="password"]')

    def test_a_reader_signs_in_and_sees_no_deed(self):
        page = self.page
        page.driver.get(page.origin + '/#/dead')
        page.type('input[type="password"]', 'jst_' + 'x' * 43)
        page.click('button[type="submit"]')
        page.says('no token of this service')
        page.type('input[type="password"]', self.tokens['look'])
        page.click('button[type="submit"]')
        page.one('main h1', 'Dead letters')
        page.says('look', '.who')
        self.assertEqual(page.driver.execute_script('return document.cookie + JSON.stringify(localStorage)').count('jst_'), 0)
        self.assertGreater(len(page.texts('main button')), 0)
        deeds = ('Requeue', 'Delete', 'Suspend', 'Activate', 'Cancel job', 'Drain', 'Run now', 'Pause type', 'Set limit', 'Resolve', 'Fire')
        for view in VIEWS:
            page.show(view)
            shown = page.texts('main button')
            self.assertEqual([each for each in shown if each.startswith(deeds)], [], view)
        self.sign_out()
        page.driver.get(page.origin + '/#/jobs')
        page.one('input[type="password"]')

    def test_a_reader_sees_no_member_that_is_hidden(self):
        page = self.page
        page.jobstrand('job', 'add', '--type', 'noop', '--id', 'masked', '--due', '2037-01-01', '--payload', '{"iban": "DE02120300000000202051", "order": 17}')
        self.sign_in('look', 'job/masked')
        page.says('17', '.json')
        page.says('***', '.json')
        self.assertNotIn('DE02', page.driver.page_source)
        self.sign_out()

    def test_who_has_signed_in_elsewhere_is_known_by_what_a_proxy_shows(self):
        page = self.page
        with behind_a_prefix(page.service, self.tokens['look']) as origin:
            page.driver.get(origin + '/ops/jobstrand/#/dead')
            page.one('main h1', 'Dead letters')
            page.says('look', '.who')
            page.one('.live', 'Live')
            self.assertEqual(page.all('input[type="password"], [data-deed]') + page.all('button', 'Sign out'), [])

    def test_a_session_ends_with_its_token(self):
        page = self.page
        page.driver.get('about:blank')  # Whatever is still under way there.
        self.sign_in('short', 'jobs')
        page.one('main h1', 'Jobs')
        subprocess.run([sys.argv[1], 'token', 'revoke', 'short', '--file', self.file], capture_output=True, timeout=browser.PATIENCE_S, check=True)
        page.says('ended or was revoked')
        page.one('input[type="password"]')


class HiddenPayloadsTest(TokensTest):
    """A service that shows readers no payloads."""
    hidden = '*'

    def test_a_reader_sees_no_payload_where_all_are_hidden(self):
        page = self.page
        page.jobstrand('job', 'add', '--type', 'noop', '--id', 'masked', '--due', '2037-01-01', '--payload', '{"order": 17017}')
        self.sign_in('look', 'job/masked')
        page.says('***', '.json')
        page.show('jobs', place='timer', columns='id,payload.order')
        page.one('td', 'masked')
        self.assertNotIn('17017', page.driver.page_source)
        self.sign_out()


class EnginesTest(unittest.TestCase):
    """A service with two engines."""
    page = None
    ports = browser.databases.free_port(), browser.databases.free_port()

    def test_the_page_of_one_leads_to_that_of_the_other(self):
        page = self.page
        page.driver.get(f'http://127.0.0.1:{self.ports[0]}/#/jobs')
        page.one('main h1', 'Jobs')
        page.until(lambda: page.all('select.engines option', 'orders'), 'the other engine')
        page.click('select.engines option', 'orders')
        page.until(lambda: page.driver.current_url == f'http://127.0.0.1:{self.ports[1]}/#/jobs', 'its page')
        page.one('main h1', 'Jobs')
        self.assertEqual(page.driver.execute_script('return document.querySelector("select.engines").value'), 'orders')


class Prefixed(http.server.BaseHTTPRequestHandler):
    """A proxy that has the service below /ops/jobstrand/, and may show a token for those whom it knows."""
    protocol_version = 'HTTP/1.0'
    service = ''
    token = None

    def forward(self):
        if not self.path.startswith('/ops/jobstrand/'):
            self.send_error(404)
            return
        behind = http.client.HTTPConnection(self.service, timeout=browser.PATIENCE_S)
        length = int(self.headers.get('Content-Length') or 0)
        headers = {**self.headers, **({'Authorization': f'Bearer {self.token}'} if self.token else {})}
        behind.request(self.command, self.path[len('/ops/jobstrand'):], self.rfile.read(length) or None, headers)
        answer = behind.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ('connection', 'transfer-encoding', 'date', 'server'):
                self.send_header(name, value)
        self.end_headers()
        try:
            while part := answer.read1(65536):
                self.wfile.write(part)
                self.wfile.flush()
        except OSError:
            pass  # The browser has gone on.
        finally:
            behind.close()

    do_GET = do_POST = do_PUT = do_DELETE = forward

    def log_message(self, *_):
        pass


@contextmanager
def foreign_site():
    """Another origin, as the page of an attacker would be."""
    class Empty(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header('Content-Type', 'text/html')
            self.end_headers()
            self.wfile.write(b'<!doctype html><title>x</title>')

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Empty) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f'http://127.0.0.1:{server.server_port}/'
        server.shutdown()


@contextmanager
def behind_a_prefix(service, token=None):
    Prefixed.service, Prefixed.token = service.removeprefix('http://'), token
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Prefixed) as proxy:
        proxy.daemon_threads = True
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield f'http://127.0.0.1:{proxy.server_port}'
        proxy.shutdown()


ENGINES = f'[engines.orders]\ndb = "sqlite:FOLDER/orders.db"\ncreate = true\nhttpListen = "127.0.0.1:{EnginesTest.ports[1]}"\n'
SERVICES = [browser.Tested((FrameTest,)), browser.Tested((TokensTest,), TokensTest.config), browser.Tested((HiddenPayloadsTest,), HiddenPayloadsTest.config),
            browser.Tested((EnginesTest,), ENGINES, f'127.0.0.1:{EnginesTest.ports[0]}')]

if __name__ == '__main__':
    sys.exit(browser.run_all(SERVICES, sys.argv))
