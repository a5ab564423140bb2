#!/usr/bin/env python3
"""Whether the Java client and the starter for Spring Boot do what docs/clients.md says, and runs the examples there.

Usage:  java_client.py JOBSTRAND_BINARY FOLDER_FOR_PACKAGES

They are formatted by google-java-format, they and their documentation are made without a warning, tools/release makes of them what a
repository wants, their tests (test/clients/java_client, java_spring) run against services on SQLite and against servers of PostgreSQL and
MariaDB, and each example in Java of docs/clients.md is compiled and run; that of Spring is one of the sources of its test. Needs a JDK 17, Maven and its registry, PostgreSQL and MariaDB, so it is not part of
tools/check. Then it does what behaviours.toml says of all clients. The last line is
`N passed, N failed, N skipped`.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree
import zipfile
from pathlib import Path

import behaviours
import clients

sys.path.insert(0, str(clients.ROOT / 'test/fixtures'))
import databases  # pylint: disable=wrong-import-position

MODULES = (clients.ROOT / 'tools/clients/java', clients.ROOT / 'tools/clients/spring')
TESTS = clients.HERE / 'java_client'
TESTS_OF_SPRING = clients.HERE / 'java_spring'
BLOCK = re.compile(r'^```java\n(.*?)^```', re.M | re.S)
FORMATTER = 'com.google.googlejavaformat:google-java-format:1.22.0:jar:all-deps'
COMPILER_PARTS = ('api', 'code', 'file', 'parser', 'tree', 'util')  # Of javac, which the formatter uses.
PATIENCE_S = 900  # The first time all drivers and Maven's plugins are downloaded.


def maven(folder, packages, *words):
    """Exit code and output."""
    done = subprocess.run(['nice', 'mvn', '-B', '-ntp', '-q', f'-Dmaven.repo.local={packages}/repository', *words], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout


def told(name, is_good, said=''):
    print(f'{"ok" if is_good else "FAILED"}: {name}{"" if is_good else chr(10) + said}', flush=True)
    return is_good


def formatted(packages):
    """4 spaces, 100 columns."""
    code, said = maven(clients.ROOT, packages, 'dependency:copy', f'-Dartifact={FORMATTER}', f'-DoutputDirectory={packages}')
    yield told('there is a formatter', code == 0, said)
    exports = [f'--add-exports=jdk.compiler/com.sun.tools.javac.{part}=ALL-UNNAMED' for part in COMPILER_PARTS]
    sources = [source for folder in (*MODULES, TESTS, TESTS_OF_SPRING) for source in folder.rglob('src/**/*.java')]
    done = subprocess.run(['java', *exports, '-jar', next(packages.glob('google-java-format-*.jar')), '--aosp', '--dry-run', *sources], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False)
    yield told('it finds nothing', done.returncode == 0 and not done.stdout and sources, done.stdout)


def installed(folder, packages):
    """Nothing is built among the sources."""
    for source in (*MODULES, TESTS, TESTS_OF_SPRING):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns('target'))
    for source in MODULES:
        code, said = maven(folder / source.name, packages, 'install', 'javadoc:javadoc')
        yield told(f'{source.name} and its documentation are made without a warning', code == 0, said)


def released(folder, packages):
    """What tools/release makes, twice the same."""
    env = {**os.environ, 'MAVEN_OPTS': f'-Dmaven.repo.local={packages}/repository'}
    made = [folder / name for name in ('made', 'made-again')]
    for into in made:
        done = subprocess.run(['nice', clients.ROOT / 'tools/release', '--into', into, 'java'], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=PATIENCE_S, check=False)
        yield told('tools/release makes the packages', done.returncode == 0, done.stdout)
    contents = [{path.name: path.read_bytes() for path in into.iterdir()} for into in made]
    yield told('the same sources give the same bytes', contents[0] == contents[1])
    kinds = {re.sub(r'-[\d.]+\d', '', name) for name in contents[0]}
    wanted = {f'jobstrand-{name}{ending}' for name in ('client', 'spring-boot-starter') for ending in ('.jar', '-sources.jar', '-javadoc.jar', '.pom')} | {'SHA256SUMS'}
    yield told('they are what a repository wants', kinds == wanted, str(kinds))
    with zipfile.ZipFile(next(made[0].glob('jobstrand-client-*[0-9].jar'))) as jar:
        wanted = {'META-INF/LICENSE', 'jobstrand/Worker.class', 'jobstrand/JdbcJobs.class'}
        yield told('the jar has the classes and the licence', wanted <= set(jar.namelist()), str(jar.namelist()))


def tests(folder, packages, binary):
    """Each test of test/clients/java_client."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, databases.postgresql(Path(one)) as postgresql, \
            databases.mariadb(Path(other)) as mariadb:
        for server in (postgresql, mariadb):
            subprocess.run([binary, 'schema', 'create'], env={**os.environ, **server}, check=True, capture_output=True, timeout=clients.PATIENCE_S)
        code, said = maven(folder / TESTS.name, packages, 'test', f'-Djobstrand.binary={binary}', f'-Djobstrand.engines={clients.ENGINE_OF}', f'-Djdbc.postgresql={jdbc(postgresql, "postgresql")}',
                           f'-Djdbc.mariadb={jdbc(mariadb, "mariadb")}', f'-Djdbc.mysql={jdbc(mariadb, "mysql")}')
    yield from results_in(folder / TESTS.name, 20, code, said)


