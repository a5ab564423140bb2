"""Downloads and builds what the contenders are made of, into build/peers. A kit is a language with its packages."""
import hashlib
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / 'bench/peers'
BUILD = ROOT / 'build/peers'
OURS = ROOT / 'build/release/bench/jobstrand-bench'
INSTALL_SECONDS = 1800  # Rust builds all of its packages from source.


class CannotInstall(Exception):
    """Not to be had on this machine: the contender is skipped."""


class DoesNotBuild(Exception):
    """It is there, and our program for it does not compile: a failure."""


def install(kit):
    """All contenders of one kit; at once when nothing has changed since."""
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
    install_kit = {'java': install_java, 'node': install_node, 'go': install_go, 'rust': install_rust}[kit]
    install_kit(SOURCES / kit, BUILD / kit)
    stamp.write_text(wanted)


def fingerprint(folder):
    content = hashlib.sha256()
    for path in sorted(folder.rglob('*')):
        if path.is_file():
            content.update(f'{path.relative_to(folder)}\n'.encode() + path.read_bytes())
    return content.hexdigest()


def install_java(sources, target):
    download(sources / 'pom.xml', target, ['mvn', '-B', '-ntp', '-q', '-f', str(sources / 'pom.xml'),
                                           'dependency:copy-dependencies', f'-DoutputDirectory={target}/lib'])
    shutil.rmtree(target / 'classes', ignore_errors=True)
    compile_with(['javac', '--release', '17', '-d', str(target / 'classes'), '-cp', f'{target}/lib/*',
                  *map(str, sorted(sources.rglob('*.java')))], sources)
    for resource in (sources / 'resources').iterdir():
        shutil.copy(resource, target / 'classes')


def install_node(sources, target):
    """The packages want a newer Node.js than Debian's: it comes as a package too, for this processor."""
    for path in sources.iterdir():
        shutil.copy(path, target)
    download(sources / 'package-lock.json', target, ['npm', 'ci', '--no-audit', '--no-fund'])
    programs = list(target.glob('node_modules/node-linux-*/bin/node'))
    if not programs:
        raise CannotInstall('there is no Node.js package for this processor')
    (target / 'node').unlink(missing_ok=True)
    (target / 'node').symlink_to(programs[0])


def install_go(sources, target):
    download(sources / 'go.sum', target, ['go', 'mod', 'download'], sources)
    compile_with(['go', 'build', '-o', str(target / 'peer'), '.'], sources)


def install_rust(sources, target):
    download(sources / 'Cargo.lock', target, ['cargo', 'fetch', '--locked'], sources)
    compile_with(['cargo', 'build', '--release', '--locked', '--offline', '--target-dir', f'{target}/target'], sources)


def download(wanted_by, target, command, folder=None):
    """Runs the command, which downloads what a file lists, unless it has done so for the same list."""
    stamp = target / 'downloaded'
    wanted = wanted_by.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    stamp.unlink(missing_ok=True)
    shutil.rmtree(target / 'lib', ignore_errors=True)  # Older jars beside the new ones would win.
    need(command[0])
    done = run(command, folder or target)
    if done.returncode != 0:
        raise CannotInstall(f'the downloads failed: {last_line(done.stdout)}')
    stamp.write_text(wanted)


def compile_with(command, folder):
    need(command[0])
    done = run(command, folder)
    if done.returncode != 0:
        raise DoesNotBuild(f'{command[0]} failed:\n{done.stdout}')


def need(program):
    if shutil.which(program) is None:
        raise CannotInstall(f'{program} is not on this machine')


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=INSTALL_SECONDS, check=False)


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else 'without a word'
