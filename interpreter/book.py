"""The library: `book = load("osmica")`, `book.judge(state, episode)`, `match = book.start(players)`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..dsl import core
from ..dsl.diagnostics import Diagnostic, render_people, suggestion
from ..dsl.expressions import exact
from ..dsl.load import FileHost, Host, load_book
from ..dsl.source import Source
from ..dsl.store import keep, recall
from .codec import MAX_MOMENTS, Impossible, Malformed
from .judge import Judgement, decide, judge, refuse
from .state import Setup, State
from .values import Happening, Occurrence
from .verdict import Verdict

if TYPE_CHECKING:
    from .match import Match


class RulebookError(Exception):
    """A rulebook cannot be used; `diagnostics` say what is wrong with it."""

    def __init__(self, diagnostics: list[Diagnostic], sources: dict[str, Source]) -> None:
        super().__init__("\n\n".join(render_people(d, sources.get(d.span.file)) for d in diagnostics))
        self.diagnostics, self.sources = diagnostics, sources

    def __reduce__(self) -> tuple[Any, ...]:
        return RulebookError, (self.diagnostics, self.sources)


class UsageError(ValueError):
    """The caller gave a setting, reading, player or line that cannot be; the text says which and why."""


def load(name: str, host: Host | None = None) -> "Book":
    """Load a rulebook by its shipped name or path. Raises RulebookError."""
    path = FileHost().find(name, "") if host is None else None
    kept = recall(path) if path is not None else None
    if kept is not None:
        return Book(*kept)
    loaded = load_book(name, host, lint=False)
    if loaded.book is None:
        raise RulebookError([d for d in loaded.report.sorted() if d.severity == "error"], loaded.report.sources)
    if path is not None:
        keep(path, loaded.book, loaded.report.sources)
    return Book(loaded.book, loaded.report.sources)


@dataclass(frozen=True)
class Book:
    """A rulebook that can judge. Immutable and picklable; shared freely between matches and threads."""

    resolved: core.Resolved
    sources: dict[str, Source] = field(default_factory=dict, compare=False, repr=False)

    @property
    def id(self) -> str:
        return self.resolved.id

    @property
    def fingerprint(self) -> str:
        """The edition hash: 16 hexadecimal digits."""
        return self.resolved.fingerprint

    def setup(
        self,
        players: Iterable[str],
        settings: Mapping[str, Any] | None = None,
        readings: Mapping[str, str] | None = None,
        observes: Iterable[str] | None = None,
        date: str | None = None,
        strict: bool = False,
    ) -> Setup:
        """What stays the same through a match. Raises UsageError.

        `observes` names the event kinds (JSON keys) that the source reports, None all of them;
        `date` (ISO) chooses the values of dated parameters, None the newest.
        """
        names = tuple(players)
        _check_players(names)
        plain = Setup(self.resolved, names, {}, {}, {})
        return Setup(
            self.resolved,
            names,
            {
                n: parameter_value(p, self.resolved.parameter_types[n].kind, date)
                for n, p in self.resolved.parameters.items()
            },
            self._settings(settings or {}, plain),
            self._readings(readings or {}),
            self._unobserved(observes),
            strict,
        )

    def _settings(self, given: Mapping[str, Any], plain: Setup) -> dict[str, Any]:
        by_key = {s.key: s for s in self.resolved.settings.values()}
        values = {s.name: s.default for s in self.resolved.settings.values()}
        for key, value in given.items():
            info = by_key.get(key.replace("-", "_"))
            if info is None:
                raise UsageError(_unknown("setting", key, by_key))
            try:
                values[info.name] = plain.codec.decode(value, info.type, info.key)
            except (Malformed, Impossible) as error:
                raise UsageError(str(error)) from error
        return values

    def _readings(self, given: Mapping[str, str]) -> dict[str, str]:
        known = self.resolved.readings
        values = {r.name: r.default for r in known.values()}
        for name, value in given.items():
            if name not in known:
                raise UsageError(_unknown("reading", name, known))
            if value not in known[name].alternatives:
                raise UsageError(f"reading {name} is one of: {', '.join(known[name].alternatives)}; not {value!r}")
            values[name] = value
        return values

    def _unobserved(self, observes: Iterable[str] | None) -> frozenset[str]:
        if observes is None:
            return frozenset()
        by_key = {e.key: e.name for e in self.resolved.events.values()}
        seen = set()
        for key in observes:
            if key not in by_key:
                raise UsageError(_unknown("event", key, by_key))
            seen.add(by_key[key])
        return frozenset(by_key.values()) - seen

    def start(
        self,
        players: Iterable[str],
        settings: Mapping[str, Any] | None = None,
        readings: Mapping[str, str] | None = None,
        observes: Iterable[str] | None = None,
        date: str | None = None,
        strict: bool = False,
    ) -> "Match":
        """Begin a match; arguments as for `setup`. Raises UsageError."""
        from .match import Match

        return Match(self, self.setup(players, settings, readings, observes, date, strict))

    def judge(
        self,
        state: State | Mapping[str, Any],
        episode: Mapping[str, Any],
        players: Iterable[str] = (),
        settings: Mapping[str, Any] | None = None,
        readings: Mapping[str, str] | None = None,
        observes: Iterable[str] | None = None,
        date: str | None = None,
    ) -> Verdict:
        """Rule on one episode (a line of the contract) from a state (a State, or its JSON).

        A pure function. `players` may be left out where a per-player cell of the state names them.
        Raises UsageError where the state or the episode is not of the contract's shape.
        """
        names = tuple(players) or (state.players if isinstance(state, State) else self._players_of(state))
        setup = self.setup(names, settings, readings, observes, date)
        try:
            before = state if isinstance(state, State) else setup.state_from(dict(state))
            return judge_line(setup, before, dict(episode), 0).verdict
        except (Malformed, Impossible) as error:
            raise UsageError(str(error)) from error

    def _players_of(self, state: Mapping[str, Any]) -> tuple[str, ...]:
        for cell in self.resolved.cells.values():
            held = state.get(cell.key)
            if cell.of is not None and self.resolved.entities[cell.of] is None and isinstance(held, Mapping):
                return tuple(held)
        raise UsageError("give `players`: the state names none")


def judge_line(setup: Setup, state: State, line: dict[str, Any], n: int) -> Judgement:
    """Judge an episode, a choice or a ruling. Raises Malformed; what is impossible is refused."""
    kind = line.get("type")
    if kind == "choice":
        name, option, by, about = _strings(line, ("choice", "option", "by"), ("about",))
        return decide(setup, state, core.name_of(name), core.name_of(option), by, about, n)
    if kind == "ruling":
        name, option, about = _strings(line, ("on", "option"), ("about",))
        return decide(setup, state, core.name_of(name), core.name_of(option), None, about, n)
    try:
        episode = occurrence(setup, line)
    except Impossible as error:
        return refuse(setup, state, n, "unknown-member", str(error))
    return judge(setup, state, episode, n)


def _strings(line: dict[str, Any], required: tuple[str, ...], optional: tuple[str, ...]) -> tuple[Any, ...]:
    for key in line:
        if key not in (*required, *optional, "type"):
            raise Malformed(f"unknown key `{key}`" + suggestion(key, set(required) | set(optional)))
    for key in required:
        if not isinstance(line.get(key), str):
            raise Malformed(f"`{line['type']}` needs `{key}`, a text")
    for key in optional:
        if not isinstance(line.get(key, ""), str):
            raise Malformed(f"`{key}` takes a text")
    return (*(line[k] for k in required), *(line.get(k) for k in optional))


def occurrence(setup: Setup, line: dict[str, Any]) -> Occurrence:
    """The episode of a line. Raises Malformed or Impossible."""
    kind = line.get("type")
    info = next((e for e in setup.book.episodes.values() if e.key == kind), None)
    if info is None:
        known = {e.key for e in setup.book.episodes.values()} | {"start", "position", "choice", "ruling", "retract"}
        raise Malformed(f"unknown type `{kind}`" + suggestion(str(kind), known))
    given = {k: v for k, v in line.items() if k != "type"}
    if info.name in setup.book.events:
        happening = setup.codec.event(given, setup.book.events[info.name], 0)
        return Occurrence(info.name, {}, (happening,))
    moments = given.pop("moments", []) if info.moments else []
    if not isinstance(moments, list):
        raise Malformed("`moments` takes a list")
    if len(moments) > MAX_MOMENTS:
        raise Malformed(f"`moments` may hold {MAX_MOMENTS:,} at most")
    fields = setup.codec.fields(given, info.fields, info.key)
    happenings: tuple[Happening, ...] = tuple(setup.codec.happening(m, i) for i, m in enumerate(moments))
    return Occurrence(info.name, fields, happenings)


def parameter_value(p: Any, kind: str, date: str | None) -> Any:
    """The value of a parameter on a day: the newest that is in force."""
    inforce = [d for d in p.values if d.since is None or date is None or d.since <= date]
    chosen = max(inforce or p.values[:1], key=lambda d: d.since or "")
    if kind == "money":
        return exact(chosen.value), chosen.unit
    if kind == "percent":
        return Fraction(chosen.value) / 100
    return chosen.value if kind == "entity" else exact(chosen.value)


def _check_players(names: tuple[str, ...]) -> None:
    for name in names:
        if not isinstance(name, str) or not name.strip() or len(name) > 200:
            raise UsageError("a player's name is a text of 1 to 200 characters")
        if name in ("none", "official"):
            raise UsageError(f"a player may not be called {name!r}")
    if len(set(names)) < len(names):
        raise UsageError("two players have one name")


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    return f"unknown {what}: {name!r}" + suggestion(name, set(known))
