"""Sentences about wrong input: msgspec says what was expected, this adds where, and what came."""

import contextlib
import json
import re
from collections import Counter
from typing import Any

import msgspec

from rules.accepted import shown

_PATH = re.compile(r"^(?P<what>.*) - at `(?P<path>\$[^`]*)`$", re.DOTALL)
_STEP = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]")
_FIELD = re.compile(r"`(?P<name>[^`]*)`$", re.DOTALL)
_MISSING = object()


def explain(message: str, data: bytes, kind: Any) -> tuple[str, str]:
    """The JSON path at fault and a sentence, from msgspec's error message over `data` read as `kind`."""
    root = _untyped(data)
    repeated = _repeated(root, data)
    if repeated is not None:
        path = f"$.{repeated}"
        return path, f"{path}: this field is given more than once."
    found = _PATH.match(message)
    what, path = (found["what"], found["path"]) if found else (message, "$")
    steps = [step["name"] or int(step["index"]) for step in _STEP.finditer(path)]
    if what.startswith("Object contains unknown field"):
        name = _FIELD.search(what)
        known = _known_fields(_walk_type(kind, root, steps))
        unknown = name["name"] if name else ""
        path = f"{path}.{unknown}"
        return path, f"{path}: unknown field" + (f"; the fields are {', '.join(known)}." if known else ".")
    if what.startswith("Object missing required field"):
        name = _FIELD.search(what)
        missing = name["name"] if name else ""
        path = f"{path}.{missing}"
        types = _walk_type(kind, root, steps)
        choices = _choices(types, missing) or _choices(_walk_type(kind, root, [*steps, missing]))
        return path, f"{path}: this field is required" + (f"; one of {choices}." if choices else ".")
    last = str(steps[-1]) if steps else ""
    choices = _choices(_walk_type(kind, root, steps)) or _choices(_walk_type(kind, root, steps[:-1]), last)
    if choices and what.startswith("Invalid"):
        what = f"Expected one of {choices}"
    came = _walk_value(root, steps)
    what = what.replace("`", "").partition(", got ")[0]
    return path, f"{path}: {what[:1].lower()}{what[1:]}" + ("." if came is _MISSING else f"; got {shown(came)}.")


def _repeated(root: Any, data: bytes) -> str | None:
    """A name that the outermost object gives more than once: what else seems wrong may follow from that."""
    if not isinstance(root, dict):
        return None
    names: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> None:
        names[:] = [name for name, _ in pairs]  # the outermost object comes last

    with contextlib.suppress(ValueError, RecursionError):
        json.loads(data, object_pairs_hook=keep)
    return next((name for name, times in Counter(names).items() if times > 1), None)


def _untyped(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return _MISSING  # the typed reading stopped before what is broken


def _walk_value(value: Any, steps: list[str | int]) -> Any:
    for step in steps:
        match value, step:
            case dict(), str() if step in value:
                value = value[step]
            case list(), int() if step < len(value):
                value = value[step]
            case _:
                return _MISSING
    return value


def _walk_type(kind: Any, value: Any, steps: list[str | int]) -> list[msgspec.inspect.Type]:
    """The types that may stand at a path: a union is narrowed by the tag that came."""
    types = _spread(msgspec.inspect.type_info(kind), value)
    for step in steps:
        value = _walk_value(value, [step])
        under: list[msgspec.inspect.Type] = []
        for at in types:
            if isinstance(at, msgspec.inspect.StructType) and isinstance(step, str):
                under += [field.type for field in at.fields if field.encode_name == step]
            elif isinstance(at, msgspec.inspect.ListType | msgspec.inspect.VarTupleType):
                under.append(at.item_type)
            elif isinstance(at, msgspec.inspect.DictType):
                under.append(at.value_type)
        types = [inner for at in under for inner in _spread(at, value)]
    return types


def _spread(at: msgspec.inspect.Type, value: Any) -> list[msgspec.inspect.Type]:
    if isinstance(at, msgspec.inspect.Metadata):
        return _spread(at.type, value)
    if not isinstance(at, msgspec.inspect.UnionType):
        return [at]
    types = [inner for each in at.types for inner in _spread(each, value)]
    tagged = [
        each
        for each in types
        if isinstance(each, msgspec.inspect.StructType)
        and isinstance(value, dict)
        and each.tag_field is not None
        and value.get(each.tag_field) == each.tag
    ]
    return list(tagged or types)


def _known_fields(types: list[msgspec.inspect.Type]) -> list[str]:
    names: dict[str, None] = {}
    for at in types:
        if isinstance(at, msgspec.inspect.StructType):
            if at.tag_field is not None:
                names[at.tag_field] = None
            names |= dict.fromkeys(field.encode_name for field in at.fields)
    return list(names)


def _choices(types: list[msgspec.inspect.Type], tag: str = "") -> str:
    """The values to choose from, where the type is an enumeration or `tag` tells the types apart."""
    values: list[Any] = []
    for at in types:
        if isinstance(at, msgspec.inspect.LiteralType):
            values += at.values
        elif isinstance(at, msgspec.inspect.EnumType):
            values += [member.value for member in at.cls]
        elif isinstance(at, msgspec.inspect.StructType) and at.tag_field == tag != "":
            values.append(at.tag)
    return ", ".join(str(value) for value in values)
