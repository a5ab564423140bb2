"""Proves that every command under tools/ explains itself, and refuses what it does not know."""
import os
import subprocess
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools')
COMMANDS = ('quickstart', 'check', 'check_format', 'check_tidy', 'check_tree.py', 'install_packages')


def run(command, *arguments):
    return subprocess.run([os.path.join(TOOLS, command), *arguments], capture_output=True, text=True, timeout=60)


class CommandLine(unittest.TestCase):
    def test_help_goes_to_stdout_and_is_a_success(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                result = run(command, '--help')
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f'Usage:  tools/{command}', result.stdout)
                self.assertEqual(result.stderr, '')

    def test_an_unknown_option_is_wrong_usage_and_goes_to_stderr(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                result = run(command, '--no-such-option')
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn('Usage:', result.stderr)
                self.assertEqual(result.stdout, '')

    def test_an_option_without_its_value_is_wrong_usage(self):
        for arguments in (('check', '--preset'), ('check', '--preset', 'fast'), ('check', '--only'),
                          ('install_packages',), ('quickstart', '/no/such/folder')):
            with self.subTest(arguments=arguments):
                self.assertEqual(run(*arguments).returncode, 2)


class Packages(unittest.TestCase):
    def test_the_lists_are_printed_one_package_a_line(self):
        listed = run('install_packages', '--list', 'build', 'test').stdout.splitlines()
        self.assertIn('libsoci-dev', listed)
        self.assertIn('mariadb-server', listed)
        self.assertEqual(len(listed), len(set(listed)))


if __name__ == '__main__':
    unittest.main()
