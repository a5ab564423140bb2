#!/usr/bin/env python3
"""Installs the wheel and the packages of npm where nothing is but Debian 12, and has a worker do a job of an app's transaction.

Usage:  without_compiler.py PACKAGES [--mirror URL] [--root FOLDER]

PACKAGES is where tools/release has put them. What an app's developer has already is there before the clock starts: a language,
and a PostgreSQL of their own. Each command is printed with the time that it took. It needs root and debootstrap, a Debian mirror,
and the registries of Python and npm for the drivers; some five minutes, most of which are Debian's.

  --mirror URL    where debootstrap finds Debian; by default http://deb.debian.org/debian
  --root FOLDER   keeps the installed Debian there for the next time

Exit codes: 0 both ways work in at most five commands and two minutes, 1 they do not, 77 this machine cannot do that.

Example:  tools/release python npm && sudo test/package/without_compiler.py build/packages
"""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 1200
MOST_COMMANDS, MOST_SECONDS = 5, 120
DATABASE = 'postgresql://app:secret@127.0.0.1:54321/shop'

PYTHON_APP = '''
import jobstrand, psycopg
with psycopg.connect("{database}") as connection:      # A transaction of the app.
    connection.execute("CREATE TABLE orders (id int)")
    connection.execute("INSERT INTO orders VALUES (17)")
    jobstrand.enqueue(connection, jobstrand.NewJob("mail", {{"order": 17}}, external=True))

worker = jobstrand.Worker("http://127.0.0.1:8080")

@worker.handler("mail")
def send(job):
    print("mail for order", job.payload["order"], flush=True)

worker.run()
'''

NODE_APP = '''
import {{ enqueue, Worker }} from "jobstrand";
import pg from "pg";
const client = new pg.Client("{database}");
await client.connect();
await client.query("BEGIN");                            // A transaction of the app.
await client.query("CREATE TABLE orders (id int)");
await client.query("INSERT INTO orders VALUES (17)");
await enqueue(client, {{ handlerType: "mail", payload: {{ order: 17 }}, external: true }});
await client.query("COMMIT");
await client.end();

const worker = new Worker("http://127.0.0.1:8080");
worker.handler("mail", async (job) => console.log("mail for order", job.payload.order));
await worker.run();
'''

# Command -> what it must print before the next begins; None: all that it does.
WAYS = {
    'pip': {
        'app.py': PYTHON_APP,
        'commands': (
            ('python3 -m venv env && env/bin/pip install --quiet --find-links /packages jobstrand "psycopg[binary]"', None),
            ('env/bin/jobstrand schema create --db {database}', None),
            ('env/bin/jobstrand serve --db {database} --http 127.0.0.1:8080', 'serving'),
            ('env/bin/python app.py', 'mail for order 17'),
            ('env/bin/jobstrand top --once --server http://127.0.0.1:8080', None),
        ),
    },
    'npm': {
        'app.mjs': NODE_APP,
        'commands': (
            ('npm install --silent /packages/jobstrand-linux-x64-*.tgz /packages/jobstrand-[0-9]*.tgz pg', None),
            ('npx jobstrand schema create --db {database}', None),
            ('npx jobstrand serve --db {database} --http 127.0.0.1:8080', 'serving'),
            ('node app.mjs', 'mail for order 17'),
            ('npx jobstrand top --once --server http://127.0.0.1:8080', None),
        ),
    },
}


class Debian:
    def __init__(self, root):
        self.root = root
        self.mounted = []

    def __enter__(self):
        for kind, place in (('proc', 'proc'), ('devtmpfs', 'dev')):
            subprocess.run(['mount', '-t', kind, kind, str(self.root / place)], check=True)
            self.mounted.append(place)
        return self

    def __exit__(self, *unused):
        for place in reversed(self.mounted):
            subprocess.run(['umount', '--lazy', str(self.root / place)], check=False)

    def start(self, command, user='root', folder='/', **options):
        line = ['chroot', str(self.root), 'runuser', '-u', user, '--', 'sh', '-c', f'cd {folder} && {command}']
        return subprocess.Popen(line, text=True, start_new_session=True, **options)

    def run(self, command, user='root', folder='/'):
        with self.start(command, user, folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            said = process.communicate(timeout=PATIENCE_S)[0]
        if process.returncode != 0:
            raise RuntimeError(f'{command}: exit code {process.returncode}\n{said}')
        return said


def prepare(debian, mirror, packages):
    """What an app's developer has already."""
    if not (debian.root / 'etc/debian_version').exists():
        subprocess.run(['debootstrap', '--variant=minbase', 'bookworm', str(debian.root), mirror], check=True, stdout=subprocess.DEVNULL)
    shutil.copy('/etc/resolv.conf', debian.root / 'etc/resolv.conf')
    for trusted in ('etc/ssl/certs/ca-certificates.crt', 'etc/pip.conf', 'etc/npmrc'):
        if pathlib.Path('/', trusted).exists():
            (debian.root / trusted).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pathlib.Path('/', trusted), debian.root / trusted)
    shutil.rmtree(debian.root / 'packages', ignore_errors=True)
    shutil.copytree(packages, debian.root / 'packages')


