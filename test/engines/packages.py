"""Programs of other suites of Debian and Ubuntu, unpacked into a folder and run there: the machine's own packages stay as they are, and nothing needs root."""
import fcntl
import os
import platform
import re
import shutil
import subprocess

INSTALL_S = 300
BUILD_S = 3600
KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
UBUNTU, UBUNTU_SUITES = 'http://archive.ubuntu.com/ubuntu', ('jammy', 'noble', 'resolute')
PROGRAMS = ('apt-get', 'apt-cache', 'dpkg-deb', 'patchelf')
# By machine: the folder of its libraries, and the loader in it.
LIBRARIES = {'x86_64': ('x86_64-linux-gnu', 'ld-linux-x86-64.so.2'), 'aarch64': ('aarch64-linux-gnu', 'ld-linux-aarch64.so.1')}
# Where a program of ours would look for what belongs to the machine.
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if name not in ('LD_PRELOAD', 'LD_LIBRARY_PATH')}, 'OPENSSL_CONF': '/dev/null'}


class CannotInstall(Exception):
    """Not to be had on this machine: the test is skipped."""


def unpacked(folder, suite, package, programs):
    """Gets the package, and the libraries that it depends on, once: the folder that takes the place of `/`. `package` is a regular expression, and of
    several names the last counts; `programs` are those that shall run, as patterns. Processes that want the same wait for each other."""
    for program in PROGRAMS:
        if shutil.which(program) is None:
            raise CannotInstall(f'{program} is not on this machine (tools/install_packages test)')
    if not os.path.exists(KEYRING):
        raise CannotInstall(f'{KEYRING} is not on this machine (tools/install_packages test)')
    if platform.machine() not in LIBRARIES:
        raise CannotInstall(f'nobody has tried that on {platform.machine()}')
    folder.mkdir(parents=True, exist_ok=True)
    root = folder / 'root'
    with open(folder / 'installing', 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / 'packages').exists():
            fresh = folder / 'root.new'
            for left in (root, fresh):
                shutil.rmtree(left, ignore_errors=True)
            _unpack([file for file in _downloaded(folder / 'apt', suite, package) if re.match(f'lib|(?:{package})_', file.name)], fresh)
            _adapt(programs, fresh, root)
            fresh.rename(root)
            shutil.rmtree(folder / 'apt')
    return root


def built(root, command, version):
    """Builds a program of a Go module for the unpacked packages, once; `command` is its folder in the module. The go.mod of a module may have what
    `go install` refuses, so it is built as what another one requires."""
    if shutil.which('go') is None:
        raise CannotInstall('go is not on this machine: it builds what no package has')
    module, program = root / 'module', root / 'usr/bin' / command.rsplit('/', 1)[1]
    module.mkdir(exist_ok=True)
    with open(module / 'building', 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            (module / 'go.mod').unlink(missing_ok=True)
            for words in (['mod', 'init', 'built'], ['get', f'{command}@{version}'], ['build', '-ldflags=-s -w', '-o', program, command]):
                _run(['go', *words], cwd=module, timeout=BUILD_S)


def _run(command, timeout=INSTALL_S, **more):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
                              check=False, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstall(str(error)) from error
    if done.returncode != 0:
        raise CannotInstall(f'{" ".join(map(str, command[:3]))}: {done.stdout[-1500:]}')
    return done.stdout


def _mirror():
    """Of Debian, as the machine's own apt has it."""
    for uri in _run(['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Identifier: Packages']).splitlines():
        if re.search(r'/debian(/|$)', uri):
            return uri
    raise CannotInstall('the apt of this machine has no mirror of Debian')


def _sources(apt, suite):
    """A mirror may stand still, and then its index is older than it is meant to get; it is signed all the same."""
    if suite not in UBUNTU_SUITES:
        return f'deb [check-valid-until=no signed-by={KEYRING}] {_mirror()} {suite} main\n'
    # Whose keys are a package of Debian.
    keys = unpacked(apt / 'keys', 'sid', 'ubuntu-keyring', ()) / 'usr/share/keyrings/ubuntu-archive-keyring.gpg'
    return ''.join(f'deb [check-valid-until=no signed-by={keys}] {UBUNTU} {part} main universe\n' for part in (suite, f'{suite}-updates'))


def _downloaded(apt, suite, package):
    """The files of packages, by an apt that has lists and a state of its own, for which nothing is installed yet."""
    shutil.rmtree(apt, ignore_errors=True)
    for name in ('none', 'lists/partial', 'cache/archives/partial'):
        (apt / name).mkdir(parents=True)
    (apt / 'status').touch()
    (apt / 'sources.list').write_text(_sources(apt, suite))
    # The way to the mirror is the machine's, everything else is not.
    ways = [line for line in _run(['apt-config', 'dump']).splitlines() if re.match(r'Acquire::(https?|proxy)\b', line, re.I)]
    own = {'Etc::Main': 'none/main', 'Etc::Parts': 'none', 'Etc::SourceList': 'sources.list', 'Etc::SourceParts': 'none', 'Etc::Preferences': 'none/preferences',
           'Etc::PreferencesParts': 'none', 'State': '', 'State::Lists': 'lists', 'State::status': 'status', 'Cache': 'cache', 'Log': ''}
    (apt / 'conf').write_text('\n'.join([
        *ways, *(f'Dir::{name} "{apt / path}";' for name, path in own.items()), 'Acquire::Languages "none";', 'Acquire::Retries "1";',
        'APT::Install-Recommends "false";', 'APT::Update::Error-Mode "any";', 'APT::Sandbox::User "";', '']))
    env = {**os.environ, 'APT_CONFIG': str(apt / 'conf'), 'LC_ALL': 'C'}
    _run(['apt-get', '-q', 'update'], env=env)
    names = [name for name in _run(['apt-cache', 'pkgnames'], env=env).split() if re.fullmatch(package, name)]
    if not names:
        raise CannotInstall(f'{suite} has no package {package}')
    _run(['apt-get', '-q', '-y', '--download-only', 'install', max(names)], env=env)
    return sorted((apt / 'cache/archives').glob('*.deb'))


def _unpack(files, root):
    for name in ('bin', 'sbin', 'lib', 'lib64'):
        (root / 'usr' / name).mkdir(parents=True)
        (root / name).symlink_to(f'usr/{name}')
    for file in files:
        _run(['dpkg-deb', '-x', file, root])
    (root / 'packages').write_text(''.join(f'{file.stem}\n' for file in files))


def _adapt(programs, fresh, root):
    """Programs get the loader and the libraries that they were built for, by the names that these will have."""
    name, loader = LIBRARIES[platform.machine()]
    # Before a suite has merged /lib into /usr/lib, libraries are in both.
    folders = [folder for folder in (f'usr/lib/{name}', f'lib/{name}') if (fresh / folder).exists()]
    loaders = [root / folder / loader for folder in folders if (fresh / folder / loader).exists()]
    libraries = ':'.join(str(root / folder) for folder in folders)
    for path in (path for pattern in programs for path in fresh.glob(pattern)):
        # An rpath (not a runpath) counts for the libraries of libraries, too.
        _run(['patchelf', '--set-interpreter', loaders[0], '--force-rpath', '--set-rpath', libraries, path])


def version_of(root, package):
    """As Debian writes it."""
    found = re.search(rf'^(?:{package})_(?P<version>[^_]+)_', (root / 'packages').read_text(), re.M)
    return found['version'].replace('%3a', ':')
