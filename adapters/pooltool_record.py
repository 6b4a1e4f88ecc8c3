"""Reading one recorded pooltool shot: its ids in the words of the contract, its fields with their errors."""

from collections.abc import Iterable, Mapping
from typing import NoReturn

SAME_CONTACT = 0.05
"""Seconds within which a repeated report of the same two things is the same contact."""

OBSERVES = ("contact", "cushion", "jaw", "pocketed")
"""The kinds of moment the simulator really reports."""

SOLIDS = frozenset(str(n) for n in range(1, 8))
STRIPES = frozenset(str(n) for n in range(9, 16))
BALLS = ("cue", *(str(n) for n in range(1, 16)))

POCKETS: Mapping[str, str] = {
    "lb": "head-left",
    "lc": "side-left",
    "lt": "foot-left",
    "rb": "head-right",
    "rc": "side-right",
    "rt": "foot-right",
}
CUSHIONS: Mapping[str, str] = {
    "18": "head",
    "9": "foot",
    "3": "left",
    "6": "left",
    "12": "right",
    "15": "right",
}
JAWS: Mapping[str, str] = {
    segment + end: POCKETS[pocket]
    for pocket, segments in {
        "lb": ("1", "2"),
        "lc": ("4", "5"),
        "lt": ("7", "8"),
        "rt": ("10", "11"),
        "rc": ("13", "14"),
        "rb": ("16", "17"),
    }.items()
    for segment in segments
    for end in ("", "t")
}
"""Facings ``1 2 4 5 ...`` and jaw tips ``1t 2t 4t 5t ...`` to the pocket they belong to."""

ZONES: Mapping[str, str] = {"behind_line": "behind-head-string", "anywhere": "anywhere"}
OTHER_GROUP: Mapping[str, str] = {"solids": "stripes", "stripes": "solids"}
IGNORED = frozenset(
    (
        "none",
        "stick_ball",
        "sliding_rolling",
        "rolling_stationary",
        "rolling_spinning",
        "spinning_stationary",
        "ball_table",
    )
)


class AdapterError(ValueError):
    """A record that cannot be turned into a log line; the text names game, shot and what is missing."""


# ---------------------------------------------------------------- reading a record


def fail(record: Mapping[str, object], what: str) -> NoReturn:
    raise AdapterError(f"game {record.get('game', '?')}, shot {record.get('shot', '?')}: {what}")


def read_field(record: Mapping[str, object], *path: str) -> object:
    """The value at ``path``; AdapterError where a key on the way is absent."""
    value: object = record
    for depth, key in enumerate(path):
        if not isinstance(value, dict) or key not in value:
            fail(record, f"{'.'.join(path[: depth + 1])} is missing")
        value = value[key]
    return value


def read_text(record: Mapping[str, object], *path: str) -> str:
    value = read_field(record, *path)
    if not isinstance(value, str):
        fail(record, f"{'.'.join(path)} is not text")
    return value


def read_number(record: Mapping[str, object], *path: str) -> float:
    value = read_field(record, *path)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        fail(record, f"{'.'.join(path)} is not a number")
    return float(value)


def read_list(record: Mapping[str, object], *path: str) -> list[object]:
    value = read_field(record, *path)
    if not isinstance(value, list):
        fail(record, f"{'.'.join(path)} is not a list")
    return value


def is_break(record: Mapping[str, object]) -> bool:
    value = read_field(record, "break")
    if not isinstance(value, bool):
        fail(record, "break is not true or false")
    return value


def mapped(record: Mapping[str, object], table: Mapping[str, str], key: str, what: str) -> str:
    if key not in table:
        fail(record, f"{key!r} is no {what}")
    return table[key]


def ball_id(record: Mapping[str, object], name: str) -> str:
    if name not in BALLS:
        fail(record, f"{name!r} is no ball")
    return name


def in_order(balls: Iterable[str]) -> list[str]:
    return sorted(balls, key=BALLS.index)


def positions_before(record: Mapping[str, object]) -> dict[str, tuple[float, float]]:
    """Ball to (x, y) in metres for the balls on the table before the shot."""
    before = read_field(record, "before")
    if not isinstance(before, dict):
        fail(record, "before is not an object")
    found: dict[str, tuple[float, float]] = {}
    for name, at in before.items():
        if at is not None:
            found[ball_id(record, name)] = point(record, name, at)
    return found


def point(record: Mapping[str, object], name: str, at: object) -> tuple[float, float]:
    match at:
        case [int() | float() as x, int() | float() as y]:
            return float(x), float(y)
        case _:
            fail(record, f"before.{name} is not [x, y]")


def read_pairs(record: Mapping[str, object], *path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for pair in read_list(record, *path):
        match pair:
            case [str() as a, str() as b]:
                found.append((a, b))
            case _:
                fail(record, f"{'.'.join(path)} holds {pair!r}, which is no pair")
    return found
