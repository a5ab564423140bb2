"""Database servers for a comparison: fresh, on loopback, durable as they come, gone at the end.

What is set is the size of caches and logs and the number of connections, the same for all that are compared; nothing
that trades durability for speed.
"""
import glob
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


class MariaDb(Server):
    kind = 'mysql'

    def __init__(self, parent_folder):
        self.server = program('mariadbd', 'mariadb-server')
        self.installer = program('mariadb-install-db', 'mariadb-server')
        self.client = program('mariadb', 'mariadb-client')
        super().__init__(parent_folder)

    def install(self):
        (self.folder / 'users.sql').write_text(
            f"CREATE USER IF NOT EXISTS '{USER}'@'%' IDENTIFIED BY '{PASSWORD}';\nGRANT ALL ON *.* TO '{USER}'@'%';\n")
        give_to_other_user(self.folder)
        self.installed([self.installer, '--no-defaults', '--skip-test-db', '--auth-root-authentication-method=normal',
                        f'--datadir={self.folder}/data'] + ([f'--user={other_user().pw_name}'] if other_user() else []))

    def command(self):
        return [self.server, '--no-defaults', f'--datadir={self.folder}/data', f'--socket={self.folder}/socket',
                f'--init-file={self.folder}/users.sql', f'--port={self.port}', '--bind-address=127.0.0.1',
                '--skip-name-resolve', '--max-connections=500', '--innodb-buffer-pool-size=1G',
                '--innodb-log-file-size=512M']

    def sql(self, statement, check=True):
        return self.run_client([self.client, '--no-defaults', '--protocol=tcp', '--host=127.0.0.1',
                                f'--port={self.port}', f'--user={USER}', '-NBe', statement], check)

    def describe(self):
        version = self.sql('SELECT version()').stdout.strip()
        durability = self.sql("SELECT concat('innodb_flush_log_at_trx_commit=', @@innodb_flush_log_at_trx_commit, "
                              "', log_bin=', @@log_bin)").stdout.strip()
        return f'MariaDB {version}, {durability}'


class PostgreSql(Server):
    kind = 'postgresql'
    stop_signal = 2

    def __init__(self, parent_folder):
        folders = sorted(glob.glob('/usr/lib/postgresql/*/bin'), key=lambda path: int(path.split('/')[4]), reverse=True)
        self.server = program('postgres', 'postgresql', folders)
        self.installer = program('initdb', 'postgresql', folders)
        self.client = program('psql', 'postgresql-client', folders)
        super().__init__(parent_folder)

    def install(self):
        (self.folder / 'password').write_text(PASSWORD)
        give_to_other_user(self.folder)
        self.installed([self.installer, '-D', f'{self.folder}/data', '-U', USER, '-A', 'scram-sha-256',
                        f'--pwfile={self.folder}/password', '-E', 'UTF8', '--no-locale'], as_other_user=True)

    def command(self):
        settings = ('listen_addresses=127.0.0.1', f'port={self.port}', f'unix_socket_directories={self.folder}',
                    'max_connections=500', 'shared_buffers=1GB', 'max_wal_size=4GB')
        return [self.server, '-D', f'{self.folder}/data'] + [word for text in settings for word in ('-c', text)]

    def sql(self, statement, check=True):
        return self.run_client([self.client, '-X', '-h', '127.0.0.1', '-p', str(self.port), '-U', USER, '-d',
                                'postgres', '-v', 'ON_ERROR_STOP=1', '-Atc', statement], check)

    def describe(self):
        version = self.sql('SHOW server_version').stdout.split()[0]
        return (f"PostgreSQL {version}, fsync={self.sql('SHOW fsync').stdout.strip()}, "
                f"synchronous_commit={self.sql('SHOW synchronous_commit').stdout.strip()}")


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
