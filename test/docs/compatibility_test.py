#!/usr/bin/env python3
"""Proves that docs/compatibility.md answers every requirement once, and claims nothing that no test names."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATES = ("now", "rules", "design", "later", "differs", "no")
PROVEN = ("now", "rules")


def answers():
    """Requirement number -> the states that the tables give it."""
    found = {}
    for line in (ROOT / "docs/compatibility.md").read_text(encoding="utf-8").splitlines():
        row = re.fullmatch(r"\| (R\d{3}[^|]*) \| ([^|]+) \|.*", line)
        if row:
            for number in numbers(row[1]):
                found.setdefault(number, []).append(row[2].split()[0])
    return found


def numbers(text):
    """All that a text names, one by one or as a range: `R131 to R137`, `R131–R137`."""
    for first, last in re.findall(r"\bR(\d{3})\b(?:(?: to |–)R(\d{3}))?", text):
        yield from range(int(first), int(last or first) + 1)


def named_in_tests():
    named = set()
    for path in (ROOT / "test").rglob("*"):
        if path.suffix in (".cpp", ".hpp", ".py") and path.parent.name != "docs":
            named.update(numbers(path.read_text(encoding="utf-8")))
    return named


class Compatibility(unittest.TestCase):
    def test_every_requirement_is_answered_exactly_once(self):
        found = answers()
        self.assertEqual([n for n in range(1, 177) if len(found.get(n, [])) != 1], [])
        self.assertEqual([n for n in found if not 1 <= n <= 176], [])

    def test_only_known_states_are_used(self):
        self.assertEqual({state for states in answers().values() for state in states} - set(STATES), set())

    def test_what_is_claimed_as_proven_is_named_by_a_test(self):
        named = named_in_tests()
        claimed = [number for number, states in answers().items() if states[0] in PROVEN]
        self.assertEqual([f"R{number:03}" for number in sorted(claimed) if number not in named], [])


if __name__ == "__main__":
    unittest.main()
