"""The program with the libraries that it needs beside it, so that it runs wherever the C library is new enough."""
import pathlib
import re
import shutil
import subprocess
from typing import NamedTuple

# What every Linux that the wheel's tag names has of its own: the libraries of manylinux that the program uses.
OF_THE_SYSTEM = re.compile(r'(linux-vdso|ld-linux-x86-64|libc|libm|libgcc_s|libstdc\+\+|libz|libresolv)\.so\.\d+')


class Package(NamedTuple):
    """A Debian package, some library of which lies in the bundle."""
    name: str
    version: str
    source: str


class Bundle(NamedTuple):
    """`folder` has bin/jobstrand, lib/ and licenses/."""
    folder: pathlib.Path
    packages: list[Package]


def output_of(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries_of(program) -> dict[str, pathlib.Path]:
    """Name as the loader asks for it -> file, for all that the system does not have; raises where one is missing."""
    found = {}
    for line in output_of('ldd', str(program)).splitlines():
        match = re.fullmatch(r'\s*(\S+) => (\S+|not found)(?: \(0x[0-9a-f]+\))?', line)
        if not match or OF_THE_SYSTEM.fullmatch(match[1]):
            continue
        if match[2] == 'not found':
            raise RuntimeError(f'{program} needs {match[1]}, which is not installed')
        found[match[1]] = pathlib.Path(match[2]).resolve()
    return found


def package_of(library) -> Package:
    owner = None
    # Debian 12 knows files of /usr/lib under /lib too, and dpkg by the one name that the package gave.
    for path in (str(library), str(library).removeprefix('/usr')):
        done = subprocess.run(['dpkg', '-S', path], capture_output=True, text=True, check=False)
        owner = owner or done.stdout.partition(': ')[0] or None
    if owner is None:
        raise RuntimeError(f'no Debian package has {library}: its licence is not known')
    fields = '${Package}\t${Version}\t${source:Package}'
    return Package(*output_of('dpkg-query', '-W', '-f', fields, owner).split('\t'))


def place(source, target, search_path):
    """Copies a program or library without its symbols, and has it look for others in `search_path`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755)
    subprocess.run(['strip', '--strip-unneeded', str(target)], check=True)
    subprocess.run(['patchelf', '--set-rpath', search_path, str(target)], check=True)


def bundle_of(program, folder, licence) -> Bundle:
    libraries = libraries_of(program)
    place(program, folder / 'bin/jobstrand', '$ORIGIN/../lib')
    packages = set()
    for name, library in libraries.items():
        place(library, folder / 'lib' / name, '$ORIGIN')
        packages.add(package_of(library))
    licences = folder / 'licenses'
    licences.mkdir()
    shutil.copyfile(licence, licences / 'jobstrand.txt')
    for package in sorted(packages):
        shutil.copyfile(f'/usr/share/doc/{package.name}/copyright', licences / f'{package.name}.txt')
    rows = [f'{package.name} {package.version} (source package {package.source})' for package in sorted(packages)]
    (licences / 'README.txt').write_text(
        'Libraries of Debian 12 that lie in lib/, unchanged but for their search path and their symbols. Their sources are\n'
        'the source packages of these versions, which every Debian mirror and snapshot.debian.org have:\n\n'
        + '\n'.join(rows) + '\n', encoding='utf-8')
    return Bundle(folder, sorted(packages))
