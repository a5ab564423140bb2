#!/usr/bin/env python3
"""The table of rows.md: each test that it names is there, and is one that ctest runs.

Usage: rows_test.py
"""
import ast
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def tests_of(module):
    """Those of a module, as `module.Class.test`."""
    tree = ast.parse((HERE / f'{module}.py').read_text(encoding='utf-8'))
    return {f'{module}.{case.name}.{test.name}' for case in tree.body if isinstance(case, ast.ClassDef)
            for test in case.body if isinstance(test, ast.FunctionDef) and test.name.startswith('test')}


def main():
    run = (HERE / 'CMakeLists.txt').read_text(encoding='utf-8')
    there = set().union(*(tests_of(each.stem) for each in HERE.glob('*_test.py') if re.search(rf'\b{each.stem.removesuffix("_test")}\b', run)))
    rows = re.findall(r'^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$', (HERE / 'rows.md').read_text(encoding='utf-8'), re.M)[1:]
    wrong = [f'{row}: there is no {name}' for row, names in rows for name in re.findall(r'`(.*?)`', names) if name not in there]
    wrong += [f'{row}: no test' for row, names in rows if '`' not in names]
    print('\n'.join(wrong))
    print(f'{len(rows) - len(wrong)} passed, {len(wrong)} failed')
    return 1 if wrong or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
