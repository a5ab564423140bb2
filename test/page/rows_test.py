#!/usr/bin/env python3
"""The table of rows.md: each test that it names is there, is one that ctest runs, and runs on each database.

Usage: rows_test.py
"""
import ast
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WITHOUT_DATABASE = {'demo_test', 'types_test'}  # The demo makes its own; sources have none.


def source(name):
    return (HERE / name).read_text(encoding='utf-8')


def tests_of(module):
    """Those of a module, as `module.Class.test`."""
    return {f'{module}.{case.name}.{test.name}' for case in ast.parse(source(f'{module}.py')).body if isinstance(case, ast.ClassDef)
            for test in case.body if isinstance(test, ast.FunctionDef) and test.name.startswith('test')}


def on_each_database():
    """The classes that databases_test.py runs, as `module.Class`."""
    for module, name in re.findall(r'(\w+_test)\.(\w+)', source('databases_test.py')):
        cases = re.search(r'^SERVICES = (.*?)\n\n', source(f'{module}.py'), re.M | re.S)[1] if name == 'SERVICES' else name
        yield from (f'{module}.{case}' for case in re.findall(r'\w+', cases))


def main():
    run, everywhere = source('CMakeLists.txt'), set(on_each_database())
    there = set().union(*(tests_of(each.stem) for each in HERE.glob('*_test.py') if re.search(rf'\b{each.stem.removesuffix("_test")}\b', run)))
    rows = re.findall(r'^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$', source('rows.md'), re.M)[1:]
    wrong = []
    for row, names in rows:
        tests = re.findall(r'`(.*?)`', names)
        wrong += [f'{row}: there is no {name}' for name in tests if name not in there]
        wrong += [f'{row}: {name} runs on one database only' for name in tests
                  if name.rpartition('.')[0] not in everywhere and name.partition('.')[0] not in WITHOUT_DATABASE]
        wrong += [] if tests else [f'{row}: no test']
    print('\n'.join(wrong))
    print(f'{len(rows) - len(wrong)} passed, {len(wrong)} failed')
    return 1 if wrong or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
