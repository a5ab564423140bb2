#!/usr/bin/env python3
"""`--engine all`: what is typed once, done for each engine of a configuration file.

Usage:  engines_test.py JOBSTRAND_BINARY
"""
import contextlib
import csv
import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BINARY = Path(sys.argv[1]).resolve()
PATIENCE_S = 60
#: Far less than a silent server is waited for by itself (connect_timeout), and enough for a busy machine.
SOON_S = 7
#: Dead letters whose export takes longer than one that says nothing is waited for.
LONG_LIST = 30_000


class Engines(unittest.TestCase):
    """Two engines with jobs, and one whose server takes connections and says nothing."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("JOBSTRAND_")}
        self.silent = self.enterContext(contextlib.closing(socket.create_server(("127.0.0.1", 0))))
        self.write_config("")
        for engine, jobs in (("main", 1), ("orders", 2)):
            self.done(engine, "schema", "create")
            for number in range(jobs):
                self.done(engine, "job", "add", "--type", "mail", "--id", f"{engine}-{number}", "--payload", '"one\\ntwo"')

    def write_config(self, further):
        (self.folder / "all.toml").write_text(
            f'db = "sqlite:{self.folder}/main.db"\n[engines.orders]\ndb = "sqlite:{self.folder}/orders.db"\n{further}', encoding="utf-8")

    def add_dead_engine(self):
        self.write_config(f'[engines.stuck]\ndb = "mysql://jobs:x@127.0.0.1:{self.silent.getsockname()[1]}/jobs"\n')

    def run_it(self, engine, *words):
        which = [] if engine == "main" else ["--engine", engine]
        return subprocess.run([BINARY, "--config", self.folder / "all.toml", *which, *words], env=self.env, capture_output=True, text=True,
                              timeout=PATIENCE_S, stdin=subprocess.DEVNULL, check=False)

    def done(self, engine, *words):
        result = self.run_it(engine, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_each_has_its_heading_in_a_table(self):
        shown = self.done("all", "stats")
        self.assertLess(shown.index("engine main\n"), shown.index("engine orders\n"))
        self.assertEqual(shown.count("executable"), 2, shown)

    def test_in_json_they_are_one_document(self):
        of = {one["engine"]: one for one in json.loads(self.done("all", "-o", "json", "job", "ls"))}
        self.assertEqual([job["id"] for job in of["main"]["result"]], ["main-0"])
        self.assertEqual([job["id"] for job in of["orders"]["result"]], ["orders-0", "orders-1"])
        self.assertEqual({one["exitCode"] for one in of.values()}, {0})

    def test_in_json_lines_and_csv_each_record_says_whose_it_is(self):
        lines = [json.loads(line) for line in self.done("all", "-o", "jsonl", "job", "ls").splitlines()]
        self.assertEqual([(line["engine"], line["id"]) for line in lines], [("main", "main-0"), ("orders", "orders-0"), ("orders", "orders-1")])
        records = list(csv.DictReader(io.StringIO(self.done("all", "-o", "csv", "job", "ls"))))
        self.assertEqual([(record["engine"], record["id"]) for record in records],
                         [("main", "main-0"), ("orders", "orders-0"), ("orders", "orders-1")])
        self.assertEqual(self.done("all", "-o", "name", "job", "ls").split(), ["main-0", "orders-0", "orders-1"])

    def test_one_that_does_not_answer_is_left_out_and_named(self):
        self.add_dead_engine()
        for words in (["stats"], ["dead", "groups"], ["job", "ls"], ["top", "--once"]):
            with self.subTest(words):
                began = time.monotonic()
                result = self.run_it("all", *words)
                took = time.monotonic() - began
                print(f"{' '.join(words)}: {took:.2f} s", file=sys.stderr)
                self.assertLess(took, SOON_S)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn("engine orders\n", result.stdout)
                self.assertTrue(result.stderr.endswith("jobstrand: stuck: no answer within 0.9 s, so it is left out\n"), result.stderr)

    def test_one_that_has_begun_to_answer_is_waited_for(self):
        with contextlib.closing(sqlite3.connect(self.folder / "orders.db")) as orders:
            orders.execute("WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) INSERT INTO ACT_RU_DEADLETTER_JOB"
                           " (ID_, HANDLER_TYPE_, HANDLER_CFG_) SELECT n, 'mail', printf('\"%03000d\"', n) FROM numbers", [LONG_LIST])
            orders.commit()
        exported = self.done("all", "-o", "jsonl", "dead", "export", "--all")
        self.assertEqual(exported.count("\n"), LONG_LIST)

    def test_what_is_wrong_with_one_is_told_with_its_name(self):
        self.write_config(f'[engines.away]\ndb = "sqlite:{self.folder}/nothing.db"\n')
        result = self.run_it("all", "-o", "json", "job", "ls")
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"^jobstrand: away: .*nothing\.db")
        away = next(one for one in json.loads(result.stdout) if one["engine"] == "away")
        self.assertEqual((away["exitCode"], away["result"]), (1, None))
        self.assertIn("nothing.db", away["errors"])

    def test_one_that_is_killed_is_named(self):
        (self.folder / "kill").write_text("#!/bin/sh\nkill -KILL $PPID\n", encoding="utf-8")
        (self.folder / "kill").chmod(0o700)
        self.write_config(f'[engines.killed]\ndb = "mysql://jobs@127.0.0.1/jobs?password_command={self.folder}/kill"\n')
        result = self.run_it("all", "-o", "name", "job", "ls")
        self.assertEqual((result.returncode, result.stdout.split()), (3, ["main-0", "orders-0", "orders-1"]))
        self.assertEqual(result.stderr, "jobstrand: killed: ended by signal 9\n")

    def test_bulk_deeds_are_done_in_each(self):
        self.assertEqual(self.run_it("all", "job", "rm", "--all").returncode, 5, "nobody has said yes")
        self.done("all", "job", "rm", "--all", "--yes")
        for engine in ("main", "orders"):
            self.assertEqual(self.done(engine, "-o", "name", "job", "ls"), "")

    def test_a_job_that_one_has_is_partly_found(self):
        result = self.run_it("all", "job", "show", "orders-1")
        self.assertEqual(result.returncode, 3)
        self.assertIn("jobstrand: main: ", result.stderr)

    def test_the_tables_of_each_can_be_looked_at(self):
        self.assertEqual(self.done("all", "schema", "check").count("engine "), 2)

    def test_what_cannot_be_meant_so_is_wrong_usage(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for words, why in ((["token", "make", "x", "--role", "read"], "token make is not about the jobs of an engine"),
                           (["job", "add", "--from", "-"], "stdin and pipes can be read once"),
                           (["job", "add", "--from", "/dev/stdin"], "stdin and pipes can be read once"),
                           (["job", "add", "--from", pipe], "stdin and pipes can be read once"),
                           (["stats", "--db", "sqlite:x.db"], "--db and JOBSTRAND_DB name one database")):
            with self.subTest(words):
                result = self.run_it("all", *words)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(f"jobstrand: --engine all: {why}", result.stderr)

    def test_a_table_may_be_called_main_where_there_is_no_engine_at_the_top(self):
        table = f'[engines.main]\ndb = "sqlite:{self.folder}/orders.db"\n'
        (self.folder / "all.toml").write_text(table, encoding="utf-8")
        self.assertEqual(self.done("all", "-o", "name", "job", "ls").split(), ["orders-0", "orders-1"])
        (self.folder / "all.toml").write_text(f'db = "sqlite:{self.folder}/main.db"\n{table}', encoding="utf-8")
        result = self.run_it("all", "job", "ls")
        self.assertEqual(result.returncode, 2)
        self.assertIn("main is the engine of the db at the top", result.stderr)

    def test_who_ends_it_ends_what_it_has_begun(self):
        self.add_dead_engine()
        process = subprocess.Popen([BINARY, "--config", self.folder / "all.toml", "--engine", "all", "job", "rm", "--all", "--yes"], env=self.env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.silent.settimeout(PATIENCE_S)
        connection, _ = self.silent.accept()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE_S)
        connection.close()
        self.assertIn(process.returncode, (1, 3), "the others may have been done")
        self.assertIn("jobstrand: stuck: ended by signal 15\n", errors)

    def test_an_empty_variable_names_no_database(self):
        self.env["JOBSTRAND_DB"] = ""
        self.assertEqual(self.done("all", "-o", "name", "job", "ls").split(), ["main-0", "orders-0", "orders-1"])

    def test_an_engine_may_have_this_name(self):
        self.write_config(f'[engines.all]\ndb = "sqlite:{self.folder}/orders.db"\n')
        self.assertEqual(self.done("all", "-o", "name", "job", "ls").split(), ["orders-0", "orders-1"])


if __name__ == "__main__":
    outcome = unittest.main(argv=sys.argv[:1], exit=False, verbosity=1).result
    failed = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
