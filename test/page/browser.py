"""The page in a headless Chromium, on a service of its own.

A test is called with the path of jobstrand, and behind it, in any order: a database (sqlite, postgresql or mysql, of
which a server is started), the script of a server that shows the page while it is written (tools/page/dev.mjs),
`chosen` (only the tests that are @chosen), and names of tests. `run_all(SERVICES, sys.argv)` does it.
Needs Debian's python3-selenium, chromium and chromium-driver.
"""
import atexit
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

try:
    from selenium import webdriver
    from selenium.common.exceptions import (ElementClickInterceptedException, ElementNotInteractableException,
                                            JavascriptException, StaleElementReferenceException, TimeoutException)
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print('skipped: there is no selenium here')
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'fixtures'))
import databases  # noqa: E402

PATIENCE_S = 30  # Beyond this something hangs; nothing is measured.
DRIVER = Path('/usr/bin/chromedriver')
SKIPPED = 77
LOG_READY = b' clock_skew_ms='
SQL = {'sqlite': ['sqlite3', '-bail', '-cmd', '.timeout 30000', 'jobs.db'], 'mysql': ['mariadb', '-N', 'jobs'], 'postgresql': ['psql', '-qAtX', '-v', 'ON_ERROR_STOP=1', 'jobs']}

# Those that a reader sees, in one question: one for each element takes most of the time of a test.
SEEN = '''
const [css, text] = arguments;
const isSeen = (each) => each.checkVisibility({visibilityProperty: true}) && each.getClientRects().length > 0;
return [...document.querySelectorAll(css)].filter((each) => isSeen(each.closest('select') ?? each) && (text === null || (each.innerText ?? each.textContent).includes(text)));'''
# Goes to where a link leads.
GO = '''
const [to, done] = arguments;
if (new URL(to, location.href).hash === location.hash) {
  done();
} else {
  addEventListener('hashchange', () => requestAnimationFrame(() => requestAnimationFrame(() => done())), {once: true});
  location.hash = to;
}'''


