"""Tables as full as those of people who have had failures for months, which a page has to bear, and a service on them."""
import contextlib
import json
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'fixtures'))
import databases

ROWS_AT_ONCE = 500_000

# Of a database: a counter from FROM to TO, a text of it, and times by it.
WORDS = {
    'postgresql': {'from': 'generate_series({0}, {1}) i', 'text': "'{0}' || lpad(i::text, 12, '0')", 'kind': "'type' || i % 20", 'ago': "now() - i * interval '1 ms'",
                   'ahead': "now() + interval '1 day' + i * interval '1 ms'", 'settled': 'VACUUM (ANALYZE) {0}',
                   'settings': ('fsync=off', 'max_wal_size=8GB', 'shared_buffers=512MB')},
    'mariadb': {'from': '(SELECT seq AS i FROM seq_{0}_to_{1}) n', 'text': "CONCAT('{0}', LPAD(i, 12, '0'))", 'kind': "CONCAT('type', i % 20)",
                'ago': 'UTC_TIMESTAMP(3) - INTERVAL i * 1000 MICROSECOND', 'ahead': 'UTC_TIMESTAMP(3) + INTERVAL 1 DAY + INTERVAL i * 1000 MICROSECOND',
                'settled': 'ANALYZE TABLE {0}', 'settings': ('innodb-flush-log-at-trx-commit=0', 'innodb-buffer-pool-size=2G', 'innodb-log-file-size=1G')},
}
LOG_READY = b' clock_skew_ms='
SERIES_AT_ONCE = 1000
JOBS = "TYPE_, SCOPE_TYPE_, ID_, CORRELATION_ID_, HANDLER_TYPE_"


def add_options(parser):
    parser.add_argument('--dead', type=int, default=1_000_000, help='dead letters')
    parser.add_argument('--timers', type=int, default=10_000_000, help='timers, due in a day')
    parser.add_argument('--executable', type=int, default=0, help='jobs of types that nobody serves')
    parser.add_argument('--series', type=int, default=20_000, help='series with a turn each day')


@contextlib.contextmanager
def filled(given):
    """Tables of `given.database`, filled: the environment for the program, and what runs SQL and returns its output."""
    with databases.with_tables(given.jobstrand, given.database, WORDS[given.database]['settings']) as (env, run):
        fill(run, given.database, given)
        with service(given.jobstrand, env) as (_, origin):
            series = [{'handlerType': f'type{i % 20}', 'repeat': 'R/PT24H', 'series': f's{i:012}'} for i in range(given.series)]
            for first in range(0, given.series, SERIES_AT_ONCE):
                ask(origin + 'jobs', series[first:first + SERIES_AT_ONCE])
        yield env, run


@contextlib.contextmanager
def service(jobstrand, env):
    """A service that answers: its process, and where its paths begin."""
    port = databases.free_port()
    process = subprocess.Popen([jobstrand, 'serve', '--http', f'127.0.0.1:{port}'], env=env, stderr=subprocess.PIPE)
    try:
        next(line for line in process.stderr if LOG_READY in line)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield process, f'http://127.0.0.1:{port}/api/v1/'
    finally:
        process.terminate()
        process.wait(databases.PATIENCE_S)


def ask(address, body=None, headers=()):
    request = urllib.request.Request(address, body and json.dumps(body).encode(), {'Content-Type': 'application/json', **dict(headers)})
    with urllib.request.urlopen(request, timeout=databases.PATIENCE_S) as answer:
        answer.read()


def fill(run, database, given):
    words = WORDS[database]

    def insert(table, letter, columns, values, rows):
        for first in range(1, rows + 1, ROWS_AT_ONCE):
            text = words['text'].format
            source = words['from'].format(first, min(rows, first + ROWS_AT_ONCE - 1))
            run(f"INSERT INTO {table} ({JOBS}, {columns}) SELECT 'message', 'jobstrand', {text(letter)}, {text('c' + letter)}, "
                f"{words['kind']}, {values} FROM {source}")

    message = words['text'].format('SmtpError: mailbox is full, message ')
    insert('ACT_RU_DEADLETTER_JOB', 'd', 'CREATE_TIME_, FAILED_TIME_, EXCEPTION_MSG_', f"{words['ago']}, {words['ago']}, {message}", given.dead)
    insert('ACT_RU_TIMER_JOB', 't', 'RETRIES_, CREATE_TIME_, DUEDATE_', f"3, {words['ago']}, {words['ahead']}", given.timers)
    insert('ACT_RU_JOB', 'e', 'RETRIES_, CREATE_TIME_', f"3, {words['ago']}", given.executable)
    # What a server does by itself within minutes: tables that have just been filled are not what is measured.
    for table in ('ACT_RU_DEADLETTER_JOB', 'ACT_RU_TIMER_JOB', 'ACT_RU_JOB'):
        run(words['settled'].format(table))
