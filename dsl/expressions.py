"""Resolving expressions: names are bound, types are worked out, literals take the type asked for."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

from . import ast, core
from .absent import UNKNOWN
from .diagnostics import Report, near_names
from .source import Span
from .types import ANY, DATE, MONEY, NONE, NUMBER, ORDERED, PERCENT, TEXT, YES_NO, Type, comparable, entity, set_of

MAX_NESTED_QUANTIFIERS = 3
Typed = tuple[core.Core, Type]
BUILTINS = ("partner", "known", "size", "nth")


class Names(Protocol):
    """What the resolver of a whole book tells about names; see resolve.py."""

    report: Report

    def lookup(self, name: str) -> tuple[str, Any]: ...
    def define_type(self, name: str, span: Span) -> Type: ...
    def all_names(self) -> set[str]: ...
    def members_of(self, entity_name: str) -> tuple[str, ...] | None: ...
    def predicate(self, name: str) -> "PredicateInfo | None": ...
    def predicate_names(self) -> set[str]: ...
    def statements_of(self, kind: str) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class PredicateInfo:
    event: str
    subject: str
    object: str | None
    subject_type: Type
    object_type: Type | None


@dataclass
class Scope:
    """Local variables, the implicit element, and the statement that is being resolved."""

    names: Names
    variables: dict[str, Type] = field(default_factory=dict)
    depth: int = 0
    statement: str | None = None
    serial: int = 0

    def inner(self, **variables: Type) -> "Scope":
        merged = {**self.variables, **variables}
        return Scope(self.names, merged, self.depth, self.statement, self.serial + 1)

    def expr(self, node: ast.Expr, expected: Type | None = None) -> Typed:
        """The core form of an expression and its type; a mistake is reported and typed `any`."""
        method = getattr(self, f"_{type(node).__name__.lower()}")
        result: Typed = method(node, expected)
        return result

    def condition(self, node: ast.Expr) -> core.Core:
        """An expression that must be yes or no."""
        value, kind = self.expr(node, YES_NO)
        if kind.kind not in ("yes-no", "any") or kind.optional and kind.kind != "any":
            self._error("R0220", node.span, found=kind)
        return value

    def value(self, node: ast.Expr, expected: Type) -> core.Core:
        """An expression that must fit a type."""
        value, kind = self.expr(node, expected)
        self.fit(kind, expected, node.span)
        return value

    def fit(self, kind: Type, expected: Type, span: Span) -> None:
        if kind.kind == "none" and not expected.optional and expected.kind != "any":
            self._error("R0221", span, expected=expected, found=kind)
        elif not comparable(kind, expected):
            self._error("R0221", span, expected=expected, found=kind)

    def _error(self, code: str, span: Span, near: tuple[str, ...] = (), **arguments: object) -> None:
        self.names.report.error(code, span, near, (), **arguments)

    # ---- literals

    def _number(self, node: ast.Number, expected: Type | None) -> Typed:
        if expected and expected.kind == "entity":
            return self._member(node.value, expected.required, node.span)
        return core.Const(exact(node.value)), NUMBER

    def _member(self, name: str, kind: Type, span: Span) -> Typed:
        members = self.names.members_of(kind.name)
        if members is not None and name not in members:
            self._error("R0204", span, near_names(name, members), name=name, entity=kind.name)
        return core.Const(name), kind

    def _amount(self, node: ast.Amount, expected: Type | None) -> Typed:
        if node.unit == "%":
            return core.Const(Fraction(node.value) / 100), PERCENT
        return core.Const((exact(node.value), node.unit)), MONEY

    def _text(self, node: ast.Text, expected: Type | None) -> Typed:
        return core.Const(node.value), TEXT

    def _date(self, node: ast.Date, expected: Type | None) -> Typed:
        return core.Const(node.value), DATE

    def _truth(self, node: ast.Truth, expected: Type | None) -> Typed:
        return core.Const(node.value), YES_NO

    def _nothing(self, node: ast.Nothing, expected: Type | None) -> Typed:
        return core.Const(None), NONE

    def _unknown(self, node: ast.Unknown, expected: Type | None) -> Typed:
        return core.Const(UNKNOWN), ANY

    def _range(self, node: ast.Range, expected: Type | None) -> Typed:
        item = expected.item if expected and expected.item else NUMBER
        if not (node.low.isdecimal() and node.high.isdecimal()):
            self._error("R0227", node.span)
            return core.SetOf(()), set_of(item)
        names = [str(n) for n in range(int(node.low), min(int(node.high), int(node.low) + 999) + 1)]
        if item.kind == "entity":
            return core.SetOf(tuple(self._member(n, item, node.span)[0] for n in names)), set_of(item)
        return core.SetOf(tuple(core.Const(int(n)) for n in names)), set_of(NUMBER)

    def _setliteral(self, node: ast.SetLiteral, expected: Type | None) -> Typed:
        if expected and expected.kind == "pairs" or expected and expected.item and expected.item.kind == "pairs":
            return core.PairOf(tuple(self.expr(i)[0] for i in node.items)), Type("pair")
        item = expected.item if expected and expected.item else None
        ranges = any(isinstance(i, ast.Range) for i in node.items)
        found: list[core.Core] = []
        for element in node.items:
            value, kind = self.expr(element, set_of(item) if item and isinstance(element, ast.Range) else item)
            if isinstance(value, core.SetOf) and ranges:
                found += value.items
                kind = kind.item or ANY
            else:
                found.append(value)
            if item is None and kind.kind != "none":
                item = kind
            elif item is not None:
                self.fit(kind, item, element.span)
        if expected and expected.kind == "list":
            return core.ListOf(tuple(found)), Type("list", item=item or ANY)
        return core.SetOf(tuple(found)), set_of(item or ANY)

    # ---- names

    def _path(self, node: ast.Path, expected: Type | None) -> Typed:
        head, *rest = node.parts
        if head in self.variables:
            value: core.Core = core.Local(head)
            kind = self.variables[head]
        else:
            value, kind = self._name(head, node.span, expected if not rest else None)
        for name in rest:
            value, kind = self._attribute(value, kind, name, node.span)
        return value, kind

    def _attribute(self, value: core.Core, kind: Type, name: str, span: Span) -> Typed:
        if kind.kind == "any":
            return core.Attribute(value, name), ANY
        found = kind.field_type(name)
        if found is None:
            self._error("R0205", span, near_names(name, [f for f, _ in kind.fields]), name=name, type=kind)
            return value, ANY
        return core.Attribute(value, name), replace(found, optional=found.optional or kind.optional)

    def _name(self, name: str, span: Span, expected: Type | None) -> Typed:
        if expected and expected.kind == "enum" and name in expected.values:
            return core.Const(name), expected.required
        if expected and expected.kind == "entity" and name in (self.names.members_of(expected.name) or ()):
            return core.Const(name), expected.required
        role, what = self.names.lookup(name)
        match role:
            case "cell":
                if what.of is not None:
                    self._error("R0206", span, name=name, entity=what.of)
                return core.Cell(name, None), what.type
            case "field":
                return core.EpisodeField(name), what
            case "episode":
                return core.EpisodeIs(name), YES_NO
            case "parameter":
                return core.ParameterRef(name), what
            case "setting":
                return core.SettingRef(name), what
            case "reading":
                return core.ReadingRef(name), Type("enum", name, values=what)
            case "define":
                if what.parameter is not None:
                    self._error("R0207", span, name=name)
                return core.DefineRef(name, None), self.names.define_type(name, span)
            case "set":
                return core.DefineRef(name, None), set_of(entity(what))
            case "statement":
                return core.Stands(name), YES_NO
            case "kind":
                return self._any_of_kind(name), YES_NO
            case "member":
                return core.Const(name), entity(what)
            case "entity":
                return core.Members(name), set_of(entity(name))
            case "ambiguous":
                self._error("R0208", span, name=name, entities=", ".join(what))
            case _:
                self._error("R0201", span, near_names(name, self.names.all_names() | set(self.variables)), name=name)
        return core.Const(None), ANY

    def _any_of_kind(self, kind: str) -> core.Core:
        names = tuple(n for n in self.names.statements_of(kind) if n != self.statement)
        return core.Quantify("some", None, core.Range(core.Standing(names), (), None, None), None)

    def _index(self, node: ast.Index, expected: Type | None) -> Typed:
        role, cell = self.names.lookup(node.name)
        if role != "cell" or cell.of is None:
            self._error("R0209", node.span, name=node.name)
            return core.Const(None), ANY
        return core.Cell(node.name, self.value(node.key, entity(cell.of))), cell.type

    def _call(self, node: ast.Call, expected: Type | None) -> Typed:
        if node.name in BUILTINS:
            return self._builtin(node)
        role, what = self.names.lookup(node.name)
        if role != "define" or what.parameter is None or len(node.arguments) != 1:
            self._error("R0210", node.span, near_names(node.name, self.names.all_names()), name=node.name)
            return core.Const(None), ANY
        argument = self.value(node.arguments[0], Type("entity", what.parameter[0], optional=True))
        return core.DefineRef(node.name, argument), self.names.define_type(node.name, node.span)

    def _builtin(self, node: ast.Call) -> Typed:
        if node.name == "partner" and len(node.arguments) == 2:
            pair, kind = self.expr(node.arguments[0])
            item = kind.field_type("a") or ANY
            value, _ = self.expr(node.arguments[1], item)
            return core.Builtin("partner", (pair, value)), item.maybe
        if node.name == "nth" and len(node.arguments) == 2:
            listed, kind = self.expr(node.arguments[0])
            return core.Builtin("nth", (listed, self.value(node.arguments[1], NUMBER))), (kind.item or ANY).maybe
        arguments = tuple(self.expr(a)[0] for a in node.arguments)
        if len(arguments) != 1 or node.name in ("partner", "nth"):
            self._error("R0210", node.span, name=node.name)
            return core.Const(None), ANY
        return core.Builtin(node.name, arguments), YES_NO if node.name == "known" else NUMBER

    # ---- operators

    def _not(self, node: ast.Not, expected: Type | None) -> Typed:
        return core.Invert(self.condition(node.operand)), YES_NO

    def _conditional(self, node: ast.Conditional, expected: Type | None) -> Typed:
        cases: list[tuple[core.Core, core.Core]] = []
        kind = expected
        for value, condition in node.cases:
            resolved, found = self.expr(value, kind)
            kind = kind if kind and kind.kind != "none" else found
            self.fit(found, kind.maybe, value.span)
            cases.append((self.condition(condition), resolved))
        otherwise, found = self.expr(node.otherwise, kind)
        result = kind or found
        if result.kind == "none":
            result = found
        if found.optional or any(isinstance(v, ast.Nothing) for v, _ in node.cases):
            result = result.maybe
        return core.Cases(tuple(cases), otherwise, ordered=True), result

    def _binary(self, node: ast.Binary, expected: Type | None) -> Typed:
        if node.op in ("or", "and"):
            return core.Operation(node.op, self.condition(node.left), self.condition(node.right)), YES_NO
        if node.op == "in":
            return self._in(node)
        if node.op in ("=", "≠", "<", "<=", ">", ">="):
            return self._comparison(node)
        left, a = self.expr(node.left, expected if node.op in "+-" else None)
        right, b = self.expr(node.right, a if node.op in "+-" else None)
        return core.Operation(node.op, left, right), self._arithmetic(node, a, b)

    def _arithmetic(self, node: ast.Binary, a: Type, b: Type) -> Type:
        kinds = {a.kind, b.kind}
        if "any" in kinds:
            return ANY
        if a.optional or b.optional:
            self._error("R0223", node.span)
        if a.kind == "set" and b.kind == "set" and node.op in "+-":
            return a
        if kinds <= {"number", "percent"}:
            return NUMBER
        if "money" in kinds and (kinds == {"money"} if node.op in "+-" else kinds <= {"money", "number", "percent"}):
            return MONEY
        self._error("R0222", node.span, op=node.op, left=a, right=b)
        return ANY

    def _comparison(self, node: ast.Binary) -> Typed:
        left_first = not isinstance(node.left, ast.Number | ast.SetLiteral)
        if left_first:
            left, a = self.expr(node.left)
            right, b = self.expr(node.right, a)
        else:
            right, b = self.expr(node.right)
            left, a = self.expr(node.left, b)
        if not comparable(a, b):
            self._error("R0222", node.span, op=node.op, left=a, right=b)
        elif node.op not in "=≠":
            if (a.optional or b.optional) and "any" not in (a.kind, b.kind):
                self._error("R0223", node.span)
            elif a.kind not in ORDERED and a.kind != "any":
                self._error("R0222", node.span, op=node.op, left=a, right=b)
        return core.Operation(node.op, left, right), YES_NO

    def _in(self, node: ast.Binary) -> Typed:
        right, container = self.expr(node.right)
        if container.kind == "event":
            item = container.field_type("a") or ANY
            return core.Operation("in", self.expr(node.left, item)[0], right), YES_NO
        if container.kind == "pairs":
            return core.Operation("in", self.expr(node.left, container)[0], right), YES_NO
        if container.kind not in ("set", "list", "any"):
            self._error("R0224", node.right.span, found=container)
            return core.Const(False), YES_NO
        item = container.item or ANY
        left, kind = self.expr(node.left, item)
        if kind.kind in ("set", "list"):
            self.fit(kind.item or ANY, item, node.left.span)
            return core.Operation("subset", left, right), YES_NO
        self.fit(kind, item.maybe, node.left.span)
        return core.Operation("in", left, right), YES_NO

    # ---- events and quantifiers

    def _holds(self, node: ast.Holds, expected: Type | None) -> Typed:
        info = self.names.predicate(node.predicate)
        if info is None:
            role, what = self.names.lookup(node.predicate)
            if role == "define" and what.parameter is not None and not node.objects:
                argument = self.value(node.subject, Type("entity", what.parameter[0], optional=True))
                return core.DefineRef(node.predicate, argument), self.names.define_type(node.predicate, node.span)
            near = near_names(node.predicate, self.names.predicate_names())
            self._error("R0202", node.span, near, name=node.predicate)
            return core.Const(False), YES_NO
        subject = self.value(node.subject, info.subject_type.maybe)
        target = None
        if node.objects:
            if info.object_type is None or len(node.objects) > 1:
                self._error("R0211", node.span, name=node.predicate)
            else:
                target = self.value(node.objects[0], info.object_type.maybe)
        anchor = self._anchor(node.anchor)
        return core.Happened(info.event, info.subject, subject, info.object or "", target, anchor), YES_NO

    def _anchor(self, node: ast.Anchor | None) -> core.When | None:
        if node is None:
            return None
        event, kind = self.expr(node.event)
        if kind.kind not in ("event", "any"):
            self._error("R0225", node.event.span, found=kind)
        return core.When(node.relation, event)

    def range(self, node: ast.Sequence, anchor: ast.Anchor | None = None) -> tuple[core.Range, Type, "Scope"]:
        """What a sequence runs over, the type of its elements, and the scope of its body."""
        if self.depth >= MAX_NESTED_QUANTIFIERS:
            self._error("R0226", node.span, limit=MAX_NESTED_QUANTIFIERS)
        source, item = self._sequence_source(node)
        variables = {"it": item, "@": item, **({node.alias: item} if node.alias else {})}
        inner = self.inner(**variables)
        inner.depth = self.depth + 1
        where = inner.condition(node.where) if node.where is not None else None
        names = tuple(variables)
        return core.Range(source, names, where, self._anchor(anchor)), item, inner

    def _sequence_source(self, node: ast.Sequence) -> tuple[core.Core, Type]:
        head = node.path.parts[0]
        if head not in self.variables and len(node.path.parts) == 1:
            role, _ = self.names.lookup(head)
            if role == "kind":
                names = self.names.statements_of(head)
                if node.other:
                    names = tuple(n for n in names if n != self.statement)
                return core.Standing(names), TEXT
            event = self.names.lookup(f"event:{head}")
            if event[0] == "event" and role != "set":
                return core.Events(head), event[1]
        value, kind = self._path(node.path, None)
        if kind.kind not in ("set", "list", "any"):
            self._error("R0224", node.path.span, found=kind)
            return core.SetOf(()), ANY
        return value, kind.item or ANY

    def _quantified(self, node: ast.Quantified, expected: Type | None) -> Typed:
        chosen, _, inner = self.range(node.sequence, node.anchor)
        amount = self.value(node.amount, NUMBER) if node.amount is not None else None
        body = inner.condition(node.body) if node.body is not None else None
        return core.Quantify(node.quantifier, amount, chosen, body), YES_NO

    def _pick(self, node: ast.Pick, expected: Type | None) -> Typed:
        chosen, item, _ = self.range(node.sequence, node.anchor)
        if node.which == "all":
            return core.Collect(chosen), set_of(item)
        return core.PickOne(node.which, chosen), item.maybe

    def _count(self, node: ast.Count, expected: Type | None) -> Typed:
        return core.CountOf(self.range(node.sequence, node.anchor)[0]), NUMBER

    def _sum(self, node: ast.Sum, expected: Type | None) -> Typed:
        chosen, _, inner = self.range(node.sequence)
        value, kind = inner.expr(node.value)
        return core.SumOf(value, chosen), kind


def exact(text: str) -> int | Fraction:
    """The exact number that a decimal text stands for."""
    number = Fraction(text)
    return int(number) if number.denominator == 1 else number
