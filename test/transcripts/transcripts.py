"""Runs the transcripts beside it: pages that show what people type and what they get.

Usage:  transcripts.py BINARY sqlite|mysql|postgresql [--through-server] [--record] [PAGE.md]...

Each `##` heading of a page is a case, which begins on an empty database. Its blocks are run one after the other:

  ```console    `$ command` as a shell takes it, and below it what it prints: stdout, `! ` before lines of stderr,
                and `[exit N]` where the exit code is not 0; `$SERVICE` is the address of a service on the database
  ```http       requests, each a line `METHOD path body` and below it the status, the headers that are looked at, and the
                body of the answer; headers of the request, or a longer body, go between the two, with a line `-` behind them
  ```sql        is run on the database
  ```toml       the settings of a service that takes the place of the one before, to the end of the case

In what is expected `<id>`, `<time>`, `<number>`, `<word>` and `<any>` stand for whatever is there, and a line `...` for any
lines. An id that was printed is `$ID1`, `$ID2`, ... in commands and in what is expected, by the order in which ids come up
in the case. A heading with `(here)` is about this machine and left out with --through-server, where each command is sent to a
service (JOBSTRAND_SERVER) and has to print the same. --record writes what is printed into the pages, for a person to read.
The last line is `N passed, N failed`.
"""
import contextlib
import datetime
import difflib
import http.client
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "fixtures"), str(HERE.parent / "clients")]
import clients  # noqa: E402  pylint: disable=wrong-import-position
import databases  # noqa: E402  pylint: disable=wrong-import-position

ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
TIME = r"(?<!\d)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
PLACEHOLDERS = {"<id>": ID, "<time>": TIME, "<number>": r"-?\d+(?:\.\d+)?", "<word>": r"\S+", "<any>": r".*"}
BLOCK = re.compile(r"^```(console|http|sql|toml)\n(.*?)^```$", re.M | re.S)
#: Comes after two seconds, on a slow machine only.
PROGRESS = re.compile(r"\w+ \d+ (?:of \d+|so far).*")
CASE = re.compile(r"^## (.*)$", re.M)
REQUEST = re.compile(r"^(?=(?:GET|POST|PUT|DELETE) /)", re.M)
HEADER = re.compile(r"([A-Za-z][A-Za-z-]*): ?(.*)")


class Database:
    """What the cases work on: emptied before each of them."""

    def __init__(self, binary, kind, folder, env):
        self.binary, self.kind, self.folder, self.env = binary, kind, folder, env
        self.run([binary, "schema", "create"])
        tables = re.findall(r"(?im)^CREATE TABLE (?:IF NOT EXISTS )?[`\"]?(\w+)", self.run([binary, "schema", "print"]))
        self.emptying = self.text_of_emptying(sorted(set(tables)))

    def run(self, command, text=None):
        done = subprocess.run(command, cwd=self.folder, env=self.env, input=text, capture_output=True, text=True,
                              timeout=clients.PATIENCE_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stderr}")
        return done.stdout

    def text_of_emptying(self, tables):
        """Keeps the version of the tables, and the row 0 of claims, which is no claim."""
        deletes = []
        for table in tables:
            if table.upper() in ("ACT_GE_PROPERTY", "JS_PROPERTY", "JS_SCHEMA"):
                continue
            where = " WHERE ID_ > 0" if table.upper() == "JS_CLAIM" else ""
            deletes.append(f"DELETE FROM {table}{where};")
        return "\n".join(deletes)

    def sql(self, text):
        client = {"sqlite": ["sqlite3", "-bail", "jobs.db"], "mysql": ["mariadb", "jobs"], "postgresql": ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "jobs"]}
        self.run(client[self.kind], text)

    def empty(self):
        self.sql(self.emptying)

    @contextlib.contextmanager
    def served(self, settings=""):
        """A service that runs no jobs: what the cases say happens, and nothing else."""
        (self.folder / "service.toml").write_text(settings, encoding="utf-8")
        command = [self.binary, "--config", "service.toml", "serve", "--no-executor", "--http", "127.0.0.1:0"]
        with subprocess.Popen(command, cwd=self.folder, env=self.env, stderr=subprocess.PIPE) as process:
            try:
                origin = f"http://127.0.0.1:{clients.port_of(process)}"
                threading.Thread(target=process.stderr.read, daemon=True).start()
                yield origin
            finally:
                clients.end(process)


