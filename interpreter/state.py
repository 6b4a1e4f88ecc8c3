"""The state between episodes: cells, open decisions, players. Immutable; equal to its JSON."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..dsl import core
from ..dsl.absent import REQUIRED, UNKNOWN
from ..dsl.diagnostics import near_names, suggestion
from .changes import Ground
from .codec import Codec, Malformed
from .decide import grounded_options
from .evaluate import Evaluation
from .standing import Standing
from .values import Occurrence

NO_EPISODE = Occurrence("", {})
CHANGED_BY = {
    "increases": ("number", "percent", "duration", "money"), "gains": ("set", "list", "pairs"),
    "loses": ("set", "list", "pairs"),
}  # fmt: skip
OPEN_KEYS = ("choice", "silent", "for", "about", "options")


@dataclass(frozen=True, slots=True)
class Open:
    """A decision that waits: its statement, who decides, about which member, and what each option does."""

    name: str
    whom: str
    about: str | None
    silent: bool
    options: tuple[tuple[str, tuple[Ground, ...]], ...]

    def places(self) -> set[tuple[str, str | None]]:
        """The places that some option assigns: they wait."""
        return {g.place for _, grounds in self.options for g in grounds if g.op == "becomes"}


def reserved_by(decisions: Iterable[Open]) -> dict[tuple[str, str | None], set[str]]:
    """Place -> those of the decisions that will set it."""
    found: dict[tuple[str, str | None], set[str]] = {}
    for item in decisions:
        for place in item.places():
            found.setdefault(place, set()).add(item.name)
    return found


@dataclass(frozen=True)
class State:
    """All cells by name (of cells with a value for each member: a dict), and the open decisions."""

    players: tuple[str, ...]
    cells: dict[str, Any]
    open: tuple[Open, ...] = field(default=())

    def with_cells(self, cells: dict[str, Any]) -> "State":
        return replace(self, cells=cells)

    def reserved(self) -> dict[tuple[str, str | None], set[str]]:
        """Place -> the open decisions that will set it."""
        return reserved_by(self.open)


@dataclass(frozen=True)
class Setup:
    """What stays the same through a match: book, players, settings, readings, parameters, observation."""

    book: core.Resolved
    players: tuple[str, ...]
    parameters: dict[str, Any]
    settings: dict[str, Any]
    readings: dict[str, str]
    unobserved: frozenset[str] = frozenset()
    strict: bool = False

    @property
    def codec(self) -> Codec:
        return Codec(self.book, self.players)

    def evaluation(self, cells: dict[str, Any], episode: Occurrence) -> Evaluation:
        return Evaluation(
            self.book, self.parameters, self.settings, self.readings, self.players, cells, episode, self.unobserved
        )

    def initial_cells(self) -> dict[str, Any]:
        """Every cell with its initial value; a dict of the caller's own."""
        return dict(self._initial_cells)

    @cached_property
    def _initial_cells(self) -> dict[str, Any]:
        blank = self.evaluation({}, NO_EPISODE)
        cells = {}
        for cell in self.book.cells.values():
            value = blank.value(cell.initial, {})[0]
            members = blank.members(cell.of) if cell.of is not None else ()
            cells[cell.name] = dict.fromkeys(members, value) if cell.of is not None else value
        return cells

    def initial(self) -> State:
        return State(self.players, self.initial_cells())

    # ---- JSON

    def state_json(self, state: State) -> dict[str, Any]:
        """The state as the contract writes it; `open` only where a decision waits."""
        codec = self.codec
        result: dict[str, Any] = {}
        for cell in self.book.cells.values():
            value = state.cells[cell.name]
            if cell.of is not None and value is not UNKNOWN:
                result[cell.key] = {p: codec.encode(v, cell.type) for p, v in value.items()}
            else:
                result[cell.key] = codec.encode(value, cell.type)
        if state.open:
            result["open"] = [self._open_json(item) for item in state.open]
        return result

    def _open_json(self, item: Open) -> dict[str, Any]:
        entry: dict[str, Any] = {"silent" if item.silent else "choice": core.json_key(item.name), "for": item.whom}
        if item.about is not None:
            entry["about"] = item.about
        entry["options"] = {
            core.json_key(name): [self._ground_json(g) for g in grounds] for name, grounds in item.options
        }
        return entry

    def _ground_json(self, g: Ground) -> list[Any]:
        if g.op == "restarts":
            return [g.op, g.cell]
        cell = self.book.cells[g.cell]
        return [g.op, cell.key, g.key or "none", self.codec.encode(g.value, cell.type)]

    def state_from(self, given: dict[str, Any]) -> State:
        """A `position`: what it does not name keeps its initial value, or the one that cells give for positions."""
        if not isinstance(given, dict):
            raise Malformed("`set` takes an object")
        cells, named = self.initial_cells(), set()
        keys = {cell.key: cell for cell in self.book.cells.values()}
        for key, value in given.items():
            if key == "open":
                continue
            if key not in keys:
                raise Malformed(f"unknown key `{key}` in `set`" + suggestion(key, set(keys)))
            cell = keys[key]
            cells[cell.name] = self._cell_from(cell, value, cells[cell.name])
            named.add(cell.name)
        for cell in self.book.cells.values():
            if cell.position is not None and cell.name not in named:
                cells[cell.name] = self.evaluation(cells, NO_EPISODE).value(cell.position, {})[0]
        state = State(self.players, cells)
        waiting: dict[tuple[str, str | None], Open] = {}
        for entry in _listed(given.get("open", [])):
            item = self._open_from(entry, state)
            if (item.name, item.about) in waiting:
                raise Malformed(f"`{core.json_key(item.name)}` stands twice in `open`; say `about` which each is")
            waiting[item.name, item.about] = item
        return replace(state, open=tuple(waiting.values()))

    def _cell_from(self, cell: core.CellInfo, value: Any, initial: Any) -> Any:
        codec = self.codec
        if cell.of is None or value is None:
            return codec.decode(value, cell.type, cell.key)
        if not isinstance(value, dict):
            raise Malformed(f"`{cell.key}` takes an object with a value for each {cell.of}")
        members = self.evaluation({}, NO_EPISODE).members(cell.of)
        for member in value:
            if member not in members:
                near = near_names(member, members)
                raise Malformed(
                    f"unknown {cell.of} `{member}` in `{cell.key}`" + (f"; known: {', '.join(near)}" if near else "")
                )
        return {**initial, **{m: codec.decode(v, cell.type, cell.key) for m, v in value.items()}}

    def _open_from(self, entry: Any, state: State) -> Open:
        if isinstance(entry, str):
            entry = {"choice": entry}
        if not isinstance(entry, dict):
            raise Malformed("`open` takes decisions: a name, or an object with `choice` or `silent`")
        self._check_open(entry)
        name = core.name_of(str(entry.get("choice") or entry.get("silent") or ""))
        statement = self.book.statements.get(name)
        if statement is None or statement.form not in ("choice", "silent"):
            known = {core.json_key(s.name) for s in self.book.statements.values() if s.form in ("choice", "silent")}
            raise Malformed(f"unknown decision `{name}` in `open`; known: {', '.join(sorted(known))}")
        e, whom = self._asked(statement, state, entry.get("for"))
        options = entry.get("options")
        for option in options or ():
            known = {core.json_key(o.name) for o in statement.options}
            if not isinstance(option, str) or option.replace("-", "_") not in known:
                raise Malformed(f"unknown option {option!r} in `open`; known: {', '.join(sorted(known))}")
        if isinstance(options, dict):
            grounds = tuple(
                (core.name_of(str(o)), tuple(self._ground_from(g) for g in _listed(gs))) for o, gs in options.items()
            )
        else:
            grounds = grounded_options(statement, e, {})[0]
            if isinstance(options, list):
                grounds = tuple(g for g in grounds if core.json_key(g[0]) in options)
        return Open(name, str(whom), entry.get("about"), statement.form == "silent", grounds)

    def _check_open(self, entry: dict[str, Any]) -> None:
        """The shape of an open decision. Raises Malformed."""
        for key in entry:
            if key not in OPEN_KEYS:
                raise Malformed(f"unknown key `{key}` in `open`" + suggestion(key, OPEN_KEYS))
        for key in ("choice", "silent", "for", "about"):
            if entry.get(key) is not None and not isinstance(entry[key], str):
                raise Malformed(f"`open.{key}` takes a text")
        if (entry.get("choice") is None) == (entry.get("silent") is None):
            raise Malformed("an entry of `open` names one decision: `choice` or `silent`")
        members = {name for declared in self.book.entities.values() for name, _ in declared or ()}
        if entry.get("for") is not None and entry["for"] not in {*self.players, *members, "official"}:
            raise Malformed(f"`open.for` is one of {', '.join(self.players)}, official; not {entry['for']!r}")
        if not isinstance(entry.get("options", []), list | dict):
            raise Malformed("`open.options` takes a list of names, or an object with the changes of each")

    def _asked(self, statement: core.Statement, state: State, whom: Any) -> tuple[Evaluation, Any]:
        """An evaluation for options whose episode is not told: a possible one, after which `whom` decides."""
        found: list[tuple[Evaluation, Any]] = []
        for episode in (*self._blank_episodes(), NO_EPISODE):
            e = self.evaluation(state.cells, episode)
            Standing(e)
            if self.unmet(e):
                continue
            asked = e.value(statement.whom, {})[0] if statement.whom is not None else "official"
            found.append((e, asked))
        fitting = [f for f in found if whom in (None, f[1])]
        e, asked = next(iter(fitting), found[-1])
        return e, whom or asked

    def unmet(self, e: Evaluation) -> list[core.Requirement]:
        """The requirements of the episode's kind that do not hold, or of which that is not known; by name."""
        asked = (r for r in self.book.requirements if e.episode.kind in r.kinds)
        return sorted((r for r in asked if e.value(r.condition, {})[0] is not True), key=lambda r: r.name)

    def _blank_episodes(self) -> list[Occurrence]:
        """An episode of each kind by each player, in which nothing happens."""
        episodes = []
        for info in self.book.episodes.values():
            actors = [f.name for f in info.fields if f.default is REQUIRED and f.type.kind == "entity"]
            if len(actors) == 1 and info.moments:
                episodes += [Occurrence(info.name, {actors[0]: player}) for player in self.players]
        return episodes

    def _ground_from(self, entry: Any) -> Ground:
        if not isinstance(entry, list) or len(entry) not in (2, 4) or not all(isinstance(x, str) for x in entry[:2]):
            raise Malformed("an option in `open` is a list of changes as a verdict writes them")
        if entry[0] == "restarts":
            if entry[1] not in self.book.levels:
                raise Malformed(f"unknown level `{entry[1]}`")
            return Ground("restarts", entry[1], None, None, "")
        cell = next((c for c in self.book.cells.values() if c.key == entry[1]), None)
        if cell is None or entry[0] not in ("becomes", "increases", "gains", "loses") or len(entry) != 4:
            raise Malformed(f"unknown change `{entry[:2]}` in `open`")
        key = None if entry[2] == "none" else str(entry[2])
        members = (None,) if cell.of is None else self.evaluation({}, NO_EPISODE).members(cell.of)
        if key not in members:
            raise Malformed(f"`{cell.key}` has no place {entry[2]!r}")
        if entry[0] != "becomes" and cell.type.kind not in CHANGED_BY[entry[0]]:
            raise Malformed(f"`{cell.key}` cannot be changed by `{entry[0]}`")
        return Ground(entry[0], cell.name, key, self.codec.decode(entry[3], cell.type, cell.key), "")


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed("`open` takes a list")
    return value
