#!/usr/bin/env python3
"""Whether docs/client-behaviours.md says what behaviours.toml does.

Usage:  behaviours_table.py [--write]

--write: has it say so. The last line is `N passed, N failed`.
"""
import sys

import adapters
import behaviours
import clients

PAGE = clients.ROOT / 'docs/client-behaviours.md'
TITLES = {'python': 'Python', 'javascript': 'JavaScript', 'go': 'Go', 'java': 'Java', 'ruby': 'Ruby', 'php': 'PHP'}


def page():
    told = behaviours.told()
    lines = [
        '# What every client does', '',
        f'These {len(told)} behaviours are told once, in `test/clients/behaviours.toml`, and run for each client on SQLite, PostgreSQL and MariaDB:',
        '`test/clients/behaviours.py python build/release/tools/jobstrand build/clients`, and likewise for the others. A client that does not have',
        'one says why. This page is written by `test/clients/behaviours_table.py --write`.', '',
        f'| Behaviour | {" | ".join(TITLES.values())} |', f'|---|{"---|" * len(TITLES)}',
    ]
    for behaviour in told:
        without = behaviour.get('without', {})
        lines.append(f'| {behaviour["name"]} | {" | ".join(without.get(client, "yes") for client in TITLES)} |')
    return '\n'.join(lines) + '\n'


def main():
    if '--write' in sys.argv:
        PAGE.write_text(page(), encoding='utf-8')
    checks = clients.Checks()
    checks.equal('the list of clients', tuple(TITLES), adapters.names())
    checks.equal('a behaviour without a client that there is not', {client for one in behaviours.told() for client in one.get('without', {})} - TITLES.keys(), set())
    correctness = (clients.ROOT / 'docs/correctness.md').read_text(encoding='utf-8')
    checks.equal('docs/correctness.md knows how many there are', f'[{len(behaviours.told())} behaviours]' in correctness, True)
    checks.equal('docs/client-behaviours.md says what behaviours.toml does (behaviours_table.py --write)', PAGE.read_text(encoding='utf-8') == page(), True)
    return checks.result()


if __name__ == '__main__':
    sys.exit(main())
