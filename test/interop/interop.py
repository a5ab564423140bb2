"""What the tests beside a real Flowable engine share: the engine, the databases, and Jobstrand on the same tables."""
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

SKIPPED = 77
PATIENCE_S = 90  # Beyond this something hangs; nothing is measured.
INSTALL_S = 300
DOWNLOAD_S = 120  # Without a way out nothing comes later either.
JDK = 17
PLACES = ('executable', 'timer', 'suspended', 'dead', 'external')
COUNTS = ('JOB_COUNT_', 'TIMER_JOB_COUNT_', 'SUSP_JOB_COUNT_', 'DEADLETTER_JOB_COUNT_', 'EXTERNAL_WORKER_JOB_COUNT_')
TABLES = ('ACT_RU_JOB', 'ACT_RU_TIMER_JOB', 'ACT_RU_SUSPENDED_JOB', 'ACT_RU_DEADLETTER_JOB', 'ACT_RU_EXTERNAL_JOB')


class CannotInstall(Exception):
    """Not to be had on this machine: the test is skipped."""


def need_programs():
    for program in ('mvn', 'javac', 'java'):
        if shutil.which(program) is None:
            raise CannotInstall(f'{program} is not on this machine')
    said = subprocess.run(['javac', '-version'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S,
                          check=False).stdout
    version = re.search(r'javac (\d+)', said)
    if version is None or int(version[1]) < JDK:
        raise CannotInstall(f'Flowable wants a JDK {JDK}, and here is {said.strip()}')


def install(cache, kit, version):
    """The class path of one kit (a folder of Java sources with a pom.xml) with this version of Flowable; downloaded once, outside of
    the sources. Without a network it works as long as the folder is kept."""
    need_programs()
    sources, target = HERE / kit, cache / f'{kit}-{version}'
    wanted = hashlib.sha256(b''.join(path.read_bytes() for path in sorted(sources.rglob('*')) if path.is_file())).hexdigest()
    classpath = f'{target}/classes:{target}/lib/*'
    stamp = target / 'installed'
    if stamp.exists() and stamp.read_text() == wanted:
        return classpath
    target.mkdir(parents=True, exist_ok=True)
    download(sources / 'pom.xml', target, version)
    shutil.rmtree(target / 'classes', ignore_errors=True)
    subprocess.run(['javac', '-nowarn', '--release', str(JDK), '-parameters', '-d', target / 'classes', '-cp', f'{target}/lib/*',
                    *sorted(sources.rglob('*.java'))], check=True, timeout=INSTALL_S)
    shutil.copytree(sources / 'resources', target / 'classes', dirs_exist_ok=True)
    stamp.write_text(wanted)
    return classpath


def download(pom, target, version):
    stamp = target / 'downloaded'
    wanted = pom.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(target / 'lib', ignore_errors=True)  # Older jars beside the new ones would win.
    command = ['mvn', '-B', '-ntp', '-q', '-f', str(pom), f'-Dflowable.version={version}', 'dependency:copy-dependencies',
               f'-DoutputDirectory={target}/lib', '-Daether.connector.connectTimeout=10000']
    try:
        done = subprocess.run(command, cwd=target, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DOWNLOAD_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise CannotInstall(str(error)) from error
    if done.returncode != 0:
        raise CannotInstall(f'Maven cannot fetch Flowable {version}: {done.stdout.strip()[-500:]}')
    stamp.write_text(wanted)


class Database:
    """An empty database on a server, for an engine, for Jobstrand, and for the test's own looks at the rows."""

    def __init__(self, kind, folder, env):
        self.kind, self.folder = kind, folder
        self.env = {**os.environ, **env, 'HOME': str(folder)}
        self.port = re.search(r':(\d+)/', env['JOBSTRAND_DB'])[1]

    def jdbc(self):
        """URL, user, password, catalog."""
        if self.kind == 'mysql':
            return f'jdbc:mariadb://127.0.0.1:{self.port}/jobs', 'jobs', '...', 'jobs'
        return f'jdbc:postgresql://127.0.0.1:{self.port}/jobs?stringtype=unspecified', 'jobs', '...', ''

    def sql(self, statement):
        """Rows of texts; NULL is 'NULL'."""
        command = (['mariadb', f'--defaults-file={self.folder}/.my.cnf', '-N', '-B', 'jobs', '-e', statement] if self.kind == 'mysql' else
                   ['psql', '-X', '-q', '-At', '-F', '\t', '-P', 'null=NULL', '-v', 'ON_ERROR_STOP=1', '-d', 'jobs', '-c', statement])
        done = subprocess.run(command, env={**self.env, 'PGOPTIONS': '-c search_path=public'}, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f'{statement}: {done.stderr.strip()}')
        return [tuple(line.split('\t')) for line in done.stdout.splitlines()]

    def value(self, statement):
        rows = self.sql(statement)
        return rows[0][0] if rows else None

    def empty(self):
        """Drops all that is in it."""
        if self.kind == 'mysql':
            self.sql('DROP DATABASE jobs; CREATE DATABASE jobs CHARACTER SET utf8mb4')
        else:
            self.sql('DROP OWNED BY jobs CASCADE')
            subprocess.run(['psql', '-X', '-q', '-d', 'jobs', '-c', 'CREATE SCHEMA IF NOT EXISTS public; GRANT ALL ON SCHEMA public TO jobs'],
                           env=self.env, capture_output=True, timeout=PATIENCE_S, check=False)


@contextlib.contextmanager
def database(kind, folder):
    start, program = databases.DATABASES[kind]
    if kind == 'mysql' and shutil.which(program) is None:
        raise CannotInstall(f'{program} is not on this machine')
    with start(folder) as env:
        yield Database(kind, folder, env)


class Engine:
    """A Flowable engine in a process of its own; see java/interop/Engine.java."""

    def __init__(self, classpath, where, *options):
        self.process = subprocess.Popen(['java', '-Xmx512m', *options, '-cp', classpath, 'interop.Engine', *where.jdbc()],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=(where.folder / 'engine.log').open('a'), text=True)
        self.version = self.answer()

    def answer(self):
        line = self.process.stdout.readline().strip()
        if not line.startswith('ok'):
            raise RuntimeError(line or 'the engine has ended')
        return line[3:]

    def do(self, *words):
        self.process.stdin.write(' '.join(map(str, words)) + '\n')
        self.process.stdin.flush()
        return self.answer()

    def refuses(self, *words):
        """The error; empty: it did it."""
        try:
            self.do(*words)
        except RuntimeError as error:
            return str(error)
        return ''

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


@contextlib.contextmanager
def engine(classpath, where, *options):
    one = Engine(classpath, where, *options)
    try:
        yield one
    finally:
        one.close()


class Jobstrand:
    """The program on one database."""

    def __init__(self, binary, where):
        self.binary, self.where = binary, where

    def run(self, *words, stdin=None):
        return subprocess.run([self.binary, *words], cwd=self.where.folder, env=self.where.env, input=stdin, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)

    def do(self, *words, stdin=None):
        done = self.run(*words, stdin=stdin)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(words)}: {done.returncode}: {done.stderr.strip()}')
        return done.stdout

    def listed(self, *words):
        return json.loads(self.do(*words, '-o', 'json'))

    def differences(self):
        """What the check of the tables finds."""
        return json.loads(self.run('schema', 'check', '-o', 'json').stdout)

    @contextlib.contextmanager
    def serving(self, *options):
        log = self.where.folder / 'serve.log'
        with log.open('a') as out, subprocess.Popen([self.binary, 'serve', *options], cwd=self.where.folder, env=self.where.env,
                                                    stdout=out, stderr=out) as process:
            try:
                yield process
            finally:
                process.terminate()
                process.wait(timeout=PATIENCE_S)


def eventually(is_so, patience=PATIENCE_S):
    """Whether it is within the time that all of it may take."""
    give_up = time.monotonic() + patience
    tick = threading.Event()
    while not is_so():
        if tick.wait(0.05) or time.monotonic() > give_up:
            return False
    return True


def pause(seconds):
    """Between two looks, or two portions of work; nothing depends on how long it is."""
    threading.Event().wait(seconds)


def wrong_counts(where):
    """Executions whose counts are not those of the rows, as (id, counts, rows)."""
    counted = {row[0]: tuple(map(int, row[1:])) for row in where.sql(
        f'SELECT ID_, {", ".join(COUNTS)} FROM ACT_RU_EXECUTION')}
    there = {execution: [0] * len(TABLES) for execution in counted}
    for place, table in enumerate(TABLES):
        for execution, jobs in where.sql(f'SELECT EXECUTION_ID_, COUNT(*) FROM {table} WHERE EXECUTION_ID_ IS NOT NULL GROUP BY EXECUTION_ID_'):
            there.setdefault(execution, [0] * len(TABLES))[place] = int(jobs)
    return [(execution, counts, tuple(there[execution])) for execution, counts in counted.items() if counts != tuple(there[execution])]
