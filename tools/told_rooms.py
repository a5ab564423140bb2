"""What docs/design.md tells of the rooms of persistence/, beside who may include whom in truth."""
import re
from typing import Iterator

DOCUMENT = 'docs/design.md'
TOP = 'persistence'
ROW = re.compile(r'\| `(?P<room>[\w/]+)/`[^|]*\|[^|]*\|(?P<includers>[^|]*)\|\s*')


def differences(lines, own_includes) -> Iterator[tuple[int, str]]:
    """Line and complaint for each room that the table tells wrongly, tells of in vain, or forgets."""
    rooms = {folder.removeprefix(f'{TOP}/') for folder in own_includes if folder.startswith(f'{TOP}/')}
    told, last = {}, 1
    for number, line in enumerate(lines, 1):
        row = ROW.fullmatch(line)
        if row:
            told[row['room'].removeprefix(f'{TOP}/')] = set(re.findall(r'`(\w+)`', row['includers'])) & rooms
            last = number
            yield from wrong_row(number, row['room'].removeprefix(f'{TOP}/'), told, rooms, own_includes)
    for room in sorted(rooms - told.keys()):
        yield last, f'the room {room} is not told of'


def wrong_row(number, room, told, rooms, own_includes):
    if room == TOP:
        entry = f'{TOP}/.'
    elif room in rooms:
        entry = f'{TOP}/{room}/'
    else:
        yield number, f'there is no room {room}'
        return
    includers = {folder.removeprefix(f'{TOP}/') for folder, entries in own_includes.items() if entry in entries} & rooms
    if told[room] != includers:
        yield number, f'{room} may be included by {", ".join(sorted(includers)) or "none"}, not by {", ".join(sorted(told[room])) or "none"}'
