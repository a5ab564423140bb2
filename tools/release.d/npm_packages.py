"""The package of the client, and the one of the program, which npm installs where it fits."""
import json
import shutil

import archives

PLATFORM = 'jobstrand-linux-x64'


def make(root, bundle, into, scratch):
    client = scratch / 'npm'
    shutil.copytree(root / 'tools/clients/javascript', client, ignore=shutil.ignore_patterns('node_modules'))
    shutil.copy(root / 'LICENSE', client)
    about = json.loads((client / 'package.json').read_text(encoding='utf-8'))
    about['optionalDependencies'] = {PLATFORM: about['version']}
    (client / 'package.json').write_text(json.dumps(about, indent=2) + '\n', encoding='utf-8')
    archives.run('npm', 'pack', '--offline', '--pack-destination', into, client)

    program = scratch / PLATFORM
    shutil.copytree(bundle.folder, program)
    same = {key: about[key] for key in ('version', 'license', 'repository', 'homepage', 'engines') if key in about}
    (program / 'package.json').write_text(json.dumps({
        'name': PLATFORM,
        'description': 'The program of Jobstrand for Linux with glibc 2.35 or newer on x64; installed by the package jobstrand',
        **same,
        'os': ['linux'], 'cpu': ['x64'], 'libc': ['glibc'],
        'bin': {PLATFORM: 'bin/jobstrand'},
        'files': ['bin', 'lib', 'licenses'],
    }, indent=2) + '\n', encoding='utf-8')
    archives.run('npm', 'pack', '--offline', '--pack-destination', into, program)
