"""The syntax tree of declarations, and of the acts that change state; see ast.py."""

from dataclasses import dataclass

from .nodes import Expr, Field, Node, Sequence, Type


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
    acts: tuple[Act, ...]


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


Declaration = (
    Entity | SetDeclaration | Levels | Event | Episode | State | Kind | Effect | Require | View
    | Parameter | Setting | Reading | Define
)  # fmt: skip
