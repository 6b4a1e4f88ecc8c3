"""Decisions: which options are open, and what each would change."""

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
