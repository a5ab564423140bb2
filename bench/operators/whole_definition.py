#!/usr/bin/env python3
"""What becomes of other jobs while a whole definition is overridden, suspended and activated.

Usage:  whole_definition.py JOBSTRAND_BINARY [--database NAME]... [--jobs N] [--others N]

Two services drain jobs of one definition; beside them, in the same table, stand N jobs of another one, which no service serves. It is overridden with --cascade,
suspended and activated while they work. Before each of these the services get new jobs, and their rate alone is taken for a few seconds. Prints how long the
change took, how many jobs a second that were, and the rate of the services during it (until they have no more to do) as a part of their rate alone. Who
activates wants jobs to run, so its part is told and not judged. No job may be lost: in the end all jobs of the first definition have run, and those of the
other one stand where they stood, with the new priority. The last line is `N passed, N failed`.
"""
import contextlib
import json
import re
import subprocess
import sys
import threading
import time
import urllib.request

from case import ROOT, measure_all, parser_of

sys.path.insert(0, str(ROOT / 'test/clients'))
import clients  # pylint: disable=wrong-import-position

PATIENCE_S = 1800
ALONE_S = 5
LEAST = 0.8
CHANGES = (
    ('cascade', True, ('definition', 'set', 'ship:1', '--override=-10', '--cascade')),
    ('suspend', True, ('definition', 'suspend', 'ship:1')),
    ('activate', False, ('definition', 'activate', 'ship:1')),
)
OTHER = json.dumps({'handlerType': 'noop', 'processDefinitionId': 'bill:1'})
MEANT = json.dumps({'handlerType': 'ship', 'processDefinitionId': 'ship:1'})


class Services:
    """Two of them, which count what they have completed."""

    def __init__(self, ports):
        self.ports = ports

    def completed(self):
        count = 0
        for port in self.ports:
            with urllib.request.urlopen(f'http://127.0.0.1:{port}/metrics', timeout=60) as answer:
                count += int(re.search(r'^jobstrand_completed_total (\d+)', answer.read().decode(), re.M)[1])
        return count

    def rate_while(self, goes_on):
        """While that says so. Returns how many a second."""
        began, before = time.monotonic(), self.completed()
        while goes_on(self.completed()):
            time.sleep(0.2)
        return (self.completed() - before) / (time.monotonic() - began)

    def rate_for(self, seconds, most):
        """Until so many are completed, at the latest."""
        until = time.monotonic() + seconds
        return self.rate_while(lambda completed: time.monotonic() < until and completed < most)

    def finish(self, jobs):
        """Waits until so many are completed. Returns how many are by then."""
        until = time.monotonic() + PATIENCE_S
        self.rate_while(lambda completed: completed < jobs and time.monotonic() < until)
        return self.completed()


@contextlib.contextmanager
def services_of(case):
    with contextlib.ExitStack() as stack:
        ports = []
        for _ in range(2):
            process = stack.enter_context(case.start('serve', '--http', '127.0.0.1:0', stderr=subprocess.PIPE))
            stack.callback(process.terminate)
            ports.append(clients.port_of(process))
        yield Services(ports)


class Change(threading.Thread):
    """Runs a command, and knows how long it took."""

    def __init__(self, case, words):
        super().__init__()
        self.case, self.words, self.took, self.error = case, words, None, None
        self.start()

    def run(self):
        began = time.monotonic()
        try:
            self.case.run(*self.words)
        except RuntimeError as error:
            self.error = error
        self.took = time.monotonic() - began


def measure_change(case, database, name, words):
    """Returns which part of their rate the others kept."""
    jobs, others = case.options.jobs, case.options.others
    most = others * 95 // 100  # Then they run out of jobs.
    case.add(others, OTHER)
    with services_of(case) as services:
        services.finish(others // 20)  # First they read past the jobs that they do not serve.
        alone = services.rate_for(ALONE_S, most)
        change = Change(case, words)
        during = services.rate_while(lambda completed: change.is_alive() and completed < most)
        after = services.rate_for(ALONE_S, most) if services.completed() < most else None
        change.join()
        ran = services.finish(others)
    if change.error:
        raise change.error
    if ran != others:
        raise RuntimeError(f'{ran:,} runs of {others:,} jobs')
    part = during / ((alone + (after or alone)) / 2)
    print(f'{database}: {name} of {jobs:,}: {change.took:.1f} s, {jobs / change.took:,.0f}/s; others {during:,.0f}/s, alone {alone:,.0f} '
          f'{"before" if after is None else f"and {after:,.0f}"}: {part:.0%}', flush=True)
    return part


def measure(case, database):
    """What went wrong."""
    case.run('schema', 'create')
    case.add(case.options.jobs, MEANT)
    wrong = []
    for name, is_judged, words in CHANGES:
        part = measure_change(case, database, name, words)
        if is_judged and part < LEAST:
            wrong.append(f'{name}: the others kept {part:.0%} of their rate, and must keep {LEAST:.0%}')
    places = json.loads(case.run('stats', '-o', 'json'))['places']
    left = {place: jobs for place, jobs in places.items() if jobs}
    if left != {'executable': case.options.jobs}:
        wrong.append(f'in the end there are {left}')
    return wrong


def main():
    parser = parser_of(__doc__)
    parser.add_argument('--jobs', type=int, default=1_000_000, help='of the definition that is changed')
    parser.add_argument('--others', type=int, default=2_000_000, help='for the services, before each change')
    return measure_all(parser.parse_args(), measure)


if __name__ == '__main__':
    sys.exit(main())
