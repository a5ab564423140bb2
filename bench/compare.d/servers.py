"""The database servers of a comparison, durable as they come.

What is set is the size of caches and logs and the number of connections, the same for all that are compared; nothing
that trades durability for speed.
"""
import glob
import shutil
import tempfile
from pathlib import Path

from server import PASSWORD, USER, Server, give_to_other_user, other_user, program


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
                        f'--datadir={self.folder}/data', f'--tmpdir={self.folder}'] + ([f'--user={other_user().pw_name}'] if other_user() else []))

    def command(self):
        return [self.server, '--no-defaults', f'--datadir={self.folder}/data', f'--tmpdir={self.folder}', f'--socket={self.folder}/socket',
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


class SqliteFolder:
    """No server, but used like one: a folder with a database file, beside where the servers keep theirs."""

    def __init__(self, parent_folder):
        self.folder = Path(tempfile.mkdtemp(prefix='compare-sqlite-', dir=parent_folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh_database(self, name):
        self.drop_database(name)
        return f'sqlite:{self.folder}/{name}.db'

    def drop_database(self, name):
        for path in self.folder.glob(f'{name}.db*'):  # Its log and its index are files of their own.
            path.unlink()

    def describe(self):
        """The programs bring their own SQLite and set it up themselves: this is what all of them are told to do."""
        return 'SQLite, journal_mode=wal, synchronous=full'
