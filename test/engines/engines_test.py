#!/usr/bin/env python3
"""Whether what conformance.py runs is there, and is what docs/databases.md tells; no server is started."""
import re
import subprocess
import sys
import unittest

import conformance
import servers


class Engines(unittest.TestCase):
    def test_the_document_names_each_server(self):
        told = (servers.ROOT / 'docs/databases.md').read_text(encoding='utf-8')
        section = told.split('\n## Versions\n')[1].split('\n## ')[0]
        self.assertEqual(sorted(re.findall(r'`([\w.-]+)` \(', section)), sorted(servers.ENGINES))

    def test_the_short_run_names_suites_that_there_are(self):
        sources = ''.join(path.read_text(encoding='utf-8') for path in (servers.ROOT / 'test/conformance').rglob('*.cpp'))
        for suite in (suite for suites in conformance.SHORT.values() for suite in suites):
            self.assertIn(f'TEST_P({suite}, ', sources)

    def test_only_cases_on_the_named_server_are_run(self):
        for patterns, expected in (('*', '*/mysql_1*'), ('*/A.*:*/B.*', '*/A.*/mysql_1*:*/B.*/mysql_1*'), ('*-*/A.*', '*/mysql_1*-*/A.*/mysql_1*')):
            self.assertEqual(conformance.on_server(patterns, 'mysql'), expected)

    def test_help_names_each_server_and_wrong_usage_is_refused(self):
        program = servers.ROOT / 'test/engines/conformance.py'
        told = subprocess.run([sys.executable, program, '--help'], check=True, capture_output=True, text=True).stdout
        for name in servers.ENGINES:
            self.assertIn(f'  {name} ', told)
        for wrong in (['build'], ['build', 'oracle'], ['/no/such/folder', 'mysql'], ['build', 'mysql', '--short', '--filter', '*']):
            self.assertEqual(subprocess.run([sys.executable, program, *wrong], check=False, capture_output=True).returncode, 2, wrong)


if __name__ == '__main__':
    unittest.main()
