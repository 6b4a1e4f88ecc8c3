"""Hashes of meaning: places and layout do not count, everything else does."""

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

from . import ast


def fingerprint(documents: tuple[ast.Document, ...]) -> str:
    """The edition hash of a consolidated book: 16 hexadecimal digits."""
    return _digest(documents, 16)


def statement_stamp(statement: ast.Statement) -> str:
    """The stamp that an `overrides` may carry: 8 hexadecimal digits."""
    return _digest(statement, 8)


def _digest(value: Any, length: int) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()[:length]


def _canonical(value: Any) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        inner = ",".join(_canonical(getattr(value, f.name)) for f in fields(value) if f.name != "span")
        return f"{type(value).__name__}({inner})"
    if isinstance(value, tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return repr(value)
