"""What the rules compute with.

Numbers are int or Fraction; money is (amount, currency); members of entities and enumerations are
their ids; sets are frozensets, lists tuples, records dicts; `none` is None, `unknown` is UNKNOWN.
Every computed value travels with what it rests on: a set of tokens ("event", kind), which was not
observed; ("reading", id); ("cell", name), which is unknown.
"""

from dataclasses import dataclass
from typing import Any

from ..dsl.absent import UNKNOWN

Rests = frozenset[tuple[str, str]]
Value = tuple[Any, Rests]
CERTAIN: Rests = frozenset()
TRUE: Value = (True, CERTAIN)
FALSE: Value = (False, CERTAIN)


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of an episode; `index` is its place in time."""

    kind: str
    index: int
    fields: tuple[tuple[str, Any], ...]

    def field(self, name: str) -> Any:
        return dict(self.fields)[name]

    @property
    def pair(self) -> tuple[Any, Any]:
        """The two of an unordered pair event."""
        return self.fields[0][1], self.fields[1][1]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An episode as the rules see it: its kind, its fields by name, its events in order."""

    kind: str
    fields: dict[str, Any]
    happenings: tuple[Happening, ...] = ()


def negate(operand: Value) -> Value:
    value, rests = operand
    return (value if value is UNKNOWN else not value), rests


def conjoin(operands: list[Value]) -> Value:
    """Kleene's `and`: a certain no decides; else every no that rests on something is named."""
    return _join(operands, deciding=False)


def disjoin(operands: list[Value]) -> Value:
    """Kleene's `or`: a certain yes decides; else every yes that rests on something is named."""
    return _join(operands, deciding=True)


def _join(operands: list[Value], deciding: bool) -> Value:
    decisive = [rests for value, rests in operands if value is not UNKNOWN and value == deciding]
    if decisive:
        return deciding, CERTAIN if CERTAIN in decisive else frozenset().union(*decisive)
    unknown = [rests for value, rests in operands if value is UNKNOWN]
    if unknown:
        return UNKNOWN, frozenset().union(*unknown)
    return (not deciding), frozenset().union(*(rests for _, rests in operands))