class Case:
    """One heading of a page and what is below it."""

    def __init__(self, page, title, body, start):
        self.page, self.title, self.body, self.start = page, title, body, start

    def name(self):
        return f"{self.page.name}: {self.title}"

    def is_here(self):
        return "(here)" in self.title


def cases_of(page):
    text = page.read_text(encoding="utf-8")
    heads = list(CASE.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [Case(page, head[1].strip(), text[head.end():end], head.end()) for head, end in zip(heads, ends)]


def lines_match(expected, printed):
    """Whether the lines are those that are expected, with placeholders and `...` for any lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(lines_match(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and pattern_of(expected[0]).fullmatch(printed[0]) is not None and lines_match(expected[1:], printed[1:])


def pattern_of(line):
    parts = re.split("(" + "|".join(PLACEHOLDERS) + ")", line)
    return re.compile("".join(PLACEHOLDERS.get(part) or re.escape(part) for part in parts))


def is_of_this_run(text):
    """Whether a time depends on when the transcript runs: it is close to now."""
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return abs(moment - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(days=30)


def with_placeholders(line):
    """For recording: what is another one each time."""
    return re.sub(TIME, lambda found: "<time>" if is_of_this_run(found[0]) else found[0], re.sub(ID, "<id>", line))


class Runner:
    """Runs cases against one database, maybe through a service."""

    def __init__(self, database, origin, is_through_server):
        self.database, self.origin, self.is_through_server = database, origin, is_through_server
        self.ids = []

    def run(self, case):
        """The body as it should be, if each block printed what was printed now; and what differs."""
        self.database.empty()
        self.ids = []
        differences = []
        origin = self.origin

        def rerun(block):
            kind, text = block[1], block[2]
            if kind == "sql":
                self.database.sql(self.with_ids(text))
                return block[0]
            if kind == "toml":
                self.origin = services.enter_context(self.database.served(text))
                return block[0]
            printed, differing = self.console(text) if kind == "console" else self.http(text)
            differences.extend(differing)
            return f"```{kind}\n{printed}```"

        with contextlib.ExitStack() as services:
            body = BLOCK.sub(rerun, case.body)
        self.origin = origin
        return body, differences

    def with_ids(self, text):
        return re.sub(r"\$ID(\d+)", lambda found: self.ids[int(found[1]) - 1] if int(found[1]) <= len(self.ids) else found[0], text)

    def note_ids(self, text):
        for one in re.findall(ID, text):
            if one not in self.ids:
                self.ids.append(one)

    def console(self, text):
        out, differences = "", []
        for command, expected in steps_of(text):
            printed = self.type(command)
            out += f"$ {command}\n"
            if lines_match([self.with_ids(line) for line in expected], printed):
                out += "".join(line + "\n" for line in expected)
            else:
                differences.append((f"$ {command}", expected, printed))
                out += "".join(with_placeholders(line) + "\n" for line in printed)
        return out, differences

    def type(self, command):
        env = {**self.database.env, "PATH": f"{Path(self.database.binary).parent}:{os.environ['PATH']}", "COLUMNS": "200", "SERVICE": self.origin}
        if self.is_through_server:
            env = {key: value for key, value in env.items() if key != "JOBSTRAND_DB"}
            env["JOBSTRAND_SERVER"] = self.origin
        done = subprocess.run(["bash", "-c", self.with_ids(command)], cwd=self.database.folder, env=env, capture_output=True, text=True,
                              timeout=clients.PATIENCE_S, check=False, stdin=subprocess.DEVNULL)
        self.note_ids(done.stdout + done.stderr)
        lines = done.stdout.splitlines() + ["! " + line for line in done.stderr.splitlines() if not PROGRESS.fullmatch(line)]
        return lines + ([f"[exit {done.returncode}]"] if done.returncode else [])

    def http(self, text):
        out, differences = "", []
        for exchange in REQUEST.split(text)[1:]:
            request, dash, answer = exchange.partition("\n-\n")
            if not dash:
                request, dash, answer = exchange.partition("\n")
            printed = self.ask(request, [found[1] for found in map(HEADER.fullmatch, answer.splitlines()) if found])
            expected = self.with_ids(answer).splitlines()
            if not lines_match(expected, printed):
                differences.append((request, expected, printed))
                answer = "".join(with_placeholders(line) + "\n" for line in printed)
            out += request + dash + answer
        return out, differences

    def ask(self, text, names):
        """The status, the headers that have these names, and the body."""
        head, *lines = self.with_ids(text).split("\n")
        method, path, *body = head.split(" ", 2)
        headers = []
        while lines and HEADER.fullmatch(lines[0]):
            headers.append(HEADER.fullmatch(lines.pop(0)).groups())
        sent = "\n".join(body + lines).encode()
        connection = http.client.HTTPConnection(self.origin.removeprefix("http://"), timeout=clients.PATIENCE_S)
        connection.putrequest(method, path)
        for name, value in [("Content-Type", "application/json"), ("Content-Length", len(sent)), *headers]:
            connection.putheader(name, value)
        connection.endheaders(sent)
        with connection.getresponse() as response:
            told = response.read().decode()
            of_names = [f"{name}: {response.getheader(name, '')}".rstrip() for name in names]
        self.note_ids("\n".join(of_names) + told)
        return [str(response.status), *of_names, *told.splitlines()]


def steps_of(text):
    """Commands, each with the lines that it should print; one may go on behind a backslash, or as a here-document."""
    steps, lines, at = [], text.splitlines(), 0
    while at < len(lines):
        command = lines[at].removeprefix("$ ")
        here = re.search(r"<<'(\w+)'", command)
        at += 1
        while (here and command.splitlines()[-1] != here[1]) or command.endswith("\\"):
            command += "\n" + lines[at]
            at += 1
        expected = []
        while at < len(lines) and not lines[at].startswith("$ "):
            expected.append(lines[at])
            at += 1
        steps.append((command, expected))
    return steps


def show(case, differences):
    print(f"FAILED {case.name()}")
    for what, expected, printed in differences:
        print(f"  {what}")
        for line in difflib.unified_diff(expected, printed, "expected", "printed", lineterm="", n=3):
            print(f"    {line}")


def record(page, bodies):
    text = page.read_text(encoding="utf-8")
    for case, body in reversed(bodies):
        text = text[:case.start] + body + text[case.start + len(case.body):]
    page.write_text(text, encoding="utf-8")


def main(arguments):
    named = [argument for argument in arguments if not argument.startswith("-")]
    if len(named) < 2 or named[1] not in databases.DATABASES or "--help" in arguments:
        print(__doc__.strip())
        return 0 if "--help" in arguments else 2
    is_through_server = "--through-server" in arguments
    does_record = "--record" in arguments
    binary, kind, *pages = named
    pages = [Path(page) for page in pages] or sorted(HERE.glob("*.md"))
    passed = failed = 0
    use, program = databases.DATABASES[kind]
    if not any((Path(folder) / program).exists() for folder in os.environ["PATH"].split(":")):
        print(f"{program} is not installed")
        return clients.SKIPPED
    with tempfile.TemporaryDirectory() as name, use(Path(name)) as env:
        folder = Path(name)
        env = {"HOME": name, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ["PATH"], **env}
        database = Database(str(Path(binary).resolve()), kind, folder, env)
        with database.served() as origin:
            runner = Runner(database, origin, is_through_server)
            for page in pages:
                bodies = []
                for case in cases_of(page):
                    if is_through_server and case.is_here():
                        continue
                    body, differences = runner.run(case)
                    bodies.append((case, body))
                    failed += bool(differences) and not does_record
                    passed += not differences or does_record
                    if differences and not does_record:
                        show(case, differences)
                if does_record:
                    record(page, bodies)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
