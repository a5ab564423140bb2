"""Words that this project does not use any more, and the words of the field that it uses instead."""
import re
from typing import Iterator

# Pattern of a word that is out -> what to write.
INSTEAD = {
    r'bur(y|ies|ied|ying)': 'move to the dead letters',
    r'twins?': 'duplicate id',
    r'namesakes?': 'job that has the key of another series as its id',
    r'companions?': 'further job of the instance',
    r'batons?': 'the turn that carries the series on',
    r'fates?': 'outcome',
    r'let(s|ting)? go': 'free, drop, delete',
    r'sets? aside': 'quarantine',
    r'lanes?': 'index range',
    r'desks?': 'operations',
    r'public face': 'public headers',
    r'(face of|told rooms?)': 'to_public, described rooms',
}
OUT = [(re.compile(rf'\b{pattern}\b', re.I), instead) for pattern, instead in INSTEAD.items()]
# `let_go` is a reason that users read in the log of jobs; a namesake has its definition where it is named.
OUT_IN_CODE = [word for word in OUT if not re.search('let|namesake', word[0].pattern)]
# What was written as it was then, and stays.
NOT_ASKED = ('CHANGELOG.md', 'test/')
NO_PROSE = re.compile(r'`[^`]*`|\]\([^)]*\)')
# Between the parts of a name: of `TurnFate`, `turn_fate`.
SEAM = re.compile(r'_|(?<=[a-z0-9])(?=[A-Z])')


def found_in(path, lines) -> Iterator[tuple[int, str, str]]:
    """Line, word and what to write instead, for each word in a document's prose, and in C++."""
    if path.endswith(('.cpp', '.hpp')):
        yield from _words_of((SEAM.sub(' ', line) for line in lines), OUT_IN_CODE)
    elif path.endswith('.md') and not path.startswith(NOT_ASKED):
        yield from _words_of(_prose_of(lines), OUT)


def _prose_of(lines) -> Iterator[str]:
    is_code = False
    for line in lines:
        is_code ^= line.startswith('```')
        yield '' if is_code else NO_PROSE.sub('', line)


def _words_of(lines, out) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(lines, 1):
        for pattern, instead in out:
            match = pattern.search(line)
            if match:
                yield number, match[0], instead
