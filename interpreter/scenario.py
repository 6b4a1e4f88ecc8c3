"""Examples made ready to run: every name bound, every `happens` a line of the contract."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..dsl import ast, core
from ..dsl.core import json_key
from ..dsl.diagnostics import Diagnostic, Report, near_names
from ..dsl.expressions import Scope
from ..dsl.resolve import Resolver
from ..dsl.source import Span
from ..dsl.types import Type, entity
from .book import Book
from .expectations import Check, Expectations, items_in_order
from .match import Match
from .state import NO_EPISODE, Setup


@dataclass(frozen=True, slots=True)
class Bound:
    """A `given` of a cell, setting or reading; the value is JSON worked out from a setup."""

    form: str
    key: str  # as JSON
    member: Callable[[Setup], Any] | None
    value: Callable[[Setup], Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A `happens`: what it submits, given the match so far."""

    make: Callable[[Match], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Expected:
    text: str
    check: Check


Step = Bound | Line | Expected


@dataclass(frozen=True, slots=True)
class Prepared:
    """An example with every name bound; it can be run against any variant of its book with the same names."""

    clause: str
    title: str
    span: Span
    players: tuple[str, ...]
    steps: tuple[Step, ...]
    diagnostics: tuple[Diagnostic, ...]


def prepare(book: Book) -> list[Prepared]:
    """Bind the names of every example of the book itself; what is wrong stands in its `diagnostics`."""
    names = ExampleNames(book.resolved)
    return [
        _Reader(book, names, example).prepare(clause.id)
        for clause, info in book.resolved.clauses
        if info.book == book.id
        for example in clause.examples
    ]


class ExampleNames(Resolver):
    """The names of a resolved book, and the players that an example speaks of."""

    def __init__(self, book: core.Resolved) -> None:
        super().__init__(book.documents, book.lexicon, Report())
        self.declare()
        self.resolved = book
        self.people: tuple[str, ...] = ()
        self.player = next((name for name, members in book.entities.items() if members is None), "")

    def lookup(self, name: str) -> tuple[str, Any]:
        found = super().lookup(name)
        return ("member", self.player) if found[0] == "nothing" and name in self.people and self.player else found

    def define_type(self, name: str, span: Span) -> Type:
        return self.resolved.defines[name].type

    def meet(self, example: ast.Example) -> None:
        """Take in the players of an example, and begin a report of its own."""
        self.report, self.people = Report(), ("A", "B")
        named = {p for n in ast.walk(example) if isinstance(n, ast.Path) for p in n.parts}
        named |= {n.name for n in ast.walk(example) if isinstance(n, ast.Argument) and n.name}
        more = {n for n in named if len(n) == 1 and n.isupper() and super(ExampleNames, self).lookup(n)[0] == "nothing"}
        self.people = ("A", "B", *sorted(more - {"A", "B"}))


class _Reader:
    """Turns the steps of one example into what runs."""

    def __init__(self, book: Book, names: ExampleNames, example: ast.Example) -> None:
        names.meet(example)
        self.book, self.names, self.example, self.scope = book.resolved, names, example, Scope(names)
        self.sources = book.sources
        self.expectations = Expectations(book.resolved, names, self._text)

    def prepare(self, clause: str) -> Prepared:
        steps = tuple(made for step in self.example.steps for made in self._step(step))
        diagnostics = tuple(self.names.report.sorted())
        return Prepared(clause, self.example.title, self.example.span, self.names.people, steps, diagnostics)

    def _step(self, step: ast.Given | ast.Happens | ast.Expect) -> Iterator[Step]:
        match step:
            case ast.Given():
                yield from (b for given in step.bindings if (b := self._binding(given)) is not None)
            case ast.Happens():
                yield Line(self._line(step))
            case ast.Expect():
                yield from (Expected(self._text(node), self.expectations.check(node)) for node in step.expectations)

    def _text(self, node: ast.Node) -> str:
        source = self.sources.get(node.span.file)
        return " ".join(source.text[node.span.start : node.span.end].split()) if source else "what stands here"

    def _error(self, code: str, span: Span, known: Iterable[str], name: str, **arguments: str) -> None:
        holes: dict[str, Any] = {"name": name, **arguments}
        self.names.report.error(code, span, near_names(name, set(known)), **holes)

    # ---- given

    def _binding(self, given: ast.Binding) -> Bound | None:
        if given.form == "reading":
            return self._reading(given)
        table: dict[str, Any] = dict(self.book.cells if given.form == "cell" else self.book.settings)
        info = table.get(given.name)
        if info is None:
            self._error("R0215" if given.form == "cell" else "R0201", given.span, table, name=given.name)
            return None
        member = None
        of = getattr(info, "of", None)
        if given.key is not None and of is not None:
            member = self._json(given.key, entity(of))
        elif given.key is not None or of is not None and not isinstance(given.value, ast.Unknown):
            self.names.report.error("R0209" if of is None else "R0206", given.span, name=given.name, entity=of)
        return Bound(given.form, info.key, member, self._json(given.value, info.type))

    def _reading(self, given: ast.Binding) -> Bound | None:
        if given.name not in self.book.readings:
            self._error("R0201", given.span, self.book.readings, name=given.name)
            return None
        chosen = given.value.parts[0] if isinstance(given.value, ast.Path) else ""
        known = self.book.readings[given.name].alternatives
        if chosen not in known:
            self.names.report.error("R0233", given.span, name=chosen, known=", ".join(known))
        return Bound("reading", given.name, None, lambda setup: chosen)

    def _json(self, node: ast.Expr, kind: Type) -> Callable[[Setup], Any]:
        """An expression as the JSON of a type; lists keep the order in which they are written."""
        if kind.kind == "list" and kind.item is not None and isinstance(node, ast.SetLiteral | ast.Range):
            item, parts = kind.item, items_in_order(node, kind, self.scope)
            return lambda setup: [setup.codec.encode(_initially(setup, part), item) for part in parts]
        value = self.scope.value(node, kind)
        return lambda setup: setup.codec.encode(_initially(setup, value), kind)

    # ---- happens

    def _line(self, step: ast.Happens) -> Callable[[Match], dict[str, Any]]:
        if step.form == "episode":
            line = self._episode(step)
            return lambda match: dict(line)
        form = "choice" if step.form == "choice" else "silent"
        statement = self.book.statements.get(step.name)
        if statement is None or not statement.options or form == "choice" and statement.form != "choice":
            known = {s.name for s in self.book.statements.values() if s.options}
            self._error("R0203", step.span, known, name=step.name)
        about = self._given(step.about, Type("text")) if step.about is not None else None
        line = {"option": json_key(step.option or ""), **({"about": about} if about is not None else {})}
        if step.form == "ruling":
            return lambda match: {"type": "ruling", "on": json_key(step.name), **line}
        whom = self.scope.value(step.whom, entity(self.names.player)) if step.whom is not None else None
        return lambda match: {
            "type": "choice", "by": _chooser(match, step.name, about, whom), "choice": json_key(step.name), **line
        }  # fmt: skip

    def _episode(self, step: ast.Happens) -> dict[str, Any]:
        info = self.book.episodes.get(step.name)
        if info is None:
            self._error("R0214", step.span, self.book.episodes, name=step.name)
            return {}
        event = self.book.events.get(step.name)
        fields = event.fields if event is not None else info.fields
        line = {"type": info.key, **self._named(step.arguments, fields, info.name)}
        if info.moments:
            line["moments"] = [self._moment(m) for m in step.moments]
        elif step.moments:
            self.names.report.error("R0205", step.moments[0].span, name=step.moments[0].event, type=step.name)
        return line

    def _moment(self, moment: ast.Moment) -> dict[str, Any]:
        info = self.book.events.get(moment.event)
        if info is None:
            self._error("R0201", moment.span, self.book.events, name=moment.event)
            return {}
        fields = self._named(moment.arguments, info.fields, info.name)
        return {info.key: fields if info.form == "record" else list(fields.values())}

    def _named(
        self, arguments: tuple[ast.Argument, ...], infos: tuple[core.FieldInfo, ...], owner: str
    ) -> dict[str, Any]:
        """Arguments as JSON by key, in the order of the fields; those without a name take the next field."""
        by_name = {info.name: info for info in infos}
        found: dict[str, Any] = {}
        for place, argument in enumerate(arguments):
            name = argument.name or (infos[place].name if place < len(infos) else "")
            if name not in by_name:
                self._error("R0205", argument.span, by_name, name=name or self._text(argument), type=owner)
                continue
            found[by_name[name].key] = self._given(argument.value, by_name[name].type)
        return {info.key: found[info.key] for info in infos if info.key in found}

    def _given(self, value: ast.GivenValue, kind: Type) -> Any:
        match value:
            case ast.GivenSet(entries=entries):
                return self._collection(entries, kind)
            case ast.Range(low=low, high=high):
                names = [str(n) for n in range(int(low), min(int(high), int(low) + 999) + 1)]
                return [self._given(ast.Number(value.span, n), kind.item or kind) for n in names]
            case ast.Path(parts=parts):
                return self._member(parts[-1], kind, value.span)
            case ast.Number(value=text):
                if kind.kind in ("number", "percent", "duration"):
                    return float(text) if "." in text else int(text)
                return self._member(text, kind, value.span)
            case ast.Amount(value=text, unit=unit):
                return float(text) / 100 if unit == "%" else f"{text} {unit}"
            case ast.Text() | ast.Date() | ast.Truth():
                return value.value
            case ast.Nothing():
                return "none"
        return None  # unknown

    def _member(self, name: str, kind: Type, span: Span) -> str:
        owners = (kind.name,) if kind.kind == "entity" else kind.values if kind.kind == "pairs" else ()
        known = {member: key for owner in owners for member, key in self.book.entities[owner] or ()}
        if known and name not in known:
            self._error("R0204", span, known, name=name, entity=" / ".join(owners))
        return known.get(name, name)

    def _collection(self, entries: tuple[ast.Argument, ...], kind: Type) -> Any:
        if kind.kind == "record":
            return self._named(entries, kind.infos, "record")
        if entries and all(e.name for e in entries):
            return {str(e.name): self._given(e.value, kind) for e in entries}
        item = kind.item or kind
        found: list[Any] = []
        for e in entries:
            made = self._given(e.value, kind if isinstance(e.value, ast.Range) else item)
            found += made if isinstance(e.value, ast.Range) else [made]
        return found


def _initially(setup: Setup, node: core.Core) -> Any:
    return setup.evaluation(setup.initial_cells(), NO_EPISODE).value(node, {})[0]


def _chooser(match: Match, name: str, about: str | None, whom: core.Core | None) -> str:
    """Who chooses: the one who is named, else the one whom the decision waits for."""
    if whom is not None:
        return str(match.setup.evaluation(match.current.cells, NO_EPISODE).value(whom, {})[0])
    due = (o.whom for o in match.current.open if o.name == name and about in (None, o.about))
    return next(due, match.setup.players[0])
