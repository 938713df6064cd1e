"""Writes ceiba/operations.py from the OpenAPI document of the Runtime.

    python3 generate.py           writes the file
    python3 generate.py --check   exits with 1 if the file is not that of the document
"""

from __future__ import annotations

import json
import re
import sys
from keyword import iskeyword
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "packages" / "contract" / "openapi.json"
OUTPUT = HERE / "ceiba" / "operations.py"

REPLIES = "x-ceiba-host-replies"
HEAD = '''"""The routes of the Ceiba Runtime. Written by generate.py from its OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict, Union, cast
from urllib.parse import quote, urlencode


'''


def snake(name: str) -> str:
    text = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return f"{text}_" if iskeyword(text) else text


def union_of(parts: list) -> str:
    """A null among them makes an Optional, as people write it."""
    kinds = [part for part in dict.fromkeys(parts) if part != "None"]
    kind = kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"
    return f"Optional[{kind}]" if "None" in parts else kind


def type_of(schema: dict) -> str:
    if "$ref" in schema:
        return f'"{schema["$ref"].rsplit("/", 1)[1]}"'
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
    for word in ("oneOf", "anyOf"):
        if word in schema:
            parts = [type_of(part) for part in schema[word]]
            return union_of(parts)
    kind = schema.get("type")
    if isinstance(kind, list):
        return union_of([type_of({**schema, "type": one}) for one in kind])
    if kind == "array":
        return f"List[{type_of(schema.get('items', {}))}]"
    return {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "null": "None",
        "object": "Dict[str, Any]",
    }.get(kind, "Any")


def fields_of(schema: dict, required: bool) -> dict:
    wanted = set(schema.get("required", []))
    return {
        name: field
        for name, field in schema.get("properties", {}).items()
        if (name in wanted) == required
    }


def named_type(name: str, schema: dict) -> str:
    if schema.get("type") != "object":
        return f"{name} = {type_of({k: v for k, v in schema.items() if k != 'description'})}\n"
    must, may = fields_of(schema, True), fields_of(schema, False)
    if not may and any(iskeyword(field) for field in must):
        # A class cannot have such a field.
        fields = [f'    "{field}": {type_of(value)},' for field, value in must.items()]
        head = [f"# {schema['description']}", f'{name} = TypedDict("{name}", {{']
        return "\n".join(head + fields) + "\n})\n"
    lines = []
    base = "TypedDict"
    if may and must:
        lines += [f"class _{name}Required(TypedDict):"]
        lines += [f"    {field}: {type_of(value)}" for field, value in must.items()] + ["", ""]
        base, must = f"_{name}Required", {}
    total = ", total=False" if may else ""
    lines += [f"class {name}({base}{total}):", f'    """{schema["description"]}"""', ""]
    lines += [f"    {field}: {type_of(value)}" for field, value in {**must, **may}.items()]
    return "\n".join(lines).rstrip() + "\n"


def argument(name: str) -> str:
    return name.lower().replace("-", "_") if "-" in name else snake(name)


def method(path: str, verb: str, operation: dict, shared: list) -> str:
    parameters = shared + operation.get("parameters", [])
    inputs = [p["name"] for p in parameters if p["in"] == "path" and p["name"] != "projectId"]
    queries = {
        p["name"]: f"Optional[{type_of(p['schema'])}]" for p in parameters if p["in"] == "query"
    }
    headers = [p["name"] for p in parameters if p["in"] == "header"]
    body = operation.get("requestBody")
    answer = operation["responses"]["200"].get("content", {}).get("application/json", {})
    arguments = ["self", *[f"{snake(name)}: str" for name in inputs]]
    if body is not None:
        schema = body["content"]["application/json"]["schema"]
        optional = "" if body.get("required") else " = None"
        kind = type_of(schema) if body.get("required") else f"Optional[{type_of(schema)}]"
        arguments.append(f"body: {kind}{optional}")
    named = {**queries, **{name: "Optional[str]" for name in headers}}
    if named:
        arguments += ["*", *[f"{argument(name)}: {kind} = None" for name, kind in named.items()]]
    address = re.sub(
        r"\{(\w+)\}",
        lambda found: "{self.project_id}"
        if found[1] == "projectId"
        else "{_part(" + snake(found[1]) + ")}",
        path,
    )
    lines = [
        f"    def {snake(operation['operationId'])}({', '.join(arguments)}) -> {type_of(answer.get('schema', {}))}:",
        f'        """{operation["summary"]}. {operation["description"]}"""',
        f'        path = f"{address}"' if "{" in address else f'        path = "{address}"',
    ]
    if queries:
        pairs = ", ".join(f'"{name}": {snake(name)}' for name in queries)
        lines.append(f"        path += _query({{{pairs}}})")
    given = "body" if body is not None and body.get("required") else "body or {}" if body else "None"
    kind = type_of(answer.get("schema", {}))
    extra = ", ".join(f'"{name.lower()}": {argument(name)}' for name in headers)
    sent = f", {{{extra}}}" if headers else ""
    lines.append(f'        return cast({kind}, self._call("{verb.upper()}", path, {given}{sent}))')
    return "\n".join(lines) + "\n"


def generated() -> str:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    types = document["components"]["schemas"]
    parts = [HEAD]
    # A TypedDict may come before the types that it names; an alias may not.
    order = sorted(types, key=lambda name: types[name].get("type") != "object")
    parts += [named_type(name, types[name]) + "\n\n" for name in order]
    parts.append(
        "def _part(text: str) -> str:\n"
        '    """A segment of a path; an empty one or a dot segment would address another route."""\n'
        '    if text in ("", ".", ".."):\n'
        '        raise ValueError("an id must not be empty")\n'
        '    return quote(text, safe="")\n\n\n'
        "def _query(values: Mapping[str, Union[str, int, None]]) -> str:\n"
        "    given = {name: value for name, value in values.items() if value is not None}\n"
        '    return "?" + urlencode(given) if given else ""\n\n\n'
        "class HostReplyRule(TypedDict):\n"
        '    """How a host answers to its caller where a request must not proceed."""\n\n'
        "    status: int\n"
        "    error: str\n"
        "    message: str\n\n\n"
        "#: By denial reason, and where there is no decision.\n"
        "HOST_REPLIES: Dict[str, HostReplyRule] = {\n"
        + "".join(f"    {reason!r}: {reply!r},\n" for reason, reply in document[REPLIES].items())
        + "}\n\n\n"
        "class Operations:\n"
        '    """One method per route; `Client` sends them."""\n\n'
        "    project_id: str\n\n"
        "    def _call(\n"
        "        self, method: str, path: str, body: Any, headers: Mapping[str, Optional[str]] = {}\n"
        "    ) -> Any:\n"
        "        raise NotImplementedError\n\n"
    )
    methods = []
    for path, item in document["paths"].items():
        # A gateway's question is not one of a client; `ceiba.guard` asks it.
        if path.endswith("/forward-auth"):
            continue
        shared = item.get("parameters", [])
        methods += [
            method(path, verb, operation, shared)
            for verb, operation in item.items()
            if verb != "parameters"
        ]
    return "".join(parts) + "\n".join(methods)


if __name__ == "__main__":
    text = generated()
    if "--check" in sys.argv:
        if OUTPUT.read_text("utf-8") != text:
            sys.exit("ceiba/operations.py is not that of the document: run python3 generate.py")
    else:
        OUTPUT.write_text(text, "utf-8")
