"""Lists the files of the source tree."""
import os
import subprocess


def paths(root) -> list[str]:
    """What git tracks or would add; every file but the build's where there is no checkout."""
    if os.path.exists(os.path.join(root, '.git')):
        command = ['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return [path for path in listed.split('\0') if path]
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ('build', '.cache', '__pycache__')]
        found += [os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/') for name in files]
    return found
