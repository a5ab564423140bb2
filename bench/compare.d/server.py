"""A database server for a comparison: fresh, on loopback, gone at the end."""
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

USER = 'bench'
PASSWORD = 'loopback-only'
START_SECONDS = 60


class ServerMissing(Exception):
    """The server is not installed here; the text says what to install."""


class ServerFailed(Exception):
    """The server is there and does not work; the text has the end of its log."""


class Server:
    """A server process with its data in a folder of its own. Use it in a `with` statement."""

    kind = ''
    stop_signal = 15

    def __init__(self, parent_folder):
        self.folder = Path(tempfile.mkdtemp(prefix=f'compare-{self.kind}-', dir=parent_folder))
        self.port = free_port()
        self.process = None
        self.log = self.folder / 'log'

    def __enter__(self):
        try:
            self.install()
            with open(self.log, 'ab') as log:
                self.process = subprocess.Popen(as_child_of_ours() + self.command(), stdout=log, stderr=log,
                                                cwd=self.folder)
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(START_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait_until_ready(self):
        give_up = time.monotonic() + START_SECONDS
        while self.sql('SELECT 1', check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise ServerFailed(f'{self.kind} does not start:\n{self.end_of_log()}')
            time.sleep(0.1)

    def end_of_log(self):
        return self.log.read_text(errors='replace')[-2000:]

    def fresh_database(self, name):
        """Makes an empty database, dropping the one of that name; returns its URL."""
        self.sql(f'DROP DATABASE IF EXISTS {name}')
        self.sql(f'CREATE DATABASE {name}')
        return f'{self.kind}://{USER}:{PASSWORD}@127.0.0.1:{self.port}/{name}'

    def drop_database(self, name):
        self.sql(f'DROP DATABASE IF EXISTS {name}', check=False)

    def installed(self, command, as_other_user=False):
        done = subprocess.run((as_child_of_ours() if as_other_user else []) + command, capture_output=True, text=True,
                              cwd=self.folder, check=False)
        if done.returncode != 0:
            raise ServerFailed(f'{command[0]} failed:\n{(done.stdout + done.stderr)[-2000:]}')

    def run_client(self, command, check):
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, 'PGPASSWORD': PASSWORD, 'MYSQL_PWD': PASSWORD})
        if check and done.returncode != 0:
            raise ServerFailed(f'{self.kind} refused a statement: {done.stderr.strip()}')
        return done


def program(name, package, folders=()):
    """Looks where Debian puts them too: /usr/sbin is not on everybody's PATH."""
    found = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get('PATH', ''), '/usr/sbin']))
    if found is None:
        raise ServerMissing(f"{name} is not installed; it is in Debian's {package} (`tools/install_packages test`)")
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def other_user():
    """Who runs the servers, which refuse to run as root; None: we do."""
    if os.geteuid() != 0:
        return None
    for name in ('mysql', 'postgres', 'nobody'):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise ServerFailed('there is no user to run a server as')


def give_to_other_user(folder):
    user = other_user()
    if user:
        for path in (folder, *folder.iterdir()):
            os.chown(path, user.pw_uid, user.pw_gid)


def as_child_of_ours():
    """In front of a server's command: it runs as another user than root, and ends when this program does."""
    user = other_user()
    drop = [f'--reuid={user.pw_uid}', f'--regid={user.pw_gid}', '--clear-groups'] if user else []
    return ['/usr/bin/setpriv', '--pdeathsig=KILL', *drop]
