#!/usr/bin/env python3
"""Whether the Debian package is what Debian expects of one, and what is in it works. clean_root.py installs it.

Usage:  debian_test.py BUILD_FOLDER

It is built from the built program. What needs lintian is skipped where that is not installed. The last line is
`N passed, N failed, N skipped`.
"""
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

PATIENCE_S = 400


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, **options)


class DebianPackage(unittest.TestCase):
    build = pathlib.Path()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # The configuration of CPack names the folders of the build, and cpack itself a place for its work.
        done = run("cpack", "-G", "DEB", "--config", str(cls.build / "CPackConfig.cmake"), "-B", str(cls.folder / "made"))
        if done.returncode != 0:
            raise RuntimeError(f"cpack failed:\n{done.stdout}{done.stderr}")
        cls.package = next((cls.folder / "made").glob("jobstrand_*.deb"))
        cls.root = cls.folder / "root"
        subprocess.run(["dpkg-deb", "--raw-extract", str(cls.package), str(cls.root)], check=True, timeout=PATIENCE_S)

    def test_lintian_finds_no_error(self):
        if not shutil.which("lintian"):
            self.skipTest("lintian is not installed")
        done = run("lintian", "--fail-on", "error", str(self.package))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_it_needs_no_package_of_a_compiler_or_of_headers(self):
        needs = run("dpkg-deb", "--field", str(self.package), "Depends").stdout
        self.assertIn("libpq5", needs)
        self.assertNotIn("-dev", needs)

    def test_the_program_runs_and_takes_the_settings_that_come_with_it(self):
        settings = (self.root / "etc/jobstrand/jobstrand.toml").read_text(encoding="utf-8")
        own = self.folder / "own.toml"
        own.write_text(settings.replace("/var/lib/jobstrand", str(self.folder)), encoding="utf-8")
        done = run(str(self.root / "usr/bin/jobstrand"), "config", "check", "--config", str(own))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_examples_among_the_settings_can_be_taken_as_they_are(self):
        settings = (self.root / "etc/jobstrand/jobstrand.toml").read_text(encoding="utf-8")
        lines = settings.replace("/usr/local/bin/make-thumbnail", "/bin/true").splitlines()
        examples = [line.removeprefix("# ") for line in lines if line.startswith(("# [", "# program", "# httpListen"))]
        self.assertEqual(len(examples), 3)
        own = self.folder / "examples.toml"
        own.write_text("\n".join([f'db = "sqlite:{self.folder}/jobs.db"', *examples]), encoding="utf-8")
        done = run(str(self.root / "usr/bin/jobstrand"), "config", "check", "--config", str(own))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_program_has_its_unit_its_manual_and_its_completion(self):
        for path in (
            "lib/systemd/system/jobstrand.service",
            "usr/share/man/man1/jobstrand.1.gz",
            "usr/share/man/man1/jobstrand-serve.1.gz",
            "usr/share/bash-completion/completions/jobstrand",
            "usr/share/zsh/vendor-completions/_jobstrand",
            "usr/share/fish/vendor_completions.d/jobstrand.fish",
            "usr/share/doc/jobstrand/copyright",
            "usr/share/doc/jobstrand/docs/configuration.md",
        ):
            self.assertTrue((self.root / path).is_file(), path)
        unit = (self.root / "lib/systemd/system/jobstrand.service").read_text(encoding="utf-8")
        self.assertIn("ExecStart=/usr/bin/jobstrand serve --config /etc/jobstrand/jobstrand.toml\n", unit)

    def test_what_apps_embed_is_not_in_it(self):
        found = [path for path in self.root.rglob("*") if path.suffix in (".a", ".hpp", ".cmake")]
        self.assertEqual([path for path in found if "doc" not in path.parts], [])

    def test_settings_that_were_changed_survive_an_upgrade(self):
        self.assertEqual((self.root / "DEBIAN/conffiles").read_text(encoding="utf-8"), "/etc/jobstrand/jobstrand.toml\n")

    def test_the_scripts_are_shell_that_a_shell_takes(self):
        for name in ("postinst", "prerm", "postrm"):
            script = self.root / "DEBIAN" / name
            self.assertTrue(script.stat().st_mode & stat.S_IXUSR, name)
            done = run("sh", "-n", str(script))
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    DebianPackage.build = pathlib.Path(sys.argv.pop(1)).resolve()
    result = unittest.main(exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
