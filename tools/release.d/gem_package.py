"""The gem of the client for Ruby."""
import re
import shutil

import archives


def make(root, into, scratch, version):
    folder = scratch / 'ruby'
    shutil.copytree(root / 'tools/clients/ruby', folder)
    shutil.copy(root / 'LICENSE', folder)
    about = folder / 'jobstrand.gemspec'
    text, count = re.subn(r'(spec\.version = )".*"', rf'\1"{version}"', about.read_text(encoding='utf-8'))
    if count != 1:
        raise RuntimeError(f'{about.name} has no version that could be set')
    about.write_text(text, encoding='utf-8')
    archives.run('gem', 'build', '--strict', '--output', into / f'jobstrand-{version}.gem', about.name, cwd=folder)
