"""What tests of views share: a service with commands that fail, hang and wait, and what operators do with a page."""
import json
import unittest
import urllib.parse

CONFIG = r'''jobLog = "full"
failedJobRetryTimeCycle = "R3/PT10M"
[commands.fail]
program = "/bin/sh"
args = ["-c", "echo 'java.io.IOException: no route to 10.0.0.7'; echo '  at Mail.send(Mail.java:17)'; exit 3"]
[commands.gate]
program = "/bin/sh"
args = ["-c", "test -f FOLDER/gate || { echo the gate is shut; exit 9; }"]
[commands.fails]
program = "/bin/sh"
args = ["-c", "echo no such address >&2; exit 100"]
[commands.late]
program = "/bin/sh"
args = ["-c", "echo too late >&2; exit 100"]
[commands.rude]
program = "/bin/sh"
args = ["-c", "echo '<img src=x onerror=\"document.title=1\">' >&2; exit 100"]
[commands.slow]
program = "/bin/sleep"
args = ["3600"]
timeLimit = "PT2H"
'''
# Answers some paths instead of the service.
ANSWERING = '''(() => {
  const answers = %s;
  const real = window.fetch.bind(window);
  window.fetch = (url, init) => {
    const path = new URL(url, location.href).pathname.split('/api/v1/')[1];
    const query = new URL(url, location.href).search;
    const found = answers[path + query] ?? answers[path];
    return found === undefined ? real(url, init)
      : Promise.resolve(new Response(JSON.stringify(found.body), { status: found.status ?? 200, headers: { 'Content-Type': 'application/json' } }));
  };
})();'''


class ViewCase(unittest.TestCase):
    page = None

    def setUp(self):
        self.scripts = []
        self.page.width(1280)

    def tearDown(self):
        for script in self.scripts:
            self.page.driver.execute_cdp_cmd('Page.removeScriptToEvaluateOnNewDocument', {'identifier': script})
        self.assertEqual(self.page.mistakes(), [])

    def run_first(self, script):
        """In each document from now on, before the page itself."""
        self.scripts.append(self.page.driver.execute_cdp_cmd('Page.addScriptToEvaluateOnNewDocument', {'source': script})['identifier'])

    def answer(self, **paths):
        """From the next page on: `answer(doctor=[...])`; `{'status': 403}` is what a narrow token hears."""
        answers = {path.replace('__', '/'): body if isinstance(body, dict) and 'status' in body else {'body': body} for path, body in paths.items()}
        self.run_first(ANSWERING % json.dumps(answers))

    def as_reader(self):
        """What the page shows to a token that may only read, from the next page on."""
        self.answer(session={**self.page.ask('session'), 'caller': 'eve', 'role': 'read'})

    def enqueue(self, *jobs):
        self.page.ask('jobs', [{'handlerType': 'nobody', **job} for job in jobs])

    def job(self, name):
        return self.page.ask(f'jobs/{urllib.parse.quote(name, safe="")}')

    def wait_for(self, path, test):
        def look():
            found = self.page.ask(path)
            return (found,) if test(found) else None
        return self.page.until(look, path)[0]

    def dead(self, command, names):
        """Dead letters of a command that fails, once they are there."""
        self.enqueue(*({'id': name, 'handlerType': 'command', 'payload': {'command': command}, 'retries': 1} for name in names))
        self.page.until(lambda: all(self.job(name)['place'] == 'dead' for name in names), f'{names} are dead')

    def forget(self):
        """What a test has left behind would be counted by the next one. What still runs has to end before."""
        def try_it():
            for place in ('executable', 'timer', 'suspended', 'external'):
                self.page.ask('jobs/rm', {'place': place, 'all': True, 'yes': True})
            self.page.ask('dead/rm', {'all': True, 'yes': True})
            return not any(self.page.ask('stats')['places'].values())
        self.page.until(try_it, 'no jobs are left')

    def do(self, label=None, reason='', **fields):
        """Fills in the dialog that is open, and does it."""
        for name, value in fields.items():
            self.page.type(f'dialog [name={name}]', value)
        if reason:
            self.page.type('dialog input[name=reason]', reason)
        self.page.click('dialog footer button[type=submit]', label)
        self.page.gone('dialog')

    def reason_of(self, action):
        return self.page.ask('audit?' + urllib.parse.urlencode({'action': action, 'limit': 1}))[0]['reason']

    def blur(self):
        """Keys go to the page from now on, and not into a field."""
        self.page.driver.execute_script('document.activeElement.blur()')
