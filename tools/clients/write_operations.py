#!/usr/bin/env python3
"""Writes what the clients know of the service's operations, from the description of a service that runs.

Usage:  write_operations.py ORIGIN [--check]

Writes `operations` of the Python and the JavaScript package; --check compares instead, and says which file is not as the
description says. Exit codes: 0 all is so, 1 it is not.
"""
import argparse
import json
import re
import sys
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = HERE / "python/jobstrand/operations.py"
JAVASCRIPT = HERE / "javascript/src/operations.js"
TYPES = HERE / "javascript/src/operations.d.ts"

#: Operations of the typed API that the clients have under a name of their own, or (None) that are not for them.
BY_HAND = {
    "openApi": None, "session": None, "signIn": None, "signOut": None, "jobAdd": "enqueue", "jobOutcome": None, "stats": "stats", "events": "events", "wake": "wake", "runVerb": None,
    "runNounVerb": None, "workAcquire": "acquire", "workFinish": "finish", "workExtend": "extend", "workHeld": "held",
    "workRelease": "release", "workProgress": "tell",
}
VERBS = {"ls": "list", "settings": "list", "show": "get", "rm": "delete"}
NAMED = ("ids", "keys", "names", "jobs")
INSTANT = re.compile(r"^(due|start|end|since|until|before|after|.*[bB]efore|.*[aA]fter)$")
DURATIONS = ("dueIn", "spread", "probeWait", "misfireThreshold")
WRITTEN = "Written by tools/clients/write_operations.py from the description of a service (GET /api/v1/openapi.json)."


def snake(name):
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower().replace("-", "_")


def camel(name):
    return re.sub(r"-([a-z])", lambda match: match[1].upper(), name)


class Operation:
    """One of the description, with its parameters as the clients take them."""

    def __init__(self, description, path, method, said):
        self.schemas = description["components"]["schemas"]
        self.path, self.method, self.summary = path, method.upper(), said["summary"]
        verb = re.sub(r"^[a-z]+", "", said["operationId"])
        self.id = said["operationId"]
        self.noun = path.split("/")[3]
        verb = verb[:1].lower() + verb[1:] or "ls"  # `doctor` has a noun only.
        self.verb = VERBS.get(verb, verb)
        in_path = re.findall(r"\{(\w+)\}", path)
        given = {one["name"]: (one["schema"], one.get("required", False)) for one in said.get("parameters", []) if one["in"] == "query"}
        if "requestBody" in said:
            body = self.resolved(said["requestBody"]["content"]["application/json"]["schema"])
            given.update((name, (schema, name in body.get("required", []))) for name, schema in body["properties"].items())
        self.has_consent = given.pop("yes", None) is not None
        named = [name for name in given if name in NAMED]
        self.first = [(name, "string", True) for name in in_path] + [(name, self.kind(name, given[name][0]), given[name][1]) for name in named]
        self.others = [(name, self.kind(name, schema), required) for name, (schema, required) in given.items() if name not in named + in_path]
        self.others.sort(key=lambda one: not one[2])
        answers = [one for status, one in said["responses"].items() if status < "300"]
        self.result = answers[0].get("content", {}).get("application/json", {}).get("schema")
        if self.verb == "list" and "$ref" in (self.result or {}):
            self.verb = "get"  # `top` is one thing.
        self.is_list = self.verb in ("list", "groups")
        if self.is_list:
            self.result = (self.result if "items" in self.result else self.result["properties"]["items"])["items"]

    def resolved(self, schema):
        return self.schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema

    def kind(self, name, schema):
        many = "s" if schema.get("type") == "array" else ""
        if name in DURATIONS:
            return "Duration"
        if INSTANT.match(name) and not (name == "after" and self.verb in ("list", "groups")):
            return "Instant" + many
        if re.match(r"(retries|priority)-?(min|max)$", name, re.I):
            return "Number"
        return "Text" + many if many else "enum" if "enum" in schema else schema["type"]


