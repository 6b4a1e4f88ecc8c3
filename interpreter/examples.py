"""The examples of a book, run: each is a small log, and what the last verdict and the state after it must be.

`given` sets the position, the settings and the readings; the players are A and B, and whoever else is called by one
capital letter. `happens` steps are numbered from 1 (that is how a correction names one). `expect` speaks of the
verdict of the last step and of the state after it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..dsl import ast, core
from ..dsl.core import UNKNOWN, json_key
from ..dsl.diagnostics import Diagnostic, Report, near_names
from ..dsl.expressions import Scope
from ..dsl.resolve import Resolver
from ..dsl.source import Span
from ..dsl.types import Type, entity
from .book import Book, UsageError
from .codec import Codec, Impossible, Malformed
from .judge import Judgement
from .match import Match
from .state import NO_EPISODE, Setup
from .values import CERTAIN, TRUE, Value
from .verdict import Verdict

MARKS = ("held", "not-held", "stood", "defeated", "undecided")
STATUSES = ("ruled", "undecided", "conflict", "refused")
REFUSALS = ("impossible", "decision-due", "not-due", "wrong-player", "no-such-option", "which", "unknown-member",
            "nothing-to-correct", "too-complex")  # fmt: skip
DECISIONS = {"offered": "choice", "undecided": "silent", "left-open": "deferred", "voided": "void"}  # word -> form

Entry = tuple[str, tuple[str | None, ...]]  # a name in a verdict, and what belongs to it
ENTRIES: dict[str, Callable[[Verdict], list[Entry]]] = {
    "offered": lambda v: [(c.choice, c.options) for c in v.choices],
    "undecided": lambda v: [(u.name, u.options) for u in v.undecided],
    "defeated": lambda v: [(d.name, d.by) for d in v.defeated],
    "applied": lambda v: [(a.name, (a.option,) if a.option else ()) for a in v.applied],
    "left-open": lambda v: [(d.name, d.cells) for d in v.deferred],
    "voided": lambda v: [(c.name, ()) for c in v.void],
    "not-judged": lambda v: [(n.name, n.needs) for n in v.not_judged],
    "refused": lambda v: [(json_key(p.name or p.code), ()) for p in v.problems if v.status == "refused"],
    "conflict": lambda v: [(s, ()) for p in v.problems if v.status == "conflict" for s in p.statements],
}
"""The words of expectations, as ids, and what of a verdict each speaks of."""


@dataclass(frozen=True)
class ExampleResult:
    """What came of one example. `marks` (statement -> some of MARKS) is filled where coverage was asked for."""

    clause: str
    title: str
    span: Span
    failures: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    marks: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.failures and not self.diagnostics


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an expectation speaks of."""

    setup: Setup
    judgement: Judgement

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

    def value(self, node: core.Core) -> Any:
        """The value of an expression in the state after; statements are those of the verdict."""
        e = self.setup.evaluation(self.judgement.state.cells, NO_EPISODE)
        e.stands = self._stands
        return e.value(node, {})[0]

    def _stands(self, name: str) -> Value:
        if self.judgement.standing is not None:
            return self.judgement.standing.stands(name)
        named = {n for entries in ENTRIES.values() for n, _ in entries(self.verdict)}
        return json_key(name) in named | {f.name for f in self.verdict.findings}, CERTAIN


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether an expectation is met, and how things are in any case."""

    met: bool
    instead: str


Check = Callable[[Outcome], Answer]


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


def run_examples(book: Book, coverage: bool = False) -> list[ExampleResult]:
    """Run every example of the book itself (not of those it builds on), in order."""
    return [run_example(book, example, coverage) for example in prepare(book)]


def prepare(book: Book) -> list[Prepared]:
    """Bind the names of every example; what is wrong stands in its `diagnostics`."""
    names = _Names(book.resolved)
    return [
        _Reader(book, names, example).prepare(clause.id)
        for clause, info in book.resolved.clauses
        if info.book == book.id
        for example in clause.examples
    ]


def covered(book: Book, results: Iterable[ExampleResult]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Statement -> mark -> the examples (`clause: title`) that show it."""
    results = list(results)
    return {
        name: {m: tuple(f"{r.clause}: {r.title}" for r in results if m in r.marks.get(name, ())) for m in MARKS}
        for name in book.resolved.statements
    }


# ---- names in examples


class _Names(Resolver):
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
        more = {n for n in named if len(n) == 1 and n.isupper() and super(_Names, self).lookup(n)[0] == "nothing"}
        self.people = ("A", "B", *sorted(more - {"A", "B"}))


