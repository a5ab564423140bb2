"""Finds what a source uses and none of its includes declares. Compiled as one with its folder, it goes unnoticed.

It reads names, not types: a name counts as used where it is a type, a constant or called, or is a member with an
underscore of a type that is only named by what is included; it is passed over where the source or anything that it
includes has the same word for something else. So it finds most, and is seldom wrong.
"""
import re

import cpp_source

_NAMESPACE = re.compile(r'\bnamespace\s+([\w:]+)\s*\{')
_DIRECTIVE = re.compile(r'^[ ]*#[^\n]*', re.M)
_DEFINED = re.compile(r'\b(?:struct|class)\s+(\w+)\b[^;{}()]*\{')
_ONLY_NAMED = re.compile(r'\b(?:struct|class)\s+(\w+);')
_MEMBER_USED = re.compile(r'(?:\.|->)(\w+_\w+)')
_MEMBER_DECLARED = re.compile(r'(?<![.>\w])(\w+_\w+)')
_WORD = re.compile(r'\b[A-Za-z_]\w+')
# Behind these words an expression begins; behind any other, a name is being declared.
_BEFORE_A_USE = re.compile(r'\b(return|co_return|co_await|throw|new|else|case|not|and|or)$')
_BEFORE_A_DECLARATION = re.compile(r'[\w>&*\]]$|\busing [\w:]+::$|\b(TEST(_[FP])?|INSTANTIATE_TEST_SUITE_P)\([^)]*$')


def missing_includes(sources, may_include):
    """Yields (path, line, name, header) for each name whose headers `path` does not include, of those it may include.

    sources      path -> text of all sources and headers
    may_include  a function of a source's path and a header's
    """
    codes = {path: _DIRECTIVE.sub('', cpp_source.without_comments_and_texts(text)) for path, text in sources.items()}
    words = {path: set(_WORD.findall(code)) for path, code in codes.items()}
    declared = _declared_in_headers(codes)
    defined = _defined_in_headers(codes)
    spaces = '|'.join(sorted({space for code in codes.values() for whole in _NAMESPACE.findall(code) for space in whole.split('::')}))
    included = {path: set(_own_includes(path, sources)) for path in sources}

    def undeclared(path, known_words):
        for name in sorted((words[path] & declared.keys()) - known_words):
            headers = sorted(header for header in declared[name] if may_include(path, header))
            line = _line_of_first_use(codes[path], name, spaces) if headers else None
            if line:
                yield path, line, name, headers[0]

    def incomplete(path, known, known_words):
        members = set(_MEMBER_USED.findall(codes[path])) - known_words
        for name in sorted({name for header in known for name in _ONLY_NAMED.findall(codes[header])} & defined.keys()):
            header = defined[name]
            used = sorted(members.intersection(_MEMBER_DECLARED.findall(codes[header])))
            if used and header not in known and may_include(path, header):
                line = codes[path].count('\n', 0, re.search(rf'(\.|->){used[0]}\b', codes[path]).start()) + 1
                yield path, line, f'{name}::{used[0]}', header

    for path in sorted(path for path in sources if path.endswith('.cpp')):
        known = _all_included(path, included)
        known_words = set().union(*(words[header] for header in known))
        yield from undeclared(path, known_words)
        yield from incomplete(path, known, known_words)


def _declared_in_headers(codes):
    """Name -> the headers that declare it in a namespace with a name."""
    declared = {}
    for path, code in codes.items():
        openings = _NAMESPACE.finditer(code) if path.endswith('.hpp') else ()
        for opening in openings:
            for name in cpp_source.declared_names(code, opening.end()):
                declared.setdefault(name, set()).add(path)
    return declared


def _defined_in_headers(codes):
    """Name of a class that there is once -> the header that has its members."""
    places = {}
    for path, code in codes.items():
        for name in _DEFINED.findall(code):
            places.setdefault(name, []).append(path)
    return {name: found[0] for name, found in places.items() if len(found) == 1 and found[0].endswith('.hpp')}


def _own_includes(path, sources):
    for _, quoted, header in cpp_source.includes(sources[path]):
        own = header if quoted else f'include/{header}'
        if own in sources:
            yield own


def _all_included(path, included):
    """What `path` includes, and what that includes."""
    found = set()
    waiting = [path]
    while waiting:
        new = included[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found


def _line_of_first_use(code, name, spaces):
    """None where the source has a thing of its own of that name, or the name is that of a member."""
    places = [match.start() for match in re.finditer(rf'\b{name}\b', code)]
    if any(_declares(code[:place].rstrip()) for place in places):
        return None
    called = '' if re.match(r'k?[A-Z]', name) else r'\s*\('
    use = re.search(rf'(?<![\w.>:])(?:(?:{spaces})::)*{name}\b{called}', code)
    return code.count('\n', 0, use.start()) + 1 if use else None


def _declares(text_before):
    return _BEFORE_A_DECLARATION.search(text_before) and not _BEFORE_A_USE.search(text_before)