class Types:
    """Of results: those of the description that are used, and one for each that has no name there."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.used = {}

    def name_of(self, schema, fallback):
        if "$ref" in schema:
            fallback = schema["$ref"].rpartition("/")[2]
            schema = self.schemas[fallback]
        if fallback not in self.used:
            self.used[fallback] = schema
        return fallback

    def of(self, schema, fallback, words):
        """In the words of a language."""
        if schema is None:
            return words["null"]
        if "oneOf" in schema or "anyOf" in schema:
            return words["union"]([self.of(one, fallback, words) for one in schema.get("oneOf", schema.get("anyOf"))])
        if "$ref" in schema or schema.get("properties"):
            return self.name_of(schema, fallback)
        kinds = schema.get("type", "any")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if kinds[0] == "array":
            return words["list"](self.of(schema.get("items", {}), fallback, words))
        text = words["union"]([words["object"] if kind == "object" else words[kind] for kind in kinds if kind != "null"])
        return words["optional"](text) if "null" in kinds else text


    def described(self, words):
        """Of each type its name, the type that it has all fields of (None: there is none), its own fields, and which are required."""
        done = {}
        while len(done) < len(self.used):  # Types of fields come in meanwhile.
            for name in [name for name in self.used if name not in done]:
                schema = self.used[name]
                fields = {field: self.of(one, name + field[0].upper() + field[1:], words) for field, one in schema["properties"].items()}
                wide = [other for other, has in done.items() if len(has) > 9 and has.items() <= fields.items()]
                base = max(wide, key=lambda other: len(done[other]), default=None)
                done[name] = fields
                own = {field: text for field, text in fields.items() if base is None or field not in done[base]}
                yield name, base, own, schema.get("required", [])


def operations_of(description):
    found = []
    for path, methods in description["paths"].items():
        for method, said in methods.items():
            if path.startswith("/api/v1/") and isinstance(said, dict) and said["operationId"] not in BY_HAND:
                found.append(Operation(description, path, method, said))
    return found


def by_noun(operations):
    nouns = {}
    for one in operations:
        nouns.setdefault(one.noun, []).append(one)
    return nouns


def result_name(operation):
    return operation.id[0].upper() + operation.id[1:] + "Answer"


def listed(start, items, end, indent, separator=", "):
    """`start`, the items in lines that break between them only, and `end`."""
    lines = [start]
    for number, item in enumerate(items):
        text = item + (separator if number + 1 < len(items) else end)
        if len(lines[-1]) + len(text.rstrip()) > 128:
            lines.append(indent)
        lines[-1] += text
    return "\n".join(line.rstrip() for line in lines) if items else start + end


PYTHON_WORDS = {
    "null": "None", "string": "str", "integer": "int", "number": "float", "boolean": "bool", "any": "Any", "object": "Dict[str, Any]",
    "union": lambda types: types[0] if len(set(types)) == 1 else f"Union[{', '.join(dict.fromkeys(types))}]",
    "list": lambda item: f"List[{item}]", "optional": lambda item: item if item == "Any" else f"Optional[{item}]",
}
PYTHON_KINDS = {"string": "str", "enum": "str", "integer": "int", "boolean": "bool", "Text": "str", "Texts": "Texts", "Instant": "Instant",
                "Instants": "Instants", "Duration": "Duration", "Number": "Union[int, str]"}


def python_types(types):
    lines = []
    for name, base, fields, required in types.described(PYTHON_WORDS):
        is_total = all(field in required for field in fields)
        if base is not None:
            body = "".join(f"\n    {field}: {text}" for field, text in fields.items())
            lines.append(f"\n\nclass {name}({base}{'' if is_total else ', total=False'}):{body}\n\n")
            continue
        said = [f'"{field}": "{text}"' for field, text in fields.items()]
        lines.append(listed(f'{name} = TypedDict("{name}", {{', said, "})" if is_total else "}, total=False)", "    "))
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n")


def python_method(operation, types):
    result = types.of(operation.result, result_name(operation), PYTHON_WORDS)
    first = [f"{snake(name)}: {PYTHON_KINDS[kind] if required else f'Optional[{PYTHON_KINDS[kind]}] = None'}" for name, kind, required in operation.first]
    others = [
        f"{snake(name)}: {PYTHON_KINDS[kind]}" if required else f"{snake(name)}: {'bool = False' if kind == 'boolean' else f'Optional[{PYTHON_KINDS[kind]}] = None'}"
        for name, kind, required in operation.others
    ]
    arguments = ["self", *first, *(["*", *others] if others else [])]
    decorator, answer = ("listing", "Item") if operation.is_list else ("operation", "Call")
    consent = ", has_consent=True" if operation.has_consent else ""
    signature = listed(f"    def {operation.verb}(", arguments, f") -> {answer}[{result}]:", " " * (9 + len(operation.verb)))
    return f"""    @{decorator}
{signature}
        \"\"\"{operation.summary}.\"\"\"
        return {answer}("{operation.method}", "{operation.path}", locals(){consent})
"""


def python_source(description):
    types = Types(description["components"]["schemas"])
    classes = []
    for noun, operations in by_noun(operations_of(description)).items():
        methods = "\n".join(python_method(one, types) for one in operations)
        classes.append(f'class {noun.capitalize()}Api(Noun[M]):\n    """/api/v1/{noun}"""\n\n{methods}')
    fields = "\n".join(f"        self.{noun}: {noun.capitalize()}Api[M] = {noun.capitalize()}Api(carry_out)" for noun in by_noun(operations_of(description)))
    return f'''"""All that the service does, and what it answers.

