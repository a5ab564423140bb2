#!/usr/bin/env python3
"""A real Flowable engine and Jobstrand on the same tables: each does its own work, and each leaves the other's whole.

Usage:  flowable_test.py JOBSTRAND_BINARY CACHE_FOLDER [--flowable VERSION] [--long] [--only mysql|postgresql]

--long       both at work for two minutes, with 1,000 jobs and 200 timers each, instead of some seconds
--flowable   8.0.0 unless said; 7.2.0 and 6.8.0 are known to work

Exit codes: 0 passed, 1 failed, 77 there is no JDK, Maven or server, or Flowable cannot be fetched. The last line is `N passed, N failed`.
"""
import argparse
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import interop

LATER = '2030-01-01T00:00:00Z'


class Suite:
    """The cases share one engine and one database, in their order; each ends with nothing of its own left."""

    def __init__(self, where, engine, jobstrand, is_long):
        self.where, self.engine, self.jobstrand, self.is_long = where, engine, jobstrand, is_long
        self.passed = self.failed = 0

    def equal(self, what, is_now, expected):
        if is_now == expected:
            self.passed += 1
        else:
            self.failed += 1
            print(f'FAILED [{self.where.kind}]: {what} is {is_now!r}, not {expected!r}', file=sys.stderr)

    def within_reach(self, what, is_so, patience=interop.PATIENCE_S):
        self.equal(what, interop.eventually(is_so, patience), True)

    def only_row(self, table, column, condition='1 = 1'):
        return self.where.value(f'SELECT {column} FROM {table} WHERE {condition}')

    def job_of(self, instance, table='ACT_RU_JOB'):
        return self.only_row(table, 'ID_', f"PROCESS_INSTANCE_ID_ = '{instance}'")

    def has_run(self, instance):
        """Once, and what the engine wrote about it is committed."""
        return self.engine.do('runs', instance) == '1' and not any(self.job_of(instance, table) for table in interop.TABLES)

    def start(self, model, count=1, due='PT1S'):
        return self.engine.do('start', model, count, due).split()

    def is_deletable(self, what, instance):
        self.equal(f'the deletion of {what}', self.engine.refuses('delete', instance), '')

    def run(self):
        self.run_all(self.upgraded_tables, self.marked_rows, self.left_alone_by_the_engine, self.left_alone_by_the_service,
                     self.counts_after_operators, self.instances_of_ours, self.refused_suspension, self.overridden_priorities,
                     self.past_of_its_jobs, self.seen_by_its_management, self.series_that_its_management_fires, self.documented,
                     self.both_at_work)

    def run_all(self, *cases):
        for case in cases:
            begun = time.monotonic()
            try:
                case()
            except Exception:  # pylint: disable=broad-exception-caught
                self.failed += 1
                print(f'FAILED [{self.where.kind}]: {case.__name__}', file=sys.stderr)
                traceback.print_exc()
            print(f'{self.where.kind}: {case.__name__}, {time.monotonic() - begun:.1f} s', flush=True)

    def documented(self):
        """What docs/flowable.md shows works as it stands there."""
        text = (interop.ROOT / 'docs/flowable.md').read_text(encoding='utf-8')
        for line in filter(None, '\n'.join(re.findall(r'^```sh\n(.*?)^```', text, re.M | re.S)).splitlines()):
            done = self.jobstrand.run(*line.split()[1:])
            self.equal(line, (done.returncode in (0, 6), done.stderr if done.returncode not in (0, 6) else ''), (True, ''))
        for block in re.findall(r'^```toml\n(.*?)^```', text, re.M | re.S):
            (self.where.folder / 'documented.toml').write_text(block)
            done = self.jobstrand.run('config', 'check', '--config', 'documented.toml')
            self.equal('config check', (done.returncode, done.stderr), (0, ''))

    def upgraded_tables(self):
        refused = self.jobstrand.run('schema', 'create')
        self.equal('schema create', (refused.returncode != 0, 'jobstrand schema upgrade' in refused.stderr), (True, True))
        self.equal('job ls before', self.jobstrand.run('job', 'ls').returncode != 0, True)
        self.equal('schema upgrade', self.jobstrand.run('schema', 'upgrade').returncode, 0)
        found = self.jobstrand.run('schema', 'check')
        self.equal('defaults that differ', [line for line in found.stdout.splitlines() if 'the defaults of' in line], [])
        self.equal('a mixture', 'engine' in found.stdout, False)
        self.equal('schema check', (found.returncode, "is not Jobstrand's" in found.stdout), (0, False))

    def marked_rows(self):
        self.where.sql("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('plain', 'nobody')")
        columns = 'SCOPE_TYPE_, REV_, TYPE_, RETRIES_'
        self.equal('a plain INSERT', self.where.sql(f"SELECT {columns} FROM ACT_RU_JOB WHERE ID_ = 'plain'"), [('jobstrand', '1', 'message', '3')])
        self.equal('its time', self.only_row('ACT_RU_JOB', 'CREATE_TIME_', "ID_ = 'plain'") != 'NULL', True)
        self.jobstrand.do('job', 'add', '--type', 'nobody', '--id', 'added')
        self.jobstrand.do('job', 'add', '--type', 'nobody', '--id', 'later', '--due', LATER)
        self.equal('job add', self.where.sql(f"SELECT {columns} FROM ACT_RU_JOB WHERE ID_ = 'added'"), [('jobstrand', '1', 'message', '3')])
        self.equal('a timer', self.only_row('ACT_RU_TIMER_JOB', 'SCOPE_TYPE_', "ID_ = 'later'"), 'jobstrand')

    def left_alone_by_the_engine(self):
        """What is ours has no handler there, and would be buried after three attempts."""
        self.where.sql("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = CREATE_TIME_ WHERE ID_ = 'later'")
        [instance] = self.start('async')
        self.engine.do('executor', 'on')
        self.within_reach('the run of its own job', lambda: self.has_run(instance))
        [instance_of_timer] = self.start('timer')
        self.within_reach('the run of its own timer', lambda: self.has_run(instance_of_timer))
        self.engine.do('executor', 'off')
        rows = self.where.sql("SELECT ID_, REV_, RETRIES_, LOCK_OWNER_ FROM ACT_RU_JOB ORDER BY ID_")
        self.equal('ours', rows, [('added', '1', '3', 'NULL'), ('plain', '1', '3', 'NULL')])
        self.equal('our timer', self.where.sql('SELECT ID_, REV_ FROM ACT_RU_TIMER_JOB'), [('later', '1')])
        self.jobstrand.do('job', 'rm', 'added', 'plain', 'later')
        self.is_deletable('its instance', instance)
        self.is_deletable('the instance of the timer', instance_of_timer)

    def left_alone_by_the_service(self):
        [waiting, timed, cyclic] = self.start('async') + self.start('timer', 1, 'PT0S') + self.start('cycle', 1, 'R3/PT1S')
        self.where.sql("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = CREATE_TIME_")
        before = self.where.sql('SELECT ID_, REV_, DUEDATE_, REPEAT_ FROM ACT_RU_TIMER_JOB ORDER BY ID_')
        with self.jobstrand.serving():
            self.jobstrand.do('job', 'add', '--type', 'noop', '--due-in', '500ms', '--id', 'ours')
            self.within_reach('our timer', lambda: self.where.sql(
                "SELECT ID_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'ours' UNION SELECT ID_ FROM ACT_RU_JOB WHERE ID_ = 'ours'") == [])
        self.equal('its timers', self.where.sql('SELECT ID_, REV_, DUEDATE_, REPEAT_ FROM ACT_RU_TIMER_JOB ORDER BY ID_'), before)
        self.equal('its job', self.where.sql('SELECT REV_, LOCK_OWNER_ FROM ACT_RU_JOB'), [('1', 'NULL')])
        self.equal('series', self.where.sql('SELECT ID_ FROM JS_SERIES'), [])
        for instance in (waiting, timed, cyclic):
            self.is_deletable('an instance that waits', instance)

    def counts_after_operators(self):
        [fired, cyclic, removed, failing, forgotten, buried] = (self.start('timer', 1, 'PT1H') + self.start('cycle', 1, 'R3/PT1H') +
                                                                self.start('async') + self.start('failing', 2) + self.start('async'))
        for instance in (fired, cyclic):
            self.jobstrand.do('timer', 'fire', self.job_of(instance, 'ACT_RU_TIMER_JOB'))
        self.jobstrand.do('job', 'rm', self.job_of(removed))
        self.equal('counts after fire and rm', interop.wrong_counts(self.where), [])
        self.equal('no series of its cycle', self.where.sql('SELECT ID_ FROM JS_SERIES'), [])
        self.jobstrand.do('job', 'set', self.job_of(buried), '--retries', '0')
        self.equal('counts after set', interop.wrong_counts(self.where), [])
        self.engine.do('executor', 'on')
        self.within_reach('two dead letters of its own', lambda: self.engine.do('count', 'dead') == '3')
        self.within_reach('the timer that we fired', lambda: self.has_run(fired))
        self.within_reach('the cycle that we fired', lambda: self.engine.do('runs', cyclic) == '1' and not self.job_of(cyclic))
        self.equal('its next turn', self.only_row('ACT_RU_TIMER_JOB', 'REPEAT_', f"PROCESS_INSTANCE_ID_ = '{cyclic}'").startswith('R2/'), True)
        self.engine.do('fix', failing)
        dead = self.job_of(failing, 'ACT_RU_DEADLETTER_JOB')
        self.equal('its stack trace here', 'not fixed yet' in self.jobstrand.do('dead', 'show', dead), True)
        self.jobstrand.do('dead', 'requeue', dead)
        self.within_reach('the dead letter that we requeued', lambda: self.has_run(failing))
        self.engine.do('executor', 'off')
        self.jobstrand.do('dead', 'rm', self.job_of(forgotten, 'ACT_RU_DEADLETTER_JOB'), '--yes')
        self.equal('counts in the end', interop.wrong_counts(self.where), [])
        for instance in (fired, cyclic, removed, failing, forgotten, buried):
            self.is_deletable('an instance that we have worked on', instance)

    def instances_of_ours(self):
        [theirs] = self.start('async')
        definition = self.only_row('ACT_RU_JOB', 'PROC_DEF_ID_')
        for job, instance in (('a', 'order-1'), ('b', 'order-1'), ('c', theirs)):
            self.jobstrand.do('job', 'add', '--type', 'noop', '--id', job, '--instance', instance, '--definition', definition,
                              '--execution', 'e-1')
        self.equal('our columns', self.where.sql("SELECT PROCESS_INSTANCE_ID_, SCOPE_ID_, PROC_DEF_ID_, SCOPE_DEFINITION_ID_, EXECUTION_ID_, "
                                                 "SUB_SCOPE_ID_ FROM ACT_RU_JOB WHERE ID_ = 'a'"),
                   [('NULL', 'order-1', 'NULL', definition, 'NULL', 'e-1')])
        shown = self.jobstrand.listed('job', 'show', 'a')
        self.equal('as shown', [shown[name] for name in ('processInstanceId', 'processDefinitionId', 'executionId')],
                   ['order-1', definition, 'e-1'])
        self.equal('job ls --instance', [job['id'] for job in self.jobstrand.listed('job', 'ls', '--instance', 'order-1')], ['a', 'b'])
        self.jobstrand.do('instance', 'suspend', 'order-1')
        self.equal('suspended', self.where.sql('SELECT ID_, SCOPE_ID_ FROM ACT_RU_SUSPENDED_JOB ORDER BY ID_'), [('a', 'order-1'), ('b', 'order-1')])
        self.jobstrand.do('instance', 'activate', 'order-1')
        self.is_deletable('an instance that has a namesake', theirs)
        with self.jobstrand.serving():
            self.within_reach('the run of all three', lambda: self.where.value('SELECT COUNT(*) FROM ACT_RU_JOB') == '0')

    def refused_suspension(self):
        [theirs] = self.start('async')
        for verb, call in (('suspend', 'suspendProcessInstanceById'), ('activate', 'activateProcessInstanceById')):
            done = self.jobstrand.run('instance', verb, theirs)
            self.equal(f'instance {verb}', (done.returncode, call in done.stderr), (5, True))
        definition = self.only_row('ACT_RU_JOB', 'PROC_DEF_ID_')
        for words in ([definition], [definition, '--element', 'async-work'], [definition, '--new-jobs-only']):
            done = self.jobstrand.run('definition', 'suspend', *words)
            self.equal('definition suspend', (done.returncode, 'suspendProcessDefinitionById' in done.stderr), (5, True))
        done = self.jobstrand.run('job', 'suspend', self.job_of(theirs))
        self.equal('job suspend', (done.returncode, "one of Flowable's" in done.stderr), (5, True))
        self.suspended_tenant(theirs)
        self.engine.do('suspend', theirs)
        self.equal('suspended by the engine', self.engine.do('count', 'suspended'), '1')
        self.equal('counts', interop.wrong_counts(self.where), [])
        self.engine.do('activate', theirs)
        self.is_deletable('that instance', theirs)

    def suspended_tenant(self, theirs):
        """Of which only our jobs wait."""
        self.where.sql(f"UPDATE ACT_RU_JOB SET TENANT_ID_ = 'acme' WHERE PROCESS_INSTANCE_ID_ = '{theirs}'")
        self.jobstrand.do('job', 'add', '--type', 'noop', '--id', 'of-acme', '--tenant', 'acme')
        self.jobstrand.do('tenant', 'suspend', 'acme')
        self.equal('suspended with the tenant', self.where.sql('SELECT ID_ FROM ACT_RU_SUSPENDED_JOB'), [('of-acme',)])
        self.jobstrand.do('tenant', 'activate', 'acme')
        self.jobstrand.do('job', 'rm', 'of-acme')
        self.where.sql(f"UPDATE ACT_RU_JOB SET TENANT_ID_ = '' WHERE PROCESS_INSTANCE_ID_ = '{theirs}'")

    def overridden_priorities(self):
        [theirs] = self.start('async')
        definition = self.only_row('ACT_RU_JOB', 'PROC_DEF_ID_')
        self.jobstrand.do('definition', 'set', definition, '--override', '7', '--cascade')
        self.equal('an overridden job of its own', self.where.sql('SELECT PRIORITY_, REV_ FROM ACT_RU_JOB'), [('7', '1')])
        self.jobstrand.do('definition', 'rm', definition)
        self.equal('counts', interop.wrong_counts(self.where), [])
        self.engine.do('executor', 'on')
        self.within_reach('the run of that job', lambda: self.has_run(theirs))
        self.engine.do('executor', 'off')
        self.is_deletable('that instance', theirs)

    def past_of_its_jobs(self):
        """Our log and our incidents are in the way of nothing, and have no names of its tables."""
        names = ', '.join(f"'{name}'" for name in ('ACT_HI_JOB_LOG', 'ACT_RU_INCIDENT', 'ACT_HI_INCIDENT', 'ACT_RU_JOBDEF'))
        self.equal('tables of ours', self.where.value(
            f'SELECT COUNT(*) FROM information_schema.tables WHERE UPPER(table_name) IN ({names}) AND '
            f"table_schema = '{'jobs' if self.where.kind == 'mysql' else 'public'}'"), '4')
        [removed] = self.start('async')
        self.jobstrand.do('job', 'rm', self.job_of(removed))
        self.equal('the log of it', [line['processInstanceId'] for line in self.jobstrand.listed('log', 'ls', '--instance', removed)], [removed])
        self.is_deletable('an instance with a past', removed)
        self.jobstrand.do('job', 'add', '--type', 'command', '--id', 'doomed', '--instance', 'order-3', '--retries', '1', '--payload',
                          '{"command": "nobody"}')
        (self.where.folder / 'failing.toml').write_text('[commands.nobody]\nprogram = "/bin/false"\n')
        with self.jobstrand.serving('--config', 'failing.toml'):
            self.within_reach('an incident of ours', lambda: len(self.jobstrand.listed('incident', 'ls')) == 1)
        self.jobstrand.do('dead', 'rm', 'doomed', '--yes')
        self.equal('open incidents', self.jobstrand.listed('incident', 'ls'), [])

    def seen_by_its_management(self):
        self.jobstrand.do('job', 'add', '--type', 'log', '--id', 'm-job', '--instance', 'order-2')
        self.jobstrand.do('job', 'add', '--type', 'log', '--id', 'm-timer', '--due', LATER, '--priority', '7')
        self.equal('in its lists', (self.engine.do('count', 'executable'), self.engine.do('count', 'timer')), ('1', '1'))
        self.engine.do('set-retries', 'm-job', 9)
        self.engine.do('bury', 'm-job')
        self.equal('buried', self.jobstrand.listed('dead', 'show', 'm-job')['processInstanceId'], 'order-2')
        self.engine.do('requeue', 'm-job', 2)
        self.engine.do('fire-timer', 'm-timer')
        self.jobstrand.do('job', 'add', '--type', 'log', '--id', 'm-dead', '--priority', '7')
        self.jobstrand.do('job', 'cancel', 'm-dead', '--reason', 'to be moved')
        self.engine.do('requeue', 'm-dead', 2)
        (self.where.folder / 'serve.log').write_text('')
        with self.jobstrand.serving():
            self.within_reach('their runs', lambda: self.engine.do('count', 'executable') == '0')
        told = re.findall(r'WARN  Flowable.* has moved .* priority, retry cycle.* job=(\S+)', (self.where.folder / 'serve.log').read_text())
        self.equal('what was lost with the move', sorted(told), ['m-dead', 'm-timer'])
        self.equal('what is left of ours', [self.engine.do('count', place) for place in interop.PLACES], ['0'] * 5)

    def series_that_its_management_fires(self):
        """Which takes the name of the series from the turn, with all other columns of ours; the series keeps them."""
        self.jobstrand.do('job', 'add', '--type', 'noop', '--series', 'nightly', '--repeat', 'R/P1D', '--start', LATER, '--priority', '7',
                          '--retry-cycle', 'R5/PT1M')
        turn = self.only_row('JS_SERIES', 'TURN_ID_', "ID_ = 'nightly'")
        self.engine.do('fire-timer', turn)
        with self.jobstrand.serving():
            self.within_reach('the next turn', lambda: self.only_row('JS_SERIES', 'TURN_ID_', "ID_ = 'nightly'") not in (turn, 'NULL'))
        self.equal('its due date', self.only_row('ACT_RU_TIMER_JOB', 'DUEDATE_').startswith('2030-01-02 00:00:00'), True)
        columns = 'SERIES_, PRIORITY_, RETRY_CYCLE_'
        self.equal('its series', self.where.sql(f'SELECT {columns} FROM ACT_RU_TIMER_JOB'), [('nightly', '7', 'R5/PT1M')])
        self.equal('series in all', self.where.value('SELECT COUNT(*) FROM JS_SERIES'), '1')
        self.jobstrand.do('series', 'end', 'nightly')
        self.jobstrand.do('series', 'rm', 'nightly')

    def both_at_work(self):
        jobs, timers, rounds = (1000, 200, 20) if self.is_long else (60, 12, 3)
        log = self.where.folder / 'serve.log'
        log.write_text('')
        instances = []
        self.engine.do('executor', 'on')
        with self.jobstrand.serving():
            pause = 120 / rounds if self.is_long else 0
            for number in range(rounds):
                begun = time.monotonic()
                instances += self.start('async', jobs // rounds) + self.start('timer', timers // rounds)
                lines = [f'{{"id": "both-{number}-{job}", "handlerType": "log"}}' for job in range(jobs // rounds)]
                lines += [f'{{"id": "both-{number}-t{job}", "handlerType": "log", "dueDate": "{soon()}"}}' for job in range(timers // rounds)]
                self.jobstrand.do('job', 'add', '--from', '-', stdin='\n'.join(lines))
                interop.pause(max(0, pause - (time.monotonic() - begun)))
            self.within_reach('nothing left', lambda: self.left() == 0)
        self.engine.do('executor', 'off')
        total = jobs + timers
        runs = Counter(re.findall(r' log job id=(both-\S+)', log.read_text()))
        self.equal('runs of our jobs', Counter(runs.values()), Counter({1: total}))
        ran = Counter(self.engine.do('runs', instance) for instance in instances)
        self.equal('runs of its jobs', ran, Counter({'1': total}))
        self.equal('dead letters', self.engine.do('count', 'dead'), '0')
        self.equal('retries that were used', len(re.findall(r'job failed', log.read_text())), 0)
        self.equal('counts', interop.wrong_counts(self.where), [])
        self.engine.do('delete-all')
        self.equal('executions after the deletion of all instances', self.where.value('SELECT COUNT(*) FROM ACT_RU_EXECUTION'), '0')

    def left(self):
        return sum(int(self.where.value(f'SELECT COUNT(*) FROM {table}')) for table in interop.TABLES)

    def mended_tables(self):
        """All that the check offers, while no engine runs."""
        for difference in self.jobstrand.differences():
            for statement in difference['mend']:
                self.where.sql(statement)
        self.equal('differences after all statements of the check',
                   [one['description'] for one in self.jobstrand.differences() if not one['remark']], [])

    def works_on_mended_tables(self):
        smile = '\U0001f600'
        self.jobstrand.do('job', 'add', '--type', 'log', '--id', 'smile', '--instance', smile, '--payload', f'"{smile}"')
        self.equal('a smile', self.jobstrand.listed('job', 'show', 'smile')['processInstanceId'], smile)
        self.jobstrand.do('job', 'rm', 'smile')
        [timed] = self.start('timer', 1, 'PT1H')
        self.jobstrand.do('timer', 'fire', self.job_of(timed, 'ACT_RU_TIMER_JOB'))
        self.engine.do('executor', 'on')
        self.within_reach('the run of its timer', lambda: self.has_run(timed))
        self.engine.do('executor', 'off')
        self.is_deletable('that instance', timed)


def soon():
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time.time() + 1))


def half_made_mixture(where, classpath, jobstrand):
    """Our tables first, and then an engine: it cannot work, and the check says so where there are traces."""
    where.empty()
    jobstrand.do('schema', 'create')
    try:
        interop.Engine(classpath, where).close()
        return 'the engine works'
    except RuntimeError:
        pass
    said = jobstrand.run('schema', 'check')
    has_traces = where.value("SELECT COUNT(*) FROM ACT_GE_PROPERTY WHERE NAME_ = 'common.schema.version'") != '0'
    return '' if not has_traces or (said.returncode == 6 and 'give it an empty database' in said.stdout) else said.stdout


def run(kind, classpath, binary, is_long):
    with tempfile.TemporaryDirectory(prefix='interop.') as name, interop.database(kind, Path(name)) as where:
        jobstrand = interop.Jobstrand(binary, where)
        with interop.engine(classpath, where) as engine:
            print(f'{kind}: Flowable {engine.version}', flush=True)
            suite = Suite(where, engine, jobstrand, is_long)
            suite.run()
        suite.run_all(suite.mended_tables)
        with interop.engine(classpath, where) as suite.engine:
            suite.run_all(suite.works_on_mended_tables)
        if is_long:
            suite.equal('a half-made mixture', half_made_mixture(where, classpath, jobstrand), '')
        if suite.failed:
            keep = Path(tempfile.mkdtemp(prefix='interop-logs.'))
            for log in Path(name).glob('*.log'):
                shutil.copy(log, keep)
            print(f'the logs are in {keep}', file=sys.stderr)
        return suite.passed, suite.failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary', type=Path)
    parser.add_argument('cache', type=Path)
    parser.add_argument('--flowable', default='8.0.0')
    parser.add_argument('--long', action='store_true')
    parser.add_argument('--only', choices=('mysql', 'postgresql'))
    options = parser.parse_args()
    passed = failed = 0
    try:
        classpath = interop.install(options.cache.resolve(), 'java', options.flowable)
        for kind in [options.only] if options.only else ['mysql', 'postgresql']:
            good, bad = run(kind, classpath, options.binary.resolve(), options.long)
            passed, failed = passed + good, failed + bad
    except interop.CannotInstall as reason:
        print(f'skipped: {reason}')
        return interop.SKIPPED
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
