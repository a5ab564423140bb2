#!/usr/bin/env python3
"""Whether every block of the documents that somebody could copy is run by a test, and the settings of a MariaDB server by the server itself.

Usage:  blocks_test.py

A block in a language that no test of its document is listed for fails: name the test here that runs it.
"""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.M | re.S)
# Which test runs the blocks of a document, by language.
RUN_BY = {
    "README.md": {"sh": "docs.readme", "sql": "docs.readme", "toml": "docs.readme", "cpp": "docs.snippets",
                  "bash": "test/package/bare_debian.py", "python": "clients.python_sql", "js": "clients.javascript_sql"},
    "bench/README.md": {"sh": "docs.bench"},
    "docs/batches.md": {"sh": "docs.operations"},
    "docs/cli.md": {"sh": "docs.operations, tools_test", "json": "tools_test"},
    "docs/clients.md": {"sh": "docs.clients", "python": "docs.clients", "js": "docs.clients", "sql": "docs.clients",
                        "go": "test/clients/go_client.py", "java": "test/clients/java_client.py",
                        "ruby": "test/clients/ruby_client.py", "php": "test/clients/php_client.py"},
    "docs/configuration.md": {"toml": "docs.operations"},
    "docs/correctness.md": {"sh": "ledger_test, simulation_test"},
    "docs/databases.md": {"sql": "docs.operations"},
    "docs/embedding.md": {"cpp": "docs.snippets", "cmake": "package"},
    "docs/flowable.md": {"sh": "interop.flowable", "toml": "interop.flowable"},
    "docs/from-a-jobs-table.md": {"sh": "docs.readme", "sql": "docs.readme"},
    "docs/from-flowable.md": {"sh": "docs.readme", "sql": "docs.readme, docs.operations", "toml": "docs.readme"},
    "docs/from-quartz.md": {"sh": "docs.readme"},
    "docs/frameworks.md": {"php": "docs.snippets", "ruby": "docs.snippets", "ts": "docs.snippets"},
    "docs/http.md": {"sh": "docs.http", "toml": "docs.http"},
    "docs/history.md": {"sh": "docs.operations", "json": None},
    "docs/definitions.md": {"sh": "docs.operations", "toml": "docs.operations"},
    "docs/limits.md": {"sh": "docs.operations"},
    "docs/operations.md": {"sh": "docs.operations", "toml": "docs.operations"},
    "docs/page.md": {"sh": "page.demo", "nginx": "page.demo"},
    "docs/performance.md": {"sh": "docs.bench"},
    "docs/scaling.md": {"ini": "docs.blocks"},
    "docs/sql.md": {"sql": "docs.readme, docs.operations"},
    "docs/timers.md": {"sh": "docs.operations"},
    "docs/unique-keys.md": {"sh": "docs.operations", "sql": "conformance_test"},
    "docs/tutorial.md": {"sh": "docs.tutorial", "csv": "docs.tutorial", "toml": "docs.tutorial", "console": "docs.tutorial"},
}
EXAMPLES = sorted(ROOT.glob("examples/**/*.md"))
RUN_BY |= {str(page.relative_to(ROOT)): dict.fromkeys(("console", "python", "sh", "toml"), "docs.tutorial") for page in EXAMPLES}


def documents():
    return [ROOT / "README.md", *EXAMPLES, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "bench/README.md"]


class Blocks(unittest.TestCase):
    def test_each_is_run(self):
        found = 0
        for path in documents():
            name = str(path.relative_to(ROOT))
            for language, content in BLOCK.findall(path.read_text(encoding="utf-8")):
                if language:
                    found += 1
                    self.assertIn(language, RUN_BY.get(name, {}), f"{name}: no test runs\n{content}")
        self.assertGreater(found, 50)

    def test_a_server_of_a_cluster_takes_its_settings(self):
        server = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin")
        if not server:
            self.skipTest("mariadbd is not installed")
        text = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
        (content,) = (content for language, content in BLOCK.findall(text) if language == "ini")
        with tempfile.NamedTemporaryFile("w", suffix=".cnf") as file:
            file.write(content)
            file.flush()
            done = subprocess.run([server, f"--defaults-file={file.name}", "--verbose", "--help"], capture_output=True, text=True,
                                  timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        values = dict(line.split(None, 1) for line in done.stdout.splitlines() if len(line.split(None, 1)) == 2)
        for line in content.splitlines():
            if "=" in line:
                name, value = (part.strip() for part in line.split("="))
                said = values.get(name.replace("_", "-"), "").strip()
                self.assertIn(said, (value, "TRUE") if value == "ON" else (value,), name)


if __name__ == "__main__":
    unittest.main()
