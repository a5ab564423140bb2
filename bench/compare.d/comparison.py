"""Runs contenders one after the other and keeps what they found out."""
import datetime
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import contenders as known
import kits
import results as judged
import servers
from server import ServerFailed, ServerMissing

NOT_TO_BE_HAD = 77  # Exit code of a contender that cannot run on this machine.
DATABASE = 'compare'
PASSED, FAILED, SKIPPED = 'passed', 'failed', 'skipped'


class Settings(NamedTuple):
    out: Path          # Where results are kept: ID.json, ID.log, summary.json.
    data: str          # Where the servers keep their data.
    jobs: int
    repeat: int
    time_limit: int    # Seconds for one contender with all its repetitions.
    command: str = ''  # What the reader of the table can type to get the like.


class Skipped(Exception):
    """This contender cannot be had here."""


class Failed(Exception):
    """This contender has no result that counts."""


class Comparison:
    """`summary` is kept in the folder of the results, so that a later run of some contenders adds to it:
    {servers: name -> text, outcomes: contender id -> {status, why, run}, startedAt, command, load}."""

    def __init__(self, settings, chosen, make_server=None, install=kits.install):
        self.settings = settings
        self.chosen = chosen
        self.make_server = make_server or {'mariadb': servers.MariaDb, 'postgresql': servers.PostgreSql,
                                           'sqlite': servers.SqliteFolder}
        self.install = install
        settings.out.mkdir(parents=True, exist_ok=True)
        self.summary = read(settings.out / 'summary.json') or {'servers': {}, 'outcomes': {}}

    def run(self):
        load = os.getloadavg()[0]
        now = datetime.datetime.now(datetime.timezone.utc)
        self.summary |= {'startedAt': now.isoformat(), 'command': self.settings.command,
                         'load': f'{load:.1f}'}
        if load > 0.5:
            say(f'this machine is busy (load {load:.1f}): the figures will be lower than they should be')
        for server_name in self.make_server:
            here = [contender for contender in self.chosen if contender.server == server_name]
            if here:
                self.run_on(server_name, here)

    def run_on(self, server_name, here):
        try:
            with self.make_server[server_name](self.settings.data) as server:
                self.summary['servers'][server_name] = server.describe()
                say(server.describe())
                for contender in here:
                    self.note(contender, *self.outcome_of(contender, server))
        except ServerMissing as missing:
            self.note_rest(here, SKIPPED, str(missing))
        except ServerFailed as failure:
            self.note_rest(here, FAILED, str(failure))

    def outcome_of(self, contender, server):
        """Its status, and why: the rate when it passed."""
        result_file = self.settings.out / f'{contender.id}.json'
        result_file.unlink(missing_ok=True)
        try:
            self.install(contender.kit)
            text = self.start(contender, server.fresh_database(DATABASE))
            rate = self.rate_of(contender, text)
        except (Skipped, kits.CannotInstall) as why:
            return SKIPPED, str(why)
        except (Failed, kits.DoesNotBuild, subprocess.TimeoutExpired) as why:
            return FAILED, str(why)
        finally:
            server.drop_database(DATABASE)
        result_file.write_text(text)
        return PASSED, f'{judged.number(rate)} jobs/s'

    def start(self, contender, url):
        """What the contender prints. It is a process group, so that its own processes end with it."""
        log_file = self.log_of(contender)
        with open(log_file, 'wb') as log:
            try:
                process = subprocess.Popen([*contender.program, *self.arguments(contender, url)], stderr=log,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
            except OSError as error:
                raise Skipped(f'{contender.program[0]} cannot be started: {error.strerror}') from None
            try:
                text, _ = process.communicate(timeout=self.settings.time_limit)
            except subprocess.TimeoutExpired:
                raise Failed(f'it was not done within {self.settings.time_limit} s') from None
            finally:
                end_group(process)
        last_words = kits.last_line(log_file.read_text(errors='replace'))
        if process.returncode == NOT_TO_BE_HAD:
            raise Skipped(last_words)
        if process.returncode != 0 and not text.strip():
            raise Failed(f'it ended with code {process.returncode}: {last_words}')
        return text.decode(errors='replace')

    def arguments(self, contender, url):
        jobs = self.jobs_of(contender)
        limit = str(self.settings.time_limit)
        told = ['--db', url, '--jobs', str(jobs), '--warm-up', str(max(1, jobs // 2)),
                '--repeat', str(self.settings.repeat), '--time-limit']
        return told + ([f'{limit}s', '-o', 'json'] if contender.is_ours else [limit])

    def jobs_of(self, contender):
        return max(1, round(self.settings.jobs * contender.share))

    def rate_of(self, contender, text):
        try:
            result = json.loads(text)
            problem = judged.problem_of(result, contender.figure, self.jobs_of(contender))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Failed(f'it printed no result; see {self.log_of(contender)}') from None
        if problem:
            raise Failed(problem)
        return judged.figure(result, contender.figure)['median']

    def note(self, contender, status, why):
        self.summary['outcomes'][contender.id] = {'status': status, 'why': why, 'run': self.summary['startedAt']}
        (self.settings.out / 'summary.json').write_text(json.dumps(self.summary, indent=2) + '\n')
        say(f'[{len(self.outcomes())}/{len(self.chosen)}] {contender.id}, {contender.work}: {status}: {why}')

    def note_rest(self, contenders, status, why):
        for contender in contenders:
            if contender.id not in self.outcomes():
                self.note(contender, status, why)

    def outcomes(self):
        """Of this run: contender id -> status."""
        found = {contender.id: self.summary['outcomes'].get(contender.id) for contender in self.chosen}
        return {name: one['status'] for name, one in found.items() if one and one['run'] == self.summary['startedAt']}

    def left_out(self):
        """Ids of the contenders that the last run did not try, whatever the folder holds of them."""
        tried = {name for name, one in self.summary['outcomes'].items() if one['run'] == self.summary['startedAt']}
        return [contender.id for contender in known.CONTENDERS if contender.id not in tried]

    def table(self):
        """Of all results that the folder holds, those of former runs included."""
        found = {contender.id: read(self.settings.out / f'{contender.id}.json') for contender in known.CONTENDERS}
        return judged.markdown(self.summary, {name: one for name, one in found.items() if one}, known.CONTENDERS)

    def log_of(self, contender):
        return self.settings.out / f'{contender.id}.log'


def read(path):
    return json.loads(path.read_text()) if path.exists() else None


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def say(line):
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)
