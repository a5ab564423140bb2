"""What the measurements of an operator's work have in common: a database, the command line, and which databases are meant."""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

PATIENCE_S = 3600

# Caches and logs as in bench/compare: a server as it comes keeps less than the jobs are. Nothing that trades durability for speed.
SETTINGS = {
    'sqlite': (),
    'mysql': ('innodb-buffer-pool-size=1G', 'innodb-log-file-size=512M'),
    'postgresql': ('shared_buffers=1GB', 'max_wal_size=4GB'),
}


class Case:
    """One database, with the command line on it."""

    def __init__(self, options, folder, env):
        self.options, self.folder, self.env = options, folder, env
        self.binary = options.binary.resolve()

    def run(self, *words):
        done = subprocess.run([self.binary, *words], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(words)}: {done.returncode}: {done.stderr[-500:]}')
        return done.stdout

    def start(self, *words, **kept):
        """A command that goes on; a context manager. Its streams as `kept` says."""
        return subprocess.Popen([self.binary, *words], cwd=self.folder, env=self.env, **kept)

    def add(self, jobs, line):
        """Adds the job of this line so many times."""
        path = Path(self.folder) / 'jobs.jsonl'
        with path.open('w', encoding='utf-8') as file:
            for _ in range(jobs):
                file.write(line + '\n')
        self.run('job', 'add', '--from', path.name)
        path.unlink()


def parser_of(text):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=Path)
    parser.add_argument('--database', action='append', choices=list(databases.DATABASES), help='all of them, unless named')
    return parser


def measure_all(options, measure):
    """Calls `measure(case, database)`, which returns what went wrong, for each database that is meant. Returns the exit code."""
    failed = 0
    chosen = options.database or list(databases.DATABASES)
    for database in chosen:
        server = databases.DATABASES[database][0]
        with tempfile.TemporaryDirectory() as folder, server(Path(folder), SETTINGS[database]) as env:
            wrong = measure(Case(options, folder, {**os.environ, **env}), database)
        failed += bool(wrong)
        for one in wrong:
            print(f'{database}: {one}', flush=True)
    print(f'{len(chosen) - failed} passed, {failed} failed')
    return 1 if failed else 0
