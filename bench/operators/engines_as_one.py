#!/usr/bin/env python3
"""Two databases as one, run by one service, against two services with a database each: how fast both are drained.

Usage:  engines_as_one.py JOBSTRAND_BINARY [JOBS [ROUNDS]]

Starts two PostgreSQL servers, and in each round drains JOBS no-op jobs of each in both ways, one after the other, in turn the one or the other first. Prints
the medians, in jobs a second of both databases together, and that of the ratios of the rounds, which other work of the machine disturbs less.
"""
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

FILL = "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) SELECT 'job-' || lpad(n::text, 9, '0'), 'noop' FROM generate_series(1, {}) AS n; ANALYZE ACT_RU_JOB"
LEFT = 'SELECT count(*) FROM (SELECT 1 FROM ACT_RU_JOB LIMIT 1) AS one'
THREADS = 8  # Of each engine, in both ways.


def configurations(urls):
    engine = '[engines.{0}]\ndb = "{1}"\nmaxPoolSize = {2}\ncorePoolSize = {2}\n'
    names = ('one', 'two')
    together = f'spreadOver = ["one", "two"]\nmaxPoolSize = {2 * THREADS}\n' + ''.join(engine.format(name, url, THREADS) for name, url in zip(names, urls))
    return {'as one': [together], 'alone': [f'db = "{url}"\nmaxPoolSize = {THREADS}\ncorePoolSize = {THREADS}\n' for url in urls]}


def drain(binary, folder, files, sqls, jobs):
    """Jobs a second, and the microseconds of the services' CPU for each."""
    for sql in sqls:
        sql('TRUNCATE ACT_RU_JOB')
        sql(FILL.format(jobs))
    began = time.monotonic()
    services = []
    for number, text in enumerate(files):
        (folder / f'{number}.toml').write_text(text)
        services.append(subprocess.Popen([binary, 'serve', '--config', f'{number}.toml'], cwd=folder, stderr=subprocess.DEVNULL))
    try:
        while any(sql(LEFT).strip() != '0' for sql in sqls):
            time.sleep(0.02)
        rate = len(sqls) * jobs / (time.monotonic() - began)
    finally:
        before = used()
        for service in services:
            service.terminate()
            service.wait()
    return rate, 1e6 * (used() - before) / len(sqls) / jobs


def used():
    """Seconds of CPU of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        print(__doc__.strip())
        sys.exit(0 if '--help' in sys.argv else 2)
    binary = Path(sys.argv[1]).resolve()
    jobs, rounds = (int(sys.argv[2]) if len(sys.argv) > 2 else 200_000), (int(sys.argv[3]) if len(sys.argv) > 3 else 5)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [stack.enter_context(databases.with_tables(binary, 'postgresql', ['max_wal_size=4GB'])) for _ in range(2)]
        ways = configurations([env['JOBSTRAND_DB'] for env, _ in servers])
        rates, costs = {way: [] for way in ways}, {way: [] for way in ways}
        for number in range(rounds):
            for way, files in sorted(ways.items(), reverse=number % 2 == 1):
                rate, cost = drain(binary, folder, files, [sql for _, sql in servers], jobs)
                rates[way].append(rate)
                costs[way].append(cost)
    for way, all_of_way in rates.items():
        print(f'{way}: {statistics.median(costs[way]):.1f} µs of CPU a job, {statistics.median(all_of_way):,.0f} jobs/s ({", ".join(f"{one:,.0f}" for one in all_of_way)})')
    ratios = [one / alone for one, alone in zip(rates['as one'], rates['alone'])]
    print(f'ratio: {statistics.median(ratios):.2f} ({", ".join(f"{one:.2f}" for one in ratios)})')


if __name__ == '__main__':
    main()
