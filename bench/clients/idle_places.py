#!/usr/bin/env python3
"""How long a free place of a worker waits at most while jobs wait, beside three long jobs: each client, four places, a SQLite file.

Usage:  idle_places.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES [--client NAME]... [--jobs N]

Three jobs run and do not end; then come 1,000 that end at once, for which one place is left. Told are the longest time between
the end of one and the beginning of the next, and that from the answer to the enqueueing to the first. A PHP worker has one place, so it is not
among them. Prints a table; no place may be idle for longer than 50 ms, and the last line is `N passed, N failed`.
"""
import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'test/clients'))
sys.path.insert(0, str(ROOT / 'test/fixtures'))
import adapters  # pylint: disable=wrong-import-position
import behaviours  # pylint: disable=wrong-import-position
import clients  # pylint: disable=wrong-import-position

CLIENTS = ['python', 'javascript', 'go', 'java', 'ruby']
LONG = 3
MOST_IDLE_MS = 50


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=Path)
    parser.add_argument('packages', type=Path)
    parser.add_argument('--client', action='append', choices=CLIENTS, help='all of them, unless named')
    parser.add_argument('--jobs', type=int, default=1000, help='short ones')
    options = parser.parse_args()
    print('| Client | Short jobs | First after, ms | Idle at most, ms |\n|---|---:|---:|---:|')
    chosen = options.client or CLIENTS
    failed = sum(not is_busy(client, options) for client in chosen)
    print(f'{len(chosen) - failed} passed, {failed} failed')
    return 1 if failed else 0


def is_busy(client, options):
    try:
        adapters.prepare(client, options.packages.resolve())
    except clients.CannotInstall as reason:
        print(f'| {client} | cannot be installed: {reason} | | |', flush=True)
        return False
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, 'HOME': folder, 'JOBSTRAND_DB': 'sqlite:jobs.db'}
        service = behaviours.Service(options.binary.resolve(), folder, env)
        service.start()
        adapter = behaviours.Adapter(adapters.command(client), service.origin, f'sqlite:{folder}/jobs.db')
        try:
            first_ms, idle_ms = measured(adapter, service.origin, Path(folder) / 'open', options.jobs)
        finally:
            adapter.end()
            service.kill()
    print(f'| {client} | {options.jobs:,} | {first_ms:.0f} | {idle_ms:.0f} |', flush=True)
    return max(first_ms, idle_ms) <= MOST_IDLE_MS


def measured(adapter, origin, gate, jobs):
    """Milliseconds to the first, and those that the place was idle at most."""
    clients.enqueue(origin, [{'id': f'long-{i}', 'handlerType': 'long', 'external': True} for i in range(LONG)])
    handlers = {'long': [{'until': str(gate)}], 'short': []}
    adapter.ask({'work': {'places': LONG + 1, 'lock': 60, 'wait': 5, 'weights': {}, 'handlers': handlers}})
    behaviours.until(lambda: len(adapter.happened('began')) == LONG, 'the long jobs begin')
    clients.enqueue(origin, [{'id': f'short-{i}', 'handlerType': 'short', 'external': True} for i in range(jobs)])
    answered = time.time()
    behaviours.until(lambda: len(adapter.happened('ended')) == jobs, 'the short jobs end')
    began = sorted(event['at'] for event in adapter.happened('began') if event['began'].startswith('short'))
    ended = sorted(event['at'] for event in adapter.happened('ended'))
    return max(0, 1000 * (began[0] - answered)), 1000 * max(after - before for before, after in zip(ended, began[1:]))


if __name__ == '__main__':
    sys.exit(main())
