"""The verdict: typed, immutable, and written as the JSON contract says."""

from typing import Any

import msgspec


class Cited(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something of a rulebook with the clause that it stands in. Names and clauses are snake_case."""

    name: str
    clause: str = ""
    label: str = ""
    sources: tuple[str, ...] = ()


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was found. Exactly one of `against` and `whom` (JSON: `for`) may be set, by the kind."""

    kind: str
    name: str
    against: str | None = None
    whom: str | None = msgspec.field(default=None, name="for")
    about: str | None = None
    clause: str = ""
    label: str = ""
    sources: tuple[str, ...] = ()
    text: str | None = None


class Defeated(msgspec.Struct, frozen=True, omit_defaults=True):
    """A statement that held but was overridden or voided, and all that did it."""

    name: str
    clause: str
    sources: tuple[str, ...]
    by: tuple[str, ...]


class Applied(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change that stood, also where the value stayed the same."""

    name: str
    clause: str
    sources: tuple[str, ...]
    cells: tuple[str, ...]
    option: str | None = None


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A choice that is open."""

    choice: str
    whom: str = msgspec.field(name="for")
    clause: str
    sources: tuple[str, ...]
    options: tuple[str, ...]
    about: str | None = None
    text: str | None = None
    option_texts: dict[str, str] | None = None


class Undecided(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the text does not decide, for whom, and what may be ruled (the likeliest first)."""

    name: str
    whom: str = msgspec.field(name="for")
    clause: str
    sources: tuple[str, ...]
    options: tuple[str, ...]
    ruled: str | None = None
    text: str | None = None
    option_texts: dict[str, str] | None = None


class Deferral(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is left to the discipline, and the cells that are unknown for it."""

    name: str
    clause: str
    sources: tuple[str, ...]
    cells: tuple[str, ...] = ()


class NotJudged(msgspec.Struct, frozen=True, omit_defaults=True):
    """A statement that could not be judged: it needs events that are not observed or cells that are unknown."""

    name: str
    clause: str
    sources: tuple[str, ...]
    needs: tuple[str, ...]


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why an episode was refused, or which statements are in conflict."""

    code: str
    message: str
    name: str = ""
    clause: str = ""
    sources: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The ruling on one line. `state` is the JSON of the next state."""

    n: int
    type: str
    status: str
    findings: tuple[Finding, ...] = ()
    defeated: tuple[Defeated, ...] = ()
    applied: tuple[Applied, ...] = ()
    choices: tuple[Decision, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    deferred: tuple[Deferral, ...] = ()
    void: tuple[Cited, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    assumes: tuple[str, ...] = ()
    readings: dict[str, str] = {}
    problems: tuple[Problem, ...] = ()
    state: dict[str, Any] = {}

    def as_dict(self) -> dict[str, Any]:
        """The verdict as the contract writes it: empty lists left out, `type` always there."""
        result: dict[str, Any] = msgspec.to_builtins(self)
        ordered = {"n": self.n, "type": self.type, "status": self.status}
        return {**ordered, **{k: v for k, v in result.items() if k not in ordered and v != {}}}
