"""What the tests of clients in Java share: a JDK, and the packages that a pom.xml lists."""
import re
import shutil
import subprocess

import clients

JDK = 17


def installed(packages, listed):
    """The class path of all of them. Raises CannotInstall where there is no JDK, Maven, or registry."""
    need_jdk()
    clients.install(packages, listed, [
        'mvn', '-B', '-U', '-ntp', '-q', '-f', str(clients.HERE / listed), f'-Dmaven.repo.local={packages}/repository',
        'dependency:build-classpath', f'-Dmdep.outputFile={packages}/classpath'
    ])
    return (packages / 'classpath').read_text(encoding='utf-8').strip()


def need_jdk():
    """One with a compiler."""
    if shutil.which('javac') is None:
        raise clients.CannotInstall('javac is not on this machine')
    said = subprocess.run(['javac', '-version'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=clients.PATIENCE_S,
                          check=False).stdout
    version = re.search(r'javac (\d+)', said)
    if version is None or int(version[1]) < JDK:
        raise clients.CannotInstall(f'the clients want a JDK {JDK}, and here is {said.strip()}')