{WRITTEN}
"""
# pylint: skip-file
from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union

from .calls import Call, CarryOut, Duration, Instant, Instants, Item, M, Noun, Texts, listing, operation

{python_types_and(types, classes)}


class Nouns(Noun[M]):
    """What each is about stands in the path of its operations."""

    def __init__(self, carry_out: CarryOut):
        super().__init__(carry_out)
{fields}
'''


def python_types_and(types, classes):
    return python_types(types) + "\n\n\n" + "\n\n".join(classes).rstrip("\n")


TYPESCRIPT_WORDS = {
    "null": "void", "string": "string", "integer": "number", "number": "number", "boolean": "boolean", "any": "any",
    "object": "{ [name: string]: any }", "union": lambda types: " | ".join(dict.fromkeys(types)),
    "list": lambda item: f"({item})[]" if "|" in item else f"{item}[]", "optional": lambda item: item if item == "any" else f"{item} | null",
}
TYPESCRIPT_KINDS = {"string": "string", "enum": "string", "integer": "number", "boolean": "boolean", "Text": "string", "Texts": "Texts",
                    "Instant": "Instant", "Instants": "Instant | Instant[]", "Duration": "Duration", "Number": "number | string"}


def typescript_method(operation, types):
    result = types.of(operation.result, result_name(operation), TYPESCRIPT_WORDS)
    result = f"AsyncGenerator<{result}, void, undefined>" if operation.is_list else f"Promise<{result}>"
    first = [f"{name}{'' if required else '?'}: {TYPESCRIPT_KINDS[kind]}" for name, kind, required in operation.first]
    others = [f"{camel(name)}{'' if required else '?'}: {TYPESCRIPT_KINDS[kind]}" for name, kind, required in operation.others]
    mark = "" if any(required for _, _, required in operation.others) else "?"
    start = f"  {operation.verb}(" + ", ".join(first + ([f"options{mark}: {{ "] if others else []))
    return f"  /** {operation.summary}. */\n" + listed(start, others, f"{' }' if others else ''}): {result};", "    ", "; ")


def typescript_source(description):
    types = Types(description["components"]["schemas"])
    nouns = by_noun(operations_of(description))
    classes = "\n\n".join(
        f"export interface {noun.capitalize()}Api {{\n" + "\n".join(typescript_method(one, types) for one in operations) + "\n}"
        for noun, operations in nouns.items())
    lines = []
    for name, base, own, required in types.described(TYPESCRIPT_WORDS):
        fields = [f"{field}{'' if field in required else '?'}: {text}" for field, text in own.items()]
        lines.append(listed(f"export type {name} = {f'{base} & ' if base else ''}{{ ", fields, " };", "  ", "; "))
    fields = "\n".join(f"  readonly {noun}: {noun.capitalize()}Api;" for noun in nouns)
    return f"""// All that the service does, and what it answers.
// {WRITTEN}

/** One or several, of which one is enough. */
export type Texts = string | string[];
/** A text is any that the service reads as a time. */
export type Instant = Date | string;
/** A number is of milliseconds. */
export type Duration = number | string;

""" + "\n".join(lines) + f"\n\n{classes}\n\nexport interface Nouns {{\n{fields}\n}}\n"


def javascript_source(description):
    lines = []
    for noun, operations in by_noun(operations_of(description)).items():
        lines.append(f"  {noun}: {{")
        for one in operations:
            first = ", ".join(f'"{name}"' for name, _, _ in one.first)
            others = " ".join(camel(name) for name, _, _ in one.others)
            kind = "LIST" if one.is_list else one.method
            more = ", true" if one.has_consent else ""
            lines.append(f'    {one.verb}: ["{kind}", "{one.path}", [{first}], "{others}"{more}],')
        lines.append("  },")
    body = "\n".join(lines)
    return f"""// All that the service does.
// {WRITTEN}

/** Of each: the method, the path, what is given before the options, these, and whether they are asked to be meant so. */
export const kOperations = {{
{body}
}};
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("origin")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with urllib.request.urlopen(options.origin + "/api/v1/openapi.json", timeout=60) as response:
        description = json.load(response)
    wrong = 0
    for path, write in ((PYTHON, python_source), (JAVASCRIPT, javascript_source), (TYPES, typescript_source)):
        text = write(description)
        if not options.check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(HERE)} is not as the service describes itself: run write_operations.py", file=sys.stderr)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
