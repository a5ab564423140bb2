"""Archives that come out the same, byte for byte, when they are made again."""
import gzip
import io
import os
import pathlib
import subprocess
import tarfile


def build_time() -> int:
    """What the files of archives say of their age: SOURCE_DATE_EPOCH, else the start of 1980, which ZIP can say too."""
    return int(os.environ.get('SOURCE_DATE_EPOCH', 315532800))


def run(*command, **options):
    """Runs a tool that makes something, with the time that its files shall have; what it says is only heard when it fails."""
    environment = {**os.environ, 'SOURCE_DATE_EPOCH': str(build_time()), 'TZ': 'UTC'}  # ZIP has local times.
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f'{" ".join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def entries(folder) -> list[pathlib.Path]:
    return sorted(pathlib.Path(folder).rglob('*'))


def tar_of(folder, prefix='', owner_of=lambda path: 0) -> bytes:
    """All of a folder. `owner_of` says whose an entry is, by its path in the archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.GNU_FORMAT) as archive:
        for path in entries(folder):
            info = archive.gettarinfo(path, f'{prefix}{path.relative_to(folder)}')
            info.type = tarfile.REGTYPE if info.islnk() else info.type
            info.size = path.stat().st_size if info.isreg() else 0
            info.mtime = build_time()
            info.uid = info.gid = owner_of(info.name)
            info.uname = info.gname = ''
            if info.isreg():
                with open(path, 'rb') as file:
                    archive.addfile(info, file)
            else:
                archive.addfile(info)
    return out.getvalue()


def gzipped(data) -> bytes:
    return gzip.compress(data, mtime=build_time())
