"""Views: tables for people, worked out from the state of a match."""

from fractions import Fraction
from typing import Any

from ..dsl import core
from ..dsl.absent import UNKNOWN
from ..dsl.diagnostics import suggestion
from .book import Book, UsageError
from .codec import Codec, money_text
from .evaluate import Evaluation, Locals
from .labels import Labels, is_money
from .match import Match
from .standing import Standing
from .state import NO_EPISODE
from .values import Happening

Row = dict[str, Any]


def view_info(book: Book, name: str) -> core.ViewInfo:
    """A view by its name or JSON key. Raises UsageError."""
    known = book.resolved.views
    found = known.get(name) or known.get(core.name_of(name))
    if found is None:
        hint = suggestion(core.name_of(name), set(known)) if known else "; the book has no views"
        raise UsageError(f"unknown view: {name!r}{hint}")
    return found


def rows(match: Match, name: str) -> list[Row]:
    """The rows of a view of the state after the last line, as JSON. Raises UsageError for an unknown name."""
    codec = match.setup.codec
    return [{core.json_key(c): encoded(v, codec) for c, v in row.items()} for row in table(match, name)]


def table(match: Match, name: str) -> list[Row]:
    """The rows of a view with the values of the rules: column -> value, in the order that the view asks for."""
    view = view_info(match.book, name)
    evaluation = match.setup.evaluation(match.current.cells, NO_EPISODE)
    Standing(evaluation)
    found = evaluation.range(view.range, {}) or ([], frozenset())
    locals_ = [evaluation.bind(view.range, item, {}) for item, (holds, _) in found[0] if holds is True]
    for key, descending in reversed(view.order):
        locals_ = _ordered(locals_, key, descending, evaluation)
    return [{column: evaluation.value(node, local)[0] for column, node in view.columns} for local in locals_]


def _ordered(found: list[Locals], key: core.Core, descending: bool, e: Evaluation) -> list[Locals]:
    """Sorted by a key; equals keep their order, and what has no value comes last."""
    values = [(e.value(key, local)[0], local) for local in found]
    known = [(v, local) for v, local in values if v is not None and v is not UNKNOWN]
    known.sort(key=lambda pair: _sortable(pair[0], e.book.ranks), reverse=descending)
    return [local for _, local in known] + [local for v, local in values if v is None or v is UNKNOWN]


def _sortable(value: Any, ranks: dict[str, int]) -> tuple[Any, ...]:
    if is_money(value):
        return 0, value[0], value[1]
    if isinstance(value, int | Fraction):
        return 0, value
    if isinstance(value, str):
        return 1, ranks.get(value, 0), value
    return 2, len(value) if hasattr(value, "__len__") else 0, str(value)


def encoded(value: Any, codec: Codec) -> Any:
    """A value as the contract writes it, by what it is: a view's columns have no declared type."""
    if value is UNKNOWN:
        return None
    if value is None:
        return "none"
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if is_money(value):
        return money_text(value)
    if isinstance(value, frozenset):
        return [encoded(v, codec) for v in codec.ordered(value)]
    if isinstance(value, tuple):
        return [encoded(v, codec) for v in value]
    if isinstance(value, dict):
        return {core.json_key(k): encoded(v, codec) for k, v in value.items()}
    if isinstance(value, Happening):
        return {core.json_key(n): encoded(v, codec) for n, v in value.fields}
    return _member(value, codec)


def _member(value: Any, codec: Codec) -> Any:
    """The JSON key of a member of an entity; anything else as it is."""
    keys = (key for members in codec.book.entities.values() for name, key in members or () if name == value)
    return value if value in codec.players else next(keys, value)


def words(match: Match, name: str, labels: Labels) -> tuple[list[str], list[list[str]], list[bool]]:
    """A view for people: headings, cells in words, and which columns are numbers."""
    view, found = view_info(match.book, name), table(match, name)
    columns = [column for column, _ in view.columns]
    headings = [labels.start(labels.term(column)) for column in columns]
    cells = [[_word(row[c], labels, match) for c in columns] for row in found]
    numeric = [bool(found) and all(_is_number(row[c]) for row in found) for c in columns]
    return headings, cells, numeric


def _word(value: Any, labels: Labels, match: Match) -> str:
    return value if isinstance(value, str) and value in match.setup.players else labels.value(value)


def _is_number(value: Any) -> bool:
    return is_money(value) or isinstance(value, int | Fraction) and not isinstance(value, bool)


def aligned(headings: list[str], cells: list[list[str]], numeric: list[bool]) -> list[str]:
    """The table as plain text: columns aligned, numbers to the right, two spaces between."""
    lines = [headings, *cells]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headings))]
    pad = [str.rjust if right else str.ljust for right in numeric]
    return ["  ".join(pad[i](text, widths[i]) for i, text in enumerate(line)).rstrip() for line in lines]
