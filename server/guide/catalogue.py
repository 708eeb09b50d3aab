"""The guide's texts: one TOML file a language, all with the same keys, read once.

To add a language, translate `en.toml` beside this file and name the language in `Language`.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, get_args

Language = Literal["en", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@lru_cache
def catalogue(language: str) -> Mapping[str, str]:
    """The texts of a language by key, `section.name`. Raises KeyError for a language there is none of."""
    if language not in LANGUAGES:
        raise KeyError(language)
    sections = tomllib.loads(files(__package__).joinpath(f"{language}.toml").read_text("utf-8"))
    return MappingProxyType(
        {f"{section}.{name}": text for section, texts in sections.items() for name, text in texts.items()}
    )
