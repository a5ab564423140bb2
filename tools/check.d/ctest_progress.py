#!/usr/bin/env python3
"""Turns ctest's output into short progress and counts.

Usage:  ctest --output-on-failure ... | ctest_progress.py NAME COUNTS LOG

Shows how far the run NAME is, and at once, in full, what failed or was skipped. Writes the file COUNTS: a line
`passed N`, `failed N`, `skipped N` each, then `failure TEST` for each test that failed, and `took SECONDS TEST` for
the ten that took longest. A test that ctest could not start has failed. Of a GoogleTest program the cases count that
LOG, ctest's log of the run, tells of.
"""
import os
import re
import sys
import time

RESULT = re.compile(r'\s*(?P<done>\d+)/(?P<total>\d+) Test +#\d+: (?P<name>.+?) \.+\s*(?P<state>Passed|\*\*\*.*?)\s+(?P<seconds>[\d.]+) sec')
STARTED = re.compile(r'\s+Start +\d+: ')
IN_LOG = re.compile(r'\d+/\d+ Testing: (?P<name>.+)')
CASES = re.compile(r'\[  (?P<state>PASSED|SKIPPED) +\] (?P<count>\d+) tests?[.,]')
SECONDS_BETWEEN_LINES = 10
SLOWEST = 10


class Run:
    """What has come of a run of ctest so far."""

    def __init__(self):
        self.passed = 0
        self.skipped = 0
        self.failures = []
        self.durations = []
        self.states = {}
        self.done = 0
        self.total = 0

    def read(self, line):
        """Takes in one line of ctest's; answers whether a reader wants to see it."""
        match = RESULT.match(line)
        if not match:
            return not STARTED.match(line)
        self.done, self.total = int(match['done']), int(match['total'])
        self.durations.append((float(match['seconds']), match['name']))
        self.states[match['name']] = match['state']
        if match['state'] == 'Passed':
            self.passed += 1
            return False
        if match['state'] in ('***Skipped', '***Not Run (Disabled)'):
            self.skipped += 1
        else:
            self.failures.append(match['name'])
        return True

    def count_cases(self, log):
        """Takes in ctest's log: what counts as one test counts from now on as the cases that it has run."""
        state = ''
        for line in log:
            if match := IN_LOG.match(line):
                state = self.states.get(match['name'], '')
            elif match := CASES.match(line):
                if match['state'] == 'PASSED':
                    self.passed += int(match['count']) - (state == 'Passed')
                else:
                    self.skipped += int(match['count']) - (state == '***Skipped')

    def progress(self):
        return (f'{self.done}/{self.total} tests, {self.passed} passed, {len(self.failures)} failed, '
                f'{self.skipped} skipped')

    def counts(self):
        lines = [f'passed {self.passed}', f'failed {len(self.failures)}', f'skipped {self.skipped}']
        lines += [f'failure {name}' for name in self.failures]
        lines += [f'took {seconds:.1f} {name}' for seconds, name in sorted(self.durations, reverse=True)[:SLOWEST]]
        return '\n'.join(lines) + '\n'


def follow(run, name, lines, out):
    """Reads all lines; on a terminal the progress is one line that changes, elsewhere a line now and then."""
    in_place = out.isatty()
    shown_at = 0.0
    for line in lines:
        wanted = run.read(line)
        if wanted and run.total:
            out.write(('\r\033[K' if in_place else '') + line)
        if run.total and (in_place or time.monotonic() - shown_at > SECONDS_BETWEEN_LINES):
            out.write(f'\r\033[K[{name}] {run.progress()}' if in_place else f'[{name}] {run.progress()}\n')
            shown_at = time.monotonic()
        out.flush()
    out.write(('\r\033[K' if in_place else '') + f'[{name}] {run.progress()}\n')


def main():
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    run = Run()
    follow(run, sys.argv[1], sys.stdin, sys.stdout)
    if os.path.exists(sys.argv[3]):
        with open(sys.argv[3], encoding='utf-8', errors='replace') as log:
            run.count_cases(log)
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write(run.counts())
    return 0


if __name__ == '__main__':
    sys.exit(main())
