"""The values an option may have, from its type: an option that is added is tried wherever options are tried."""

from typing import Any

from msgspec import inspect

from rules.ruleset import Options


def _closed(kind: inspect.Type) -> list[Any]:
    match kind:
        case inspect.LiteralType(values=values):
            return list(values)
        case inspect.BoolType():
            return [False, True]
        case _:
            return []


def _values() -> dict[str, list[Any]]:
    options = inspect.type_info(Options)
    assert isinstance(options, inspect.StructType)
    closed = {field.name: _closed(field.type) for field in options.fields if field.name != "deck"}
    return {field: values for field, values in closed.items() if values} | {"pass_count": ["quarter", *range(6)]}


OPTION_VALUES = _values()
"""Options that choose from a few values, with these. The deck is left out: it goes with packs and players."""
