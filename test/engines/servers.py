"""Servers of other versions than the machine's, each of its own on a free port of 127.0.0.1, in a folder that is gone afterwards.

They are as fast, and their defaults as unlike ours, as those that test/fixtures starts for the tests in C++; only what their names and versions need
differs. Nothing waits for a disk: that a commit survives a power cut is the server's promise, and no test here cuts one."""
import contextlib
import functools
import os
import pwd
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import packages

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'test/fixtures'))
from databases import free_port  # pylint: disable=wrong-import-position

PATIENCE_S = 120  # Beyond this something hangs; nothing is measured.
PROCESS = 'process'
USER, PASSWORD = 'jobs', 'p@ss:w%rd/'  # Needs escapes in the text of a URL.
# Tests make databases of their own, drop them, and make users with fewer rights.
ACCOUNT = "CREATE USER IF NOT EXISTS {user}@'%' IDENTIFIED {way}BY '{password}';\nGRANT ALL ON *.* TO {user}@'%' WITH GRANT OPTION;\n"
UNLIKE_OURS = ('--default-time-zone=+05:00', '--transaction-isolation=SERIALIZABLE', '--character-set-server=latin1', '--sql-mode=', '--autocommit=0')


@dataclass
class Engine:
    """A server by its packages, and what starts it: `start` is given the folder of the unpacked packages, one of its own, and a port. `command` is a
    program of a Go module that it needs besides."""
    suite: str
    package: str
    programs: tuple
    scheme: str
    start: Callable
    command: str = ''
    version: str = ''


@dataclass
class Started:
    """`url` is that of a user who may do everything; `process` the file that has the server's process id. If it is killed, it is started again.
    `behind` is the URL of a database `jobs` on the server itself, where a proxy is in front that takes no triggers."""
    url: str
    process: Path
    behind: str = ''


@contextlib.contextmanager
def started(engine, root):
    with tempfile.TemporaryDirectory(prefix='jobstrand-engine-') as name:
        folder, port = Path(name), free_port()
        (folder / 'data').mkdir()
        if os.geteuid() == 0:
            folder.chmod(0o755)
            for path in (folder, folder / 'data'):
                os.chown(path, *_nobody())
        with engine.start(root, folder, port) as where:
            place, behind = where if isinstance(where, tuple) else (where, '')
            yield Started(f'{engine.scheme}://{USER}:{urllib.parse.quote(PASSWORD, safe="")}@127.0.0.1:{port}{place}', folder / PROCESS, behind)


def _nobody():
    entry = pwd.getpwnam('nobody')
    return entry.pw_uid, entry.pw_gid


def _command(program, *arguments, death='KILL'):
    """Servers refuse to run as root, and shall end with us."""
    user, group = _nobody()
    other = [f'--reuid={user}', f'--regid={group}', '--clear-groups'] if os.geteuid() == 0 else []
    return ['setpriv', f'--pdeathsig={death}', *other, program, *arguments]


def _set_up(*command, said=''):
    if subprocess.run(_command('test', '-x', command[0]), check=False).returncode != 0:
        raise packages.CannotInstall(f'{command[0]}: the user `nobody`, who runs servers for root, cannot reach it; see --folder')
    done = subprocess.run(_command(*command), input=said, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd='/',
                          env=packages.ENVIRONMENT, timeout=PATIENCE_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f'{command[0]}: exit code {done.returncode}\n{done.stdout[-2000:]}')