class Page:
    """A browser that shows the page, and the service behind it."""

    def __init__(self, driver, origin, service=None, jobstrand=None, sql=None, folder='.'):
        self.driver = driver
        self.origin = origin  # Of the page.
        self.service = service  # Of the service itself: the same, if it has the page.
        self.jobstrand = jobstrand  # Runs a verb: page.jobstrand('job', 'ls') gives what it prints with -o json.
        self.sql = sql  # Asks the database itself, in its own client; gives its lines.
        self.folder = Path(folder)
        self.downloads = Shared.downloads

    def ask(self, path, body=None, method=None):
        """What the service answers to GET, or with a body to POST: `page.ask('jobs', [{...}])`."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f'{self.service}/api/v1/{path}', data, {'Content-Type': 'application/json'}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def is_there(self, job):
        """Whether the service knows the job, not among those that have ended."""
        try:
            return self.ask('jobs/' + urllib.parse.quote(job, safe=''))['place'] != 'done'
        except urllib.error.HTTPError:
            return False

    def open(self, place='', /, **query):
        """`page.open('jobs', search='type:mail')`, as if the link had just been typed."""
        to = '/' + self.to(place, query)
        # Loaded anew where we are: from another place the browser would start a process for it.
        if self.driver.execute_script('return location.origin === arguments[0] && (history.replaceState(null, "", arguments[1]), true)', self.origin, to):
            self.driver.refresh()
        else:
            self.driver.get(self.origin + to)
        self.one('main h1, .empty')

    def go(self, place='', /, **query):
        """As a link of the page does; it is drawn then, though what it asks for may not have come."""
        self.driver.execute_async_script(GO, self.to(place, query))

    def show(self, place='', /, **query):
        """Goes there, and waits for what the view asks for."""
        self.go(place, **query)
        self.until(lambda: not self.all('main [role="status"]', 'Loading'), f'{place} is there')

    @staticmethod
    def to(place, query):
        return f'#/{place}{"?" + urllib.parse.urlencode(query) if query else ""}'

    @property
    def place(self):
        """Where we are, behind the `#`."""
        return urllib.parse.unquote_plus(self.driver.execute_script('return location.hash'))

    def until(self, condition, what=''):
        """The first true value of it. What is replaced meanwhile is looked for again."""
        wait = WebDriverWait(self.driver, PATIENCE_S, 0.05, (StaleElementReferenceException, JavascriptException, IndexError))
        try:
            return wait.until(lambda _: condition())
        except TimeoutException:
            shown = self.driver.execute_script('return document.body.innerText')
            raise AssertionError(f'in vain: {what}\n{self.place}\n{shown}') from None

    def all(self, css, text=None):
        """Those visible now; with this text in them."""
        return self.driver.execute_script(SEEN, css, text)

    def texts(self, css):
        """What those visible now say."""
        return self.driver.execute_script(f'return ((...all) => {{ {SEEN.replace("arguments", "all")} }})(...arguments).map((each) => each.innerText.trim())', css, None)

    def one(self, css, text=None):
        """The first one, as soon as it is there."""
        return self.until(lambda: self.all(css, text)[0], f'{css} with {text!r}')

    def gone(self, css, text=None):
        self.until(lambda: not self.all(css, text), f'no {css} with {text!r}')

    def click(self, css, text=None):
        self.click_found(lambda: self.all(css, text)[0], f'{css} with {text!r}')

    def click_found(self, find, what):
        """As soon as it is there, and may be clicked."""
        def try_it():
            try:
                found = find()
                if found is None or not found.is_enabled():
                    return False
                found.click()
            except (ElementClickInterceptedException, ElementNotInteractableException):
                return False
            return True
        self.until(try_it, f'{what} to click')

    def type(self, css, text):
        """Instead of what stands there, by keys only, as a person does."""
        has_keys = any('\ue000' <= each <= '\uf8ff' for each in text)

        def try_it():
            field = self.all(css)[0]
            field.send_keys(Keys.CONTROL, 'a')
            field.send_keys(text or Keys.BACKSPACE)
            return has_keys or field.get_property('value') == text
        self.until(try_it, f'{css} to type into')

    def press(self, *keys):
        """Keys for the page itself."""
        for key in keys:
            self.one('body').send_keys(key)

    def text(self, css='body'):
        return self.one(css).text

    def says(self, text, css='body'):
        """As soon as it stands there, whatever is drawn by then."""
        self.until(lambda: self.all(css, text), f'{text!r} in {css}')

    def rows(self):
        """The keys of the rows of the table."""
        return self.driver.execute_script('return [...document.querySelectorAll("main tr[data-key]")].map((row) => row.dataset.key)')

    def shows_rows(self, keys, is_ordered=False):
        order = list if is_ordered else sorted
        self.until(lambda: order(self.rows()) == order(keys), f'the rows {keys}')

    def width(self, pixels, height=900):
        """How wide the page is; less than a window may be, too."""
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                                    {'width': pixels, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})

    def scrolls_sideways(self):
        return self.driver.execute_script('const e = document.documentElement; return e.scrollWidth > e.clientWidth')

    def mistakes(self):
        """What the browser's console has told since it was asked last: also what the Content-Security-Policy has kept out."""
        told = [each['message'] for each in self.driver.get_log('browser') if each['level'] == 'SEVERE']
        return [each for each in told if 'Failed to load resource' not in each]


@contextmanager
def _process(command, env, folder, ready):
    """What runs until the end of the block, and what it has told when it was ready."""
    with subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            told = b''
            while ready not in told:
                if not select.select([process.stdout], [], [], PATIENCE_S)[0]:
                    raise RuntimeError('not ready: ' + told.decode())
                part = os.read(process.stdout.fileno(), 4096)
                if not part:
                    raise RuntimeError('it has ended: ' + told.decode())
                told += part
            # What nobody reads fills its pipe, and then the process stands still.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield told.decode()
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()


