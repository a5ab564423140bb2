"""Proves that each rule of tools/check_tree.py fires, with the right line, and stays quiet about what is fine."""
import os
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools')
sys.path.insert(0, TOOLS)
import check_tree  # noqa: E402
import described_rooms  # noqa: E402

HEADER = '#pragma once\n'


def findings_of(files):
    """The findings about a tree with these files, as `path:line: ...` texts."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)
        return [str(finding) for finding in check_tree.check(root)]


class TreeTest(unittest.TestCase):
    def expect_finding(self, path, text, line, words):
        found = findings_of({path: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f'{path}:{line}: '), found[0])
        self.assertIn(words, found[0])
        self.assertRegex(found[0], r'; \S', 'a finding says what to do instead')

    def expect_quiet(self, path, text):
        self.assertEqual(findings_of({path: text}), [])


class Layers(TreeTest):
    def test_a_layer_must_not_include_what_is_above_it(self):
        for path, header in (
            ('schema/a.cpp', 'persistence/executor_store.hpp'),
            ('persistence/a.cpp', 'executor/worker_pool.hpp'),
            ('executor/a.cpp', 'timers/timer_mover.hpp'),
            ('executor/a.cpp', 'persistence/sql/connection.hpp'),
            ('timers/a.cpp', 'executor/worker_pool.hpp'),
            ('timers/a.cpp', 'deadletter/dead_letters.hpp'),
            ('deadletter/a.cpp', 'executor/loop/polling_loop.hpp'),
            ('tools/program/a.cpp', 'test/fixtures/job_builder.hpp'),
            ('tools/program/a.cpp', 'bench/a.hpp'),
            ('bench/a.cpp', 'tools/program/main.hpp'),
        ):
            with self.subTest(path=path, header=header):
                self.expect_finding(path, f'\n#include "{header}"\n', 2, 'must not include')

    def test_a_layer_may_include_what_is_below_it(self):
        for path, header in (
            ('persistence/a.cpp', 'schema/job.hpp'),
            ('executor/a.cpp', 'persistence/executor_store.hpp'),
            ('executor/a.cpp', 'persistence/sql/db_error.hpp'),
            ('timers/a.cpp', 'executor/loop/polling_loop.hpp'),
            ('timers/a.cpp', 'executor/loop/job_intake.hpp'),
            ('deadletter/a.cpp', 'persistence/job_filter.hpp'),
            ('bench/a.cpp', 'test/fixtures/job_builder.hpp'),
            ('tools/service/a.cpp', 'tools/operations/operation.hpp'),
            ('test/tools/a.cpp', 'tools/engine/wiring.hpp'),
        ):
            with self.subTest(path=path, header=header):
                self.expect_quiet(path, f'#include "{header}"\n')

    def test_a_room_of_the_store_must_not_include_one_that_stands_on_it(self):
        for path, header in (
            ('persistence/sql/a.cpp', 'persistence/outcome.hpp'),
            ('persistence/rows/a.cpp', 'persistence/series/series_turns.hpp'),
            ('persistence/series/a.cpp', 'persistence/jobs/timer_moves.hpp'),
            ('persistence/series/a.cpp', 'persistence/store/sql_store.hpp'),
            ('persistence/jobs/a.cpp', 'persistence/store/sql_store.hpp'),
        ):
            with self.subTest(path=path, header=header):
                self.expect_finding(path, f'\n#include "{header}"\n', 2, 'must not include')

    def test_a_room_of_the_program_must_not_include_one_that_stands_on_it(self):
        for path, header in (
            ('tools/text/a.cpp', 'tools/output/record.hpp'),
            ('tools/operations/job/a.cpp', 'tools/operations/operation.hpp'),
            ('tools/operations/a.cpp', 'tools/surface/program.hpp'),
            ('tools/surface/a.cpp', 'tools/service/http_service.hpp'),
            ('tools/service/http/a.cpp', 'tools/operations/operation.hpp'),
            ('tools/service/api/a.cpp', 'tools/service/routes.hpp'),
            ('tools/service/a.cpp', 'tools/program/run_cli.hpp'),
            ('tools/engine/a.cpp', 'tools/text/terminal_text.hpp'),
        ):
            with self.subTest(path=path, header=header):
                self.expect_finding(path, f'\n#include "{header}"\n', 2, 'must not include')

    def test_nothing_generated_lies_at_the_top(self):
        self.expect_finding('jobstrand-job.1', '.TH JOB 1\n', 1, 'stands at the top')
        self.expect_finding('notes/a.md', 'words\n', 1, 'stands at the top')
        self.expect_quiet('README.md', 'words\n')

    def test_includes_are_written_from_the_source_root(self):
        self.expect_finding('schema/a.cpp', '#include "job.hpp"\n', 1, 'not written from the source root')
        self.expect_finding('schema/a.cpp', '#include "../schema/job.hpp"\n', 1, 'not written from the source root')

    def test_libraries_stay_in_the_layers_that_need_them(self):
        for path, header in (
            ('schema/a.cpp', 'boost/uuid/uuid.hpp'),
            ('persistence/a.cpp', 'boost/asio/post.hpp'),
            ('deadletter/a.cpp', 'boost/asio/post.hpp'),
            ('executor/a.cpp', 'nlohmann/json.hpp'),
            ('executor/a.cpp', 'boost/log/trivial.hpp'),
            ('test/executor/a.cpp', 'boost/log/trivial.hpp'),
        ):
            with self.subTest(path=path, header=header):
                self.expect_finding(path, f'#include <{header}>\n', 1, f'<{header}>')

    def test_libraries_are_welcome_where_they_belong(self):
        for path, header in (
            ('schema/a.cpp', 'vector'),
            ('schema/a.cpp', 'fmt/format.h'),
            ('executor/a.cpp', 'boost/asio/post.hpp'),
            ('executor/a.cpp', 'sys/wait.h'),
            ('tools/program/a.cpp', 'boost/log/trivial.hpp'),
            ('tools/program/a.cpp', 'nlohmann/json.hpp'),
        ):
            with self.subTest(path=path, header=header):
                self.expect_quiet(path, f'#include <{header}>\n')

    def test_the_public_headers_know_only_each_other(self):
        for header in ('schema/job.hpp', 'include/jobstrand/job.hpp'):
            with self.subTest(header=header):
                self.expect_finding('include/jobstrand/a.hpp', f'{HEADER}#include "{header}"\n', 2, 'must not include')
        for header in ('soci/soci.h', 'boost/asio/post.hpp', 'fmt/format.h', 'sqlite3.h'):
            with self.subTest(header=header):
                self.expect_finding('include/jobstrand/a.hpp', f'{HEADER}#include <{header}>\n', 2, f'<{header}>')
        self.expect_quiet('include/jobstrand/a.hpp', f'{HEADER}#include <jobstrand/job.hpp>\n\n#include <vector>\n')
        self.expect_quiet('include/jobstrand/on_sqlite.hpp', f'{HEADER}#include <sqlite3.h>\n')

    def test_the_library_is_not_built_on_its_own_public_face(self):
        for path in ('schema/a.cpp', 'persistence/a.cpp', 'executor/a.cpp', 'timers/a.cpp', 'tools/program/a.cpp'):
            with self.subTest(path=path):
                self.expect_finding(path, '#include <jobstrand/engine.hpp>\n', 1, 'inside the library')
        for path in ('tools/engine/a.cpp', 'tools/testing/a.cpp', 'tools/example_app/a.cpp', 'test/face/a.cpp'):
            with self.subTest(path=path):
                self.expect_quiet(path, '#include <jobstrand/engine.hpp>\n')

    def test_client_libraries_stay_in_the_folders_of_databases(self):
        for path, header in (
            ('persistence/insert_job.cpp', 'soci/soci.h'),
            ('persistence/drivers/database.cpp', 'sqlite3.h'),
            ('persistence/drivers/soci/soci_connection.hpp', 'soci/soci.h'),
            ('tools/program/a.cpp', 'soci/soci.h'),
            ('test/persistence/a.cpp', 'mysql_driver.h'),
            ('test/face/a.cpp', 'cppconn/connection.h'),
        ):
            with self.subTest(path=path, header=header):
                text = HEADER if path.endswith('.hpp') else '\n'
                self.expect_finding(path, f'{text}#include <{header}>\n', 2, 'folder of a database')
        for path, header in (
            ('persistence/drivers/soci/soci_connection.cpp', 'soci/soci.h'),
            ('persistence/drivers/mysql/mysql_connection.cpp', 'cppconn/connection.h'),
            ('persistence/drivers/oracle/connection.cpp', 'occi/occi.h'),
            ('test/face/a.cpp', 'mysql.h'),
            ('test/fixtures/a.cpp', 'openssl/ssl.h'),
        ):
            with self.subTest(path=path, header=header):
                self.expect_quiet(path, f'\n#include <{header}>\n')

    def test_an_include_in_a_comment_is_none(self):
        self.expect_quiet('schema/a.cpp', '// #include "tools/a.hpp"\n/*\n#include "tools/a.hpp"\n*/\n')


class Arrows(unittest.TestCase):
    def test_the_arrows_between_rooms_run_one_way(self):
        self.assertEqual(check_tree.circle_in(check_tree.OWN_INCLUDES), [])

    def test_a_circle_is_found_however_its_arrows_are_written(self):
        for back in ('a/', 'a/.', 'a/top.hpp'):
            with self.subTest(back=back):
                table = {'a': {'b/room/'}, 'b': set(), 'b/room': {'c/'}, 'c': {back}}
                self.assertEqual(check_tree.circle_in(table), ['a', 'b/room', 'c', 'a'])

    def test_a_folder_may_stand_on_its_own_rooms(self):
        self.assertEqual(check_tree.circle_in({'a': {'a/', 'b/'}, 'a/room': {'b/x.hpp'}, 'b': set()}), [])


class ToldRooms(unittest.TestCase):
    ROOMS = {
        'persistence': {'schema/'},
        'persistence/sql': {'schema/'},
        'persistence/rows': {'schema/', 'persistence/.', 'persistence/sql/pool.hpp'},
        'executor/loop': {'schema/'},
    }
    TRUE_TABLE = ['| Room of `persistence/` | What it is for |', '|---|---|', '| `persistence/` itself | contracts |',
                  '| `sql/` | the seam |', '| `rows/` | rows |']

    def expect_difference(self, table, line, words):
        found = list(described_rooms.differences(table, self.ROOMS))
        self.assertEqual([number for number, _ in found], [line], found)
        self.assertIn(words, found[0][1])

    def test_a_table_that_tells_what_is_so_is_fine(self):
        self.assertEqual(list(described_rooms.differences(['# Design', '', *self.TRUE_TABLE, '', '| `attic/` | of another table |'], self.ROOMS)), [])

    def test_a_room_must_not_stand_above_one_that_it_may_include(self):
        head, line, top, sql, rows = self.TRUE_TABLE
        self.expect_difference([head, line, top, rows, sql], 4, 'rows may include persistence/sql')
        self.expect_difference([head, line, sql, rows, top], 4, 'rows may include persistence, which')

    def test_a_room_that_is_not_told_of_is_a_difference(self):
        self.expect_difference([*self.TRUE_TABLE[:3], self.TRUE_TABLE[4]], 1, 'persistence/sql is not told of')

    def test_a_table_that_is_missing_tells_of_no_room(self):
        found = [wrong for _, wrong in described_rooms.differences(['# Design'], self.ROOMS)]
        self.assertEqual(found, ['the room persistence/rows is not told of', 'the room persistence/sql is not told of'])

    def test_a_room_that_does_not_exist_is_a_difference(self):
        self.expect_difference([*self.TRUE_TABLE, '| `attic/` | old things |'], 6, 'no room persistence/attic')


class Names(TreeTest):
    def test_vague_words_are_found_in_type_names(self):
        for text in ('class JobManager;', 'struct RetryHelper {};', 'enum class TimeUtil { a };',
                     'using JobBase = int;', 'class Impl;', 'struct CommonJob {};'):
            with self.subTest(text=text):
                self.expect_finding('schema/a.cpp', f'\n{text}\n', 2, 'the type name')

    def test_vague_words_are_found_in_file_and_folder_names(self):
        self.expect_finding('schema/job_util.cpp', '\n', 1, 'file or folder name')
        self.expect_finding('schema/common/job.cpp', '\n', 1, 'file or folder name')

    def test_words_that_only_contain_them_are_fine(self):
        self.expect_quiet('persistence/drivers/database_url.cpp', 'struct DatabaseUrl {};\nclass Baseline;\n')
        self.expect_quiet('schema/a.cpp', '// class JobManager\nauto text = "class JobManager";\n')


class UnnamedNamespaces(TreeTest):
    def expect_clash(self, first, second, line):
        found = findings_of({'schema/a.cpp': first, 'schema/b.cpp': second})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f'schema/b.cpp:{line}: '), found[0])
        self.assertIn('unnamed namespace of schema/a.cpp', found[0])

    def test_two_sources_of_a_folder_must_not_use_one_name_for_two_things(self):
        for text in ('int f(int a) {\n    return a;\n}', 'struct f {\n    int a;\n};', 'constexpr int f = 1;',
                     'const std::vector<int> f{1, 2};', 'template <typename T>\nT f() {\n}', 'enum class f { a };',
                     'int f[] = {1};', '[[nodiscard]] A<B, C> f(D d = {});', 'const A f = g([] { h(); });'):
            with self.subTest(text=text):
                source = f'namespace {{\n{text}\n}}\n'
                self.expect_clash(source, 'namespace {\nint g() {\n    return 1;\n}\n' + text + '\n}\n', 5)

    def test_other_folders_scopes_and_names_are_fine(self):
        own = 'namespace {\nint f() {\n    int g = 1;\n}\n}\n'
        for other in ({'persistence/b.cpp': own},
                      {'schema/b.cpp': 'namespace {\nint g() {\n    return f;\n}\n}\nint f() {\n}\n'},
                      {'schema/b.cpp': 'namespace {\nstruct A {\n    int f() {\n    }\n};\n}\n'}):
            with self.subTest(other=other):
                self.assertEqual(findings_of({'schema/a.cpp': own, **other}), [])

    def test_rooms_that_are_compiled_as_one_share_their_names(self):
        own = 'namespace {\nint f() {\n    int g = 1;\n}\n}\n'
        found = findings_of({'executor/a.cpp': own, 'executor/pool/b.cpp': own})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith('executor/pool/b.cpp:2: '), found[0])

    def test_an_alias_may_be_repeated(self):
        text = 'namespace {\nusing A = int;\nusing b::C;\nnamespace fs = std::filesystem;\nTEST(A, B) {\n}\n}\n'
        self.assertEqual(findings_of({'schema/a.cpp': text, 'schema/b.cpp': text}), [])


class MissingIncludes(TreeTest):
    """What a source uses it includes, or it compiles only where its folder is compiled as one."""
    HEADER = HEADER + 'namespace jobstrand::schema {\n[[nodiscard]] int rank_of(int job);\nstruct Rank {\n};\nconstexpr int kRank = 1;\n}\n'

    def findings_about(self, source, **others):
        files = {'schema/rank.hpp': self.HEADER, 'schema/a.cpp': source}
        return findings_of({**files, **{f'schema/{name}.hpp': HEADER + text for name, text in others.items()}})

    def test_a_name_of_a_header_that_is_not_included_is_found(self):
        for use in ('return rank_of(1);', 'return schema::rank_of(1);', 'return jobstrand::schema::rank_of(1);', 'Rank rank{};', 'return kRank;'):
            with self.subTest(use=use):
                found = self.findings_about(f'int f() {{\n    {use}\n}}\n')
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith('schema/a.cpp:2: '), found[0])
                self.assertIn('include "schema/rank.hpp"', found[0])

    def test_a_member_of_a_type_that_is_only_named_is_found(self):
        whole = 'namespace jobstrand::schema {\nstruct Whole {\n    int by_id;\n};\n}\n'
        use = 'int f() {\n    return whole().by_id;\n}\n'
        named = 'struct Whole;\nWhole& whole();\n'
        found = self.findings_about('#include "schema/b.hpp"\n' + use, b=named, whole=whole)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith('schema/a.cpp:3: Whole::by_id is used'), found[0])
        self.assertEqual(self.findings_about('#include "schema/b.hpp"\n#include "schema/whole.hpp"\n' + use, b=named, whole=whole), [])

    def test_a_header_that_another_one_includes_is_enough(self):
        self.assertEqual(self.findings_about('#include "schema/b.hpp"\nint a = rank_of(1);\n', b='#include "schema/rank.hpp"\n'), [])

    def test_other_things_of_that_name_are_fine(self):
        for use in ('int rank_of(int a) {\n    return a;\n}\nint b = rank_of(1);', 'return a.rank_of(1);', 'return a->rank_of(1);',
                    'return std::rank_of(1);', 'const auto rank_of = [] {};\nreturn rank_of();', 'using testing::Rank;\nRank a;',
                    'TEST(A, Rank) {\n}', 'return "kRank";  // kRank', 'int rank_of = 1;\nreturn rank_of;'):
            with self.subTest(use=use):
                self.assertEqual(self.findings_about(use + '\n'), [])

    def test_a_name_that_something_included_has_too_is_passed_over(self):
        self.assertEqual(self.findings_about('#include "schema/b.hpp"\nint a = rank_of(1);\n', b='struct B {\n    int rank_of(int a);\n};\n'), [])

    def test_a_header_that_the_source_may_not_include_is_not_meant(self):
        found = findings_of({'executor/rank.hpp': self.HEADER, 'schema/a.cpp': 'int a = rank_of(1);\n'})
        self.assertEqual(found, [])


class Habits(TreeTest):
    def test_raw_sleeps_in_tests_are_found(self):
        for text in ('std::this_thread::sleep_for(1s);', 'usleep(5);', '::sleep(1);'):
            with self.subTest(text=text):
                self.expect_finding('test/executor/a_test.cpp', f'\n{text}\n', 2, 'raw sleep')
        self.expect_finding('test/process/a.py', 'import time\ntime.sleep(1)\n', 2, 'raw sleep')
        self.expect_finding('test/process/a.sh', 'true\nsleep 1\n', 2, 'raw sleep')

    def test_a_sleep_elsewhere_or_in_a_text_is_fine(self):
        self.expect_quiet('test/tools/a_test.cpp', 'auto command = "sleep(10)";  // sleep_for(1s)\n')
        self.expect_quiet('test/process/a.py', 'command = ["sleep", "10"]\n')
        self.expect_quiet('tools/program/a.cpp', 'sleep_for(wait);\n')

    def test_using_namespace_is_for_literals_and_matchers(self):
        self.expect_finding('schema/a.cpp', '\nusing namespace std;\n', 2, 'using namespace std')
        self.expect_quiet('schema/a.cpp', 'using namespace std::chrono_literals;\n')
        self.expect_quiet('test/schema/a.cpp', 'using namespace ::testing;\n')

    def test_leftover_notes_are_found_in_every_text(self):
        for word in ('TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'):
            with self.subTest(word=word):
                self.expect_finding('docs/a.md', f'\nfirst {word}: second\n', 2, 'leftover')
        self.expect_quiet('tools/a.sh', 'mktemp -d /tmp/a.XXXXXX\n')

    def test_tabs_trailing_blanks_and_a_missing_last_newline_are_found(self):
        self.expect_finding('README.md', '\na\tb\n', 2, 'a tab')
        self.expect_finding('README.md', '\na \n', 2, 'trailing blanks')
        self.expect_finding('README.md', '\na', 2, 'no newline')
        self.expect_quiet('bench/a.go', 'func a() {\n\treturn\n}\n')

    def test_a_header_needs_its_guard(self):
        self.expect_finding('schema/a.hpp', 'int a();\n', 1, '#pragma once')
        self.expect_quiet('schema/a.hpp', '#pragma once\n')

    def test_sql_that_only_some_databases_understand_stays_in_their_drivers(self):
        for text in ('SELECT 1 FOR UPDATE SKIP LOCKED', 'PRAGMA journal_mode', 'ON CONFLICT DO NOTHING', 'timestamp(3)',
                     'SELECT 1 FROM pg_class', 'set enable_seqscan = off', 'INSERT IGNORE INTO t'):
            for path in ('schema/a.cpp', 'persistence/jobs/a.cpp', 'tools/engine/a.cpp', 'bench/scenarios/a.cpp'):
                with self.subTest(text=text, path=path):
                    self.expect_finding(path, f'\nauto sql = "{text}";\n', 2, 'is the SQL of some databases only')
        for path in ('persistence/drivers/sqlite/a.cpp', 'bench/core/raw_jobs.cpp', 'test/persistence/a.cpp'):
            with self.subTest(path=path):
                self.expect_quiet(path, 'auto sql = "PRAGMA journal_mode";\n')
        self.expect_quiet('persistence/jobs/a.cpp', 'auto sql = "SELECT ID_ FROM T {skip_locked} LIMIT 1";\n')

    def test_two_files_must_not_have_one_name(self):
        found = findings_of({'schema/a.hpp': HEADER, 'executor/a.hpp': HEADER, 'include/jobstrand/a.hpp': HEADER, 'docs/a.md': ''})
        self.assertEqual(len(found), 1, found)
        self.assertIn('schema/a.hpp:1: executor/a.hpp has this name too', found[0])

    def test_words_that_are_out_are_found_in_documents(self):
        for text in ('It has a twin.', 'Nobody knows their fates.', 'The job is set aside', 'Buried at once', 'one [of the lanes](a.md)'):
            with self.subTest(text=text):
                self.expect_finding('docs/a.md', f'\n{text}\n', 2, 'the word')
        self.expect_quiet('docs/a.md', 'The folder `desk/`, planes and [names](../docs/a.md#the-twin).\n```\nbaton\n```\n')
        self.expect_quiet('CHANGELOG.md', 'Twins are dead letters.\n')

    def test_words_that_are_out_are_found_in_names_and_comments(self):
        for text in ('/// It has a twin.', 'enum class TurnFate {', 'bool has_baton();', '#include "schema/job_desk.hpp"'):
            with self.subTest(text=text):
                self.expect_finding('schema/a.cpp', f'\n{text}\n', 2, 'the word')
        self.expect_quiet('schema/a.cpp', 'int planes, desktop;\n')

    def test_a_link_in_a_document_must_lead_somewhere(self):
        self.expect_finding('docs/a.md', '\n[gone](gone.md#part)\n', 2, 'a link to gone.md')
        self.expect_quiet('docs/a.md', '```cpp\n[&](const Row& row) {}\n```\n')
        self.expect_quiet('docs/a.md', '[here](../docs/a.md) [web](https://host.example/a) [below](#part)\n')

    def test_paths_of_one_machine_are_found(self):
        for path in ('/home' + '/ann/jobs.db', '/root' + '/jobs.db'):
            with self.subTest(path=path):
                self.expect_finding('docs/a.md', f'\nIt is in {path}.\n', 2, 'a path of one machine')
        self.expect_quiet('docs/a.md', 'See ~/home/ann, docs/home/a, /usr/bin/true, https://host.example/home/a\n')

    def test_the_folder_above_the_checkout_counts_as_such_a_path(self):
        rule = check_tree.machine_path_rule('/builds' + '/group/jobstrand')
        self.assertEqual(len(list(rule(check_tree.Source('a.md', 'cd /builds' + '/group\n')))), 1)


class CommandLine(unittest.TestCase):
    def test_this_very_tree_can_be_listed(self):
        listed = check_tree.paths(os.path.join(TOOLS, '..'))
        self.assertIn('tools/check_tree.py', listed)


if __name__ == '__main__':
    unittest.main()