@contextlib.contextmanager
def _server(command, log, is_ready, end=signal.SIGTERM, may_start_again=lambda: True):
    """The process until the end of the block, and another one when it was killed and `may_start_again`. Its id is in a file beside the log."""
    ends, now = threading.Event(), []

    def start():
        with open(log, 'ab') as said:
            now.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd='/', env=packages.ENVIRONMENT))
        (log.parent / PROCESS).write_text(str(now[-1].pid))

    def start_again():
        # What a dead PostgreSQL leaves behind ends a moment later, and refuses the next one until then.
        while not ends.wait(0.2):
            if now[-1].poll() is not None and may_start_again():
                start()

    start()
    watch = threading.Thread(target=start_again)
    try:
        deadline, between_looks = time.monotonic() + PATIENCE_S, threading.Event()
        while not is_ready():
            if now[-1].poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f'the server does not start\n{log.read_text(errors="replace")[-2000:]}')
            between_looks.wait(0.1)
        watch.start()
        yield
    finally:
        ends.set()
        if watch.ident is not None:
            watch.join()
        now[-1].send_signal(end)
        try:
            now[-1].wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            now[-1].kill()
            now[-1].wait()
            raise


def _greets(port):
    """Whether a server like MySQL does: it has read its --init-file before."""
    with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', port), timeout=PATIENCE_S) as connection:
        return bool(connection.recv(1))
    return False


def _options(root, folder, port):
    """What MySQL and MariaDB have in common."""
    return [f'--basedir={root}/usr', f'--datadir={folder}/data', f'--tmpdir={folder}', f'--socket={folder}/socket', f'--port={port}', f'--init-file={folder}/users.sql',
            '--bind-address=127.0.0.1', '--skip-name-resolve', '--innodb-buffer-pool-size=64M', '--innodb-flush-method=nosync', *UNLIKE_OURS]


def _mysqld(root, folder, port, users):
    """The command of a server whose data have been made; it runs `users` when it starts. The binary log is on, as it is where people do not turn it
    off: a commit has two phases then."""
    program, share = root / 'usr/sbin/mysqld', root / 'usr/share/mysql'
    own = ['--no-defaults', f'--lc-messages-dir={share}', f'--character-sets-dir={share}/charsets', f'--plugin-dir={root}/usr/lib/mysql/plugin', '--secure-file-priv=NULL']
    (folder / 'users.sql').write_text(users)
    _set_up(program, *own, f'--basedir={root}/usr', f'--datadir={folder}/data', '--initialize-insecure', '--innodb-flush-method=nosync')
    return _command(program, *own, *_options(root, folder, port), '--innodb-redo-log-capacity=64M', '--sync-binlog=0', '--loose-mysqlx=OFF')


def _mysql_account():
    return ACCOUNT.format(user=USER, password=PASSWORD, way='WITH caching_sha2_password ')


@contextlib.contextmanager
def mysql(root, folder, port):
    with _server(_mysqld(root, folder, port, _mysql_account()), folder / 'log', lambda: _greets(port)):
        yield f'/mysql?ssl=verify-ca&ssl_ca={folder}/data/ca.pem'


