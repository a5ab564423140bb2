#!/usr/bin/env python3
"""Proves that bench/compare counts only results that count, and says what became of every contender."""
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'bench/compare.d'))
import comparison  # noqa: E402
import contenders  # noqa: E402
import kits  # noqa: E402
import results  # noqa: E402
import servers  # noqa: E402
from server import ServerFailed, ServerMissing  # noqa: E402


def a_result(jobs=100, rates=(900, 1000, 1100), once='', ceiling=None, **more):
    return {
        'format': 'jobstrand-bench/1', 'scenario': 'drain', 'startedAt': '2026-11-20T00:00:00.000Z', 'passed': not once,
        'environment': {'program': 'peer 1.2', 'compiler': 'none', 'cpu': 'a fast one', 'cpus': '2'},
        'settings': {'jobs': str(jobs), 'workers': '8', 'page': '500'},
        'figures': [{'name': 'drain', 'unit': 'jobs/s', 'values': list(rates), 'median': sorted(rates)[len(rates) // 2],
                     'min': min(rates), 'max': max(rates), 'ceiling': ceiling, 'ratio': None}],
        'latencies': [], 'series': [],
        'checks': [{'name': results.ONCE, 'passed': not once, 'problem': once},
                   {'name': results.EMPTY, 'passed': True, 'problem': ''}],
    } | more


def printing(text, exit_code=0):
    """A program that prints this, whatever it is told."""
    return (sys.executable, '-c', f'print({text!r}); raise SystemExit({exit_code})')


def a_contender(name, program, **more):
    return contenders.Contender(name, 'mariadb', contenders.NO_OP, more.pop('kit', 'none'), program, **more)


class FakeServer:
    """Has databases in name only."""

    def __init__(self, _data):
        self.dropped = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def describe(self):
        return 'a server'

    def fresh_database(self, name):
        return f'fake://{name}'

    def drop_database(self, _name):
        self.dropped += 1


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)

    def run_all(self, *chosen, server=FakeServer, install=lambda kit: None, time_limit=100):
        """Contender id -> (status, why)."""
        settings = comparison.Settings(self.out, self.out, 100, 3, time_limit, 'bench/compare')
        compared = comparison.Comparison(settings, chosen, {'mariadb': server}, install)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            compared.run()
        self.said = said.getvalue()
        return {name.removeprefix('mariadb-'): (one['status'], one['why'])
                for name, one in compared.summary['outcomes'].items()}

    def test_a_good_result_is_kept_with_its_rate(self):
        found = self.run_all(a_contender('good', printing(json.dumps(a_result()))))
        self.assertEqual(found, {'good': ('passed', '1,000 jobs/s')})
        self.assertEqual(json.loads((self.out / 'mariadb-good.json').read_text()), a_result())
        self.assertIn('[1/1] mariadb-good, no-op: passed: 1,000 jobs/s', self.said)

    def test_a_lost_or_doubled_job_makes_the_result_worthless(self):
        doubled = json.dumps(a_result(once='0 jobs never succeeded, 1 more than once'))
        found = self.run_all(a_contender('doubled', printing(doubled, exit_code=1)))
        self.assertEqual(found['doubled'][0], 'failed')
        self.assertIn('1 more than once', found['doubled'][1])
        self.assertFalse((self.out / 'mariadb-doubled.json').exists())

    def test_a_result_counts_only_when_it_answers_what_was_asked(self):
        no_once = a_result(checks=[{'name': results.EMPTY, 'passed': True, 'problem': ''}])
        for name, text, why in (
                ('few', json.dumps(a_result(jobs=99)), 'it ran 99 jobs instead of 100'),
                ('unchecked', json.dumps(no_once), 'it did not check that every job succeeded exactly once'),
                ('denied', json.dumps(a_result(passed=False)), 'it says that it did not pass'),
                ('empty', json.dumps(a_result(figures=[])), 'it measured no "drain"'),
                ('other', '{"format":"another/1"}', 'it printed something else'),
                ('partial', '{"format":"jobstrand-bench/1"}', 'it printed no result'),
                ('list', '[]', 'it printed no result'),
                ('text', 'hello', 'it printed no result')):
            with self.subTest(name):
                status, found = self.run_all(a_contender(name, printing(text)))[name]
                self.assertEqual(status, 'failed')
                self.assertIn(why, found)

    def test_a_contender_that_cannot_be_had_is_skipped_and_the_others_run(self):
        def install(kit):
            if kit == 'java':
                raise kits.CannotInstall('mvn is not on this machine')

        found = self.run_all(
            a_contender('missing', ('/no/such/program',)),
            a_contender('unable', (sys.executable, '-c', 'import sys; sys.stderr.write("too old"); sys.exit(77)')),
            a_contender('not-installed', printing('never run'), kit='java'),
            a_contender('good', printing(json.dumps(a_result()))), install=install)
        self.assertEqual(found['missing'], ('skipped', '/no/such/program cannot be started: No such file or directory'))
        self.assertEqual(found['unable'], ('skipped', 'too old'))
        self.assertEqual(found['not-installed'], ('skipped', 'mvn is not on this machine'))
        self.assertEqual(found['good'][0], 'passed')

    def test_a_contender_that_fails_is_reported_and_the_others_run(self):
        def install(kit):
            if kit == 'go':
                raise kits.DoesNotBuild('go failed')

        found = self.run_all(
            a_contender('crashing', (sys.executable, '-c', 'raise SystemError("out of luck")')),
            a_contender('not-built', printing('never run'), kit='go'),
            a_contender('good', printing(json.dumps(a_result()))), install=install)
        self.assertEqual(found['crashing'], ('failed', 'it ended with code 1: SystemError: out of luck'))
        self.assertEqual(found['not-built'], ('failed', 'go failed'))
        self.assertEqual(found['good'][0], 'passed')

    def test_a_contender_that_does_not_end_is_ended_at_its_time_limit(self):
        endless = (sys.executable, '-c', 'import signal; signal.pause()')
        found = self.run_all(a_contender('endless', endless), time_limit=1)
        self.assertEqual(found['endless'], ('failed', 'it was not done within 1 s'))

    def test_a_server_that_is_missing_skips_its_contenders_and_one_that_breaks_fails_them(self):
        class Missing(FakeServer):
            def __enter__(self):
                raise ServerMissing('mariadbd is not installed')

        class Broken(FakeServer):
            def fresh_database(self, name):
                raise ServerFailed('disk full')

        pair = (a_contender('one', printing('')), a_contender('two', printing('')))
        self.assertEqual(set(self.run_all(*pair, server=Missing).values()), {('skipped', 'mariadbd is not installed')})
        self.assertEqual(set(self.run_all(*pair, server=Broken).values()), {('failed', 'disk full')})

    def test_a_contender_is_told_its_share_of_the_jobs(self):
        echo = (sys.executable, '-c', 'import sys; print(sys.argv[1:], file=sys.stderr)')
        self.run_all(a_contender('slow', echo, share=0.1), a_contender('own', echo, kit='jobstrand'))
        told = (self.out / 'mariadb-slow.log').read_text()
        self.assertIn("'--db', 'fake://compare', '--jobs', '10', '--warm-up', '5', '--repeat', '3',", told)
        self.assertIn("'--time-limit', '100']", told)
        own = (self.out / 'mariadb-own.log').read_text()
        self.assertIn("'--jobs', '100', '--warm-up', '50', '--repeat', '3', '--time-limit', '100s', '-o', 'json'", own)

    def test_results_of_a_former_run_stay_and_a_new_failure_removes_the_old_result(self):
        good = printing(json.dumps(a_result()))
        self.run_all(a_contender('stays', good), a_contender('breaks', good))
        self.run_all(a_contender('breaks', printing('hello')))
        self.assertTrue((self.out / 'mariadb-stays.json').exists())
        self.assertFalse((self.out / 'mariadb-breaks.json').exists())

    def test_what_the_last_run_did_not_try_is_left_out(self):
        good = a_contender('good', printing(json.dumps(a_result())))
        missing = a_contender('missing', ('/no/such/program',))
        settings = comparison.Settings(self.out, self.out, 100, 3, 100)
        with mock.patch.object(contenders, 'CONTENDERS', (good, missing)):
            for chosen, left_out in (((good,), ['mariadb-missing']), ((missing,), ['mariadb-good']),
                                     ((good, missing), [])):
                with contextlib.redirect_stderr(io.StringIO()):
                    last = comparison.Comparison(settings, chosen, {'mariadb': FakeServer}, lambda kit: None)
                    last.run()
                self.assertEqual(last.left_out(), left_out)

    def test_a_file_of_sqlite_is_gone_with_its_log_before_the_next_contender(self):
        with servers.SqliteFolder(self.out) as folder:
            file = Path(folder.fresh_database('compare').removeprefix('sqlite:'))
            for suffix in ('', '-wal', '-shm'):
                Path(f'{file}{suffix}').touch()
            folder.drop_database('compare')
            self.assertEqual(list(file.parent.iterdir()), [])
        self.assertFalse(file.parent.exists())


