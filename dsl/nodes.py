"""The syntax tree of expressions and types; see ast.py for declarations, statements and documents."""

from dataclasses import dataclass, field

from .source import Span


@dataclass(frozen=True, slots=True)
class Node:
    """What every node has."""

    span: Span = field(compare=False, repr=False)


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
    """`name`, `it.field`, `t.thing`; `@` is the element of the enclosing quantifier."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`points[server]`."""

    name: str
    key: "Expr"


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`opponent(server)`: a define with a parameter, or a built-in function."""

    name: str
    arguments: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class SetLiteral(Node):
    """`{left, 8}`."""

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
    """`serve landed left-half after first-bounce`."""

    subject: "Expr"
    predicate: str
    objects: tuple["Expr", ...]
    anchor: Anchor | None


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """`other fault`, `player as p where (...)`: what a quantifier ranges over."""

    other: bool
    path: Path
    alias: str | None
    where: "Expr | None"


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """`at least 4 player ready`; quantifier: some no every at-least at-most exactly."""

    quantifier: str
    amount: "Expr | None"
    sequence: Sequence
    anchor: Anchor | None  # only where there is no body
    body: "Expr | None"


@dataclass(frozen=True, slots=True)
class Pick(Node):
    """`first bounce where (...)`, `last ...`, `all player where (...)`."""

    which: str
    sequence: Sequence
    anchor: Anchor | None


@dataclass(frozen=True, slots=True)
class Count(Node):
    """`count of own-thing`."""

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
    """`pairs of player and seat`: unordered pairs of members of these entities."""

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


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`tool "with": tool = hand`; `key` is the JSON key where it differs from the name."""

    name: str
    key: str | None
    type: "Type"
    default: Expr | None


Type = NamedType | SetType | ListType | PairsType | EnumType | RecordType | OptionalType
