#!/usr/bin/env python3
"""Proves that bench/scale_model is near what was measured, goes by the intervals of the code, and says what docs/scaling.md shows."""
import contextlib
import importlib.machinery
import importlib.util
import io
import re
import sys
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader('scale_model', str(ROOT / 'bench/scale_model'))
model = importlib.util.module_from_spec(importlib.util.spec_from_loader('scale_model', loader))
loader.exec_module(model)

SETTINGS = 'executor/executor_settings.hpp'
# A value of the model, where the code has it, and what has to be done to it.
SOURCES = (
    (model.LOOK / 0.95, SETTINGS, r'acquire_wait\{std::chrono::seconds\((\d+)\)\}', 1),
    (model.LEASE, SETTINGS, r'node_lease\{std::chrono::seconds\((\d+)\)\}', 1),
    (model.LEASE / 3, 'executor/node_presence.cpp', r'renews_at_ = began \+ lease_time_ / (\d+);', lambda parts: model.LEASE / parts),
    (model.CLOCK, 'executor/loop/clock_comparison.hpp', r'kClockComparisonInterval = std::chrono::seconds\((\d+)\)', 1),
    (model.FULL_LOOK, 'executor/loop/scan_start.cpp', r'kTimeOfBacklog\{(\d+)\}', 1),
    (model.MOST_TURNS, 'executor/loop/shared_looks.hpp', r'kMostTurns = (\d+);', 1),
    (model.PART_OF_TIME, 'executor/loop/scan_start.hpp', r'kPartOfTime = (\d+);', 1),
    (model.NODES_HOLD, 'executor/job_acquirer.cpp', r'kNodesHold = std::chrono::seconds\((\d+)\)', 1),
    (model.UNSERVED, 'executor/served_here.cpp', r'kInterval = (\d+)s', 1),
    (model.SWEEP, SETTINGS, r'reset_interval\{std::chrono::seconds\((\d+)\)\}', 1),
    (20_000, 'persistence/executor_store.hpp', r"std::size_t rows = ([\d']+);", 1),
    (10, 'executor/expired_lock_reset.cpp', r'kPartsPerInterval = (\d+);', 1),
    (model.AHEAD, SETTINGS, r'acquire_ahead\{std::chrono::milliseconds\((\d+)\)\}', 0.001),
    (model.PAGE, SETTINGS, r'acquire_page = (\d+);', 1),
    (model.FAILURE_WAIT, 'executor/loop/polling_loop.hpp', r'kFailureWaitMax\{std::chrono::seconds\((\d+)\)\}', 1),
)
NODES = (1, 4, 16, 64, 256, 1000, 4000)


def printed(*arguments):
    out = io.StringIO()
    with mock.patch.object(sys, 'argv', ['scale_model', *arguments]), contextlib.redirect_stdout(out):
        code = model.main()
    return code, out.getvalue()


class ScaleModel(unittest.TestCase):
    def test_it_is_near_what_was_measured(self):
        code, out = printed('--check')
        self.assertEqual(code, 0, out)

    def test_it_goes_by_the_intervals_of_the_code(self):
        for value, path, pattern, to_model in SOURCES:
            with self.subTest(path=path, pattern=pattern):
                found = re.search(pattern, (ROOT / path).read_text(encoding='utf-8'))
                self.assertIsNotNone(found)
                figure = int(found[1].replace("'", ''))
                self.assertAlmostEqual(value, to_model(figure) if callable(to_model) else figure * to_model)

    def test_the_document_shows_what_it_says(self):
        text = model.DOCUMENT.read_text(encoding='utf-8')
        self.assertEqual(text, model.put_into(text, printed()[1]), 'bench/scale_model --write puts it there')

    def test_an_idle_node_sends_less_than_a_statement_a_second_however_many_there_are(self):
        self.assertLess(model.idle_statements(), 1)
        self.assertTrue(all(measured < 1 for measured in model.IDLE_POINTS.values()))

    def test_leases_of_a_thousand_nodes_are_a_small_part_of_a_server(self):
        self.assertLess(model.lease_cpu(1000) / 2e6, 0.06)
        self.assertLess(model.lease_cpu(1000), model.idle_cpu(1000) / 2)

    def test_more_nodes_never_cost_less(self):
        work = model.Work()
        for cost in (model.idle_cpu, lambda nodes: sum(model.busy_costs(nodes, work)), model.no_op_cost,
                     lambda nodes: model.back_after(60, nodes, 8)):
            values = [cost(nodes) for nodes in NODES]
            self.assertEqual(values, sorted(values))

    def test_what_is_done_in_turns_or_for_other_nodes_costs_a_thousand_nodes_no_more_than_two_cores(self):
        work = model.Work(backlog=1_000_000)
        jobs, each, others = model.busy_costs(1000, work)
        self.assertLess(each - 1000 * model.BUSY_NODE + others, 2e6)

    def test_more_shards_never_run_fewer_jobs(self):
        work = model.Work()
        parts = [model.busy(-(-1000 // shards), work, 8)[0] for shards in (1, 4, 16, 64)]
        self.assertEqual(parts, sorted(parts))
        self.assertEqual(parts[-1], 1)

    def test_a_server_is_never_used_for_more_than_it_has_and_its_knee_is_where_it_is_full(self):
        work = model.Work()
        for cores in (2, 8, 32):
            nodes = model.knee(work, cores)
            self.assertEqual(model.busy(nodes, work, cores)[0], 1)
            self.assertLess(model.busy(nodes + 1, work, cores)[0], 1)
            self.assertAlmostEqual(model.busy(4 * nodes, work, cores)[1], model.FULL)

    def test_a_dead_node_is_noticed_as_soon_whatever_the_number_of_nodes(self):
        least, mean, most = model.from_death(0)
        self.assertLess(least, min(model.DEATH_POINTS))
        self.assertGreater(most, max(model.DEATH_POINTS))
        self.assertAlmostEqual(most, model.LEASE * 4 / 3)

    def test_wrong_usage_is_told(self):
        for arguments in (['--nodes', 'many'], ['--nodes', '0'], ['--cores', '0'], ['--write', '--cores', '2'], ['--unknown']):
            with self.subTest(arguments=arguments), contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as ended:
                printed(*arguments)
            self.assertEqual(ended.exception.code, 2)

    def test_the_example_of_its_help_works(self):
        code, out = printed('--help')
        self.assertEqual(code, 0)
        example = re.search(r'^Example:  bench/scale_model (.*)$', out, re.M)[1]
        self.assertIn('| 500 | 8 | 63 |', printed(*example.split())[1])


if __name__ == '__main__':
    unittest.main()
