#!/usr/bin/env python3
"""validate.py SCHEMA DOCUMENT...: check JSON documents against a schema, without third-party packages.

Knows the part of JSON Schema (draft 2020-12) that docs/schema uses, and refuses a schema with any other keyword,
so that no rule can be written there and silently not be tested. Exit status 0: all are valid; 1: one is not;
2: the schema or a document cannot be read.
"""
import json
import re
import sys

KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "enum", "const", "anyOf", "required",
         "properties", "additionalProperties", "minProperties", "maxProperties", "items", "minimum", "pattern"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def shown(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def same(a, b):
    return type(a) is type(b) and a == b


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"a name stands twice in one object: {names}")
    return dict(pairs)


def not_json(text):
    raise ValueError(f"{text} is not JSON")


class Validator:
    def __init__(self, root):
        self.root = root

    def resolve(self, ref):
        node = self.root
        for part in ref.removeprefix("#/").split("/"):
            node = node[part]
        return node

    def errors(self, value, schema, at="$"):
        """Everything that is wrong with VALUE, as sentences."""
        if schema is False:
            return [f"{at}: not allowed"]
        if schema is True:
            return []
        unknown = set(schema) - KNOWN
        if unknown:
            raise ValueError(f"the schema uses {sorted(unknown)}, which this program does not check")
        found = []
        if "$ref" in schema:
            found += self.errors(value, self.resolve(schema["$ref"]), at)
        if "const" in schema and not same(value, schema["const"]):
            found.append(f"{at}: {shown(value)} is not {schema['const']!r}")
        if "enum" in schema and not any(same(value, e) for e in schema["enum"]):
            found.append(f"{at}: {shown(value)} is none of {schema['enum']}")
        if "type" in schema:
            names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            if not any(has_type(value, n) for n in names):
                found.append(f"{at}: {shown(value)} is not of type {' or '.join(names)}")
        if "anyOf" in schema:
            tries = [self.errors(value, s, at) for s in schema["anyOf"]]
            if all(tries):
                # The alternative that was meant is the one that went wrong deepest inside.
                found += max(tries, key=lambda errors: max(len(e.split(": ")[0]) for e in errors))
        if "minimum" in schema and has_type(value, "number") and value < schema["minimum"]:
            found.append(f"{at}: {value} is below {schema['minimum']}")
        if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
            found.append(f"{at}: {shown(value)} does not match {schema['pattern']}")
        if isinstance(value, dict):
            found += self.object_errors(value, schema, at)
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                found += self.errors(item, schema["items"], f"{at}[{i}]")
        return found

    def object_errors(self, value, schema, at):
        found = [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
        known = schema.get("properties", {})
        for name, item in value.items():
            found += self.errors(item, known.get(name, schema.get("additionalProperties", True)), f"{at}.{name}")
        if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value)):
            found.append(f"{at}: {len(value)} members")
        return found


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=no_duplicates, parse_constant=not_json)


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    try:
        schema = load(arguments[0])
        for path in arguments[1:]:
            for error in Validator(schema).errors(load(path), schema):
                print(f"{path}: {error}")
                status = 1
    except (OSError, ValueError, KeyError) as error:
        print(f"validate.py: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
