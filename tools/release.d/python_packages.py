"""The wheel with the program in it, the wheel without it for other platforms, and the source distribution."""
import pathlib
import re
import shutil
import sys
import tarfile

import archives


def built(source, into, *words):
    archives.run(sys.executable, '-m', 'build', '--no-isolation', *words, '--outdir', into, source)


def same_again(sdist, scratch):
    """Writes an archive anew with nothing in it that depends on when it was made."""
    with tarfile.open(sdist) as archive:
        archive.extractall(scratch / 'sdist')
    sdist.write_bytes(archives.gzipped(archives.tar_of(scratch / 'sdist')))


def staged(root, scratch, name) -> pathlib.Path:
    folder = scratch / name
    shutil.copytree(root / 'tools/clients/python', folder, ignore=shutil.ignore_patterns('build', '*.egg-info', '__pycache__'))
    shutil.copy(root / 'LICENSE', folder)
    return folder


def fitting_platform(wheel) -> str:
    """The oldest Linux that has all that the wheel asks of it: `manylinux_2_35_x86_64`."""
    said = archives.run('auditwheel', 'show', wheel)
    found = re.search(r'constrains the platform tag to "(manylinux_\w+)"', ' '.join(said.split()))
    if not found:
        raise RuntimeError(f'auditwheel finds that the wheel fits no Linux but this one:\n{said}')
    return found[1]


def make(root, bundle, into, scratch):
    plain = staged(root, scratch, 'python')
    built(plain, into, '--sdist', '--wheel')
    same_again(next(into.glob('jobstrand-*[0-9].tar.gz')), scratch)
    whole = staged(root, scratch, 'python-with-program')
    shutil.copytree(bundle.folder, whole / 'jobstrand/program_files')
    made = scratch / 'wheel'
    built(whole, made, '--wheel')
    wheel = next(made.glob('*.whl'))
    archives.run(sys.executable, '-m', 'wheel', 'tags', '--remove', '--platform-tag', fitting_platform(wheel), wheel)
    wheel = next(made.glob('*.whl'))
    shutil.move(wheel, into / wheel.name)  # In the place of an older one, as the others.
