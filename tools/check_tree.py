#!/usr/bin/env python3
"""Checks the shape of the source tree: layers, names, and habits that a compiler does not see.

Usage:  tools/check_tree.py [ROOT]

Prints one line per finding, `path:line: what is wrong; what to do instead`, then how many files and lines each room
has, and exits 1 if there is a finding.
"""
import collections
import io
import os
import re
import sys
import tokenize
from typing import Iterator, NamedTuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cpp_source  # noqa: E402
import plain_words  # noqa: E402
import requirement_rows  # noqa: E402
import sql_dialect  # noqa: E402
import described_rooms  # noqa: E402
import missing_includes  # noqa: E402
from tree_rooms import (CLIENT_LIBRARIES, DIALECT_FOLDERS, DRIVER_SOURCES, LIBRARIES, MAY_USE_PUBLIC_CLASSES,
                        OWN_INCLUDES, PUBLIC_CLASSES, TOP_ENTRIES, TOP_FOLDERS)  # noqa: E402
from tree_paths import paths  # noqa: E402


STANDARD_OR_SYSTEM = re.compile(r'[a-z_]+|(sys/|netinet/|arpa/)?\w+\.h')

BANNED_WORDS = {'manager', 'managers', 'helper', 'helpers', 'util', 'utils', 'common', 'base', 'impl'}
ALLOWED_NAMESPACES = re.compile(r'std::(chrono_literals|literals(::\w+)*|string_literals|string_view_literals)|testing')
CPP_SLEEP = re.compile(r'\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(')
LEFTOVER = re.compile(r'\b(TO' r'DO|FIX' r'ME|XX' r'X)\b')
SYSTEM_FOLDERS = {'bin', 'data', 'dev', 'etc', 'lib', 'mnt', 'opt', 'proc', 'run', 'srv', 'sys', 'tmp', 'usr', 'var'}


class Finding(NamedTuple):
    path: str
    line: int
    wrong: str
    instead: str

    def __str__(self):
        return f'{self.path}:{self.line}: {self.wrong}; {self.instead}'


class Source(NamedTuple):
    """A file of the tree: its path from the root, written with /, and its text."""
    path: str
    text: str

    @property
    def folder(self):
        return self.path.split('/')[0] if '/' in self.path else ''

    @property
    def room(self):
        """The innermost folder around it that has a rule of its own; the top folder where none has."""
        return innermost_room(OWN_INCLUDES, os.path.dirname(self.path))

    @property
    def lines(self):
        return self.text.split('\n')

    @property
    def is_cpp(self):
        return self.path.endswith(('.hpp', '.cpp'))

    @property
    def is_python(self):
        return self.path.endswith('.py') or re.match(r'#!.*\bpython', self.text) is not None

    @property
    def is_shell(self):
        return self.path.endswith('.sh') or re.match(r'#!.*\b(ba)?sh\b', self.text) is not None


def check(root) -> list[Finding]:
    """All findings of the tree at `root`, in path order."""
    rules = [check_top, check_includes, check_names, check_sleeps, check_namespaces,
             check_leftovers, check_blanks, check_guard, check_dialect, check_described_rooms, check_words, link_rule(root),
             machine_path_rule(root), unnamed_namespace_rule(), file_name_rule(), requirement_rule(root)]
    tree = list(sources(root))
    findings = [finding for source in tree for rule in rules for finding in rule(source)]
    return sorted(findings + list(check_missing_includes(tree)) + list(check_arrows()))


def sources(root) -> Iterator[Source]:
    for path in sorted(paths(root)):
        full = os.path.join(root, path)
        if not os.path.isfile(full) or os.path.islink(full):
            continue
        with open(full, 'rb') as file:
            content = file.read()
        if b'\0' not in content:
            yield Source(path, content.decode('utf-8', 'replace'))


