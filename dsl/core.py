"""The resolved rulebook: every name bound, every literal typed, ready to be judged by."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from . import ast
from .absent import REQUIRED
from .lexicon import Lexicon
from .source import Span
from .types import Type


@dataclass(frozen=True, slots=True)
class Const:
    value: Any  # None is `none`; UNKNOWN below is `unknown`


@dataclass(frozen=True, slots=True)
class Cell:
    name: str
    key: "Core | None"


@dataclass(frozen=True, slots=True)
class EpisodeField:
    name: str


@dataclass(frozen=True, slots=True)
class EpisodeIs:
    kind: str


@dataclass(frozen=True, slots=True)
class ParameterRef:
    name: str


@dataclass(frozen=True, slots=True)
class SettingRef:
    name: str


@dataclass(frozen=True, slots=True)
class ReadingRef:
    name: str


@dataclass(frozen=True, slots=True)
class DefineRef:
    name: str
    argument: "Core | None"


@dataclass(frozen=True, slots=True)
class Stands:
    """Whether a statement stands."""

    statement: str


@dataclass(frozen=True, slots=True)
class Local:
    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field of an event or record; none of none."""

    of: "Core"
    name: str


@dataclass(frozen=True, slots=True)
class Members:
    """All members of an entity, in order."""

    entity: str


@dataclass(frozen=True, slots=True)
class Events:
    kind: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The names of the standing statements among these."""

    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetOf:
    items: tuple["Core", ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """The members of a set literal where a list is asked for: in the order in which they are written."""

    items: tuple["Core", ...]


@dataclass(frozen=True, slots=True)
class PairOf:
    items: tuple["Core", ...]


@dataclass(frozen=True, slots=True)
class Invert:
    operand: "Core"


@dataclass(frozen=True, slots=True)
class Operation:
    op: str
    left: "Core"
    right: "Core"


@dataclass(frozen=True, slots=True)
class Cases:
    """The value of the case whose condition holds; a define may not hold two different ones."""

    cases: tuple[tuple["Core", "Core"], ...]  # (condition, value)
    otherwise: "Core"
    ordered: bool  # an inline conditional takes the first that holds


@dataclass(frozen=True, slots=True)
class When:
    relation: str
    event: "Core"


@dataclass(frozen=True, slots=True)
class Happened:
    """Some event of a kind has `subject` in its field `subject_field` (and `object` in the other)."""

    kind: str
    subject_field: str
    subject: "Core"
    object_field: str
    object: "Core | None"
    anchor: When | None


@dataclass(frozen=True, slots=True)
class Range:
    """What a quantifier runs over: the elements of `source` for which `where` holds."""

    source: "Core"
    variables: tuple[str, ...]
    where: "Core | None"
    anchor: When | None


@dataclass(frozen=True, slots=True)
class Quantify:
    quantifier: str
    amount: "Core | None"
    range: Range
    body: "Core | None"


@dataclass(frozen=True, slots=True)
class PickOne:
    which: str
    range: Range


@dataclass(frozen=True, slots=True)
class CountOf:
    range: Range


@dataclass(frozen=True, slots=True)
class SumOf:
    value: "Core"
    range: Range


@dataclass(frozen=True, slots=True)
class Collect:
    """The elements of a range, as a set (of events: a list)."""

    range: Range


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of the engine: partner (of a pair), known, size."""

    name: str
    arguments: tuple["Core", ...]


