"""The reference evaluator of expressions: one small function a core node, no order of evaluation."""

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..dsl import core
from ..dsl.absent import UNKNOWN
from .values import CERTAIN, FALSE, TRUE, Happening, Occurrence, Rests, Value, conjoin, disjoin, negate

MAX_STEPS = 2_000_000
Locals = dict[str, Value]


class StepBudgetExceeded(Exception):
    """A judgement took more steps than any rulebook needs."""


class Evaluation:
    """The expressions of one judgement: a book, its settings, the state before, the episode."""

    def __init__(
        self,
        book: core.Resolved,
        parameters: dict[str, Any],
        settings: dict[str, Any],
        readings: dict[str, str],
        players: tuple[str, ...],
        cells: dict[str, Any],
        episode: Occurrence,
        unobserved: frozenset[str],
    ) -> None:
        self.book, self.parameters, self.settings, self.readings = book, parameters, settings, readings
        self.players, self.cells, self.episode, self.unobserved = players, cells, episode, unobserved
        self.stands: Callable[[str], Value] = lambda name: FALSE  # set by standing.py
        self.disagreements: list[str] = []
        self._defines: dict[str, Value] = {}
        self._steps = 0

    def value(self, node: core.Core, local: Locals) -> Value:
        """The value of a core expression, and what it rests on."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise StepBudgetExceeded
        return EVALUATORS[type(node)](self, node, local)

    # ---- names

    def _cell(self, node: core.Cell, local: Locals) -> Value:
        held = self.cells[node.name]
        rests = CERTAIN
        if node.key is not None and held is not UNKNOWN:
            key, rests = self.value(node.key, local)
            if key is UNKNOWN:
                return UNKNOWN, rests
            held = held.get(key) if key is not None else None
        if held is UNKNOWN:
            return UNKNOWN, rests | {("cell", node.name)}
        return held, rests

    def _field(self, node: core.EpisodeField, local: Locals) -> Value:
        if node.name in self.episode.fields:
            return self.episode.fields[node.name], CERTAIN
        return self.book.field_defaults.get(node.name), CERTAIN

    def _parameter(self, node: core.ParameterRef, local: Locals) -> Value:
        return self.parameters[node.name], CERTAIN

    def _reading(self, node: core.ReadingRef, local: Locals) -> Value:
        return self.readings[node.name], frozenset({("reading", node.name)})

    def _define(self, node: core.DefineRef, local: Locals) -> Value:
        if node.name in self.book.sets:
            return self._memo(node.name, lambda: self.value(self.book.sets[node.name], {}))
        info = self.book.defines[node.name]
        if info.variable is None:
            return self._memo(node.name, lambda: self.value(info.value, {}))
        assert node.argument is not None
        argument = self.value(node.argument, local)
        if argument[0] is UNKNOWN:
            return argument
        key = f"{node.name}({argument[0]})"
        inner, rests = self._memo(key, lambda: self.value(info.value, {str(info.variable): (argument[0], CERTAIN)}))
        return inner, rests | argument[1]

    def _memo(self, key: str, compute: Callable[[], Value]) -> Value:
        if key not in self._defines:
            self._defines[key] = compute()
        return self._defines[key]

    def _attribute(self, node: core.Attribute, local: Locals) -> Value:
        of, rests = self.value(node.of, local)
        if of is UNKNOWN or of is None:
            return of, rests
        return (of.field(node.name) if isinstance(of, Happening) else of.get(node.name)), rests

    # ---- sets

    def members(self, entity: str) -> tuple[str, ...]:
        """The members of an entity: declared ones, or the players."""
        declared = self.book.entities[entity]
        return self.players if declared is None else tuple(name for name, _ in declared)

    def events(self, kind: str) -> tuple[Happening, ...]:
        return tuple(h for h in self.episode.happenings if h.kind == kind)

    def _events(self, node: core.Events, local: Locals) -> Value:
        return self.events(node.kind), self._assumed(node.kind)

    def _assumed(self, kind: str) -> Rests:
        return frozenset({("event", kind)}) if kind in self.unobserved else CERTAIN

    def _set(self, node: core.SetOf | core.PairOf | core.ListOf, local: Locals) -> Value:
        items = [self.value(item, local) for item in node.items]
        if any(value is UNKNOWN for value, _ in items):
            return UNKNOWN, frozenset().union(*(r for v, r in items if v is UNKNOWN))
        members = (v for v, _ in items if v is not None)
        made = tuple(members) if isinstance(node, core.ListOf) else frozenset(members)
        return made, frozenset().union(*(r for _, r in items))

    # ---- operators

    def _operation(self, node: core.Operation, local: Locals) -> Value:
        left = self.value(node.left, local)
        if node.op in DECIDING and left == (DECIDING[node.op], CERTAIN):
            return left  # whatever the other side is, and whatever it rests on
        right = self.value(node.right, local)
        if node.op == "and":
            return conjoin([left, right])
        if node.op == "or":
            return disjoin([left, right])
        (a, rests_a), (b, rests_b) = left, right
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN, (rests_a if a is UNKNOWN else CERTAIN) | (rests_b if b is UNKNOWN else CERTAIN)
        return OPERATIONS[node.op](a, b), rests_a | rests_b

    def _cases(self, node: core.Cases, local: Locals) -> Value:
        held: list[Value] = []
        rests: Rests = CERTAIN
        for condition, value in node.cases:
            truth, on = self.value(condition, local)
            if truth is UNKNOWN:
                return UNKNOWN, on
            rests |= on
            if truth:
                found, more = self.value(value, local)
                held.append((found, more | on))
                if node.ordered:
                    return found, rests | more
        if not held:
            found, more = self.value(node.otherwise, local)
            return found, rests | more
        if any(value != held[0][0] for value, _ in held):
            self.disagreements.append(repr([value for value, _ in held]))
            return UNKNOWN, rests
        return held[0][0], rests | frozenset().union(*(r for _, r in held))

    # ---- events and quantifiers

    def _happened(self, node: core.Happened, local: Locals) -> Value:
        subject, rests = self.value(node.subject, local)
        target, more = self.value(node.object, local) if node.object is not None else (None, CERTAIN)
        if subject is UNKNOWN or target is UNKNOWN:
            return UNKNOWN, rests | more
        rests |= more
        candidates, on = self._anchored(list(self.events(node.kind)), node.anchor, local)
        found = any(self._matches(h, node, subject, target) for h in candidates)
        return found, rests | on | (CERTAIN if found else self._assumed(node.kind))

    def _matches(self, h: Happening, node: core.Happened, subject: Any, target: Any) -> bool:
        if self.book.events[h.kind].form == "pair":
            return subject in h.pair and (node.object is None or frozenset(h.pair) == frozenset({subject, target}))
        return bool(
            h.field(node.subject_field) == subject and (node.object is None or h.field(node.object_field) == target)
        )

    def _anchored(self, items: list[Any], anchor: core.When | None, local: Locals) -> tuple[list[Any], Rests]:
        """Only what came after (before) an event; nothing came after an event that never was."""
        if anchor is None:
            return items, CERTAIN
        event, rests = self.value(anchor.event, local)
        if event is None or event is UNKNOWN:
            return [], rests
        later = anchor.relation == "after"
        return [i for i in items if (i.index > event.index if later else i.index < event.index)], rests

    def range(self, node: core.Range, local: Locals) -> tuple[list[tuple[Any, Value]], Rests] | None:
        """(element, whether `where` holds) for each element; None where the source is unknown."""
        source, rests = self.value(node.source, local)
        if source is UNKNOWN:
            return None
        items, on = self._anchored(self._ordered(source), node.anchor, local)
        if node.where is None:
            return [(item, TRUE) for item in items], rests | on
        return [(i, self.value(node.where, self.bind(node, i, local))) for i in items], rests | on

    def bind(self, node: core.Range, item: Any, local: Locals) -> Locals:
        """The locals inside a range, for one element."""
        return {**local, **dict.fromkeys(node.variables, (item, CERTAIN))}

    def _ordered(self, source: Any) -> list[Any]:
        """The elements of a set in a fixed order: as declared where they are members, else sorted."""
        if source is None:  # a field of another kind of episode
            return []
        if isinstance(source, tuple):
            return list(source)
        return sorted(
            source,
            key=lambda item: (self.book.ranks.get(item, 0), str(item)) if isinstance(item, str) else (0, str(item)),
        )

    def _source_rests(self, node: core.Range, local: Locals) -> Rests:
        return self.value(node.source, local)[1]

    def _quantify(self, node: core.Quantify, local: Locals) -> Value:
        found = self.range(node.range, local)
        if found is None:
            return UNKNOWN, self._source_rests(node.range, local)
        items, rests = found
        tested = []
        for item, holds in items:
            body = TRUE if node.body is None else self.value(node.body, self.bind(node.range, item, local))
            tested.append((holds, body))
        if node.quantifier == "every":
            value, on = conjoin([disjoin([negate(where), body]) for where, body in tested])
        elif node.quantifier in ("some", "no"):
            value, on = disjoin([conjoin([where, body]) for where, body in tested])
            if node.quantifier == "no":
                value, on = negate((value, on))
        else:
            value, on = self._numbered(node, [conjoin([where, body]) for where, body in tested], local)
        return value, on | rests if not self._decided(node, value) else on

    def _decided(self, node: core.Quantify, value: Any) -> bool:
        """Whether elements that were not observed could no longer change the answer."""
        return (node.quantifier, value) in DECIDED

    def _numbered(self, node: core.Quantify, tested: list[Value], local: Locals) -> Value:
        assert node.amount is not None
        amount, rests = self.value(node.amount, local)
        if amount is UNKNOWN or amount is None:
            return (UNKNOWN if amount is UNKNOWN else False), rests
        sure = [on for value, on in tested if value is True]
        maybe = [on for value, on in tested if value is UNKNOWN]
        low, high = len(sure), len(sure) + len(maybe)
        checks = {"at-least": (low >= amount, high >= amount), "at-most": (high <= amount, low <= amount),
                  "exactly": (low == amount == high, low <= amount <= high)}  # fmt: skip
        certain, possible = checks[node.quantifier]
        if certain != possible:
            return UNKNOWN, frozenset().union(rests, *maybe)
        if certain and node.quantifier == "at-least":
            return True, rests.union(*sorted(sure, key=len)[:amount])
        return certain, frozenset().union(rests, *(on for _, on in tested))

    def _pick(self, node: core.PickOne, local: Locals) -> Value:
        found = self.range(node.range, local)
        if found is None:
            return UNKNOWN, self._source_rests(node.range, local)
        items, rests = found
        for item, (holds, on) in items if node.which == "first" else reversed(items):
            if holds is UNKNOWN:
                return UNKNOWN, on
            rests |= on
            if holds:
                return item, rests
        return None, rests

    def _collect(self, node: core.Collect, local: Locals) -> Value:
        found = self.range(node.range, local)
        if found is None:
            return UNKNOWN, self._source_rests(node.range, local)
        items, rests = found
        if any(holds is UNKNOWN for _, (holds, _) in items):
            return UNKNOWN, frozenset().union(*(on for _, (h, on) in items if h is UNKNOWN))
        rests = rests.union(*(on for _, (_, on) in items))
        kept = [item for item, (holds, _) in items if holds]
        return (tuple(kept) if kept and isinstance(kept[0], Happening) else frozenset(kept)), rests

    def _count(self, node: core.CountOf, local: Locals) -> Value:
        found = self.range(node.range, local)
        if found is None:
            return UNKNOWN, self._source_rests(node.range, local)
        items, rests = found
        if any(holds is UNKNOWN for _, (holds, _) in items):
            return UNKNOWN, frozenset().union(*(on for _, (h, on) in items if h is UNKNOWN))
        return sum(bool(holds) for _, (holds, _) in items), rests.union(*(on for _, (_, on) in items))

    def _sum(self, node: core.SumOf, local: Locals) -> Value:
        found = self.range(node.range, local)
        if found is None:
            return UNKNOWN, self._source_rests(node.range, local)
        items, rests = found
        total: Any = None
        for item, (holds, on) in items:
            if holds is UNKNOWN:
                return UNKNOWN, on
            rests |= on
            if holds:
                value, more = self.value(node.value, self.bind(node.range, item, local))
                if value is UNKNOWN:
                    return value, more
                rests |= more
                total = value if total is None else OPERATIONS["+"](total, value)
        return (0 if total is None else total), rests

    def _builtin(self, node: core.Builtin, local: Locals) -> Value:
        values = [self.value(a, local) for a in node.arguments]
        if node.name == "known":
            return values[0][0] is not UNKNOWN, CERTAIN
        if any(v is UNKNOWN for v, _ in values):
            return UNKNOWN, frozenset().union(*(r for _, r in values))
        rests = frozenset().union(*(r for _, r in values))
        if node.name == "size":
            return len(values[0][0] or ()), rests
        if node.name == "nth":
            listed, place = values[0][0] or (), values[1][0]
            return (listed[place - 1] if 0 < place <= len(listed) else None), rests
        pair, one = values[0][0], values[1][0]
        if pair is None:
            return None, rests
        a, b = pair.pair
        return (b if a == one else a), rests


def _contains(item: Any, container: Any) -> bool:
    if isinstance(container, Happening):
        return item in container.pair
    return container is not None and item in container


def _ordered_by(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """An order that nothing (`none`, of an episode without such a field) takes part in."""
    return lambda a, b: a is not None and b is not None and compare(a, b)


def _of_values(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Arithmetic with nothing in it gives nothing."""
    return lambda a, b: None if a is None or b is None else compute(a, b)


