"""An OCI image without a daemon: Debian's C library, certificates and time zones, and the program; nothing else, no shell."""
import hashlib
import io
import json
import pathlib
import shutil
import tarfile

import archives

NOBODY = 65534
SYSTEM_PACKAGES = ('libc6', 'libgcc-s1', 'libstdc++6', 'zlib1g', 'tzdata', 'ca-certificates', 'netbase')
LIVES_IN = 'var/lib/jobstrand'


def system(root, scratch):
    """Files of Debian packages, and the certificates in one file as their package would write it when it is configured."""
    folder = scratch / 'debs'
    folder.mkdir()
    archives.run('apt-get', 'download', *SYSTEM_PACKAGES, cwd=folder)
    for package in sorted(folder.glob('*.deb')):
        archives.run('dpkg-deb', '--extract', package, root)
    certificates = sorted((root / 'usr/share/ca-certificates').rglob('*.crt'))
    (root / 'etc/ssl/certs').mkdir(parents=True, exist_ok=True)
    (root / 'etc/ssl/certs/ca-certificates.crt').write_bytes(b''.join(path.read_bytes() for path in certificates))
    for useless in ('usr/share/man', 'usr/share/doc', 'usr/share/lintian', 'usr/share/bash-completion', 'usr/lib/x86_64-linux-gnu/gconv'):
        shutil.rmtree(root / useless, ignore_errors=True)


def root_of(source, bundle, scratch) -> pathlib.Path:
    root = scratch / 'image-root'
    for folder in ('etc/jobstrand', LIVES_IN, 'tmp'):
        (root / folder).mkdir(parents=True)
    (root / 'tmp').chmod(0o1777)
    system(root, scratch)
    for part, place in (('bin', 'usr/bin'), ('lib', 'usr/lib'), ('licenses', 'usr/share/licenses/jobstrand')):
        shutil.copytree(bundle.folder / part, root / place, dirs_exist_ok=True)
    shutil.copy(source / 'tools/package/jobstrand.toml', root / 'etc/jobstrand/jobstrand.toml')
    (root / 'etc/passwd').write_text(f'nobody:x:{NOBODY}:{NOBODY}:nobody:/{LIVES_IN}:/usr/sbin/nologin\n', encoding='ascii')
    (root / 'etc/group').write_text(f'nogroup:x:{NOBODY}:\n', encoding='ascii')
    return root


def config(layer) -> dict:
    settings = '/etc/jobstrand/jobstrand.toml'
    return {
        'architecture': 'amd64', 'os': 'linux',
        'config': {
            'User': f'{NOBODY}:{NOBODY}',
            'Env': ['PATH=/usr/bin', 'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt', f'JOBSTRAND_CONFIG={settings}'],
            'Entrypoint': ['/usr/bin/jobstrand'],
            'Cmd': ['serve'],
            'WorkingDir': f'/{LIVES_IN}',
            'Volumes': {f'/{LIVES_IN}': {}},
            'StopSignal': 'SIGTERM',
            # What Docker runs every 30 s: whether the database of the settings answers, with tables that fit.
            'Healthcheck': {'Test': ['CMD', '/usr/bin/jobstrand', 'stats', '-o', 'name'],
                            'Interval': 30_000_000_000, 'Timeout': 10_000_000_000, 'StartPeriod': 30_000_000_000, 'Retries': 3},
            'Labels': {'org.opencontainers.image.title': 'jobstrand', 'org.opencontainers.image.licenses': 'Apache-2.0'},
        },
        'rootfs': {'type': 'layers', 'diff_ids': [digest(layer)]},
        'history': [{'created_by': 'tools/release image'}],
    }


def digest(data) -> str:
    return 'sha256:' + hashlib.sha256(data).hexdigest()


def make(source, bundle, into, scratch, version):
    """`podman load`, `skopeo copy oci-archive:...` and `docker load` (25 or newer) take it."""
    layer = archives.tar_of(root_of(source, bundle, scratch), owner_of=lambda path: NOBODY if path.startswith(LIVES_IN) else 0)
    blobs = {}

    def added(data, kind) -> dict:
        blobs[digest(data)] = data
        return {'mediaType': f'application/vnd.oci.image.{kind}', 'digest': digest(data), 'size': len(data)}

    manifest = json.dumps({
        'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.manifest.v1+json',
        'config': added(json.dumps(config(layer)).encode(), 'config.v1+json'),
        'layers': [added(archives.gzipped(layer), 'layer.v1.tar+gzip')],
    }).encode()
    top = {**added(manifest, 'manifest.v1+json'), 'annotations': {
        'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': f'jobstrand:{version}'}}
    files = {
        'oci-layout': b'{"imageLayoutVersion": "1.0.0"}',
        'index.json': json.dumps({'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.index.v1+json', 'manifests': [top]}).encode(),
        **{f'blobs/{name.replace(":", "/")}': data for name, data in sorted(blobs.items())},
    }
    with tarfile.open(into / f'jobstrand-{version}-image.tar', 'w', format=tarfile.GNU_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), archives.build_time()
            archive.addfile(info, io.BytesIO(data))
