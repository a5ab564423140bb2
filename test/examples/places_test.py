#!/usr/bin/env python3
"""Whether the examples of places that Jobstrand runs at are true: nginx and Prometheus are started, the others are validated.

Usage:  places_test.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

The validators come from the Python registry, the schemas with them. The last line is `N passed, N failed`; exit code 77: what
is needed could not be had.
"""
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for place in ('test/clients', 'test/fixtures'):
    sys.path.insert(0, str(ROOT / place))
import clients  # pylint: disable=wrong-import-position
from databases import free_port  # pylint: disable=wrong-import-position

EXAMPLES = ROOT / 'examples'
COMPOSE = EXAMPLES / 'compose/compose.yaml'
KUBERNETES = EXAMPLES / 'kubernetes/jobstrand.yaml'


def done(*command, **options):
    answer = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=clients.PATIENCE_S, check=False, **options)
    if answer.returncode != 0:
        raise AssertionError(f'{command}: exit code {answer.returncode}\n{answer.stdout}{answer.stderr}')
    return answer.stdout


@contextmanager
def running(*command, **options):
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options) as process:
        try:
            yield process
        finally:
            clients.end(process)


class Places(unittest.TestCase):
    binary = Path()
    tools = Path()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def with_token(self, role):
        """A service with a token file; its port and the token."""
        tokens = self.folder / 'tokens'
        token = done(self.binary, 'token', 'make', role, '--role', role, '--file', tokens).split()[0]
        settings = self.folder / 'jobstrand.toml'
        settings.write_text(f'db = "sqlite:{self.folder}/jobs.db"\ncreate = true\ndatabaseSchemaUpdate = true\n'
                            f'httpListen = "127.0.0.1:0"\nhttpTokenFile = "{tokens}"\n', encoding='utf-8')
        return settings, token

    @contextmanager
    def service(self, role):
        settings, token = self.with_token(role)
        with subprocess.Popen([self.binary, 'serve', '--config', settings], stderr=subprocess.PIPE) as process:
            try:
                port = clients.port_of(process)
                with running('cat', stdin=process.stderr):
                    yield port, token
            finally:
                clients.end(process)

    def expect_good_settings(self, text):
        """As they stand, but for the database, and the folder in which secrets are mounted."""
        secret = self.folder / 'secret'
        for name in ('database-password', 'tokens'):
            secret.mkdir(exist_ok=True)
            (secret / name).write_text('', encoding='ascii')
            (secret / name).chmod(0o600)
        own = self.folder / 'own.toml'
        own.write_text(re.sub(r'/run/secrets(/jobstrand)?', str(secret), text), encoding='utf-8')
        done(self.binary, 'config', 'check', '--config', own)
        self.assertNotIn('/run/secrets', own.read_text(encoding='utf-8'))

    def texts_of(self, path, *lines):
        """What a YAML document has at a path, read by a library: by the tools' own Python."""
        code = 'import sys, yaml; [print(eval(sys.argv[2], {"d": d})) for d in [list(yaml.safe_load_all(open(sys.argv[1])))]]'
        return done(self.tools / 'bin/python3', '-c', code, path, *lines)

    def test_the_compose_file_is_one_and_its_settings_are_good(self):
        done(self.tools / 'bin/check-jsonschema', '--builtin-schema', 'vendor.compose-spec', COMPOSE)
        self.expect_good_settings(self.texts_of(COMPOSE, 'd[0]["configs"]["jobstrand"]["content"]'))

    def test_the_manifests_are_good_and_so_are_their_settings(self):
        said = done(self.tools / 'bin/kubernetes-validate', '--strict', KUBERNETES)
        self.assertEqual(said.count(' passed '), 4, said)
        self.expect_good_settings(self.texts_of(KUBERNETES, 'd[0]["data"]["jobstrand.toml"]'))

    def test_drains_are_given_their_time(self):
        period = re.compile(r'awaitTerminationPeriod = "PT1M"')
        for path, grace in ((COMPOSE, r'stop_grace_period: (\d+)s'), (KUBERNETES, r'terminationGracePeriodSeconds: (\d+)')):
            text = path.read_text(encoding='utf-8')
            self.assertRegex(text, period)
            self.assertGreater(int(re.search(grace, text)[1]), 60 + 15)

    def nginx(self, port, listen):
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-addext',
                        'subjectAltName=DNS:localhost', '-keyout', str(self.folder / 'key.pem'), '-out', str(self.folder / 'cert.pem')],
                       check=True, capture_output=True, timeout=clients.PATIENCE_S)
        site = (EXAMPLES / 'nginx/jobstrand.conf').read_text(encoding='utf-8')
        for there, here in (('127.0.0.1:8080', f'127.0.0.1:{port}'), ('listen 443', f'listen 127.0.0.1:{listen}'),
                            ('jobs.example.com;', 'localhost;'), ('/etc/ssl/certs/jobs.example.com.pem', f'{self.folder}/cert.pem'),
                            ('/etc/ssl/private/jobs.example.com.key', f'{self.folder}/key.pem')):
            self.assertIn(there, site)
            site = site.replace(there, here)
        places = ''.join(f'{kind}_temp_path {self.folder}/{kind};\n' for kind in ('client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
        (self.folder / 'nginx.conf').write_text(
            f'daemon off;\nuser {"root" if os.geteuid() == 0 else "nobody"};\npid {self.folder}/nginx.pid;\nerror_log {self.folder}/nginx.log;\n'
            f'events {{}}\nhttp {{\naccess_log off;\n{places}{site}\n}}\n', encoding='utf-8')
        return running(shutil.which('nginx', path=os.environ['PATH'] + ':/usr/sbin'), '-p', self.folder, '-c', self.folder / 'nginx.conf')

    def test_nginx_hands_everything_on_and_holds_no_event_back(self):
        listen = free_port()
        with self.service('admin') as (port, token), self.nginx(port, listen):
            trust = ssl.create_default_context(cafile=str(self.folder / 'cert.pem'))

            def ask(path, body=None):
                headers = {'Authorization': f'Bearer {token}', 'Content-Type': 'application/json'}
                request = urllib.request.Request(f'https://localhost:{listen}{path}', body and json.dumps(body).encode(), headers)
                return urllib.request.urlopen(request, timeout=clients.PATIENCE_S, context=trust)

            def is_up():
                try:
                    return ask('/health/ready').status == 200
                except (urllib.error.URLError, ConnectionError):
                    return False

            self.assertTrue(clients.eventually(is_up))
            with ask('/api/v1/events') as events:
                self.assertIn(b'event:', b''.join(events.readline() for _ in range(4)))
                self.assertEqual(ask('/api/v1/jobs', {'handlerType': 'nobody-serves-this'}).status, 201)
                said = b''
                while b'"executable":1' not in said:  # What has changed comes while the stream goes on.
                    said += events.readline()
            self.assertEqual(json.load(ask('/api/v1/stats'))['places']['executable'], 1)

    def test_prometheus_finds_the_service_with_its_token(self):
        listen = free_port()
        with self.service('read') as (port, token):
            settings = (EXAMPLES / 'prometheus/prometheus.yml').read_text(encoding='utf-8')
            settings = settings.replace('127.0.0.1:8080', f'127.0.0.1:{port}').replace('scrape_interval: 15s', 'scrape_interval: 1s')
            (self.folder / 'prometheus.yml').write_text(settings, encoding='utf-8')
            (self.folder / 'token').write_text(token, encoding='ascii')
            shutil.copy(ROOT / 'docs/monitoring/alerts.yml', self.folder)
            done('promtool', 'check', 'config', self.folder / 'prometheus.yml')
            with running('prometheus', f'--config.file={self.folder}/prometheus.yml', f'--storage.tsdb.path={self.folder}/data',
                         f'--web.listen-address=127.0.0.1:{listen}'):
                def value(query):
                    try:
                        answer = json.loads(clients.look(f'http://127.0.0.1:{listen}', f'/api/v1/query?query={query}'))
                    except (urllib.error.URLError, ConnectionError):
                        return None
                    return next((one['value'][1] for one in answer['data']['result']), None)

                self.assertTrue(clients.eventually(lambda: value('up') == '1'))
                self.assertTrue(clients.eventually(lambda: value('jobstrand_lease_left_seconds') is not None))


def main():
    Places.binary = Path(sys.argv[1]).resolve()
    Places.tools = Path(sys.argv[2]).resolve() / 'examples-tools'
    needed = [name for name in ('nginx', 'prometheus', 'openssl') if not shutil.which(name, path=os.environ['PATH'] + ':/usr/sbin')]
    if needed:
        print(f'skipped: not installed: {", ".join(needed)}')
        return clients.SKIPPED
    listed = Path(__file__).resolve().parent / 'requirements.txt'
    try:
        clients.install(Places.tools, listed, ['sh', '-c', f'"{sys.executable}" -m venv . && bin/pip install --quiet -r "{listed}"'])
    except clients.CannotInstall as error:
        print(f'skipped: {error}')
        return clients.SKIPPED
    return clients.run_cases([Places])


if __name__ == '__main__':
    sys.exit(main())
