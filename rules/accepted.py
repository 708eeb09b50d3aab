"""What an option accepts, in words taken from its type, and what came in its place."""

import json
from functools import cache
from typing import cast

from msgspec import Struct, inspect


def mismatch(options: type[Struct], field: str, value: object) -> str:
    """Says what a field of `options` accepts and what came: `expected true or false; got 1`."""
    return f"expected {_either(_accepted(_types(options)[field]))}; got {shown(value)}"


@cache
def _types(options: type[Struct]) -> dict[str, inspect.Type]:
    struct = inspect.type_info(options)
    assert isinstance(struct, inspect.StructType)
    return {field.name: field.type for field in struct.fields}


def _either(choices: list[str]) -> str:
    *before, last = choices
    return f"{', '.join(before)} or {last}" if before else last


def _accepted(kind: inspect.Type) -> list[str]:
    match kind:
        case inspect.UnionType(types=kinds):
            return [words for each in reversed(kinds) for words in _accepted(each)]
        case inspect.LiteralType(values=values):
            return [str(value) for value in values]
        case inspect.BoolType():
            return ["true", "false"]
        case inspect.IntType(ge=None):
            return ["whole numbers"]
        case inspect.IntType(ge=least, le=most):
            return [f"a whole number from {least} to {most}"]
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            return [f"a list of {least} to {most} {_either(_accepted(item))}"]
        case _:
            return ["null"]


def shown(value: object) -> str:
    """What came, as JSON writes it; of what is large or nested only its kind."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        items = cast(list[object], value)
        if len(items) > 9 or any(isinstance(item, dict | list) for item in items):
            return f"a list of {len(items)}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}..."
