"""Reads C++ text just well enough for the style test: includes, type names, and what unnamed namespaces declare."""
import re

# What must not be looked into, longest forms first. Raw strings may span lines and hold anything.
_OPAQUE = re.compile(
    r'R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r'|//[^\n]*'
    r'|/\*.*?\*/',
    re.S)
_DIRECTIVE = re.compile(r'^[ ]*#(?:\\\n|[^\n])*', re.M)
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
_TYPE = re.compile(r'\b(?:class|struct|union|enum(?:\s+class|\s+struct)?|concept)\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)'
                   r'|\busing\s+(\w+)\s*=')
_TEMPLATE = re.compile(r'\s*template\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>')
_KEEPS_SCOPE = re.compile(r'\s*(?:inline\s+)?(?:namespace\b|extern\s*$|(?:typedef\s+)?(?:class|struct|union|enum)\b[^()]*$)')


def without_comments_and_texts(text):
    """The same lines with comments, texts and character constants blanked out."""
    return _OPAQUE.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), text)


def includes(text):
    """Yields (line, quoted, header) of every #include that is not in a comment."""
    blanked = re.sub(r'/\*.*?\*/', lambda match: '\n' * match[0].count('\n'), text, flags=re.S)
    for number, line in enumerate(blanked.split('\n'), 1):
        match = _INCLUDE.match(line)
        if match:
            yield number, match[1] is not None, match[1] or match[2]


def type_names(text):
    """Yields (line, name) of every class, struct, union, enum, concept and alias."""
    code = without_comments_and_texts(text)
    for match in _TYPE.finditer(code):
        yield code.count('\n', 0, match.start()) + 1, match[1] or match[2]


def unnamed_namespace_names(text):
    """Yields (line, name) of what unnamed namespaces declare: functions, types and values, but no aliases."""
    code = _DIRECTIVE.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), without_comments_and_texts(text))
    for opening in re.finditer(r'\bnamespace\s*\{', code):
        for begin, head in _declarations(code, opening.end()):
            name = _declared_name(head)
            if name:
                yield code.count('\n', 0, begin + len(head) - len(head.lstrip())) + 1, name


def declared_names(code, begin):
    """Yields what a namespace declares whose inside begins there. `code` has neither comments, texts nor directives."""
    for _, head in _declarations(code, begin):
        name = _declared_name(head)
        if name and 'operator' not in head:
            yield name


def _declarations(code, begin):
    """Yields (where it begins, its text without the inside of braces) of each declaration up to the closing brace."""
    depth = parentheses = 0
    head = ''
    for position in range(begin, len(code)):
        character = code[position]
        if depth == 0 and character not in '{}':
            head += character
        if character in '()':
            parentheses += 1 if character == '(' else -1
        elif character == '{':
            depth += 1
        elif character == '}':
            depth -= 1
            if depth < 0:
                return
        ends = character == ';' or (character == '}' and _is_function_head(head) and '=' not in head.split('(')[0])
        if ends and depth == 0 and parentheses == 0:
            yield begin, head
            begin, head = position + 1, ''


def _declared_name(head):
    head = _TEMPLATE.sub('', re.sub(r'\[\[.*?\]\]', '', head)).strip(' \n;')
    if re.match(r'(using|namespace|static_assert|friend)\b', head) or re.match(r'[A-Z_]+\s*\(', head):
        return None
    for pattern in (r'(?:class|struct|union|enum(?:\s+class)?)\s+(\w+)',  # A type,
                    r'[^(=]*?(\w+)\s*\(',                               # a function,
                    r'[^=]*?(\w+)\s*(?:\[[^\]]*\])?\s*(?:=|$)'):        # a value.
        match = re.match(pattern, head)
        if match:
            return match[1]
    return None


def _is_function_head(head):
    head = _TEMPLATE.sub('', head)
    return ')' in head and not _KEEPS_SCOPE.match(head)