def install_languages(debian):
    debian.run('apt-get update -q && env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends '
               'ca-certificates python3-venv nodejs npm postgresql')
    if shutil.which('gcc', path=str(debian.root / 'usr/bin')):
        raise RuntimeError('there is a compiler: this would prove nothing')
    debian.run('id app || useradd --create-home --home-dir /srv/app app')


def own_server(debian):
    """A PostgreSQL with the app's empty database."""
    debian.run('rm -rf /srv/postgresql && install -d -o postgres /srv/postgresql')
    tools = debian.run('ls -d /usr/lib/postgresql/*/bin').strip()
    debian.run(f'{tools}/initdb -D /srv/postgresql/data --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8', user='postgres')
    server = debian.start(f'{tools}/postgres -D /srv/postgresql/data -p 54321 -h 127.0.0.1 -k /srv/postgresql', user='postgres',
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    debian.run(f'until {tools}/pg_isready -h /srv/postgresql -p 54321; do sleep 0.1; done && true', user='postgres')
    debian.run('psql -h /srv/postgresql -p 54321 -c "CREATE ROLE app LOGIN PASSWORD \'secret\'" -c "CREATE DATABASE shop OWNER app"', user='postgres')
    return server


def ended(process):
    """Asks all of a command's processes to end."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=PATIENCE_S)


def walk(debian, name, way):
    """Commands and seconds from nothing to a job that was done."""
    folder = f'/srv/app/{name}'
    debian.run(f'rm -rf {folder} && install -d -o app {folder}')
    for file, text in way.items():
        if file != 'commands':
            (debian.root / folder[1:] / file).write_text(text.format(database=DATABASE), encoding='utf-8')
    running = []
    began = time.monotonic()
    try:
        for command, until in way['commands']:
            command = command.format(database=DATABASE)
            since = time.monotonic()
            if until is None:
                debian.run(command, 'app', folder)
            else:
                running.append(debian.start(command, 'app', folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
                if not any(until in line for line in running[-1].stdout):
                    raise RuntimeError(f'{command} ended without a word of "{until}"')
            print(f'{name}: {time.monotonic() - since:5.1f} s  {command}', flush=True)
    finally:
        took = time.monotonic() - began
        for process in reversed(running):
            ended(process)
    print(f'{name}: {len(way["commands"])} commands, {took:.1f} s', flush=True)
    return len(way['commands']) <= MOST_COMMANDS and took <= MOST_SECONDS


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('packages', type=pathlib.Path)
    parser.add_argument('--mirror', default='http://deb.debian.org/debian')
    parser.add_argument('--root', type=pathlib.Path)
    asked = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which('debootstrap'):
        print('skipped: not root, or debootstrap is not installed')
        return 77
    held = True
    with tempfile.TemporaryDirectory() as scratch:
        debian = Debian(asked.root or pathlib.Path(scratch) / 'root')
        debian.root.mkdir(exist_ok=True)
        prepare(debian, asked.mirror, asked.packages)
        with debian:
            install_languages(debian)
            for name, way in WAYS.items():
                server = own_server(debian)
                try:
                    held = walk(debian, name, way) and held
                finally:
                    ended(server)
    print('ok: both ways' if held else 'FAILED: too long, or too many commands')
    return 0 if held else 1


if __name__ == '__main__':
    try:
        sys.exit(main())
    except RuntimeError as error:
        print(f'FAILED: {error}')
        sys.exit(1)