class _Reader:
    """Turns the steps of one example into what runs."""

    def __init__(self, book: Book, names: _Names, example: ast.Example) -> None:
        names.meet(example)
        self.book, self.names, self.example, self.scope = book.resolved, names, example, Scope(names)
        self.sources = book.sources

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
                yield from (Expected(self._text(node), self._expectation(node)) for node in step.expectations)

    def _text(self, node: ast.Node) -> str:
        source = self.sources.get(node.span.file)
        return " ".join(source.text[node.span.start : node.span.end].split()) if source else "what stands here"

    def _error(self, code: str, span: Span, known: Iterable[str], **arguments: object) -> None:
        self.names.report.error(code, span, near_names(str(arguments["name"]), set(known)), **arguments)

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
        if kind.kind == "list" and kind.item is not None and isinstance(node, ast.SetLiteral):
            item = kind.item
            parts = [(self._json(i, kind if isinstance(i, ast.Range) else item), i) for i in node.items]
            return lambda setup: [
                x for make, i in parts for x in (make(setup) if isinstance(i, ast.Range) else [make(setup)])
            ]
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

    # ---- expect

    def _expectation(self, node: ast.Expr) -> Check:
        match node:
            case ast.Not(operand=operand):
                return _denied(self._expectation(operand))
            case ast.Binary(op="and" | "or" as op, left=left, right=right):
                return _joined(op, self._expectation(left), self._expectation(right))
            case ast.Path(parts=(word,)) if word in STATUSES:
                return lambda outcome: Answer(outcome.verdict.status == word, _reasons(outcome.verdict))
            case ast.Path(parts=(word,)) if word in ENTRIES or word in self.book.kinds:
                return self._listed(word, None, ())
            case ast.Quantified(sequence=ast.Sequence(other=False, path=ast.Path(parts=(word,)), where=None)) if (
                node.quantifier in ("no", "some") and (word in ENTRIES or word in self.book.kinds)
            ):
                return self._some(node, word)
            case ast.Holds(subject=ast.Path(parts=(word,)), anchor=None) if self._is_word(word):
                return self._named_entry(node, word)
        return self._condition(node)

    def _is_word(self, word: str) -> bool:
        return word in ENTRIES or word in self.book.kinds or self.names.lookup(word)[0] == "nothing"

    def _some(self, node: ast.Quantified, word: str) -> Check:
        body = node.body.operand if isinstance(node.body, ast.Not) else node.body
        found = self._named_entry(body, word) if isinstance(body, ast.Holds) else self._listed(word, None, ())
        return _denied(found) if node.quantifier == "no" else found

    def _named_entry(self, node: ast.Holds, word: str) -> Check:
        """`foul illegal`, `offered what-next (stop, go on)`."""
        name, known = node.predicate, self._known(word)
        if known is None:
            self._error("R0270", node.span, {*ENTRIES, *self.book.kinds}, name=word)
        elif name not in known:
            self._error("R0270", node.span, known, name=name)
        objects = tuple(self._object(o, word, name) for o in node.objects)
        return self._listed(word, name, objects)

    def _known(self, word: str) -> set[str] | None:
        """The names that may stand after a word; None where it is no word of expectations."""
        statements = self.book.statements.values()
        if word in self.book.kinds:
            return {s.name for s in statements if s.kind == word}
        if word == "refused":
            return {r.name for r in self.book.requirements} | set(REFUSALS)
        if word in DECISIONS:
            return {s.name for s in statements if s.form == DECISIONS[word]}
        return {s.name for s in statements} if word in ENTRIES else None

    def _object(self, node: ast.Expr, word: str, name: str) -> str:
        """An option, a cell, an event, a statement or a member, as verdicts write it."""
        text = node.parts[-1] if isinstance(node, ast.Path) else str(getattr(node, "value", self._text(node)))
        statement = self.book.statements.get(name)
        if word in ("offered", "undecided", "applied") and statement is not None:
            known = {o.name for o in statement.options}
        elif word == "defeated":
            known = set(self.book.statements)
        elif word in ("left-open", "not-judged"):
            keys = {n: i.key for n, i in (*self.book.events.items(), *self.book.cells.items())}
            known = set(keys)
            text, plain = keys.get(text, text), text
            if plain in known:
                return text
        else:
            return text
        if text not in known:
            self._error("R0270", node.span, known, name=text)
        return json_key(text)

    def _listed(self, word: str, name: str | None, objects: tuple[str, ...]) -> Check:
        finding = word in self.book.kinds

        def check(outcome: Outcome) -> Answer:
            entries = _findings(outcome.verdict, word) if finding else ENTRIES[word](outcome.verdict)
            fits = frozenset.issuperset if finding else frozenset.__eq__
            met = any(
                (name is None or n == json_key(name)) and (not objects or fits(frozenset(more), frozenset(objects)))
                for n, more in entries
            )
            return Answer(met, _shown_entries(word, entries, outcome.verdict))

        return check

    def _condition(self, node: ast.Expr) -> Check:
        """Any other yes-or-no expression, of the state after."""
        plain = _tests_for_unknown(node)
        condition = self.scope.condition(plain)
        told = [(self._text(s), *self.scope.expr(s)) for s in _subjects(plain)]

        def check(outcome: Outcome) -> Answer:
            codec = outcome.setup.codec
            parts = [f"{text} is {_shown(codec, outcome.value(value), kind)}" for text, value, kind in told]
            return Answer(outcome.value(condition) is True, "; ".join(parts) or "that is not so")

        return check


def _initially(setup: Setup, node: core.Core) -> Any:
    return setup.evaluation(setup.initial_cells(), NO_EPISODE).value(node, {})[0]


def _chooser(match: Match, name: str, about: str | None, whom: core.Core | None) -> str:
    """Who chooses: the one who is named, else the one whom the decision waits for."""
    if whom is not None:
        return str(match.setup.evaluation(match.current.cells, NO_EPISODE).value(whom, {})[0])
    due = (o.whom for o in match.current.open if o.name == name and about in (None, o.about))
    return next(due, match.setup.players[0])
