"""The Debian packages: the service (by CPack), what apps embed, and the client for Python."""
import pathlib
import shutil

import archives

MAINTAINER = 'Jobstrand <maintainers@jobstrand.invalid>'
# The headers of ours that apps include, include these; the libraries are static.
EMBEDDING_NEEDS = ('g++, cmake, libboost-dev, libboost-thread-dev, libsoci-dev, libmysqlcppconn-dev, libpq-dev, libsqlite3-dev, '
                   'libfmt-dev, nlohmann-json3-dev, libhowardhinnant-date-dev')


def deb(root, into, name, version, architecture, depends, summary, text):
    """Builds a package of what lies below `root`."""
    control = root / 'DEBIAN/control'
    control.parent.mkdir(parents=True)
    size = sum(path.stat().st_size for path in archives.entries(root) if path.is_file()) // 1024
    control.write_text(
        f'Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\nSection: devel\nPriority: optional\n'
        f'Installed-Size: {size}\nDepends: {depends}\nDescription: {summary}\n {text}\n', encoding='utf-8')
    archives.run('dpkg-deb', '--root-owner-group', '--build', root, into / f'{name}_{version}_{architecture}.deb')


def documented(source, root, name):
    folder = root / f'usr/share/doc/{name}'
    folder.mkdir(parents=True)
    shutil.copy(source / 'tools/package/debian/copyright', folder / 'copyright')


def make_service(build, into, scratch):
    made = scratch / 'cpack'
    archives.run('cpack', '-G', 'DEB', '--config', build / 'CPackConfig.cmake', '-B', made)
    shutil.move(next(made.glob('jobstrand_*.deb')), into)


def make_embedding(source, build, into, scratch, version):
    laid = scratch / 'laid'
    archives.run('cmake', '--install', build, '--prefix', laid / 'usr', '--strip')
    root = scratch / 'jobstrand-dev'
    for part in ('usr/include', 'usr/lib'):
        shutil.copytree(laid / part, root / part)
    documented(source, root, 'jobstrand-dev')
    deb(root, into, 'jobstrand-dev', version, 'amd64', EMBEDDING_NEEDS, 'headers and libraries for apps that run jobs in their own process',
        'Static libraries, headers <jobstrand/...>, and the CMake package jobstrand::jobstrand.')


def make_python(source, into, scratch, version):
    root = scratch / 'python3-jobstrand'
    modules = root / 'usr/lib/python3/dist-packages'
    shutil.copytree(source / 'tools/clients/python/jobstrand', modules / 'jobstrand', ignore=shutil.ignore_patterns('__pycache__'))
    documented(source, root, 'python3-jobstrand')
    deb(root, into, 'python3-jobstrand', version, 'all', 'python3 (>= 3.9)', 'enqueue background jobs and work on them, from Python',
        'Enqueues in the own transaction of the app or over HTTP; workers.')


def make(source: pathlib.Path, build, into, scratch, version):
    make_service(build, into, scratch)
    make_embedding(source, build, into, scratch, version)
    make_python(source, into, scratch, version)
