#!/usr/bin/env python3
"""The sources of the page: tsc --strict without a word, and all texts where another language finds them.

Usage: types_test.py FOLDER_FOR_PACKAGES
"""
import shutil
import subprocess
import sys
import unittest

import page_packages

PATIENCE_S = 300


class TypesTest(unittest.TestCase):
    packages = None

    def node(self, *words):
        done = subprocess.run(['node', *words], cwd=self.packages.parent, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        return done.stdout + done.stderr

    def test_its_types_are_those_of_typescript_in_strict(self):
        shutil.copy(page_packages.PAGE / 'tsconfig.json', self.packages.parent)
        shutil.rmtree(self.packages.parent / 'src', ignore_errors=True)
        shutil.copytree(page_packages.PAGE / 'src', self.packages.parent / 'src')
        self.assertEqual(self.node(self.packages / 'typescript/bin/tsc', '--noEmit', '--pretty', 'false'), '')

    def test_all_texts_stand_in_strings(self):
        script = page_packages.ROOT / 'test/page/strings.mjs'
        self.assertEqual(self.node(script, self.packages / 'typescript', page_packages.PAGE / 'src'), '')


def main():
    try:
        TypesTest.packages = page_packages.installed(sys.argv[1])
    except page_packages.clients.CannotInstall as reason:
        print('skipped:', reason)
        return page_packages.clients.SKIPPED
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(TypesTest))
    failed = len(result.failures) + len(result.errors)
    print(f'{result.testsRun - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
