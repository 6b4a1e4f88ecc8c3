"""The syntax tree: one class a construct, frozen, free of any language.

Every node begins with its `span`, which does not take part in equality. Names are ids: the forms
that a dialect writes are translated while the tree is built (see build.py).
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from .declarations import (
    Act,
    Assign,
    Column,
    Dated,
    Declaration,
    Define,
    Effect,
    Entity,
    Episode,
    Event,
    Kind,
    Levels,
    Member,
    OrderKey,
    Parameter,
    Perform,
    Place,
    Predicate,
    Reading,
    Require,
    Restart,
    SetDeclaration,
    Setting,
    State,
    View,
)  # fmt: skip
from .nodes import (
    Amount,
    Anchor,
    Binary,
    Call,
    Conditional,
    Count,
    Date,
    EnumType,
    Expr,
    Field,
    Holds,
    Index,
    ListType,
    NamedType,
    Node,
    Not,
    Nothing,
    Number,
    OptionalType,
    PairsType,
    Path,
    Pick,
    Quantified,
    Range,
    RecordType,
    Sequence,
    SetLiteral,
    SetType,
    Sum,
    Text,
    Truth,
    Type,
    Unknown,
)  # fmt: skip

# ---- statements


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
    """`role` is the word before `whom`: against, for; empty where the kind of finding says whom."""

    name: str
    kind: str
    each: Sequence | None
    whom: Expr | None
    condition: Expr | None
    modifiers: Modifiers
    role: str = ""


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
    """`{3, foot-left}` a list; `{player=A side=left}` a record."""

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


__all__ = [
    "Act", "Amount", "Anchor", "Argument", "Assign", "Binary", "Binding", "Call", "Change", "Choice", "Clause",
    "Column", "Conditional", "Count", "Date", "Dated", "Declaration", "Deferred", "Define", "Document",
    "Effect", "Entity", "EnumType", "Episode", "Event", "Example", "Exception_", "Expect", "Expr", "Field",
    "Finding", "Form", "Given", "GivenSet", "GivenValue", "Happens", "Holds", "Index", "Kind", "Levels",
    "ListType", "Member", "Modifiers", "Moment", "NameEntry", "NamedType", "Node", "Not", "Nothing", "Number",
    "Option", "OptionalType", "OrderKey", "PairsType", "Parameter", "Part", "Path", "Perform", "Pick", "Place",
    "Predicate", "Quantified", "Range", "Reading", "RecordType", "Require", "Restart", "Rulebook", "Sequence",
    "SetDeclaration", "SetLiteral", "SetType", "Setting", "Silent", "State", "Statement", "Sum", "Target",
    "Text", "Truth", "Type", "Unknown", "View", "Vocabulary", "Void", "children", "clauses", "walk",
]  # fmt: skip
