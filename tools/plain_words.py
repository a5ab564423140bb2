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
}
OUT = [(re.compile(rf'\b{pattern}\b', re.I), instead) for pattern, instead in INSTEAD.items()]
# What was written as it was then, and stays.
NOT_ASKED = ('CHANGELOG.md', 'test/')
NO_PROSE = re.compile(r'`[^`]*`|\]\([^)]*\)')


def found_in(path, lines) -> Iterator[tuple[int, str, str]]:
    """Line, word and what to write instead, for each word in the prose of a document."""
    if not path.endswith('.md') or path.startswith(NOT_ASKED):
        return
    is_code = False
    for number, line in enumerate(lines, 1):
        is_code ^= line.startswith('```')
        prose = '' if is_code else NO_PROSE.sub('', line)
        for pattern, instead in OUT:
            match = pattern.search(prose)
            if match:
                yield number, match[0], instead