def check_includes(source):
    if not source.is_cpp or source.room not in OWN_INCLUDES or source.path.startswith('test/package/consumer/'):
        return
    for line, quoted, header in cpp_source.includes(source.text):
        problem = own_include_problem(source, header) if quoted else library_include_problem(source, header)
        if problem:
            yield Finding(source.path, line, *problem)


def check_missing_includes(tree):
    texts = {source.path: source.text for source in tree if source.is_cpp}
    for path, line, name, header in missing_includes.missing_includes(texts, may_include):
        yield Finding(path, line, f'{name} is used, and no include declares it', f'include "{header}", or it compiles only with its folder')


def may_include(path, header):
    return own_include_problem(Source(path, ''), header) is None


def own_include_problem(source, header):
    if header.split('/')[0] not in TOP_FOLDERS:
        return f'"{header}" is not written from the source root', 'write "folder/file.hpp"'
    allowed = OWN_INCLUDES[source.room]
    own = f'{source.room}/' if '/' in source.room or source.room in ('schema', 'deadletter', 'tools', 'bench', 'test') else f'{source.room}/.'
    if any(is_within(header, entry) for entry in allowed | {own}):
        return None
    return f'{source.room}/ must not include "{header}"', f'it may include {", ".join(sorted(allowed | {own}))}'


def is_within(header, entry):
    if entry.endswith('/.'):
        return os.path.dirname(header) == entry[:-2]
    return header == entry or (entry.endswith('/') and header.startswith(entry))


def check_arrows():
    circle = circle_in(OWN_INCLUDES)
    if circle:
        yield Finding('tools/check_tree.py', 1, f'the rooms {" -> ".join(circle)} may include each other in a circle',
                      'let the arrows between rooms run one way')


def circle_in(table) -> list[str]:
    """Rooms of a table like OWN_INCLUDES of which each may include the next, the last being the first again."""
    done = set()

    def search(room, way):
        if room in way:
            return way[way.index(room):] + [room]
        if room in done:
            return []
        for other in sorted(rooms_behind(table, room)):
            circle = search(other, way + [room])
            if circle:
                return circle
        done.add(room)
        return []
    return next(filter(None, (search(room, []) for room in sorted(table))), [])


def rooms_behind(table, room):
    """The other rooms of which this one may include something."""
    found = set()
    for entry in table[room]:
        if entry.endswith('/.'):
            found.add(entry[:-2])
        elif entry.endswith('/'):
            found |= {other for other in table if f'{other}/'.startswith(entry)} or {innermost_room(table, entry[:-1])}
        else:
            found.add(innermost_room(table, os.path.dirname(entry)))
    return found - {room}


def innermost_room(table, folder):
    while '/' in folder and folder not in table:
        folder = os.path.dirname(folder)
    return folder


def unnamed_namespace_rule():
    """The rule against one name for two things in the unnamed namespaces of sources that are compiled as one."""
    owners = {}
    united_with = united_rooms()

    def check_unnamed_namespaces(source):
        names = cpp_source.unnamed_namespace_names(source.text) if source.path.endswith('.cpp') else ()
        folder = os.path.dirname(source.path)
        for line, name in names:
            owner = owners.setdefault((united_with.get(folder, folder), name), source.path)
            if owner != source.path:
                yield Finding(source.path, line, f'{name} stands in the unnamed namespace of {owner} too',
                              'share it, or give it a name of its own')
    return check_unnamed_namespaces