def _quotient(a: Any, b: Any) -> Any:
    """Exact division; by zero there is no value."""
    if isinstance(a, tuple):
        return (exact(Fraction(a[0]) / b), a[1]) if b else None
    return exact(Fraction(a) / b) if b else None


def _product(a: Any, b: Any) -> Any:
    if isinstance(a, tuple) or isinstance(b, tuple):
        money, factor = (a, b) if isinstance(a, tuple) else (b, a)
        return exact(Fraction(money[0]) * factor), money[1]
    return exact(Fraction(a) * b)


def _sum_of(a: Any, b: Any) -> Any:
    if isinstance(a, frozenset):
        return a | b
    return (exact(a[0] + b[0]), a[1]) if isinstance(a, tuple) else a + b


def _difference(a: Any, b: Any) -> Any:
    return (exact(a[0] - b[0]), a[1]) if isinstance(a, tuple) else a - b


def exact(number: Fraction | int) -> Fraction | int:
    return int(number) if Fraction(number).denominator == 1 else Fraction(number)


DECIDING = {"and": False, "or": True}
DECIDED = {("some", True), ("no", False), ("every", False), ("at-least", True), ("at-most", False)}

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b, "≠": lambda a, b: a != b, "<": _ordered_by(operator.lt), "<=": _ordered_by(operator.le),
    ">": _ordered_by(operator.gt), ">=": _ordered_by(operator.ge),
    "+": _of_values(_sum_of), "-": _of_values(_difference), "×": _of_values(_product), "/": _of_values(_quotient),
    "in": _contains, "subset": lambda a, b: frozenset(a or ()) <= frozenset(b or ()),
}  # fmt: skip

