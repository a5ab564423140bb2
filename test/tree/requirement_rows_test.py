"""Proves that the rule about docs/requirements.md finds what is missing, told twice or not true."""
import os
import sys
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools')
sys.path.insert(0, TOOLS)
import check_tree  # noqa: E402
import requirement_rows  # noqa: E402

TEST = 'test/schema/a_test.cpp'
SOURCES = {TEST, 'schema/job.hpp', 'persistence/jobs/claim.cpp'}


def row(number, state='now', where='`schema/job`', tests='`schema/a_test.cpp`'):
    return f'| R{number:03} | a rule | {state} | {where} | {tests} |'


def page(changed=None, left_out=()):
    """A page that is right but for the changed rows, by number."""
    rows = {number: row(number) for number in range(1, 177)}
    rows.update(changed or {})
    return [text for number, text in sorted(rows.items()) if number not in left_out]


def complaints(lines, named=frozenset(range(1, 177))):
    return [wrong for _, wrong in requirement_rows.differences(lines, {TEST: set(named)}, SOURCES)]


class Rows(unittest.TestCase):
    def test_a_page_that_is_right_is_quiet(self):
        self.assertEqual(complaints(page()), [])

    def test_a_number_without_a_row_is_named_and_whether_a_test_names_it(self):
        self.assertEqual(complaints(page(left_out=[55, 176])), ['R055 has no row', 'R176 has no row'])
        named = set(range(1, 177)) - {55}
        self.assertEqual(complaints(page(left_out=[55]), named), ['R055 has no row, and no test names it'])

    def test_a_proof_that_does_not_name_the_number_is_found(self):
        self.assertEqual(complaints(page(), set(range(1, 177)) - {74}), ['test/schema/a_test.cpp does not name R074'])
        gone = {74: row(74, tests='`schema/gone_test.cpp`')}
        self.assertEqual(complaints(page(gone)), ['test/schema/gone_test.cpp does not name R074'])

    def test_what_is_there_needs_a_proof_and_what_is_not_needs_none(self):
        self.assertEqual(complaints(page({7: row(7, tests='–')})), ['R007 is there, and no test is said to prove it'])
        for state in ('design', 'later', 'differs', 'no'):
            with self.subTest(state=state):
                self.assertEqual(complaints(page({7: row(7, state, tests='–')})), [])

    def test_a_state_that_means_nothing_is_found(self):
        self.assertIn('R007 is "soon"', complaints(page({7: row(7, 'soon')}))[0])

    def test_a_second_row_and_a_number_that_is_none_are_found(self):
        self.assertEqual(complaints(page() + [row(3)]), ['R003 has a row already, in line 3'])
        self.assertEqual(complaints(page() + [row(177)]), ['there is no requirement R177'])
        self.assertEqual(complaints(page(), set(range(1, 178))), ['R177 is named by a test, and there is no such requirement'])

    def test_a_source_may_be_a_file_or_a_folder_and_has_to_be_there(self):
        for where in ('`schema/job.hpp`', '`persistence/jobs`', '`persistence/jobs/claim`', '`job set --priority`'):
            with self.subTest(where=where):
                self.assertEqual(complaints(page({9: row(9, where=where)})), [])
        self.assertEqual(complaints(page({9: row(9, where='`schema/gone`')})),
                         ['R009 is said to be in schema/gone, which is not there'])


class Names(unittest.TestCase):
    def test_comments_name_numbers_and_ranges(self):
        for path, text in ((TEST, '// I7 R007, R008\n'), ('test/a.py', 'a = 1  # R007 R008\n'), (TEST, '// R007 to R008.\n'),
                           ('test/a.mjs', '// R007–R008\n')):
            with self.subTest(text=text):
                self.assertEqual(requirement_rows.named_in(path, text), {7, 8})

    def test_texts_and_intervals_and_other_files_name_none(self):
        for path, text in ((TEST, 'auto cycle = "R100";\n'), (TEST, '// As in R100/PT1S.\n'), ('schema/a.cpp', '// R007\n'),
                           ('test/tree/a.py', '# R007\n'), ('test/a.txt', '// R007\n')):
            with self.subTest(path=path, text=text):
                self.assertEqual(requirement_rows.named_in(path, text), set())


class Tree(unittest.TestCase):
    def test_the_rule_is_one_of_those_of_the_tree(self):
        rule = check_tree.requirement_rule(os.path.join(TOOLS, '..'))
        findings = list(rule(check_tree.Source('docs/requirements.md', row(1, tests='–') + '\n')))
        self.assertEqual(findings[0].line, 1)
        self.assertIn('R001 is there, and no test', findings[0].wrong)
        self.assertEqual(list(rule(check_tree.Source('docs/other.md', row(1, tests='–') + '\n'))), [])


if __name__ == '__main__':
    unittest.main()