class Table(unittest.TestCase):
    OURS = contenders.Contender('jobstrand', 'mariadb', contenders.NO_OP, 'jobstrand', ())
    PEER = contenders.Contender('quartz', 'mariadb', contenders.NO_OP, 'java', ())
    OTHER_WORK = contenders.Contender('flowable-wait', 'mariadb', contenders.WAIT, 'java', ())

    def table(self, found, outcomes=None):
        summary = {'servers': {'mariadb': 'MariaDB 10.11'}, 'startedAt': '2026-11-20T10:00', 'load': '0.1',
                   'command': 'bench/compare', 'outcomes': outcomes or {}}
        return results.markdown(summary, found, (self.OURS, self.PEER, self.OTHER_WORK))

    def test_each_peer_is_held_against_our_rate_for_the_same_work(self):
        table = self.table({
            'mariadb-jobstrand': a_result(rates=(50000,), ceiling=80000),
            'mariadb-quartz': a_result(rates=(250,), jobs=5000),
            'mariadb-flowable-wait': a_result(rates=(1200,)),
        })
        self.assertIn('On MariaDB 10.11:', table)
        self.assertIn('| raw SQL, one page per transaction | no-op | 80,000 |', table)
        self.assertIn('| **jobstrand** | no-op | 50,000 (50,000–50,000) |  |', table)
        self.assertIn('| quartz | no-op | 250 (250–250) | 200 |  | 5,000 × 1 |', table)
        self.assertIn('| flowable-wait | 100 ms of waiting | 1,200 (1,200–1,200) |  |', table)
        self.assertIn('- mariadb-quartz: peer 1.2 (none); workers 8, page 500', table)
        self.assertNotIn('PostgreSQL', table)

    def test_what_has_no_result_or_is_from_another_run_is_said(self):
        table = self.table(
            {'mariadb-jobstrand': a_result()},
            {'mariadb-jobstrand': {'status': 'passed', 'why': '', 'run': '2026-11-19T10:00'},
             'mariadb-quartz': {'status': 'skipped', 'why': 'no mvn', 'run': '2026-11-20T10:00'}})
        self.assertIn('| quartz | no-op | skipped |', table)
        self.assertIn('mariadb-quartz: skipped: no mvn.', table)
        self.assertIn('mariadb-jobstrand is from another run, 2026-11-19T10:00.', table)

    def test_the_table_replaces_only_what_is_between_the_marks(self):
        document = f'before\n{results.BEGIN}\nold\n{results.END}\nafter\n'
        once = results.with_table(document, 'new')
        self.assertEqual(once, f'before\n{results.BEGIN}\n\nnew\n\n{results.END}\nafter\n')
        self.assertEqual(results.with_table(once, 'new'), once)
        with self.assertRaises(ValueError):
            results.with_table('no marks', 'new')

    def test_the_document_has_the_marks(self):
        results.with_table((ROOT / 'docs/performance.md').read_text(), '')