def tests_of_spring(folder, packages, binary):
    """Each test of test/clients/java_spring."""
    with tempfile.TemporaryDirectory() as home, clients.service(binary, home) as origin:
        code, said = maven(folder / TESTS_OF_SPRING.name, packages, 'test', f'-Djobstrand.url={origin}',
                           f'-Dspring.datasource.url=jdbc:sqlite:{home}/jobs.db?busy_timeout=60000')
    yield from results_in(folder / TESTS_OF_SPRING.name, 4, code, said)


def results_in(folder, least, code, said):
    ended = 0
    for report in sorted((folder / 'target/surefire-reports').glob('*.xml')):
        for case in xml.etree.ElementTree.parse(report).getroot().iter('testcase'):
            ended += 1
            yield told(f'{case.get("classname").rpartition(".")[2]}.{case.get("name")}', not {'failure', 'error', 'skipped'} & {part.tag for part in case})
    yield told('the tests end', code == 0 and ended > least, said)


def jdbc(server, driver):
    account, where = server['JOBSTRAND_DB'].partition('://')[2].removesuffix('/jobs').split('@')
    user, _, word = account.partition(':')
    return f'jdbc:{driver}://{where}/jobs?user={user}&password={word}'


def examples(folder, packages, binary):
    """What docs/clients.md shows."""
    code, said = maven(folder / TESTS.name, packages, 'dependency:build-classpath', f'-Dmdep.outputFile={folder}/classpath')
    yield told('there is a class path', code == 0, said)
    text = (clients.ROOT / 'docs/clients.md').read_text(encoding='utf-8')
    shown = BLOCK.findall(text)
    tested = (TESTS_OF_SPRING / 'src/test/java/jobstrand/spring/test/Checkout.java').read_text(encoding='utf-8')
    yield told('the example of Spring is the one that its test has', shown.pop() == tested.partition(';\n\n')[2])
    with tempfile.TemporaryDirectory() as name, clients.service(binary, name) as origin:
        for number, content in enumerate(shown):
            yield told(f'example {number + 1} in Java', *run_example(folder, content.replace('http://127.0.0.1:8080', origin), name))
        yield told('the examples leave no jobs for workers', len(shown) > 1 and clients.eventually(lambda: clients.places(origin)['external'] == 0))


def run_example(folder, content, home):
    """Whether it ends well, a worker by SIGTERM after its jobs; and what it said."""
    (folder / 'Example.java').write_text(content, encoding='utf-8')
    is_worker = '.run()' in content
    with subprocess.Popen(['java', '-cp', (folder / 'classpath').read_text(encoding='utf-8').strip(), folder / 'Example.java'], cwd=home,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        watchdog = threading.Timer(PATIENCE_S, process.kill)
        watchdog.start()
        said = ''
        while is_worker and not has_sent(said) and (line := process.stdout.readline()):
            said += line
        if is_worker:
            process.send_signal(signal.SIGTERM)
        said += process.stdout.read()
        process.wait()
        watchdog.cancel()
    # A JVM that is ended by a signal says so, whatever its program has done meanwhile.
    return process.returncode == (128 + signal.SIGTERM if is_worker else 0) and (not is_worker or has_sent(said)), said


def has_sent(said):
    return 'sent 17' in said and 'sent 18' in said


def main():
    binary, packages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / 'java_client'
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = [*formatted(packages), *installed(folder, packages), *released(folder, packages), *tests(folder, packages, binary), *tests_of_spring(folder, packages, binary),
                   *examples(folder, packages, binary)]
    return behaviours.concluded('java', binary, packages.parent, others=results)


if __name__ == '__main__':
    sys.exit(main())
