"""What Maven's repositories want of a package: its jar, its sources, its documentation, and its pom."""
import shutil
import xml.etree.ElementTree

import archives

EARLIEST = 315532802  # That a jar can say, to Maven.
SPACE = '{http://maven.apache.org/POM/4.0.0}'


def make(root, into, scratch):
    for client in ('java', 'spring'):  # In the order in which one needs the other.
        folder = scratch / client
        shutil.copytree(root / 'tools/clients' / client, folder, ignore=shutil.ignore_patterns('target'))
        (folder / 'src/main/resources/META-INF').mkdir(parents=True, exist_ok=True)
        shutil.copy(root / 'LICENSE', folder / 'src/main/resources/META-INF')
        archives.run('mvn', '-B', '-ntp', '-q', f'-Dproject.build.outputTimestamp={max(EARLIEST, archives.build_time())}', 'install', 'javadoc:jar', cwd=folder)
        about = xml.etree.ElementTree.parse(folder / 'pom.xml').getroot()
        name = f'{about.findtext(SPACE + "artifactId")}-{about.findtext(SPACE + "version")}'
        shutil.copy(folder / 'pom.xml', into / f'{name}.pom')
        for kind in ('', '-sources', '-javadoc'):
            shutil.copy(folder / f'target/{name}{kind}.jar', into)