def driver_in(folder):
    """A browser without a window, whose profile is in this folder."""
    options = webdriver.ChromeOptions()
    for each in ('--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--no-proxy-server', '--window-size=1280,900',
                 f'--user-data-dir={folder}/chromium'):
        options.add_argument(each)
    options.add_experimental_option('prefs', {'download.default_directory': f'{folder}/downloads'})
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    return webdriver.Chrome(service=Service(str(DRIVER)), options=options)


class Shared:
    """One browser for all that a program tests: to start one takes seconds."""
    driver = None
    downloads = None

    @classmethod
    def browser(cls):
        if cls.driver is None:
            folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            cls.downloads = Path(folder.name, 'downloads')
            cls.driver = driver_in(folder.name)
            atexit.register(folder.cleanup)
            atexit.register(cls.driver.quit)
        cls.driver.delete_all_cookies()
        cls.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': []})
        return cls.driver


def need(program):
    """What a test cannot do without."""
    if not shutil.which(str(program)) and not shutil.which(str(program), path='/usr/sbin'):
        print(f'skipped: there is no {program}')
        sys.exit(SKIPPED)


class Tested(NamedTuple):
    """Tests that share a service and its page, `self.page`; they run in the order of their classes."""
    cases: tuple
    config: object = ''  # TOML, or what gives it for the folder of the service.
    listen: str = '127.0.0.1:0'


@contextmanager
def opened(arguments, config='', listen='127.0.0.1:0'):
    """The Page of a new service with this configuration, on a database of its own: SQLite, unless the arguments name another."""
    need(DRIVER)
    binary = str(Path(arguments[1]).resolve())
    shower = next((str(Path(each).resolve()) for each in arguments[2:] if each.endswith('.mjs')), None)
    kind = next((each for each in arguments[2:] if each in databases.DATABASES), 'sqlite')
    use, program = databases.DATABASES[kind]
    need(program)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, use(Path(folder)) as where:
        file = Path(folder, 'jobstrand.toml')
        file.write_text((config(folder) if callable(config) else config).replace('FOLDER', folder), encoding='utf-8')
        env = {**os.environ, **where, 'HOME': folder, 'JOBSTRAND_CONFIG': str(file)}

        def run(command, text=None):
            done = subprocess.run(command, cwd=folder, env=env, input=text, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            if done.returncode != 0:
                raise AssertionError(f'{command}: {done.stderr}')
            return done.stdout

        def jobstrand(*words):
            return json.loads(run([binary, *words, '-o', 'json']) or 'null')

        def sql(text):
            return run(SQL[kind], text).splitlines()

        run([binary, 'schema', 'create'])
        with _process([binary, 'serve', '--http', listen], env, folder, LOG_READY) as told:
            service = f'http://127.0.0.1:{re.search(r"port=([0-9]+)", told)[1]}'
            shown = _process(['node', shower, service, str(databases.free_port())], env, str(Path(shower).parent), b' shows ') if shower else nullcontext(service + '/')
            with shown as told_too:
                yield Page(Shared.browser(), re.search(r'http://[0-9.:]+', told_too)[0], service, jobstrand, sql, folder)


def chosen(test):
    """Also run on other databases by ctest: what a view asks of the service there differs in SQL."""
    test.is_chosen = True
    return test


def run_all(services, arguments):
    """Runs the tests of each of these services. Gives the exit code."""
    names = [each for each in arguments[2:] if each.startswith('test')]
    is_chosen = 'chosen' in arguments[2:]
    run, skipped, failed = 0, 0, set()
    for cases, config, listen in services:
        tests = [case(name) for case in cases for name, test in vars(case).items()
                 if name.startswith('test') and (name in names or not names) and (not is_chosen or hasattr(test, 'is_chosen'))]
        if not tests:
            continue
        with opened(arguments, config, listen) as page:
            for case in cases:
                case.page = page
            result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.TestSuite(tests))
        run += result.testsRun
        skipped += len(result.skipped)
        failed |= {getattr(test, 'test_case', test).id() for test, _ in result.failures + result.errors}
    print(f'{run - skipped - len(failed)} passed, {len(failed)} failed' + (f', {skipped} skipped' if skipped else ''))
    return 1 if failed or not run else 0
