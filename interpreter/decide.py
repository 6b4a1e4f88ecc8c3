"""Decisions: which options are open, and what each would change."""

from typing import Any

from ..dsl import core
from .changes import Ground, ground
from .evaluate import Evaluation, Locals
from .values import Rests


def grounded_options(
    s: core.Statement, e: Evaluation, local: Locals
) -> tuple[tuple[tuple[str, tuple[Ground, ...]], ...], Rests]:
    """The options of a choice or silent whose condition is not false, with their changes worked out."""
    options = []
    rests: Rests = frozenset()
    for option in s.options:
        if option.condition is not None:
            possible, on = e.value(option.condition, local)
            rests |= on
            if possible is False:
                continue
        grounds, on = ground(option.ops, s.name, e, local)
        rests |= on
        options.append((option.name, tuple(grounds)))
    return tuple(options), rests


Options = tuple[tuple[str, tuple[Ground, ...]], ...]


def concerned(options: Options, cells: dict[str, Any], book: core.Resolved) -> Options:
    """The options without assignments that leave a place as it is whichever is taken: those places need not wait."""
    restarting = {g.place for _, grounds in options if any(x.op == "restarts" for x in grounds) for g in grounds}
    changed = {
        g.place for _, grounds in options for g in grounds if g.op == "becomes" and g.value != held(cells, g, book)
    }
    keep = restarting | changed
    return tuple((name, tuple(g for g in grounds if g.op != "becomes" or g.place in keep)) for name, grounds in options)


def held(cells: dict[str, Any], change: Ground, book: core.Resolved) -> Any:
    """What the place of a change holds now."""
    value = cells[change.cell]
    return value.get(change.key) if book.cells[change.cell].of is not None and isinstance(value, dict) else value
