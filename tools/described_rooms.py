"""What docs/design.md tells of the rooms of a folder, beside who may include whom in truth."""
import os
import re
from typing import Iterator

DOCUMENT = 'docs/design.md'
TOPS = ('persistence', 'tools')  # The folders whose rooms have a table.
ROW = re.compile(r'\| `(?P<room>[\w/]+)/`.*')


def differences(lines, own_includes) -> Iterator[tuple[int, str]]:
    """Line and complaint for each room that a table of rooms forgets, tells of in vain, or puts above one that it may include."""
    for top in TOPS:
        head = head_of(lines, top)
        rows = list(rows_behind(lines, head, top))
        told = [room for _, room in rows]
        for room in sorted(rooms_of(top, own_includes) - set(told)):
            yield head, f'the room {room} is not told of'
        for line, room in rows:
            if room not in own_includes:
                yield line, f'there is no room {room}'
                continue
            included = {os.path.dirname(entry) for entry in own_includes[room]}
            for below in sorted(included & set(told[told.index(room) + 1:])):
                yield line, f'{room} may include {below}, which stands below it'


def head_of(lines, top):
    """The line that begins the table of the rooms of `top`; the last one if there is no such table."""
    heads = (number for number, line in enumerate(lines, 1) if line.startswith(f'| Room of `{top}/` |'))
    return next(heads, len(lines))


def rows_behind(lines, head, top):
    """Line and path of each room of the table."""
    for number, line in enumerate(lines[head:], head + 1):
        if not line.startswith('|'):
            return
        row = ROW.fullmatch(line)
        if row:
            yield number, top if row['room'] == top else f'{top}/{row["room"]}'


def rooms_of(top, own_includes):
    """Those that lie in the folder itself, with rules of their own."""
    return {folder for folder in own_includes if os.path.dirname(folder) == top}
