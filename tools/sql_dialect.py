"""Finds SQL that only some databases understand."""
import re

_WORDS = re.compile(
    r'ON CONFLICT|ON DUPLICATE KEY|INSERT IGNORE|FOR UPDATE|FOR SHARE|SHARE MODE|SKIP LOCKED|FORCE INDEX|AUTO_?INCREMENT|PRAGMA'
    r'|BEGIN IMMEDIATE|TRUNCATE TABLE|ENGINE=|utf8mb4|longblob|timestamp\(\d\)|(?:UTC|CURRENT)_TIMESTAMP|\bclock_timestamp|\bGET_LOCK'
    r'|sqlite_master|information_schema|\bpragma_\w+|\bpg_\w+|\binnodb_\w+|\benable_\w*(?:scan|join)\b')


def words(text):
    """Yields (line, word) of every line that has such a word, comments included, but not of #include lines."""
    for number, line in enumerate(text.split('\n'), 1):
        match = _WORDS.search(line)
        if match and not line.lstrip().startswith('#'):
            yield number, match[0]