EVALUATORS: dict[type, Callable[[Evaluation, Any, Locals], Value]] = {
    core.Const: lambda e, n, loc: (n.value, CERTAIN),
    core.Cell: Evaluation._cell,
    core.EpisodeField: Evaluation._field,
    core.EpisodeIs: lambda e, n, loc: (e.episode.kind == n.kind, CERTAIN),
    core.ParameterRef: Evaluation._parameter,
    core.SettingRef: lambda e, n, loc: (e.settings[n.name], CERTAIN),
    core.ReadingRef: Evaluation._reading,
    core.DefineRef: Evaluation._define,
    core.Stands: lambda e, n, loc: e.stands(n.statement),
    core.Local: lambda e, n, loc: loc[n.name],
    core.Attribute: Evaluation._attribute,
    core.Members: lambda e, n, loc: (e.members(n.entity), CERTAIN),
    core.Events: Evaluation._events,
    core.Standing: lambda e, n, loc: _standing_names(e, n),
    core.SetOf: Evaluation._set,
    core.ListOf: Evaluation._set,
    core.PairOf: Evaluation._set,
    core.Invert: lambda e, n, loc: negate(e.value(n.operand, loc)),
    core.Operation: Evaluation._operation,
    core.Cases: Evaluation._cases,
    core.Happened: Evaluation._happened,
    core.Quantify: lambda e, n, loc: (
        _any_standing(e, n, loc) if isinstance(n.range.source, core.Standing) else e._quantify(n, loc)
    ),
    core.PickOne: Evaluation._pick,
    core.CountOf: Evaluation._count,
    core.SumOf: Evaluation._sum,
    core.Collect: Evaluation._collect,
    core.Builtin: Evaluation._builtin,
}  # fmt: skip


def _any_standing(e: Evaluation, node: core.Quantify, local: Locals) -> Value:
    """`some fault`, `no fault`, `at least 2 fault`: over statements, each with the certainty of its own standing."""
    source = node.range.source
    assert isinstance(source, core.Standing)
    tested = [e.stands(name) for name in source.statements]
    if node.amount is not None:
        return e._numbered(node, tested, local)
    value = disjoin(tested)
    return negate(value) if node.quantifier == "no" else value


def _standing_names(e: Evaluation, node: core.Standing) -> Value:
    standing = [(name, e.stands(name)) for name in node.statements]
    return tuple(n for n, (v, _) in standing if v is True), frozenset().union(*(r for _, (_, r) in standing))
