"""Which statements stand: the condition holds, no `unless` does, and nothing that stands overrides or voids it."""

from dataclasses import dataclass, field
from typing import Any

from ..dsl import core
from .evaluate import Evaluation, Locals
from .values import FALSE, Rests, Value, conjoin, disjoin, negate


@dataclass
class Standing:
    """The standing of every statement in one judgement; computed once each, in any order."""

    evaluation: Evaluation
    _held: dict[str, Value] = field(default_factory=dict)
    _stands: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.evaluation.stands = self.stands

    def held(self, name: str) -> Value:
        """Whether the condition holds and no `unless` does."""
        if name not in self._held:
            s = self.evaluation.book.statements[name]
            if s.each is not None:
                self._held[name] = disjoin([value for _, value in self.instances(s)])
            else:
                self._held[name] = self._condition(s, {})
        return self._held[name]

    def _condition(self, s: core.Statement, local: Locals) -> Value:
        condition = self.evaluation.value(s.condition, local)
        if condition == FALSE:
            return condition
        return conjoin([condition, *(negate(self.evaluation.value(u, local)) for u in s.unless)])

    def instances(self, s: core.Statement) -> list[tuple[Any, Value]]:
        """(member, whether it holds for that member) of a statement `for every` or `of every`."""
        assert s.each is not None
        found = self.evaluation.range(s.each, {})
        result = []
        for item, where in found[0] if found else []:
            inner = self.evaluation.bind(s.each, item, {})
            result.append((item, conjoin([where, self._condition(s, inner)])))
        return result

    def defeaters(self, name: str) -> tuple[str, ...]:
        """The statements that could defeat one."""
        return self.evaluation.book.defeaters[name]

    def stands(self, name: str) -> Value:
        """Whether a statement stands, and what that rests on."""
        if name not in self._stands:
            held = self.held(name)
            if held != FALSE:
                held = conjoin([held, *(negate(self.stands(other)) for other in self.defeaters(name))])
            self._stands[name] = held
        return self._stands[name]

    def defeated_by(self, name: str) -> list[str]:
        """What defeats a statement that held."""
        return [other for other in self.defeaters(name) if self.stands(other)[0] is True]


def needs(rests: Rests, form: str) -> list[str]:
    """The names of one form (event, cell, reading) among the tokens, sorted."""
    return sorted(name for kind, name in rests if kind == form)