def united_rooms():
    """Folder -> the first of the folders that it is compiled with, where it is not compiled on its own."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cmake', 'united_rooms.txt'), encoding='utf-8') as file:
        lines = [line.split() for line in file]
    return {folder: folders[0] for folders in lines for folder in folders}


def file_name_rule():
    """The rule against one name for two files of C++. A public header may have the name of what it shows."""
    owners = {}

    def check_file_name(source):
        folder, name = os.path.split(source.path)
        if not source.is_cpp or name == 'main.cpp' or folder == 'include/jobstrand':
            return
        owner = owners.setdefault(name, source.path)
        if owner != source.path:
            yield Finding(source.path, 1, f'{owner} has this name too', 'give the file a name of its own')
    return check_file_name


def library_include_problem(source, header):
    if header.startswith('jobstrand/'):
        fits = not PUBLIC_CLASSES.fullmatch(header) or MAY_USE_PUBLIC_CLASSES.fullmatch(source.path)
        return None if fits else (f'<{header}> inside the library', 'only the public face is built on it, and tests')
    if DRIVER_SOURCES.fullmatch(source.path):
        return None
    for library, others in CLIENT_LIBRARIES:
        if library.match(header):
            fits = others and others.fullmatch(source.path)
            return None if fits else (f'<{header}> outside the folder of a database', 'use persistence/sql/connection.hpp')
    if header.startswith('boost/log') and source.folder != 'tools':
        return f'<{header}> outside tools/', 'take a schema::Log'
    allowed = LIBRARIES.get(source.folder)
    if allowed is None or STANDARD_OR_SYSTEM.fullmatch(header) or header.startswith(allowed):
        return None
    return f'{source.folder}/ must not include <{header}>', f'it may use the standard library and {", ".join(allowed)}'


def check_top(source):
    top = source.folder or source.path
    if top not in TOP_ENTRIES:
        yield Finding(source.path, 1, f'{top} stands at the top', 'put it into the room that it belongs to, or ignore what is generated')


def check_names(source):
    for part in source.path.split('/'):
        yield from banned_word(source, 1, part, f'the file or folder name "{part}"')
    if source.is_cpp:
        for line, name in cpp_source.type_names(source.text):
            yield from banned_word(source, line, name, f'the type name {name}')


def banned_word(source, line, name, what):
    words = re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name).lower()
    for word in re.split(r'[^a-z0-9]+', words):
        if word in BANNED_WORDS:
            yield Finding(source.path, line, f'{what} has the word "{word}"', 'say what it does')


def check_sleeps(source):
    if source.folder != 'test':
        return
    for line in sleeping_lines(source):
        yield Finding(source.path, line, 'a raw sleep', 'wait for a signal with a time limit, or turn a manual clock')


def sleeping_lines(source):
    if source.is_cpp:
        code = cpp_source.without_comments_and_texts(source.text)
        return [number for number, line in enumerate(code.split('\n'), 1) if CPP_SLEEP.search(line)]
    if source.is_python:
        tokens = tokenize.generate_tokens(io.StringIO(source.text).readline)
        return [token.start[0] for token in tokens if token.type == tokenize.NAME and token.string == 'sleep']
    if source.is_shell:
        return [number for number, line in enumerate(source.lines, 1) if re.match(r'([^#]*[\s;&|])?sleep\s', line)]
    return []


def check_namespaces(source):
    if not source.is_cpp:
        return
    code = cpp_source.without_comments_and_texts(source.text)
    for number, line in enumerate(code.split('\n'), 1):
        match = re.search(r'\busing\s+namespace\s+([\w:]+)', line)
        if match and not ALLOWED_NAMESPACES.fullmatch(match[1].removeprefix('::')):
            yield Finding(source.path, number, f'using namespace {match[1]}', 'name what you use, or write it out')


def check_leftovers(source):
    for number, line in enumerate(source.lines, 1):
        match = LEFTOVER.search(line)
        if match:
            yield Finding(source.path, number, f'a leftover {match[1]}', 'do it now, or leave the note out')


def check_blanks(source):
    is_go = source.path.endswith(('.go', '/go.mod'))  # Its own formatter indents with tabs.
    for number, line in enumerate(source.lines, 1):
        if '\t' in line and not is_go:
            yield Finding(source.path, number, 'a tab', 'indent and align with spaces')
        if line != line.rstrip():
            yield Finding(source.path, number, 'trailing blanks', 'delete them')
    if source.text and not source.text.endswith('\n'):
        yield Finding(source.path, len(source.lines), 'no newline at the end', 'end the last line')


def check_guard(source):
    if source.path.endswith('.hpp') and not re.search(r'^#pragma once$', source.text, re.M):
        yield Finding(source.path, 1, 'a header without #pragma once', 'make it the first line of code')


def check_dialect(source):
    if source.is_cpp and not source.path.startswith(DIALECT_FOLDERS):
        for line, word in sql_dialect.words(source.text):
            yield Finding(source.path, line, f'"{word}" is the SQL of some databases only',
                          'write SQL that all understand, or give persistence/sql/dialect.hpp a member')


def check_described_rooms(source):
    if source.path == described_rooms.DOCUMENT:
        for line, wrong in described_rooms.differences(source.lines, OWN_INCLUDES):
            yield Finding(source.path, line, wrong, 'let the table and tools/tree_rooms.py say the same')


def check_words(source):
    for line, word, instead in plain_words.found_in(source.path, source.lines):
        yield Finding(source.path, line, f'the word "{word}"', f'write: {instead}')


def requirement_rule(root):
    """The rule against requirements that nobody answers, and against answers that are not true."""
    def check_requirements(source):
        if source.path != requirement_rows.DOCUMENT:
            return
        tests = {other.path: requirement_rows.named_in(other.path, other.text) for other in sources(root)}
        for line, wrong in requirement_rows.differences(source.lines, tests, set(tests)):
            yield Finding(source.path, line, wrong, 'let the page, the tests and the sources say the same')
    return check_requirements


def link_rule(root):
    """The rule against links in documents that lead nowhere in the tree."""
    def check_links(source):
        if not source.path.endswith('.md'):
            return
        folder = os.path.join(root, os.path.dirname(source.path))
        is_code = False
        for number, line in enumerate(source.lines, 1):
            is_code ^= line.startswith('```')
            for target in [] if is_code else re.findall(r'\]\(([^)\s#]+)[^)]*\)', line):
                if not re.match(r'[a-z]+:', target) and not os.path.exists(os.path.join(folder, target)):
                    yield Finding(source.path, number, f'a link to {target}, which does not exist',
                                  'name the file from this folder')
    return check_links


def machine_path_rule(root):
    """The rule against paths that exist on one machine only: home folders, and where this checkout lies."""
    tops = {'home', 'root', 'Users'}
    own_top = os.path.abspath(root).split(os.sep)[1]
    if own_top and own_top not in SYSTEM_FOLDERS:
        tops.add(own_top)
    pattern = re.compile(r'(?<![\w.~})>*/-])/(' + '|'.join(map(re.escape, sorted(tops))) + r')/[\w.-]+')

    def check_machine_paths(source):
        for number, line in enumerate(source.lines, 1):
            match = pattern.search(line)
            if match:
                yield Finding(source.path, number, f'a path of one machine, {match[0]}',
                              'make it relative to the checkout, or a parameter')
    return check_machine_paths


def rooms(root):
    """Files and lines of C++ in each room at the top, and in those of tools/: what a newcomer has to find the way in."""
    sizes = collections.Counter()
    files = collections.Counter()
    for source in sources(root):
        if source.is_cpp:
            parts = source.path.split('/')
            room = '/'.join(parts[:2]) if parts[0] == 'tools' and len(parts) > 2 else parts[0]
            files[room] += 1
            sizes[room] += len(source.lines)
    return [f'{room:<20}{files[room]:>6} files{sizes[room]:>8} lines' for room in sorted(sizes)]


def main(arguments):
    if len(arguments) > 1 or any(argument.startswith('-') for argument in arguments):
        print(__doc__.strip(), file=sys.stderr if arguments[0] not in ('-h', '--help') else sys.stdout)
        return 0 if arguments[0] in ('-h', '--help') else 2
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
    findings = check(os.path.abspath(root))
    for finding in findings:
        print(finding)
    print(*rooms(os.path.abspath(root)), sep='\n')
    print(f'{len(findings)} findings' if findings else 'The tree is in order.', file=sys.stderr)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
