"""Changes of state: simultaneous, commuting where they can, conflicting where they cannot."""

from dataclasses import dataclass
from typing import Any

from ..dsl import core
from ..dsl.absent import UNKNOWN
from .evaluate import OPERATIONS, Evaluation, Locals
from .values import Rests

DELTAS = ("increases", "gains", "loses")


@dataclass(frozen=True, slots=True)
class Ground:
    """One change with its key and value worked out; `by` is the statement behind it."""

    op: str  # becomes, increases, gains, loses, restarts
    cell: str  # for restarts: the level
    key: str | None
    value: Any
    by: str

    @property
    def place(self) -> tuple[str, str | None]:
        return self.cell, self.key


@dataclass(frozen=True, slots=True)
class Clash:
    """Two or more statements that want different things of one place."""

    cell: str
    key: str | None
    statements: tuple[str, ...]


def ground(ops: tuple[core.AnyOp, ...], by: str, e: Evaluation, local: Locals) -> tuple[list[Ground], Rests]:
    """The changes of a statement, and what their values rest on."""
    result: list[Ground] = []
    rests: Rests = frozenset()
    for op in ops:
        match op:
            case core.RestartOp():
                result.append(Ground("restarts", op.level, None, None, by))
            case core.EffectOps():
                inner = {**local, **{name: e.value(value, local) for name, value in op.bindings}}
                more, on = ground(op.ops, by, e, inner)
                result += more
                rests |= on
            case core.Op():
                key, on_key = e.value(op.key, local) if op.key is not None else (None, frozenset())
                value, on_value = e.value(op.value, local)
                rests |= on_key | on_value
                if op.key is not None and (key is None or key is UNKNOWN):
                    result += [Ground("becomes", op.cell, p, UNKNOWN, by) for p in e.players if key is UNKNOWN]
                    continue
                result.append(Ground(op.op, op.cell, key, value, by))
    return result, rests


def clashes(changes: list[Ground]) -> list[Clash]:
    """Where changes of one moment cannot all be made."""
    found: list[Clash] = []
    places: dict[tuple[str, str | None], list[Ground]] = {}
    for change in changes:
        if change.op != "restarts":
            places.setdefault(change.place, []).append(change)
    for (cell, key), here in sorted(places.items(), key=lambda p: (p[0][0], p[0][1] or "")):
        if _disagree(here):
            found.append(Clash(cell, key, tuple(sorted({c.by for c in here}))))
    return found


def _disagree(here: list[Ground]) -> bool:
    assigned = [c for c in here if c.op == "becomes"]
    deltas = [c for c in here if c.op in DELTAS]
    if assigned and deltas:
        return True
    if any(c.value != assigned[0].value for c in assigned):
        return True
    gained = frozenset().union(*(_members(c.value) for c in deltas if c.op == "gains"))
    lost = frozenset().union(*(_members(c.value) for c in deltas if c.op == "loses"))
    return bool(gained & lost)


def reserved_clashes(
    changes: list[Ground], reserved: dict[tuple[str, str | None], set[str]], own: str = ""
) -> list[Clash]:
    """Standing assignments to places that an open decision will set."""
    found = []
    for change in changes:
        holders = {h for h in reserved.get(change.place, ()) if h not in (own, change.by)}
        if change.op != "restarts" and holders:
            found.append(Clash(change.cell, change.key, tuple(sorted({change.by, *holders}))))
    return found


def _members(value: Any) -> frozenset[Any]:
    if isinstance(value, frozenset | tuple):
        return frozenset(value)
    return frozenset({value})


def apply(
    cells: dict[str, Any], changes: list[Ground], book: core.Resolved, initial: dict[str, Any],
    untouched: frozenset[str] = frozenset(),
) -> dict[str, Any]:  # fmt: skip
    """The cells after the changes. Restarting a level yields to explicit changes and to `untouched` cells."""
    result = dict(cells)
    explicit = {c.cell for c in changes if c.op != "restarts"}
    for change in changes:
        if change.op == "restarts":
            for cell in _of_level(change.cell, book):
                if cell.name not in untouched and (cell.name not in explicit or cell.of is not None):
                    result[cell.name] = initial[cell.name]
    for change in sorted(_distinct(changes), key=lambda c: c.by):  # only lists can tell: never by source order
        if change.op != "restarts":
            result[change.cell] = _changed(result[change.cell], change, book.cells[change.cell])
    return result


def _of_level(level: str, book: core.Resolved) -> list[core.CellInfo]:
    """The cells of a level and of every level inside it."""
    inner = book.levels[book.levels.index(level) :]
    return [cell for cell in book.cells.values() if cell.level in inner]


def _distinct(changes: list[Ground]) -> list[Ground]:
    """Equal assignments merge; deltas of different statements add up."""
    seen: set[tuple[Any, ...]] = set()
    result = []
    for change in changes:
        mark = (change.op, change.cell, change.key, repr(change.value))
        if change.op == "becomes" and mark in seen:
            continue
        seen.add(mark)
        result.append(change)
    return result


def _changed(held: Any, change: Ground, cell: core.CellInfo) -> Any:
    if cell.of is not None:
        if held is UNKNOWN:
            return held
        return {**held, change.key: _new_value(held.get(change.key), change)}
    return _new_value(held, change)


def _new_value(held: Any, change: Ground) -> Any:
    if change.op == "becomes":
        return change.value
    if held is UNKNOWN or change.value is UNKNOWN:
        return UNKNOWN
    if change.op == "increases":
        return OPERATIONS["+"](held, change.value)
    if isinstance(held, tuple):
        members = change.value if isinstance(change.value, tuple) else tuple(sorted(change.value, key=str))
        return (*held, *members) if change.op == "gains" else tuple(i for i in held if i not in members)
    return held | _members(change.value) if change.op == "gains" else held - _members(change.value)
