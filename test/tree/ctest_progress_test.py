"""Proves that tools/check counts every way in which a test can end."""
import io
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tools', 'check.d'))
from ctest_progress import Run, follow  # noqa: E402

OUTPUT = '''Test project build/release
    Start 1: Job.Is_free
1/8 Test #1: Job.Is_free ...............................   Passed    0.00 sec
    Start 2: Job.Needs_a_server
2/8 Test #2: Job.Needs_a_server ........................***Skipped   0.00 sec
3/8 Test #3: Job.Cannot_start ..........................***Not Run   0.00 sec
4/8 Test #4: Job.Is_locked/a value .....................***Failed    0.00 sec
expected: 2, Passed    0.00 sec
5/8 Test #5: Job.Is_switched_off .......................***Not Run (Disabled)   0.00 sec
6/8 Test #6: Job.Crashes ...............................***Exception: SegFault  0.00 sec
7/8 Test #7: Job.Hangs .................................***Timeout 120.02 sec
8/8 Test #8: A_name_that_is_longer_than_the_column_of_ctest_for_names_is_not_cut ...   Passed    0.09 sec
'''

LOG = '''4/8 Testing: Job.Is_free
[  PASSED  ] 12 tests.
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] Job.Is_free/sqlite
5/8 Testing: Job.Needs_a_server
[  PASSED  ] 0 tests.
[  SKIPPED ] 1 test, listed below:
6/8 Testing: Job.Is_locked/a value
[  PASSED  ] 3 tests.
[  FAILED  ] 1 test, listed below:
7/8 Testing: tree.order
'''


def run_of(output):
    run, out = Run(), io.StringIO()
    follow(run, 'release', output.splitlines(keepends=True), out)
    return run, out.getvalue()


class CtestProgress(unittest.TestCase):
    def test_every_end_of_a_test_is_counted(self):
        run, _ = run_of(OUTPUT)
        self.assertEqual((run.passed, len(run.failures), run.skipped), (2, 4, 2))

    def test_what_is_one_test_counts_as_the_cases_that_it_has_run(self):
        run, _ = run_of(OUTPUT)
        run.count_cases(LOG.splitlines(keepends=True))
        self.assertEqual((run.passed, len(run.failures), run.skipped), (2 + 11 + 3, 4, 2 + 2))

    def test_failures_are_named(self):
        run, _ = run_of(OUTPUT)
        self.assertEqual(run.failures, ['Job.Cannot_start', 'Job.Is_locked/a value', 'Job.Crashes', 'Job.Hangs'])
        self.assertIn('failed 4\nskipped 2\nfailure Job.Cannot_start\n', run.counts())

    def test_the_ten_that_took_longest_are_named_with_their_seconds(self):
        run, _ = run_of(OUTPUT)
        self.assertIn('\ntook 120.0 Job.Hangs\ntook 0.1 A_name_that_is_longer_', run.counts())
        many = ''.join(f'{n}/12 Test #{n}: Job.{n} ...   Passed    {n}.00 sec\n' for n in range(1, 13))
        self.assertEqual(run_of(many)[0].counts().count('took '), 10)

    def test_a_reader_sees_failures_with_their_output_and_no_line_per_success(self):
        _, shown = run_of(OUTPUT)
        self.assertIn('expected: 2', shown)
        self.assertIn('***Skipped', shown)
        self.assertNotIn('Job.Is_free', shown)
        self.assertTrue(shown.endswith('[release] 8/8 tests, 2 passed, 4 failed, 2 skipped\n'), shown)

    def test_no_test_counts_as_none(self):
        run, _ = run_of('No tests were found!!!\n')
        self.assertEqual(run.counts(), 'passed 0\nfailed 0\nskipped 0\n')


if __name__ == '__main__':
    unittest.main()