class Kits(unittest.TestCase):
    """On a machine without any compiler or package client."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sources, self.build = Path(folder.name) / 'sources', Path(folder.name) / 'build'
        (self.sources / 'go').mkdir(parents=True)
        (self.sources / 'go/go.mod').write_text('module a')
        (self.sources / 'go/go.sum').write_text('a v1.0.0')
        for patch in (mock.patch.object(kits, 'SOURCES', self.sources), mock.patch.object(kits, 'BUILD', self.build),
                      mock.patch.object(kits, 'OURS', kits.ROOT / 'no-such-program'),
                      mock.patch.dict('os.environ', PATH='/no/such/folder')):
            patch.start()
            self.addCleanup(patch.stop)

    def test_what_cannot_be_downloaded_is_to_be_skipped_and_is_tried_again(self):
        for _ in range(2):
            with self.assertRaisesRegex(kits.CannotInstall, 'go is not on this machine'):
                kits.install('go')

    def test_what_is_installed_needs_neither_network_nor_tools_until_its_sources_change(self):
        (self.build / 'go').mkdir(parents=True)
        (self.build / 'go/installed').write_text(kits.fingerprint(self.sources / 'go'))
        kits.install('go')
        (self.sources / 'go/go.mod').write_text('module b')
        with self.assertRaises(kits.CannotInstall):
            kits.install('go')

    def test_our_own_program_is_not_built_here(self):
        with self.assertRaisesRegex(kits.DoesNotBuild, 'is not built: cmake'):
            kits.install('jobstrand')


class CommandLine(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([str(ROOT / 'bench/compare'), *arguments], capture_output=True, text=True, timeout=60,
                              check=False)

    def test_help_and_the_list_go_to_stdout(self):
        self.assertIn('Usage:  bench/compare', self.run_it('--help').stdout)
        self.assertIn('postgresql-river\n', self.run_it('--list').stdout)

    def test_wrong_usage_is_refused(self):
        for arguments in (('--jobs', '0'), ('--repeat', 'many'), ('--only', 'nobody'), ('--no-such-option',), ('a',)):
            with self.subTest(arguments):
                self.assertEqual(self.run_it(*arguments).returncode, 2)

    def test_the_document_takes_only_one_run_of_all_contenders(self):
        document = ROOT / 'docs/performance.md'
        before = document.read_bytes()
        result = self.run_it('--only', 'river', '--write')
        self.assertEqual((result.returncode, result.stdout), (2, ''))
        self.assertIn('leave out --only', result.stderr)
        with tempfile.TemporaryDirectory() as folder:
            outcome = {'status': 'skipped', 'why': 'no mvn', 'run': '2026-11-20T10:00'}
            (Path(folder) / 'summary.json').write_text(json.dumps({
                'servers': {}, 'startedAt': '2026-11-20T10:00', 'load': '0.1', 'command': 'bench/compare',
                'outcomes': {'mariadb-quartz': outcome}}))
            result = self.run_it('--table-only', '--write', '--out', folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn('docs/performance.md stays as it is', result.stderr)
        self.assertIn('postgresql-river', result.stderr)
        self.assertEqual(document.read_bytes(), before)

    def test_a_table_of_nothing_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_it('--table-only', '--out', folder)
        self.assertEqual((result.returncode, result.stdout), (1, ''))
        self.assertIn('there are no results', result.stderr)

    def test_every_id_is_there_once(self):
        ids = [contender.id for contender in contenders.CONTENDERS]
        self.assertEqual(len(ids), len(set(ids)))


if __name__ == '__main__':
    unittest.main()
