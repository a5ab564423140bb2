"""The archive of the client for PHP, as Composer's repositories of the kind "artifact" want it."""
import json
import os
import shutil

import archives


def make(root, into, scratch, version):
    folder = scratch / 'php'
    shutil.copytree(root / 'tools/clients/php', folder, ignore=shutil.ignore_patterns('vendor'))
    shutil.copy(root / 'LICENSE', folder)
    about = json.loads((folder / 'composer.json').read_text(encoding='utf-8'))
    about['version'] = version
    (folder / 'composer.json').write_text(json.dumps(about, indent=2) + '\n', encoding='utf-8')
    for path in (folder, *archives.entries(folder)):
        os.utime(path, (archives.build_time(),) * 2)
    archives.run('composer', 'validate', '--no-check-publish', '--no-interaction', '--no-plugins', cwd=folder)
    archives.run('composer', 'archive', '--format', 'zip', '--dir', into, '--file', f'jobstrand-php-{version}', '--no-interaction', '--no-plugins', cwd=folder)
