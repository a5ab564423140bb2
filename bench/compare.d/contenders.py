"""Who is compared: on which server, with which work, how it is started.

All peers are started alike: `PROGRAM --db URL --jobs N --warm-up N --repeat N --time-limit SECONDS`, and print the
JSON of bench/README.md.
"""
from typing import NamedTuple

from kits import BUILD, OURS

NO_OP = 'no-op'
WAIT = '100 ms of waiting'
TIMER = 'overdue timer, no-op'

BY_PAGE = ('--lock-granularity', 'page', '--no-ceiling')


class Contender(NamedTuple):
    """`share`: its part of --jobs, so that a slow one takes some seconds too, in which its start does not count."""
    name: str
    server: str
    work: str
    kit: str
    program: tuple
    share: float = 1.0
    figure: str = 'drain'

    @property
    def id(self):
        return f'{self.server}-{self.name}'

    @property
    def is_ours(self):
        return self.kit == 'jobstrand'


def ours(name, server, work, *arguments, **more):
    return Contender(name, server, work, 'jobstrand', (str(OURS), *arguments), **more)


def java(name, server, work, main_class, *arguments, **more):
    program = ('java', '-Xmx2g', '-cp', f'{BUILD}/java/classes:{BUILD}/java/lib/*', f'peers.{main_class}', *arguments)
    return Contender(name, server, work, 'java', program, **more)


def go(name, server, *arguments, **more):
    return Contender(name, server, NO_OP, 'go', (str(BUILD / 'go/peer'), *arguments), **more)


def node(name, script):
    return Contender(name, 'postgresql', NO_OP, 'node', (str(BUILD / 'node/node'), str(BUILD / 'node' / script)))


def rust(name, program, *arguments):
    return Contender(name, 'postgresql', NO_OP, 'rust', (str(BUILD / 'rust/target/release' / program), *arguments))


# In the order in which they run; ours first, as the others are held against it.
CONTENDERS = (
    ours('jobstrand', 'mariadb', NO_OP, 'drain'),
    ours('jobstrand-page', 'mariadb', NO_OP, 'drain', *BY_PAGE),
    java('flowable', 'mariadb', NO_OP, 'FlowablePeer', '--model', 'noop', '--workers', '64', share=0.1),
    java('flowable-plain-job', 'mariadb', NO_OP, 'FlowablePeer', '--model', 'plain', '--workers', '32', share=0.1),
    java('quartz', 'mariadb', NO_OP, 'QuartzPeer', share=0.05),
    java('db-scheduler', 'mariadb', NO_OP, 'DbSchedulerPeer', share=0.1),
    java('jobrunr', 'mariadb', NO_OP, 'JobRunrPeer', share=0.1),
    ours('jobstrand-wait', 'mariadb', WAIT, 'drain', '--job-time', '100ms', '--workers', '128', '--no-ceiling',
         share=0.1),
    java('flowable-wait', 'mariadb', WAIT, 'FlowablePeer', '--model', 'wait', '--workers', '128', share=0.1),
    ours('jobstrand-timer', 'mariadb', TIMER, 'timers', '--time', '1s', '--no-ceiling',
         figure='overdue timers moved and run'),
    java('flowable-timer', 'mariadb', TIMER, 'FlowablePeer', '--model', 'timer', '--workers', '64', share=0.05),
    ours('jobstrand', 'postgresql', NO_OP, 'drain'),
    ours('jobstrand-page', 'postgresql', NO_OP, 'drain', *BY_PAGE),
    go('pgmq-like', 'postgresql', '--peer', 'pgmq-like', '--workers', '2', '--page', '5000'),
    rust('graphile-worker-rust', 'graphile_worker_peer'),
    node('graphile-worker', 'graphile_worker.mjs'),
    node('pg-boss', 'pg_boss.mjs'),
    go('river', 'postgresql', '--workers', '10000'),
    go('river-2000', 'postgresql', '--workers', '2000'),
    java('db-scheduler', 'postgresql', NO_OP, 'DbSchedulerPeer', share=0.1),
    java('jobrunr', 'postgresql', NO_OP, 'JobRunrPeer', share=0.1),
    ours('jobstrand', 'sqlite', NO_OP, 'drain'),
    go('river', 'sqlite', '--workers', '10000', share=0.1),
)
