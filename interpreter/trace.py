"""Why a statement stood or did not: its condition taken apart, each part with its source text and its value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..dsl import ast, core
from ..dsl.absent import UNKNOWN
from ..dsl.diagnostics import suggestion
from ..dsl.source import Span
from .book import Book, UsageError, occurrence
from .codec import Impossible, Malformed
from .evaluate import Evaluation, Locals, StepBudgetExceeded
from .match import Entry, Match
from .standing import Standing, needs
from .state import State
from .values import CERTAIN, Value

MAX_DEPTH = 3  # definitions inside definitions that are taken apart
JUDGED = ("stands", "defeated", "condition", "unless", "no-member", "unobserved", "unknown", "defeat-unknown")


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A part of a condition as the rulebook writes it. `role`: condition, unless, where, part (of a definition).

    `value` is None where it is unknown; `events` were not observed and `cells` are unknown, and it rests on them.
    """

    text: str
    role: str
    value: bool | None
    events: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    parts: tuple["Conjunct", ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """A statement in one judgement; for one member (`about`) where it is made for every one of a set.

    `reason` is one of JUDGED, or `refused` or `decision`: nothing was judged. Names are snake_case.
    """

    name: str
    form: str
    clause: str
    sources: tuple[str, ...]
    reason: str
    about: str | None = None
    held: bool | None = None
    stands: bool | None = None
    conjuncts: tuple[Conjunct, ...] = ()
    defeated_by: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Written:
    """The parts of a statement (or definition) as trees of the rulebook's text."""

    condition: ast.Expr | None = None
    unless: tuple[ast.Expr, ...] = ()
    each: ast.Sequence | None = None


def statement_name(book: Book, name: str) -> str:
    """The id of a statement, given as id, as key of the contract or in a dialect. Raises UsageError."""
    wanted = core.name_of(name)
    known = book.resolved.statements
    lexicon = book.resolved.lexicon
    for candidate in (wanted, name, *(lexicon.id_of(dialect, wanted) for dialect in ("en", "sr", "tr"))):
        if candidate in known:
            return candidate
    raise UsageError(f"no statement is called {name!r}" + suggestion(wanted, set(known)))


def entry_of(match: Match, n: int) -> Entry | None:
    """The entry that a verdict is about; for a correction, that of the corrected line."""
    found = next((e for e in match.entries if e.n == n), None)
    if found is None or found.correction is None:
        return found
    corrected = found.correction.n
    return next((e for e in match.entries if e.n == corrected), found)


def as_judged(match: Match, entry: Entry) -> dict[str, Any]:
    """The line of an entry with the corrections that later lines made."""
    corrections = (e.correction for e in match.entries if e.correction is not None)
    return {**entry.line, **{c.key: c.value for c in corrections if c.n == entry.n}}


class Trace:
    """Answers why, for the lines of one match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._texts = _Texts(match.book)

    def explain(self, n: int) -> tuple[Explanation, ...]:
        """Every statement that held in the judgement of line `n`, stood or not, in the order of the book."""
        tracer = self._tracer(n)
        if tracer is None:
            return ()
        statements = self.match.book.resolved.statements.values()
        names = [s.name for s in statements if tracer.standing_of(s).held(s.name)[0] is True]
        return tuple(e for name in names for e in tracer.explain(name) if e.held)

    def why_not(self, n: int, name: str) -> tuple[Explanation, ...]:
        """How it was with one statement in the judgement of line `n`: one entry, or one a member."""
        tracer = self._tracer(n)
        if tracer is not None:
            return tracer.explain(name)
        entry = entry_of(self.match, n)
        refused = entry is None or entry.judgement is None or entry.judgement.verdict.status == "refused"
        return (_unjudged(self.match.book.resolved.statements[name], "refused" if refused else "decision"),)

    def _tracer(self, n: int) -> "_Tracer | None":
        entry = entry_of(self.match, n)
        if entry is None or entry.judgement is None or entry.judgement.standing is None:
            return None
        line = as_judged(self.match, entry)
        return _Tracer(self.match, entry.before, line, entry.judgement.standing, self._texts)


def _unjudged(s: core.Statement, reason: str) -> Explanation:
    return Explanation(core.json_key(s.name), s.form, core.json_key(s.clause.id), s.clause.sources, reason)


class _Tracer:
    """Explains the statements of one judgement."""

    def __init__(self, match: Match, before: State, line: dict[str, Any], standing: Standing, texts: "_Texts") -> None:
        self.book, self.setup, self.before, self.line = match.book, match.setup, before, line
        self.standing, self.texts = standing, texts
        self._preparing: Standing | None = None

    def standing_of(self, s: core.Statement) -> Standing:
        """Where a statement was judged: `prepare` from the state before, everything else from the prepared one."""
        if s.form != "prepare":
            return self.standing
        if self._preparing is None:
            try:
                episode = occurrence(self.setup, self.line)
            except (Malformed, Impossible):
                return self.standing
            self._preparing = Standing(self.setup.evaluation(self.before.cells, episode))
        return self._preparing

    def explain(self, name: str) -> tuple[Explanation, ...]:
        s = self.book.resolved.statements[name]
        standing, written = self.standing_of(s), self.texts.statement(s)
        if s.each is None:
            return (self._one(s, standing, written, None, {}, standing.held(name)),)
        members = standing.instances(s)
        found = [
            self._one(s, standing, written, _about(item), standing.evaluation.bind(s.each, item, {}), held)
            for item, held in members
        ]
        concerned = tuple(e for e in found if e.held is not False or not _outside(e))
        return concerned or (self._nobody(s, standing, written),)

    def _one(
        self, s: core.Statement, standing: Standing, written: _Written, about: str | None, local: Locals, held: Value
    ) -> Explanation:
        conjuncts = tuple(self._conjuncts(s, standing.evaluation, written, local))
        defeated_by = tuple(standing.defeated_by(s.name)) if held[0] is True else ()
        stands, rests = standing.stands(s.name) if about is None else _and_undefeated(held, standing, s.name)
        return Explanation(
            core.json_key(s.name), s.form, core.json_key(s.clause.id), s.clause.sources,
            _reason(held, stands, conjuncts, bool(defeated_by)), about, _truth(held[0]), _truth(stands), conjuncts,
            tuple(core.json_key(n) for n in defeated_by), *self._rests((stands, rests)),
        )  # fmt: skip

    def _nobody(self, s: core.Statement, standing: Standing, written: _Written) -> Explanation:
        """There was no member that the statement could be about."""
        assert s.each is not None
        text = self.texts.at(written.each.span) if written.each is not None else ""
        held = standing.held(s.name)
        events, cells, readings = self._rests((False, held[1]))
        where = Conjunct(text, "where", _truth(held[0]), events, cells, readings)
        return Explanation(
            core.json_key(s.name), s.form, core.json_key(s.clause.id), s.clause.sources, "no-member", None,
            _truth(held[0]), _truth(standing.stands(s.name)[0]), (where,), (), events, cells, readings,
        )  # fmt: skip

    # ---- conditions

    def _conjuncts(self, s: core.Statement, e: Evaluation, written: _Written, local: Locals) -> Iterator[Conjunct]:
        where = written.each.where if written.each is not None else None
        if where is not None and s.each is not None and s.each.where is not None:
            yield from self._split(where, s.each.where, "where", e, local)
        if written.condition is not None:
            yield from self._split(written.condition, s.condition, "condition", e, local)
        for node, unless in zip(written.unless, s.unless, strict=False):
            yield self._conjunct(node, unless, "unless", e, local, MAX_DEPTH)

    def _split(
        self, node: ast.Expr, bound: core.Core, role: str, e: Evaluation, local: Locals, depth: int = MAX_DEPTH
    ) -> Iterator[Conjunct]:
        for part, meaning in _operands(node, bound, "and"):
            yield self._conjunct(part, meaning, role, e, local, depth)

    def _conjunct(
        self, node: ast.Expr, bound: core.Core, role: str, e: Evaluation, local: Locals, depth: int
    ) -> Conjunct:
        value = _value(e, bound, local)
        parts = tuple(self._parts(bound, e, depth - 1)) if depth > 0 else ()
        return Conjunct(self.texts.at(node.span), role, _truth(value[0]), *self._rests(value), parts)

    def _parts(self, bound: core.Core, e: Evaluation, depth: int) -> Iterator[Conjunct]:
        """What a definition that is named by itself, maybe denied, is made of."""
        if isinstance(bound, core.Invert):
            bound = bound.operand
        if not isinstance(bound, core.DefineRef) or bound.argument is not None:
            return
        info = self.book.resolved.defines.get(bound.name)
        written = self.texts.definition(info) if info is not None else None
        if info is None or written is None or info.type.kind != "yes-no":
            return
        found = _operands(written, info.value, "and")
        if len(found) == 1:
            found = _operands(written, info.value, "or")
        for node, meaning in found:
            yield self._conjunct(node, meaning, "part", e, {}, depth)

    def _rests(self, value: Value) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """(event kinds, cells, readings) that a value rests on; cells only where it is unknown."""
        resolved, rests = self.book.resolved, value[1]
        events = tuple(resolved.events[k].key for k in needs(rests, "event"))
        cells = tuple(resolved.cells[c].key for c in needs(rests, "cell")) if value[0] is UNKNOWN else ()
        return events, cells, tuple(needs(rests, "reading"))


def _operands(node: ast.Expr, bound: core.Core, op: str) -> list[tuple[ast.Expr, core.Core]]:
    """The operands of a chain of one operator, in the tree and in its meaning alike."""
    if isinstance(node, ast.Binary) and node.op == op and isinstance(bound, core.Operation) and bound.op == op:
        return [*_operands(node.left, bound.left, op), *_operands(node.right, bound.right, op)]
    return [(node, bound)]


def _value(e: Evaluation, node: core.Core, local: Locals) -> Value:
    try:
        return e.value(node, local)
    except StepBudgetExceeded:
        return UNKNOWN, CERTAIN


def _truth(value: Any) -> bool | None:
    return None if value is UNKNOWN else bool(value)


def _and_undefeated(held: Value, standing: Standing, name: str) -> Value:
    """Whether it stands for one member: a defeat is a defeat for all."""
    if held[0] is not True:
        return held
    against = [standing.stands(other) for other in standing.defeaters(name)]
    if any(value is True for value, _ in against):
        return False, CERTAIN
    unknown = [rests for value, rests in against if value is UNKNOWN]
    return (UNKNOWN, frozenset().union(*unknown)) if unknown else held


def _outside(explanation: Explanation) -> bool:
    """Whether the member is not one that the statement speaks of at all."""
    return any(c.role == "where" and c.value is False for c in explanation.conjuncts)


def _reason(held: Value, stands: Any, conjuncts: tuple[Conjunct, ...], defeated: bool) -> str:
    if stands is True:
        return "stands"
    if defeated:
        return "defeated"
    if held[0] is True:
        return "defeat-unknown"
    if held[0] is UNKNOWN:
        return "unknown"
    if needs(held[1], "event"):
        return "unobserved"
    false = [c for c in conjuncts if c.role != "unless" and c.value is False]
    return "condition" if false or not any(c.value is True for c in conjuncts if c.role == "unless") else "unless"


# ---- the text of the rulebook


def _text(book: Book, span: Span) -> str:
    source = book.sources.get(span.file)
    return " ".join(source.text[span.start : span.end].split()) if source is not None else ""


class _Texts:
    """The trees of statements and definitions by their place, gathered once a book."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._statements: dict[Span, ast.Statement] = {}
        self._definitions: dict[Span, ast.Expr] = {}
        for document in book.resolved.documents:
            holders = [document] if isinstance(document, ast.Vocabulary) else ast.clauses(document.items)
            for holder in holders:
                self._gather(holder)

    def _gather(self, holder: ast.Vocabulary | ast.Clause) -> None:
        self._statements |= {s.span: s for s in holder.statements}
        for d in holder.declarations:
            if isinstance(d, ast.Define) and len(d.cases) == 1 and d.cases[0][0] is None:
                self._definitions[d.span] = d.cases[0][1]

    def at(self, span: Span) -> str:
        """The text of a place, on one line."""
        source = self.book.sources.get(span.file)
        return " ".join(source.text[span.start : span.end].split()) if source is not None else ""

    def definition(self, info: core.DefineInfo) -> ast.Expr | None:
        """The tree of a definition without cases."""
        return self._definitions.get(info.span)

    def statement(self, s: core.Statement) -> _Written:
        """The trees of a statement's condition, `unless` and range."""
        node = self._statements.get(s.span)
        if node is None:
            return _Written()
        each = getattr(node, "each", None) or getattr(node, "member", None)
        return _Written(node.condition, node.modifiers.unless, each)


def _about(item: Any) -> str:
    return str(item) if isinstance(item, str) else str(getattr(item, "fields", ((None, item),))[0][1])


__all__ = ["Conjunct", "Explanation", "Trace", "entry_of", "statement_name"]
