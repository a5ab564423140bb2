#!/usr/bin/env python3
"""What tools/release makes can be installed and used where there is no compiler, and comes out the same again.

Usage:  release_test.py BUILD_FOLDER

It needs root for the image, which runs in a changed root; npm and its test are skipped where there is none. The last line is
`N passed, N failed, N skipped`.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 800


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=PATIENCE_S, check=False, **options)


def done(*command, **options):
    answer = run(*command, **options)
    if answer.returncode != 0:
        raise RuntimeError(f'{command}: exit code {answer.returncode}\n{answer.stdout}{answer.stderr}')
    return answer.stdout


def release(build, into, *kinds):
    done(ROOT / 'tools/release', '--build', build, '--into', into, *kinds)


class Release(unittest.TestCase):
    build = pathlib.Path()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.made = cls.folder / 'made'
        kinds = ('python', 'npm', 'deb', 'tarball', 'image')
        release(cls.build, cls.made, *[kind for kind in kinds if kind != 'npm' or shutil.which('npm')])

    def one(self, pattern):
        found = list(self.made.glob(pattern))
        self.assertEqual(len(found), 1, f'{pattern}: {found}')
        return found[0]

    def serves_and_stops(self, *program, **options):
        """A service of this program runs a job, and ends well when it is asked to."""
        with tempfile.TemporaryDirectory() as scratch:
            os.chmod(scratch, 0o777)
            database = options.pop('database', f'sqlite:{scratch}/jobs.db')
            done(*program, 'schema', 'create', '--db', database, **options)
            done(*program, 'job', 'add', '--db', database, '--type', 'noop', **options)
            with subprocess.Popen([str(word) for word in (*program, 'serve', '--db', database)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, **options) as service:
                try:
                    deadline = time.monotonic() + PATIENCE_S
                    between_looks = threading.Event()
                    while done(*program, 'job', 'ls', '--db', database, '-o', 'name', **options).strip():
                        self.assertLess(time.monotonic(), deadline, 'the job has not run')
                        between_looks.wait(0.1)
                finally:
                    service.send_signal(signal.SIGTERM)
                self.assertEqual(service.wait(timeout=PATIENCE_S), 0)

    def test_the_same_sources_give_the_same_bytes(self):
        again = self.folder / 'again'
        release(self.build, again, 'python', 'tarball', 'image')
        for path in again.iterdir():
            if path.name != 'SHA256SUMS':
                self.assertEqual(path.read_bytes(), (self.made / path.name).read_bytes(), path.name)
        done('sha256sum', '--check', '--strict', 'SHA256SUMS', cwd=self.made)

    def test_pip_installs_the_program_and_the_client(self):
        environment = self.folder / 'environment'
        done(sys.executable, '-m', 'venv', environment)
        done(environment / 'bin/pip', 'install', '--no-index', self.one('*manylinux*.whl'))
        self.serves_and_stops(environment / 'bin/jobstrand')
        done(environment / 'bin/python3', '-c', 'import jobstrand, jobstrand.program; assert jobstrand.program.path()')

    def test_the_wheel_for_other_platforms_says_where_the_program_is(self):
        environment = self.folder / 'other-platform'
        done(sys.executable, '-m', 'venv', environment)
        done(environment / 'bin/pip', 'install', '--no-index', self.one('*-none-any.whl'))
        answer = run(environment / 'bin/jobstrand', '--version')
        self.assertEqual(answer.returncode, 1)
        self.assertIn('Debian package or an image', answer.stderr)

    @unittest.skipUnless(shutil.which('npm'), 'npm is not installed')
    def test_npm_installs_the_program_and_the_client(self):
        app = self.folder / 'app'
        app.mkdir()
        (app / 'package.json').write_text('{"name": "app", "version": "1.0.0", "type": "module"}', encoding='ascii')
        done('npm', 'install', '--offline', '--no-audit', '--no-fund', self.one('jobstrand-linux-x64-*.tgz'), self.one('jobstrand-[0-9]*.tgz'), cwd=app)
        self.serves_and_stops(app / 'node_modules/.bin/jobstrand')
        done('node', '-e', 'import("jobstrand").then((client) => client.Worker || process.exit(1))', cwd=app)

    def test_the_tarball_has_all_that_the_program_needs(self):
        with tarfile.open(self.one('*-linux-x64.tar.gz')) as archive:
            archive.extractall(self.folder / 'tarball')
        program = next((self.folder / 'tarball').glob('*/bin/jobstrand'))
        self.serves_and_stops(program)
        for line in done('ldd', program).splitlines():
            if '/tarball/' not in line:
                self.assertRegex(line, r'linux-vdso|ld-linux|lib(c|m|gcc_s|stdc\+\+|z|resolv)\.so')
        libraries = {path.name for path in (program.parents[1] / 'lib').iterdir()}
        named = json.loads(self.one('*.cdx.json').read_text(encoding='utf-8'))['components']
        licences = {path.stem for path in (program.parents[1] / 'licenses').iterdir()}
        beside = {one['name'] for one in named if one['properties'][0]['value'] == 'beside the program'}
        self.assertIn('libpq.so.5', libraries)
        self.assertEqual(beside, licences - {'jobstrand', 'README'})

    @unittest.skipUnless(os.geteuid() == 0, 'only root may change the root')
    def test_the_image_runs_as_nobody_and_has_no_shell(self):
        with tarfile.open(self.one('*-image.tar')) as archive:
            def read(digest):
                return archive.extractfile(f'blobs/{digest.replace(":", "/")}').read()
            manifest = json.loads(read(json.load(archive.extractfile('index.json'))['manifests'][0]['digest']))
            config = json.loads(read(manifest['config']['digest']))['config']
            root = self.folder / 'root'
            root.mkdir()
            layer = self.folder / 'layer.tar.gz'
            layer.write_bytes(read(manifest['layers'][0]['digest']))
        done('tar', '-xpzf', layer, '-C', root, '--numeric-owner')
        self.assertEqual(config['User'], '65534:65534')
        self.assertFalse((root / 'bin/sh').exists())
        inside = (shutil.which('chroot'), '--userspec', config['User'], root, *config['Entrypoint'])
        settings = dict(word.split('=', 1) for word in config['Env'])
        self.serves_and_stops(*inside, database='sqlite:/var/lib/jobstrand/jobs.db', env=settings)
        healthy = config['Healthcheck']['Test']
        self.assertEqual(healthy[0], 'CMD')
        done(*inside[:-1], *healthy[1:], env=settings)

    def test_the_debian_packages_have_what_they_say(self):
        contents = {path.name.split('_')[0]: done('dpkg-deb', '--contents', path) for path in self.made.glob('*.deb')}
        self.assertEqual(set(contents), {'jobstrand', 'jobstrand-dev', 'python3-jobstrand'})
        self.assertIn('./usr/bin/jobstrand', contents['jobstrand'])
        self.assertIn('./usr/include/jobstrand/', contents['jobstrand-dev'])
        self.assertIn('jobstrand-config.cmake', contents['jobstrand-dev'])
        self.assertNotIn('./usr/bin/', contents['jobstrand-dev'])
        self.assertIn('./usr/lib/python3/dist-packages/jobstrand/worker.py', contents['python3-jobstrand'])


class Command(unittest.TestCase):
    def test_a_kind_that_there_is_not_is_refused_with_those_that_there_are(self):
        answer = run(ROOT / 'tools/release', 'rpm')
        self.assertEqual(answer.returncode, 2)
        self.assertIn('there is no kind rpm; there are python, npm, deb, tarball, image, java, gem, composer', answer.stderr)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Release.build = pathlib.Path(sys.argv.pop()).resolve()
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    bad = len(result.failures) + len(result.errors)
    print(f'{result.testsRun - bad - len(result.skipped)} passed, {bad} failed, {len(result.skipped)} skipped')
    sys.exit(0 if bad == 0 else 1)
