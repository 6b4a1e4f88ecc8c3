"""The syntax tree: one class a construct, frozen, free of any language.

Every node begins with its `span`, which does not take part in equality. Names are ids: the forms
that a dialect writes are translated while the tree is built (see build.py).
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .source import Span


def _span() -> Any:
    return field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Node:
    """What every node has."""

    span: Span = _span()


# ---- expressions


@dataclass(frozen=True, slots=True)
class Number(Node):
    """`4`, `2.5`: an exact decimal, as text."""

    value: str


@dataclass(frozen=True, slots=True)
class Amount(Node):
    """`50%`, `500 RSD`."""

    value: str
    unit: str


@dataclass(frozen=True, slots=True)
class Text(Node):
    """`"text"`."""

    value: str


@dataclass(frozen=True, slots=True)
class Date(Node):
    """`2026-01-31`."""

    value: str


@dataclass(frozen=True, slots=True)
class Truth(Node):
    """`true`, `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Nothing(Node):
    """`none`."""


@dataclass(frozen=True, slots=True)
class Unknown(Node):
    """`unknown`."""


@dataclass(frozen=True, slots=True)
class Path(Node):
    """`name`, `it.field`, `t.ball`; `@` is the element of the enclosing quantifier."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`groups[shooter]`."""

    name: str
    key: "Expr"


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`opponent(by)`: a define with a parameter, or a built-in function."""

    name: str
    arguments: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class SetLiteral(Node):
    """`{cue, 8}`."""

    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`1..7`."""

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """`a when c, b when d otherwise e`."""

    cases: tuple[tuple["Expr", "Expr"], ...]  # (value, condition)
    otherwise: "Expr"


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`not p`."""

    operand: "Expr"


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`a op b`; op is one of: or and = ≠ < <= > >= + - × / in."""

    op: str
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True, slots=True)
class Anchor(Node):
    """`after EVENT`, `before EVENT`."""

    relation: str
    event: "Expr"


@dataclass(frozen=True, slots=True)
class Holds(Node):
    """`ball pocketed foot-left after first-contact`."""

    subject: "Expr"
    predicate: str
    objects: tuple["Expr", ...]
    anchor: Anchor | None


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """`other foul`, `ball as b where (...)`: what a quantifier ranges over."""

    other: bool
    path: Path
    alias: str | None
    where: "Expr | None"


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """`at least 4 numbered-ball driven-to`; quantifier: some no every at-least at-most exactly."""

    quantifier: str
    amount: "Expr | None"
    sequence: Sequence
    anchor: Anchor | None  # only where there is no body
    body: "Expr | None"


@dataclass(frozen=True, slots=True)
class Pick(Node):
    """`first contact where (...)`, `last ...`, `all ball where (...)`."""

    which: str
    sequence: Sequence
    anchor: Anchor | None


@dataclass(frozen=True, slots=True)
class Count(Node):
    """`count of own-ball`."""

    sequence: Sequence
    anchor: Anchor | None


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """`sum of r.points for every result as r`."""

    value: "Expr"
    sequence: Sequence


Expr = (
    Number | Amount | Text | Date | Truth | Nothing | Unknown | Path | Index | Call | SetLiteral | Range
    | Conditional | Not | Binary | Holds | Quantified | Pick | Count | Sum
)  # fmt: skip


# ---- types as written


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    name: str


@dataclass(frozen=True, slots=True)
class SetType(Node):
    item: "Type"


@dataclass(frozen=True, slots=True)
class ListType(Node):
    item: "Type"


@dataclass(frozen=True, slots=True)
class PairsType(Node):
    """`pairs of ball and cushion`: unordered pairs of members of these entities."""

    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EnumType(Node):
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordType(Node):
    fields: tuple["Field", ...]


@dataclass(frozen=True, slots=True)
class OptionalType(Node):
    item: "Type"


Type = NamedType | SetType | ListType | PairsType | EnumType | RecordType | OptionalType


# ---- declarations


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`tool "with": tool = hand`; `key` is the JSON key where it differs from the name."""

    name: str
    key: str | None
    type: Type
    default: Expr | None


@dataclass(frozen=True, slots=True)
class Member(Node):
    name: str
    key: str | None


@dataclass(frozen=True, slots=True)
class Entity(Node):
    """Members, in order; none given: the players of the match."""

    name: str
    members: tuple[Member, ...] | None


@dataclass(frozen=True, slots=True)
class SetDeclaration(Node):
    name: str
    entity: str
    value: Expr | None
    where: Expr | None


@dataclass(frozen=True, slots=True)
class Levels(Node):
    """Outermost first."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Predicate(Node):
    subject: str
    name: str
    object: str | None


@dataclass(frozen=True, slots=True)
class Event(Node):
    """`form` is positional, record or pair (an unordered pair of two of one entity)."""

    name: str
    key: str | None
    form: str
    fields: tuple[Field, ...]
    alone: bool
    predicate: Predicate | None


@dataclass(frozen=True, slots=True)
class Episode(Node):
    """`corrects` = (field of an earlier episode, own field that holds the new value)."""

    name: str
    key: str | None
    fields: tuple[Field, ...]
    corrects: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class State(Node):
    name: str
    of: str | None
    type: Type
    initial: Expr
    level: str | None
    position: Expr | None


@dataclass(frozen=True, slots=True)
class Kind(Node):
    """A kind of finding; `role` is against, for or none."""

    name: str
    role: str
    whom: Expr | None


@dataclass(frozen=True, slots=True)
class Effect(Node):
    name: str
    parameters: tuple[tuple[str, str], ...]  # (name, entity)
    acts: tuple["Act", ...]


@dataclass(frozen=True, slots=True)
class Require(Node):
    """`kinds` are episode kinds; `position` stands for position lines."""

    name: str
    kinds: tuple[str, ...]
    condition: Expr


@dataclass(frozen=True, slots=True)
class Column(Node):
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class OrderKey(Node):
    value: Expr
    descending: bool


@dataclass(frozen=True, slots=True)
class View(Node):
    name: str
    sequence: Sequence
    columns: tuple[Column, ...]
    order: tuple[OrderKey, ...]


@dataclass(frozen=True, slots=True)
class Dated(Node):
    """A value with its unit, and the day from which it is in force (None: always)."""

    value: str
    unit: str | None
    since: str | None


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    name: str
    values: tuple[Dated, ...]


@dataclass(frozen=True, slots=True)
class Setting(Node):
    name: str
    type: Type
    default: Expr


@dataclass(frozen=True, slots=True)
class Reading(Node):
    name: str
    default: str
    alternatives: tuple[str, ...]
    wording: str


@dataclass(frozen=True, slots=True)
class Define(Node):
    """One case without a condition, or several: the conditions may not overlap with other values."""

    name: str
    parameter: tuple[str, str] | None  # (entity, variable)
    cases: tuple[tuple[Expr | None, Expr], ...]  # (condition, value); None: otherwise


# ---- statements


@dataclass(frozen=True, slots=True)
class Place(Node):
    cell: str
    key: Expr | None


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """op: becomes, increases, gains, loses."""

    op: str
    place: Place
    value: Expr


@dataclass(frozen=True, slots=True)
class Restart(Node):
    level: str


@dataclass(frozen=True, slots=True)
class Perform(Node):
    effect: str
    arguments: tuple[Expr, ...]


Act = Assign | Restart | Perform


@dataclass(frozen=True, slots=True)
class Target(Node):
    """form: statement, clause, kind. `stamp` is the fingerprint of what is overridden, or None."""

    form: str
    parts: tuple[str, ...]
    stamp: str | None


@dataclass(frozen=True, slots=True)
class Modifiers(Node):
    unless: tuple[Expr, ...] = ()
    overrides: tuple[Target, ...] = ()
    keeps: tuple[Target, ...] = ()
    fills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option(Node):
    name: str
    condition: Expr | None
    wording: str
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Finding(Node):
    name: str
    kind: str
    each: Sequence | None
    whom: Expr | None
    condition: Expr | None
    modifiers: Modifiers


@dataclass(frozen=True, slots=True)
class Change(Node):
    """`before` is true for `prepare`: applied before the episode is judged."""

    name: str
    before: bool
    each: Sequence | None
    condition: Expr | None
    modifiers: Modifiers
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Exception_(Node):
    name: str
    condition: Expr
    modifiers: Modifiers


@dataclass(frozen=True, slots=True)
class Void(Node):
    name: str
    condition: Expr
    modifiers: Modifiers
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Choice(Node):
    name: str
    whom: Expr
    member: Sequence | None
    condition: Expr
    modifiers: Modifiers
    wording: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Silent(Node):
    name: str
    whom: Expr | None
    condition: Expr
    modifiers: Modifiers
    wording: str
    options: tuple[Option, ...]
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Deferred(Node):
    name: str
    condition: Expr | None
    modifiers: Modifiers
    cells: tuple[str, ...]


Statement = Finding | Change | Exception_ | Void | Choice | Silent | Deferred
Declaration = (
    Entity | SetDeclaration | Levels | Event | Episode | State | Kind | Effect | Require | View
    | Parameter | Setting | Reading | Define
)  # fmt: skip


# ---- examples


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """form: cell, setting, reading."""

    form: str
    name: str
    key: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Given(Node):
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """`name` is None for a positional value."""

    name: str | None
    value: "GivenValue"


@dataclass(frozen=True, slots=True)
class GivenSet(Node):
    """`{3, foot-left}` a list; `{ball=3 pocket=foot-left}` a record."""

    entries: tuple[Argument, ...]


GivenValue = Path | Number | Amount | Text | Date | Truth | Nothing | Unknown | Range | GivenSet


@dataclass(frozen=True, slots=True)
class Moment(Node):
    event: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Happens(Node):
    """form: episode (kind = name), choice, ruling (name = choice or silent)."""

    form: str
    name: str
    option: str | None
    whom: Expr | None
    about: GivenValue | None
    arguments: tuple[Argument, ...]
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True)
class Expect(Node):
    expectations: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Example(Node):
    title: str
    steps: tuple[Given | Happens | Expect, ...]


# ---- documents


@dataclass(frozen=True, slots=True)
class Form(Node):
    """One form of a name in one dialect: tags as written (gen, pl, neg, f ...)."""

    text: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameEntry(Node):
    """The forms of an id in one dialect, with its gloss."""

    id: str
    dialect: str
    forms: tuple[Form, ...]
    gloss: str


@dataclass(frozen=True, slots=True)
class Clause(Node):
    id: str
    title: str
    label: str
    replaces: tuple[str, ...] | None
    sources: tuple[str, ...]
    wording: str
    notes: tuple[str, ...]
    informative: str | None
    declarations: tuple[Declaration, ...]
    statements: tuple[Statement, ...]
    examples: tuple[Example, ...]
    clauses: tuple["Clause", ...]


@dataclass(frozen=True, slots=True)
class Part(Node):
    title: str
    wording: str
    items: tuple["Clause | Part", ...]


@dataclass(frozen=True, slots=True)
class Vocabulary(Node):
    id: str
    title: str
    declarations: tuple[Declaration, ...]
    statements: tuple[Statement, ...]
    names: tuple[NameEntry, ...]


@dataclass(frozen=True, slots=True)
class Rulebook(Node):
    id: str
    title: str
    uses: tuple[str, ...]
    extends: str | None
    adopts: tuple[tuple[str, str], ...]  # (clause, book)
    authoritative: str
    edition: tuple[str, str | None] | None
    names: tuple[NameEntry, ...]
    items: tuple[Clause | Part, ...]


Document = Vocabulary | Rulebook


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in reading order."""
    for slot in dataclasses.fields(node):
        if slot.name != "span":
            yield from _nodes(getattr(node, slot.name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, depth first."""
    yield node
    for child in children(node):
        yield from walk(child)


def clauses(items: tuple[Clause | Part, ...]) -> Iterator[Clause]:
    """Every clause, in the order of the document."""
    for item in items:
        if isinstance(item, Clause):
            yield item
            yield from clauses(item.clauses)
        else:
            yield from clauses(item.items)