Core = (
    Const | Cell | EpisodeField | EpisodeIs | ParameterRef | SettingRef | ReadingRef | DefineRef | Stands | Local
    | Attribute | Members | Events | Standing | SetOf | ListOf | PairOf | Invert | Operation | Cases | Happened
    | Quantify | PickOne | CountOf | SumOf | Collect | Builtin
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Op:
    """One change of a cell; op: becomes, increases, gains, loses."""

    op: str
    cell: str
    key: Core | None
    value: Core


@dataclass(frozen=True, slots=True)
class RestartOp:
    level: str


@dataclass(frozen=True, slots=True)
class EffectOps:
    """The ops of an effect, with its parameters bound to these values."""

    bindings: tuple[tuple[str, Core], ...]
    ops: tuple["AnyOp", ...]


AnyOp = Op | RestartOp | EffectOps


@dataclass(frozen=True, slots=True)
class ResolvedOption:
    name: str
    condition: Core | None
    ops: tuple[AnyOp, ...]
    wording: str


@dataclass(frozen=True, slots=True)
class ClauseInfo:
    """The clause that a statement is cited by; vocabularies have one of their own, without sources."""

    id: str
    title: str
    label: str
    sources: tuple[str, ...]
    book: str
    lang: str


@dataclass(frozen=True, slots=True)
class Statement:
    """form: finding change prepare exception void choice silent deferred."""

    name: str
    form: str
    kind: str  # of a finding
    clause: ClauseInfo
    span: Span
    condition: Core
    unless: tuple[Core, ...]
    overrides: tuple[str, ...]  # names of statements
    keeps: tuple[str, ...]
    role: str = "none"
    whom: Core | None = None
    each: Range | None = None
    ops: tuple[AnyOp, ...] = ()
    options: tuple[ResolvedOption, ...] = ()
    cells: tuple[str, ...] = ()
    wording: str = ""


@dataclass(frozen=True, slots=True)
class FieldInfo:
    name: str
    key: str
    type: Type
    default: Any  # a value, or REQUIRED


@dataclass(frozen=True, slots=True)
class EventInfo:
    name: str
    key: str
    form: str
    fields: tuple[FieldInfo, ...]
    alone: bool


@dataclass(frozen=True, slots=True)
class EpisodeInfo:
    name: str
    key: str
    fields: tuple[FieldInfo, ...]
    corrects: tuple[str, str] | None
    moments: bool  # whether events happen in it


@dataclass(frozen=True, slots=True)
class CellInfo:
    name: str
    key: str
    of: str | None
    type: Type
    initial: Core
    level: str | None
    position: Core | None


@dataclass(frozen=True, slots=True)
class Requirement:
    name: str
    kinds: tuple[str, ...]
    condition: Core
    clause: ClauseInfo


@dataclass(frozen=True, slots=True)
class ViewInfo:
    name: str
    range: Range
    columns: tuple[tuple[str, Core], ...]
    order: tuple[tuple[Core, bool], ...]


@dataclass(frozen=True, slots=True)
class ReadingInfo:
    name: str
    default: str
    alternatives: tuple[str, ...]
    wording: str
    clause: ClauseInfo


@dataclass(frozen=True, slots=True)
class SettingInfo:
    name: str
    key: str
    type: Type
    default: Any


@dataclass(frozen=True, slots=True)
class DefineInfo:
    name: str
    variable: str | None
    value: Core
    type: Type
    span: Span


@dataclass(frozen=True)
class Resolved:
    """A consolidated rulebook, bound and typed. Immutable; everything the judge needs."""

    id: str
    title: str
    authoritative: str
    fingerprint: str
    entities: dict[str, tuple[tuple[str, str], ...] | None]  # name -> (member, JSON key); None: players
    levels: tuple[str, ...]
    events: dict[str, EventInfo]
    episodes: dict[str, EpisodeInfo]
    cells: dict[str, CellInfo]
    kinds: dict[str, ast.Kind]
    sets: dict[str, Core]
    defines: dict[str, DefineInfo]
    parameters: dict[str, ast.Parameter]
    parameter_types: dict[str, Type]
    settings: dict[str, SettingInfo]
    readings: dict[str, ReadingInfo]
    statements: dict[str, Statement]
    requirements: tuple[Requirement, ...]
    views: dict[str, ViewInfo]
    clauses: tuple[tuple[ast.Clause, ClauseInfo], ...]
    documents: tuple[ast.Document, ...]
    lexicon: Lexicon = field(compare=False)

    @cached_property
    def defeaters(self) -> dict[str, tuple[str, ...]]:
        """Statement -> what could defeat it: what overrides it, and every void that does not keep it; sorted."""
        found: dict[str, set[str]] = {name: set() for name in self.statements}
        for s in self.statements.values():
            for target in s.overrides:
                found[target].add(s.name)
        for void in (s for s in self.statements.values() if s.form == "void"):
            for s in self.statements.values():
                if s.form not in ("void", "prepare") and s.name not in void.keeps:
                    found[s.name].add(void.name)
        return {name: tuple(sorted(names)) for name, names in found.items()}

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Member of an entity -> its place in the declared order."""
        return {name: n for members in self.entities.values() for n, (name, _) in enumerate(members or ())}

    @cached_property
    def field_defaults(self) -> dict[str, Any]:
        """What a field is worth in an episode that does not have it: its default, or none."""
        found: dict[str, Any] = {}
        for episode in self.episodes.values():
            for f in episode.fields:
                if f.default is not REQUIRED:
                    found.setdefault(f.name, f.default)
        return found


def name_of(key: str) -> str:
    """The declared name behind a key of the contract."""
    return key.replace("_", "-")


def json_key(name: str) -> str:
    """How a declared name is spelt in the contract: snake_case."""
    return name.replace("-", "_")


def parts(node: Any) -> Iterator[Any]:
    """The core nodes directly below a core node, a statement or an op."""
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        for slot in dataclasses.fields(node):
            yield from _parts(getattr(node, slot.name))


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type | ClauseInfo | Span | Type):
        yield value


def walk(node: Any) -> Iterator[Any]:
    """A core node and everything below it."""
    yield node
    for part in parts(node):
        yield from walk(part)
