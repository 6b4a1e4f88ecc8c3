"""Dialects: which words a language uses for the terminals of the grammar."""

import re
import tomllib
from functools import cache
from importlib import resources

DIALECTS = ("en", "sr", "tr")
ALIASES = {"sr-Latn": "sr"}
DIALECT_LINE = re.compile(r"^#\s*language\s*:\s*([\w-]+)\s*$")


@cache
def keywords(dialect: str) -> dict[str, tuple[str, ...]]:
    """Terminal -> its forms in a dialect; the first one prints."""
    path = resources.files(__package__) / "dialects" / f"{dialect}.toml"
    return {name: tuple(forms) for name, forms in tomllib.loads(path.read_text("utf-8")).items()}


@cache
def reserved(dialect: str) -> frozenset[str]:
    """Single words that no name may be spelt like in this dialect."""
    return frozenset(form for forms in keywords(dialect).values() for form in forms if " " not in form)


def pattern(forms: tuple[str, ...]) -> str:
    """The regular expression of a keyword: any form, as whole words."""
    longest_first = sorted(forms, key=len, reverse=True)
    alternatives = "|".join(r"[ \t]+".join(map(re.escape, form.split())) for form in longest_first)
    return rf"(?:{alternatives})(?![\w-])"


def dialect_of(text: str) -> str | None:
    """The dialect that the first line of a file names, or None."""
    match = DIALECT_LINE.match(text.split("\n", 1)[0])
    if match is None:
        return None
    return ALIASES.get(match.group(1), match.group(1))