class _Group:
    """Three servers of MySQL in Group Replication, of which one takes writes."""

    def __init__(self, root, folder, ports):
        self.folders = [folder / str(number) for number in (1, 2, 3)]
        for each in self.folders:
            (each / 'data').mkdir(parents=True)
            if os.geteuid() == 0:
                for path in (each, each / 'data'):
                    os.chown(path, *_nobody())
        self.ports = ports
        places = [f'127.0.0.1:{free_port()}' for _ in ports]
        # Tables without a primary key, which tests make, get one: the group wants it.
        common = ['--plugin-load-add=group_replication.so', '--gtid-mode=ON', '--enforce-gtid-consistency=ON', '--report-host=127.0.0.1', '--max-connections=400',
                  '--sql-generate-invisible-primary-key=ON', '--loose-group-replication-group-name=6a6f6273-0000-4000-8000-000000000002',
                  f'--loose-group-replication-group-seeds={",".join(places)}', '--loose-group-replication-recovery-get-public-key=ON',
                  '--loose-group-replication-ip-allowlist=127.0.0.1/8', '--loose-group-replication-member-expel-timeout=0']
        users = ("SET sql_log_bin=0;\nCREATE USER IF NOT EXISTS replica@'%' IDENTIFIED BY 'replica';\n"
                 "GRANT REPLICATION SLAVE, CONNECTION_ADMIN, BACKUP_ADMIN, GROUP_REPLICATION_STREAM ON *.* TO replica@'%';\nSET sql_log_bin=1;\n"
                 "CHANGE REPLICATION SOURCE TO SOURCE_USER='replica', SOURCE_PASSWORD='replica' FOR CHANNEL 'group_replication_recovery';\n")
        self.commands = [
            [*_mysqld(root, each, port, users), *common, f'--server-id={port}', f'--report-port={port}', f'--loose-group-replication-local-address={place}']
            for each, port, place in zip(self.folders, ports, places)]
        # One authority for all: clients know it by its name, which is the same for each that a server makes itself.
        for each in self.folders[1:]:
            for certificate in (self.folders[0] / 'data').glob('*.pem'):
                (each / 'data' / certificate.name).write_bytes(certificate.read_bytes())

    def ask(self, member, sql):
        """What the member answers; '' while it does not."""
        command = ['mariadb', f'--socket={self.folders[member]}/socket', '--user=root', '--batch', '--skip-column-names']
        return subprocess.run(command, input=sql, capture_output=True, text=True, timeout=PATIENCE_S, check=False).stdout.strip()

    def members(self):
        """The port and the role of each that is there, as a member says that is one itself."""
        for member in range(3):
            listed = self.ask(member, "SELECT member_port, member_role FROM performance_schema.replication_group_members WHERE member_state = 'ONLINE'")
            if 'PRIMARY' in listed:
                return dict(line.split('\t') for line in listed.splitlines())
        return {}

    def begin(self):
        """All three become members. Each forgets what it ran at its first start, and joins by itself at later ones; until then nobody may write to it."""
        for member, each in enumerate(self.folders):
            (each / 'users.sql').write_text('')
            self.ask(member, 'RESET BINARY LOGS AND GTIDS; SET PERSIST group_replication_start_on_boot = ON; SET PERSIST_ONLY super_read_only = ON;')
        self.ask(0, f'SET GLOBAL group_replication_bootstrap_group = ON; START GROUP_REPLICATION; SET GLOBAL group_replication_bootstrap_group = OFF;\n{_mysql_account()}')
        for member in (1, 2):
            self.ask(member, 'START GROUP_REPLICATION')

    def has_forgotten(self, port):
        """Whether the group does without the server: it refuses the next one of that address until then, which takes half a minute to give up."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            listed = (self.ask(member, 'SELECT member_port FROM performance_schema.replication_group_members').splitlines() for member in range(3))
            return any(len(ports) > 1 and str(port) not in ports for ports in listed)
        return False

    def call_back(self):
        """Who was refused, because its former self was still a member, does not try again by itself."""
        for member in range(3):
            state = self.ask(member, 'SELECT member_state FROM performance_schema.replication_group_members WHERE member_port = @@port')
            if state in ('OFFLINE', 'ERROR'):
                self.ask(member, f'{"STOP GROUP_REPLICATION; " if state == "ERROR" else ""}START GROUP_REPLICATION')

    def process(self):
        """That of the one who takes writes; '' while not all are there, who would be too few without it."""
        members = self.members()
        primary = [port for port, role in members.items() if role == 'PRIMARY']
        return (self.folders[self.ports.index(int(primary[0]))] / PROCESS).read_text() if len(members) == 3 and primary else ''


@contextlib.contextmanager
def mysql_group(root, folder, port):
    """Three servers; whose process is told changes with who takes writes."""
    ports = [port, free_port(), free_port()]
    group, ends = _Group(root, folder, ports), threading.Event()

    def tell():
        while not ends.wait(0.5):
            (folder / PROCESS).write_text(group.process())
            group.call_back()

    with contextlib.ExitStack() as servers:
        for each, own, command in zip(group.folders, ports, group.commands):
            servers.enter_context(_server(command, each / 'log', lambda own=own: _greets(own), may_start_again=lambda own=own: group.has_forgotten(own)))
        group.begin()
        deadline = time.monotonic() + PATIENCE_S
        while len(group.members()) < 3:
            if time.monotonic() > deadline:
                raise RuntimeError('the group does not come together\n' + (group.folders[1] / 'log').read_text(errors='replace')[-2000:])
            ends.wait(0.2)
        telling = threading.Thread(target=tell)
        telling.start()
        try:
            yield f',127.0.0.1:{ports[1]},127.0.0.1:{ports[2]}/mysql?ssl=verify-ca&ssl_ca={folder}/1/data/ca.pem'
        finally:
            ends.set()
            telling.join()


@contextlib.contextmanager
def vitess(root, folder, port, shard=''):
    """vtcombo: vtgate and vttablet in one process, on a MySQL of its own. Each database that is created is a keyspace of one shard, at which the URL aims
    if it is named."""
    program, share, socket_path = root / 'usr/sbin/mysqld', root / 'usr/share/mysql', folder / 'socket'
    own = ['--no-defaults', f'--basedir={root}/usr', f'--datadir={folder}/data', f'--lc-messages-dir={share}', f'--character-sets-dir={share}/charsets',
           f'--plugin-dir={root}/usr/lib/mysql/plugin', '--secure-file-priv=NULL', '--innodb-flush-method=nosync']
    (folder / 'users.sql').write_text("CREATE USER IF NOT EXISTS vt@localhost IDENTIFIED BY 'vt';\nGRANT ALL ON *.* TO vt@localhost WITH GRANT OPTION;\n"
                                      'CREATE DATABASE IF NOT EXISTS _vt;\nCREATE DATABASE IF NOT EXISTS vt_main_0 CHARACTER SET utf8mb4;\n')
    _set_up(program, *own, '--initialize-insecure')
    own_port = free_port()
    behind = _command(program, *own, f'--socket={socket_path}', f'--port={own_port}', f'--tmpdir={folder}', f'--init-file={folder}/users.sql', '--bind-address=127.0.0.1',
                      '--innodb-buffer-pool-size=128M', '--sync-binlog=0', '--gtid-mode=ON', '--enforce-gtid-consistency=ON', '--loose-mysqlx=OFF', '--max-connections=400')
    users = [f'--db-{user}-{what}=vt' for user in ('app', 'dba', 'allprivs', 'appdebug', 'filtered', 'repl', 'erepl') for what in ('user', 'password')]
    before = _command('env', f'HOME={folder}/data', f'VTDATAROOT={folder}/data', root / 'usr/bin/vtcombo', *users, f'--db-socket={socket_path}', '--db-charset=utf8mb4',
                      f'--mysql-server-socket-path={folder}/data/vtgate', '--mycnf-server-id=1',
                      '--proto-topo=cells:"test" keyspaces:{name:"main" shards:{name:"0" db_name_override:"vt_main_0"}}',
                      '--mysql-auth-server-impl=none', f'--mysql-server-port={port}', '--mysql-server-bind-address=127.0.0.1', f'--port={free_port()}', f'--grpc-port={free_port()}',
                      '--dbddl-plugin=vttest', '--tablet-types-to-wait=PRIMARY', '--tablet-refresh-interval=1s', '--queryserver-config-transaction-cap=200')
    (folder / 'vtcombo').mkdir()
    with _server(behind, folder / 'log', socket_path.exists), _server(before, folder / 'vtcombo/log', lambda: _greets(port)):
        yield f'/main{shard}', f'mysql://vt:vt@127.0.0.1:{own_port}/vt_jobs_0?ssl=verify-ca&ssl_ca={folder}/data/ca.pem'


@contextlib.contextmanager
def mariadb(root, folder, port):
    program = root / 'usr/sbin/mariadbd'
    share = next((root / 'usr/share').glob('*/*_system_tables.sql')).parent
    own = ['--no-defaults', f'--lc-messages-dir={share}', f'--character-sets-dir={share}/charsets', f'--plugin-dir={root}/usr/lib/mysql/plugin',
           '--innodb-log-file-size=32M']
    (folder / 'users.sql').write_text(ACCOUNT.format(user=USER, password=PASSWORD, way=''))
    # What mariadb-install-db does, which wants programs that are in other packages.
    tables = ['create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n', *(
        next(share.glob(f'*_{name}.sql')).read_text() for name in ('system_tables', 'performance_tables', 'system_tables_data'))]
    _set_up(program, *own, f'--basedir={root}/usr', f'--datadir={folder}/data', f'--tmpdir={folder}', '--innodb-flush-method=nosync', '--bootstrap',
            '--enforce-storage-engine=', said=''.join(tables))
    with _server(_command(program, *own, *_options(root, folder, port), '--performance-schema=OFF'), folder / 'log', lambda: _greets(port)):
        yield '/mysql'


@contextlib.contextmanager
def postgresql(root, folder, port):
    programs, data = next((root / 'usr/lib/postgresql').glob('*/bin')), folder / 'data'
    # Which 13 and 14 do not know.
    icu = ('--locale-provider=icu', '--icu-locale=en') if int(programs.parent.name) >= 15 else ()
    (folder / 'password').write_text(PASSWORD)
    _set_up(programs / 'initdb', f'--pgdata={data}', f'--username={USER}', f'--pwfile={folder}/password', '--auth=scram-sha-256', '--encoding=UTF8',
            '--locale=C.UTF-8', *icu, '--no-sync')
    settings = ('listen_addresses=127.0.0.1', 'fsync=off', 'full_page_writes=off', 'shared_buffers=64MB', 'max_wal_size=256MB', 'dynamic_shared_memory_type=mmap',
                'timezone=Asia/Tashkent', 'datestyle=German', 'default_transaction_isolation=serializable', 'client_encoding=LATIN1', 'bytea_output=escape',
                'lock_timeout=0', 'plan_cache_mode=force_custom_plan')
    # SIGQUIT is its own fast end, in which it frees its shared memory, and SIGINT the one in which it tidies up.
    command = _command(programs / 'postgres', '-D', str(data), '-p', str(port), '-k', str(folder), *(word for setting in settings for word in ('-c', setting)), death='QUIT')
    ready = data / 'postmaster.pid'
    with _server(command, folder / 'log', lambda: ready.exists() and ready.read_text().rstrip().endswith('ready'), signal.SIGINT):
        yield '/postgres'


def _mysql(suite):
    return Engine(suite, r'mysql-server-core(-8\.0)?', ('usr/sbin/mysqld',), 'mysql', mysql)


def _mariadb(suite):
    return Engine(suite, r'mariadb-server-core(-10\.6)?', ('usr/sbin/mariadbd',), 'mysql', mariadb)


def _postgresql(suite):
    return Engine(suite, r'postgresql-\d+', ('usr/lib/postgresql/*/bin/*',), 'postgresql', postgresql)


def _vitess(version, shard=''):
    return Engine('sid', r'mysql-server-core', ('usr/sbin/mysqld',), 'mysql', functools.partial(vitess, shard=shard), 'vitess.io/vitess/go/cmd/vtcombo', version)


# The newest that Debian has, and those before it that other suites have; Debian 12's own are what the suite runs on anyway.
ENGINES = {
    'mysql': _mysql('sid'),
    'mysql-group': Engine('sid', r'mysql-server-core', ('usr/sbin/mysqld',), 'mysql', mysql_group),
    'mysql-8.4': _mysql('resolute'),
    'mysql-8.0': _mysql('noble'),
    'vitess': _vitess('v0.24.4'),
    'vitess-shard': _vitess('v0.24.4', ':0'),
    'mariadb': _mariadb('sid'),
    'mariadb-10.6': _mariadb('jammy'),
    'postgresql': _postgresql('sid'),
    'postgresql-17': _postgresql('trixie'),
    'postgresql-16': _postgresql('noble'),
    'postgresql-14': _postgresql('jammy'),
    'postgresql-13': _postgresql('bullseye'),
}
