#!/usr/bin/env python3
"""Runs the conformance suite, or the ledger, on a server of another version than the machine's, which is got, started and stopped.

Its packages are downloaded once, Debian's from the mirror that apt has on this machine, checked against the keys of Debian and Ubuntu, and unpacked
with the libraries that they were built for: nothing is installed. Vitess is built from its Go module, by the `go` of this machine, on top of that MySQL. The server runs on a free port of 127.0.0.1, with its data in a folder of its own.
MySQL is logged in to as docs/databases.md says. The last line is `N passed, N failed`.

{servers}

Exit codes: 0 all passed, 1 something failed, 2 wrong usage, 77 the server cannot be had on this machine.

Examples:
  cmake --build --preset release --target conformance_test && test/engines/conformance.py build/release mysql
  test/engines/conformance.py build/release postgresql-13 --filter '*Limits.*:*Timers.*'
  JOBSTRAND_LEDGER_JOBS=200000 JOBSTRAND_LEDGER_KILLS=200 test/engines/conformance.py build/release mysql --ledger
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import packages
import servers

SKIPPED = 77
# What --short runs, so that most statements are in it: the suites by what they are about.
SHORT = {
    'enqueueing': ('Insertion', 'UniqueKey', 'UniqueKeyConcurrency', 'Values'),
    'claims': ('Acquisition', 'Claims', 'Concurrency', 'ExpiredLockReset', 'ExternalAcquisition', 'Neighbours'),
    'what may start': ('ExclusiveJobs', 'Limits', 'Orders'),
    'outcomes': ('Outcomes', 'TransactionalOutcomes', 'Model'),
    'timers': ('SeriesTurns', 'Timers'),
    'dead letters': ('DeadLetterTimes', 'Requeueing'),
    'operators': ('Batches', 'Changes', 'JobLog', 'Listing', 'Where'),
}


def said():
    listed = '\n'.join(f'  {name:<14} the one of {engine.suite}' for name, engine in servers.ENGINES.items())
    parser = argparse.ArgumentParser(description=__doc__.format(servers=f'Servers:\n{listed}'), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=Path, help='the folder in which conformance_test was built')
    parser.add_argument('server', choices=servers.ENGINES, metavar='server', help='by its name above')
    which = parser.add_mutually_exclusive_group()
    which.add_argument('--filter', default='*', metavar='PATTERNS', help="only these cases, as GoogleTest names them without the database")
    which.add_argument('--short', action='store_const', dest='filter', const=':'.join(f'*/{suite}.*' for suites in SHORT.values() for suite in suites),
                       help='only the suites that most statements are in, as ctest runs them: about a minute')
    which.add_argument('--ledger', action='store_true', help='instead of the suite ledger_test, in which nodes and the server are killed: see docs/correctness.md')
    parser.add_argument('--folder', type=Path, help='where the server is unpacked, by default build/engines/SERVER; without it the newest is downloaded again')
    parser.add_argument('--results', type=Path, metavar='FILE', help='what GoogleTest tells of each case goes there, as JSON')
    return parser.parse_args()


def on_server(patterns, scheme):
    """Only the cases on the server that the environment names: it is the first behind the one that the suite starts by itself."""
    parts = [':'.join(f'{pattern}/{scheme}_1*' for pattern in part.split(':')) for part in patterns.split('-', 1)]
    return '-'.join(parts)


def run(program, patterns, server, results):
    """The program's exit code."""
    # It ends with us, whatever ends us.
    command = ['setpriv', '--pdeathsig=KILL', program, f'--gtest_filter={patterns}', '--gtest_brief=1', f'--gtest_output=json:{results}']
    return subprocess.run(command, env={**os.environ, 'JOBSTRAND_TEST_URLS': server.url, 'JOBSTRAND_TEST_PROCESS': str(server.process),
                                         'JOBSTRAND_TEST_BEHIND': server.behind}, check=False).returncode


def main():
    asked = said()
    target = 'ledger_test' if asked.ledger else 'conformance_test'
    program = asked.build.resolve() / 'test' / target.removesuffix('_test') / target
    if not program.exists():
        print(f'conformance.py: there is no {program}: cmake --build {asked.build} --target {target}', file=sys.stderr)
        return 2
    engine = servers.ENGINES[asked.server]
    folder = asked.folder or servers.ROOT / 'build/engines' / asked.server
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        results = (asked.results or Path(name) / 'results.json').resolve()
        results.unlink(missing_ok=True)
        try:
            root = packages.unpacked(folder.resolve(), engine.suite, engine.package, engine.programs)
            if engine.command:
                packages.built(root, engine.command, engine.version)
            patterns = f'*Ledger*/named_{engine.scheme}' if asked.ledger else on_server(asked.filter, engine.scheme)
            with servers.started(engine, root) as server:
                print(f'{asked.server}: {packages.version_of(root, engine.package)} is ready after {time.monotonic() - begin:.0f} s', flush=True)
                code = run(program, patterns, server, results)
        except packages.CannotInstall as reason:
            print(f'skipped: {reason}')
            return SKIPPED
        except RuntimeError as reason:
            print(f'FAILED: {reason}')
            return 1
        cases = [case for suite in json.loads(results.read_text())['testsuites'] for case in suite['testsuite']] if results.exists() else []
    failed = sum('failures' in case for case in cases)
    skipped = sum(case['result'] == 'SKIPPED' for case in cases)
    if code != (1 if failed else 0):
        print(f'FAILED: the suite ended with exit code {code}')
    print(f'{asked.server}: {time.monotonic() - begin:.0f} s')
    print(f'{len(cases) - failed - skipped} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    return 0 if cases and code == 0 else 1


if __name__ == '__main__':
    sys.exit(main())
