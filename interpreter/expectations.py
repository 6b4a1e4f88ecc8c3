"""Expectations: what an example says of a verdict and of the state after it, bound to the names of its book."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..dsl import ast, core
from ..dsl.absent import UNKNOWN
from ..dsl.core import json_key
from ..dsl.diagnostics import Report, near_names
from ..dsl.expressions import Names, Scope
from ..dsl.source import Span
from ..dsl.types import Type
from .codec import Codec
from .judge import Judgement
from .state import NO_EPISODE, Setup
from .values import CERTAIN, Value
from .verdict import Verdict

STATUSES = ("ruled", "undecided", "conflict", "refused")
REFUSALS = ("impossible", "decision-due", "not-due", "wrong-player", "no-such-option", "which", "unknown-member",
            "nothing-to-correct", "too-complex")  # fmt: skip
DECISIONS = {"offered": "choice", "undecided": "silent", "left-open": "deferred", "voided": "void"}  # word -> form

Entry = tuple[str, tuple[str | None, ...]]  # a name in a verdict, and what belongs to it
ENTRIES: dict[str, Callable[[Verdict], list[Entry]]] = {
    "offered": lambda v: [(c.choice, c.options) for c in v.choices],
    "undecided": lambda v: [(u.name, u.options) for u in v.undecided],
    "defeated": lambda v: [(d.name, d.by) for d in v.defeated],
    "applied": lambda v: [(a.name, (a.option,) if a.option else a.cells) for a in v.applied],
    "left-open": lambda v: [(d.name, d.cells) for d in v.deferred],
    "voided": lambda v: [(c.name, ()) for c in v.void],
    "not-judged": lambda v: [(n.name, n.needs) for n in v.not_judged],
    "refused": lambda v: [(json_key(p.name or p.code), ()) for p in v.problems if v.status == "refused"],
    "conflict": lambda v: [(s, ()) for p in v.problems if v.status == "conflict" for s in p.statements],
}
"""The words of expectations, as ids, and what of a verdict each speaks of."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an expectation speaks of."""

    setup: Setup
    judgement: Judgement

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

    def value(self, node: core.Core) -> Any:
        """The value of an expression in the state after; statements are those of the verdict."""
        e = self.setup.evaluation(self.judgement.state.cells, NO_EPISODE)
        e.stands = self._stands
        return e.value(node, {})[0]

    def _stands(self, name: str) -> Value:
        if self.judgement.standing is not None:
            return self.judgement.standing.stands(name)
        named = {n for entries in ENTRIES.values() for n, _ in entries(self.verdict)}
        return json_key(name) in named | {f.name for f in self.verdict.findings}, CERTAIN


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether an expectation is met, and how things are in any case."""

    met: bool
    instead: str


Check = Callable[[Outcome], Answer]


class Expectations:
    """Turns the expressions of `expect` into checks; `text` gives a node as the file writes it."""

    def __init__(self, book: core.Resolved, names: Names, text: Callable[[ast.Node], str]) -> None:
        self.book, self.names, self.text, self.scope = book, names, text, Scope(names)

    def check(self, node: ast.Expr) -> Check:
        match node:
            case ast.Not(operand=operand):
                return _denied(self.check(operand))
            case ast.Binary(op="and" | "or" as op, left=left, right=right):
                return _joined(op, self.check(left), self.check(right))
            case ast.Path(parts=(word,)) if word in STATUSES:
                return lambda outcome: Answer(outcome.verdict.status == word, _reasons(outcome.verdict))
            case ast.Path(parts=(word,)) if word in ENTRIES or word in self.book.kinds:
                return self._listed(word, None, ())
            case ast.Quantified(sequence=ast.Sequence(other=False, path=ast.Path(parts=(word,)), where=None)) if (
                node.quantifier in ("no", "some") and (word in ENTRIES or word in self.book.kinds)
            ):
                return self._some(node, word)
            case ast.Holds(subject=ast.Path(parts=(word,)), anchor=None) if self._is_word(word):
                return self._named_entry(node, word)
        return self._condition(node)

    def _is_word(self, word: str) -> bool:
        return word in ENTRIES or word in self.book.kinds or self.names.lookup(word)[0] == "nothing"

    def _some(self, node: ast.Quantified, word: str) -> Check:
        body = node.body.operand if isinstance(node.body, ast.Not) else node.body
        found = self._named_entry(body, word) if isinstance(body, ast.Holds) else self._listed(word, None, ())
        return _denied(found) if node.quantifier == "no" else found

    def _named_entry(self, node: ast.Holds, word: str) -> Check:
        """`remark late`, `offered what-next (stop, go-on)`."""
        name, known = node.predicate, self._known(word)
        if known is None:
            self._error(node.span, {*ENTRIES, *self.book.kinds}, word)
        elif name not in known:
            self._error(node.span, known, name)
        objects = tuple(self._object(o, word, name) for o in node.objects)
        return self._listed(word, name, objects)

    def _known(self, word: str) -> set[str] | None:
        """The names that may stand after a word; None where it is no word of expectations."""
        statements = self.book.statements.values()
        if word in self.book.kinds:
            return {s.name for s in statements if s.kind == word}
        if word == "refused":
            return {r.name for r in self.book.requirements} | set(REFUSALS)
        if word in DECISIONS:
            return {s.name for s in statements if s.form == DECISIONS[word]}
        return {s.name for s in statements} if word in ENTRIES else None

    def _object(self, node: ast.Expr, word: str, name: str) -> str:
        """An option, a cell, an event, a statement or a member, as verdicts write it."""
        text = node.parts[-1] if isinstance(node, ast.Path) else str(getattr(node, "value", self.text(node)))
        known = self._belonging(word, name)
        if known is not None and text not in known:
            self._error(node.span, known, text)
        return (known or {}).get(text, text)

    def _belonging(self, word: str, name: str) -> dict[str, str] | None:
        """What may stand in brackets after a word and a name: id -> as verdicts write it; None: anything."""
        statement = self.book.statements.get(name)
        if word in ("offered", "undecided") or word == "applied" and statement is not None and statement.options:
            return {o.name: json_key(o.name) for o in statement.options} if statement is not None else None
        if word == "defeated":
            return {n: json_key(n) for n in self.book.statements}
        if word == "applied":
            return {n: c.key for n, c in self.book.cells.items()}
        if word in ("left-open", "not-judged"):
            return {n: e.key for n, e in self.book.events.items()} | {n: c.key for n, c in self.book.cells.items()}
        return None

    def _listed(self, word: str, name: str | None, objects: tuple[str, ...]) -> Check:
        finding = word in self.book.kinds

        def check(outcome: Outcome) -> Answer:
            entries = _findings(outcome.verdict, word) if finding else ENTRIES[word](outcome.verdict)
            fits = frozenset.issuperset if finding else frozenset.__eq__
            met = any(
                (name is None or n == json_key(name)) and (not objects or fits(frozenset(more), frozenset(objects)))
                for n, more in entries
            )
            return Answer(met, _shown_entries(word, entries, outcome.verdict))

        return check

    def _condition(self, node: ast.Expr) -> Check:
        """Any other yes-or-no expression, of the state after."""
        plain = _tests_for_unknown(node)
        told = [(self.text(side), *found) for side in _sides(plain) if (found := self._told(side)) is not None]
        if isinstance(plain, ast.Binary) and isinstance(plain.right, ast.SetLiteral | ast.Range) and told:
            _, value, kind = told[0]
            if kind.kind == "list" and plain.op in "=≠":
                return self._in_order(plain, value, kind, told[0][0])
        condition = self.scope.condition(plain)

        def check(outcome: Outcome) -> Answer:
            codec = outcome.setup.codec
            parts = [f"{text} is {_shown(codec, outcome.value(value), kind)}" for text, value, kind in told]
            return Answer(outcome.value(condition) is True, "; ".join(parts) or "that is not so")

        return check

    def _told(self, node: ast.Expr) -> tuple[core.Core, Type] | None:
        """A side of a comparison whose value tells a reader why it does not hold; None for a plain value."""
        report, self.names.report = self.names.report, Report()
        value, kind = self.scope.expr(node)
        failed, self.names.report = self.names.report.failed, report
        return None if failed or isinstance(value, core.Const | core.SetOf) else (value, kind)

    def _in_order(self, node: ast.Binary, listed: core.Core, kind: Type, text: str) -> Check:
        """`order = {3, 1}`: of a list, also the order is compared."""
        items = items_in_order(node.right, kind, self.scope)

        def check(outcome: Outcome) -> Answer:
            found = outcome.value(listed)
            met = (found == tuple(outcome.value(item) for item in items)) == (node.op == "=")
            return Answer(met and found is not UNKNOWN, f"{text} is {_shown(outcome.setup.codec, found, kind)}")

        return check

    def _error(self, span: Span, known: Iterable[str], name: str) -> None:
        self.names.report.error("R0270", span, near_names(name, set(known)), name=name)


def items_in_order(node: ast.Expr, kind: Type, scope: Scope) -> list[core.Core]:
    """The elements of a list as they are written: `{3, 1}`, `{4, 1..2}`, `1..3`."""
    assert kind.item is not None
    items: list[core.Core] = []
    for element in node.items if isinstance(node, ast.SetLiteral) else (node,):
        value = scope.expr(element, kind)[0] if isinstance(element, ast.Range) else scope.value(element, kind.item)
        items += value.items if isinstance(value, core.SetOf) else [value]
    return items


def _denied(check: Check) -> Check:
    def denied(outcome: Outcome) -> Answer:
        answer = check(outcome)
        return Answer(not answer.met, answer.instead)

    return denied


def _joined(op: str, left: Check, right: Check) -> Check:
    def joined(outcome: Outcome) -> Answer:
        a, b = left(outcome), right(outcome)
        met = a.met and b.met if op == "and" else a.met or b.met
        return Answer(met, "; ".join(dict.fromkeys((a.instead, b.instead))))

    return joined


def _tests_for_unknown(node: ast.Expr) -> ast.Expr:
    """`x = unknown` asks whether x is known, which a comparison cannot."""
    if not isinstance(node, ast.Binary) or node.op not in "=≠":
        return node
    if not isinstance(node.right, ast.Unknown):
        return node
    known = ast.Call(node.span, "known", (node.left,))
    return ast.Not(node.span, known) if node.op == "=" else known


def _sides(node: ast.Expr) -> list[ast.Expr]:
    """What a condition compares or asks of."""
    match node:
        case ast.Not(operand=operand):
            return _sides(operand)
        case ast.Call(name="known", arguments=(argument,)):
            return [argument]
        case ast.Binary(left=left, right=right):
            return [left, right]
    return []


def _findings(verdict: Verdict, kind: str) -> list[Entry]:
    return [(f.name, (f.against, f.whom, f.about)) for f in verdict.findings if f.kind == kind]


def _reasons(verdict: Verdict) -> str:
    told = "; ".join(p.message for p in verdict.problems)
    return f"the verdict is {verdict.status}" + (f" ({told})" if told else "")


def _shown_entries(word: str, entries: list[Entry], verdict: Verdict) -> str:
    """What a verdict says under one word."""
    if verdict.status in ("refused", "conflict") and word != verdict.status:
        return _reasons(verdict)
    if not entries:
        return f"nothing is there under `{word}`"
    shown = []
    for name, more in entries:
        others = ", ".join(core.name_of(m) for m in more if m is not None)
        shown.append(f"{core.name_of(name)} ({others})" if others else core.name_of(name))
    return f"{word}: {', '.join(shown)}"


def _shown(codec: Codec, value: Any, kind: Type) -> str:
    """A value as a reader of the rules would write it."""
    if value is UNKNOWN:
        return "unknown"
    if kind.kind in ("any", "event", "none"):
        return "none" if value is None else str(value)
    told = codec.encode(value, kind)
    if isinstance(told, list):
        return "{" + ", ".join(str(t) for t in told) + "}"
    return str(told).lower() if isinstance(told, bool) else str(told)
