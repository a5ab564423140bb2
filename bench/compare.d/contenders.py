"""Who is compared: on which server, with which work, how it is installed and started.

All peers are started alike: `PROGRAM --db URL --jobs N --warm-up N --repeat N --time-limit SECONDS`, and print the
JSON of bench/README.md.
"""
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / 'bench/peers'
BUILD = ROOT / 'build/peers'
OURS = ROOT / 'build/release/bench/jobstrand-bench'
INSTALL_SECONDS = 600

NO_OP = 'no-op'
WAIT = '100 ms of waiting'
TIMER = 'overdue timer, no-op'


class Contender(NamedTuple):
    """`share`: its part of --jobs, so that a slow one takes as long as a fast one."""
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


def node(name, script):
    return Contender(name, 'postgresql', NO_OP, 'node', (str(BUILD / 'node/node'), str(BUILD / 'node' / script)))


# In the order in which they run; ours first, as the others are held against it.
CONTENDERS = (
    ours('jobstrand', 'mariadb', NO_OP, 'drain'),
    java('flowable', 'mariadb', NO_OP, 'FlowablePeer', '--model', 'noop', share=0.1),
    java('flowable-plain-job', 'mariadb', NO_OP, 'FlowablePeer', '--model', 'plain', share=0.1),
    java('quartz', 'mariadb', NO_OP, 'QuartzPeer', share=0.05),
    java('db-scheduler', 'mariadb', NO_OP, 'DbSchedulerPeer', share=0.1),
    ours('jobstrand-wait', 'mariadb', WAIT, 'drain', '--job-time', '100ms', '--workers', '128', '--no-ceiling', share=0.05),
    java('flowable-wait', 'mariadb', WAIT, 'FlowablePeer', '--model', 'wait', '--workers', '128', share=0.05),
    ours('jobstrand-timer', 'mariadb', TIMER, 'timers', '--time', '1s', '--no-ceiling',
         figure='overdue timers moved and run'),
    java('flowable-timer', 'mariadb', TIMER, 'FlowablePeer', '--model', 'timer', share=0.05),
    ours('jobstrand', 'postgresql', NO_OP, 'drain'),
    node('graphile-worker', 'graphile_worker.mjs'),
    node('pg-boss', 'pg_boss.mjs'),
    Contender('river', 'postgresql', NO_OP, 'go', (str(BUILD / 'go/river'),)),
    java('db-scheduler', 'postgresql', NO_OP, 'DbSchedulerPeer', share=0.1),
)


class CannotInstall(Exception):
    """Not to be had on this machine: the contender is skipped."""


class DoesNotBuild(Exception):
    """It is there, and our program for it does not compile: a failure."""


def install(kit):
    """Downloads and builds all contenders of one kit into build/peers; at once when nothing has changed since."""
    if kit == 'jobstrand':
        if not OURS.exists():
            raise DoesNotBuild(f'{OURS.relative_to(ROOT)} is not built: cmake --preset release && '
                               'cmake --build --preset release --target jobstrand_bench')
        return
    stamp = BUILD / kit / 'installed'
    wanted = fingerprint(SOURCES / kit)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    (BUILD / kit).mkdir(parents=True, exist_ok=True)
    {'java': install_java, 'node': install_node, 'go': install_go}[kit](SOURCES / kit, BUILD / kit)
    stamp.write_text(wanted)


def fingerprint(folder):
    content = hashlib.sha256()
    for path in sorted(folder.rglob('*')):
        if path.is_file():
            content.update(f'{path.relative_to(folder)}\n'.encode() + path.read_bytes())
    return content.hexdigest()


def install_java(sources, target):
    for folder in ('lib', 'classes'):
        shutil.rmtree(target / folder, ignore_errors=True)
    download('java', ['mvn', '-B', '-ntp', '-q', '-f', str(sources / 'pom.xml'), 'dependency:copy-dependencies',
                      f'-DoutputDirectory={target}/lib'], sources)
    compile_with(['javac', '--release', '17', '-d', str(target / 'classes'), '-cp', f'{target}/lib/*',
                  *map(str, sorted(sources.rglob('*.java')))], sources)
    for resource in (sources / 'resources').iterdir():
        shutil.copy(resource, target / 'classes')


def install_node(sources, target):
    """The packages want a newer Node.js than Debian's: it comes as a package too, for this processor."""
    for path in sources.iterdir():
        shutil.copy(path, target)
    download('node', ['npm', 'ci', '--no-audit', '--no-fund'], target)
    programs = list(target.glob('node_modules/node-linux-*/bin/node'))
    if not programs:
        raise CannotInstall('there is no Node.js package for this processor')
    (target / 'node').unlink(missing_ok=True)
    (target / 'node').symlink_to(programs[0])


def install_go(sources, target):
    download('go', ['go', 'mod', 'download'], sources)
    compile_with(['go', 'build', '-o', str(target / 'river'), '.'], sources)


def download(kit, command, folder):
    if shutil.which(command[0]) is None:
        raise CannotInstall(f'{command[0]} is not on this machine')
    done = run(command, folder)
    if done.returncode != 0:
        raise CannotInstall(f'the downloads for {kit} failed: {last_line(done.stdout)}')


def compile_with(command, folder):
    if shutil.which(command[0]) is None:
        raise CannotInstall(f'{command[0]} is not on this machine')
    done = run(command, folder)
    if done.returncode != 0:
        raise DoesNotBuild(f'{command[0]} failed:\n{done.stdout}')


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=INSTALL_SECONDS, check=False)


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else 'without a word'
