"""What docs/requirements.md says of each requirement, beside the tests that name them and the sources that are there."""
import os
import re
from typing import Iterator

DOCUMENT = 'docs/requirements.md'
FIRST, LAST = 1, 176  # R001 to R176
STATES = ('now', 'design', 'later', 'differs', 'no')
PROVEN = 'now'

ROW = re.compile(r'\| (?P<name>R\d+) \|[^|]*\| (?P<state>[^|]+) \|(?P<where>[^|]*)\|(?P<tests>[^|]*)\|\s*')
NAMED = re.compile(r'\bR(\d{3})\b(?!/)(?:(?: to |–)R(\d{3})\b)?')
COMMENT = re.compile(r'(?://|#|"""|<!--)(.*)')
SOURCE = re.compile(r'`((?:deadletter|executor|include|persistence|schema|timers|tools)/[\w./]+)`')
NOT_ASKED = ('test/tree/', 'test/docs/')  # They speak of this page.


def differences(lines, tests, sources) -> Iterator[tuple[int, str]]:
    """Line and complaint for all that the page says wrongly, twice or not at all. `tests`: path -> the numbers
    that it names, as named_in() finds them. `sources`: all paths of the tree."""
    told, last = {}, 1
    for number, line in enumerate(lines, 1):
        row = ROW.fullmatch(line)
        if row:
            last = number
            yield from wrong_row(number, row, told, tests, sources)
    named = set().union(*tests.values())
    for number in range(FIRST, LAST + 1):
        if number not in told:
            yield last, f'{name_of(number)} has no row{"" if number in named else ", and no test names it"}'
    for number in sorted(named - set(range(FIRST, LAST + 1))):
        yield last, f'{name_of(number)} is named by a test, and there is no such requirement'


def wrong_row(line, row, told, tests, sources):
    number = int(row['name'][1:])
    if not FIRST <= number <= LAST or row['name'] != name_of(number):
        yield line, f'there is no requirement {row["name"]}'
        return
    if number in told:
        yield line, f'{row["name"]} has a row already, in line {told[number]}'
    told[number] = line
    if row['state'] not in STATES:
        yield line, f'{row["name"]} is "{row["state"]}", which is none of {", ".join(STATES)}'
    proofs = re.findall(r'`([^`]+)`', row['tests'])
    if row['state'] == PROVEN and not proofs:
        yield line, f'{row["name"]} is there, and no test is said to prove it'
    for proof in proofs:
        if number not in tests.get(f'test/{proof}', ()):
            yield line, f'test/{proof} does not name {row["name"]}'
    for source in SOURCE.findall(row['where']):
        if not is_there(source, sources):
            yield line, f'{row["name"]} is said to be in {source}, which is not there'


def is_there(source, sources):
    """A file, a file without its suffix, or a folder."""
    return any(path == source or os.path.splitext(path)[0] == source or path.startswith(source + '/') for path in sources)


def name_of(number):
    return f'R{number:03}'


def named_in(path, text) -> set[int]:
    """The requirements that the comments of a test name, one by one or as a range: `R131 to R137`."""
    if not path.startswith('test/') or path.startswith(NOT_ASKED) or not path.endswith(('.cpp', '.hpp', '.py', '.mjs', '.md')):
        return set()
    found = set()
    for comment in COMMENT.findall(text):
        for first, last in NAMED.findall(comment):
            found.update(range(int(first), int(last or first) + 1))
    return found
