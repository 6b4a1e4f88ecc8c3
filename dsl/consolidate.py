"""Consolidating a rulebook: vocabularies and books become one set of declarations and statements."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from . import ast, core
from .absent import REQUIRED
from .diagnostics import Label, Report, near_names
from .expressions import PredicateInfo, Scope
from .lexicon import Lexicon
from .source import Span
from .types import ANY, BASIC, MONEY, NUMBER, PERCENT, Type, entity, set_of

Owned = tuple[ast.Statement, core.ClauseInfo]


class CellShape:
    """What an expression must know of a cell."""

    __slots__ = ("of", "type")

    def __init__(self, of: str | None, kind: Type) -> None:
        self.of, self.type = of, kind


def _bases(name: str, books: dict[str, ast.Rulebook]) -> set[str]:
    """A book and those that it extends, one after another."""
    found: set[str] = set()
    while name in books and name not in found:
        found.add(name)
        name = books[name].extends or ""
    return found


class Consolidation(ABC):
    """Gathers what is declared, and what each name is."""

    def __init__(self, documents: tuple[ast.Document, ...], lexicon: Lexicon, report: Report) -> None:
        self.documents, self.lexicon, self.report = documents, lexicon, report
        self.book = documents[-1]
        self.names: dict[str, tuple[str, Any]] = {}  # what stands in expressions
        self.spans: dict[str, Span] = {}
        self.entities: dict[str, ast.Entity] = {}
        self.members: dict[str, list[str]] = {}  # member -> entities
        self.events: dict[str, core.EventInfo] = {}
        self.event_types: dict[str, Type] = {}
        self.predicates: dict[str, PredicateInfo] = {}
        self.episodes: dict[str, core.EpisodeInfo] = {}
        self.kinds: dict[str, ast.Kind] = {}
        self.effects: dict[str, ast.Effect] = {}
        self.levels: tuple[str, ...] = ()
        self.statements: dict[str, Owned] = {}
        self.defines: dict[str, ast.Define] = {}
        self.sets: dict[str, ast.SetDeclaration] = {}
        self.parameters: dict[str, ast.Parameter] = {}
        self.readings: dict[str, tuple[ast.Reading, core.ClauseInfo]] = {}
        self.settings: dict[str, ast.Setting] = {}
        self.states: dict[str, ast.State] = {}
        self.requires: list[tuple[ast.Require, core.ClauseInfo]] = []
        self.views: dict[str, ast.View] = {}
        self.clauses: dict[str, tuple[ast.Clause, core.ClauseInfo]] = {}
        self.define_types: dict[str, Type | None] = {}
        self.performing: list[str] = []  # the effects that are being written out, the outermost first
        self.bound_defines: dict[str, core.DefineInfo] = {}

    # ---- consolidation

    def declare(self) -> None:
        """Take in every declaration and statement, outermost things first."""
        for document in self.documents:
            if isinstance(document, ast.Vocabulary):
                info = core.ClauseInfo(document.id, document.title, "", (), document.id, "en")
                self._declarations(document.declarations, info)
                self._statements(document.statements, info)
            else:
                self._rulebook(document)

    def _rulebook(self, book: ast.Rulebook) -> None:
        chosen = self._adopted(book)
        items = book.items if chosen is None else chosen
        for clause in ast.clauses(items):
            if clause.replaces:
                self._replace(clause)
        for clause in ast.clauses(items):
            info = core.ClauseInfo(clause.id, clause.title, clause.label, clause.sources, book.id, book.authoritative)
            if clause.id in self.clauses:
                self.report.error("R0232", clause.span, name=clause.id)
            self.clauses[clause.id] = (clause, info)
            self._declarations(clause.declarations, info)
            self._statements(clause.statements, info)

    def _adopted(self, book: ast.Rulebook) -> tuple[ast.Clause | ast.Part, ...] | None:
        """The clauses of a book that others only adopt from, each with those inside it; None: all of the book."""
        books = {d.id: d for d in self.documents if isinstance(d, ast.Rulebook)}
        whole = _bases(self.book.id, books)
        lenders = {b for other in books.values() for _, name in other.adopts for b in _bases(name, books)}
        if book.id in whole or book.id not in lenders:
            return None
        known = {clause.id: clause for clause in ast.clauses(book.items)}
        wanted = dict.fromkeys(
            (c, other.span) for other in books.values() for c, name in other.adopts if name == book.id
        )
        for name, span in wanted:
            if name not in known:
                self.report.error("R0203", span, near_names(name, set(known)), name=name)
        return tuple(clause for name, clause in known.items() if any(name == c for c, _ in wanted))

    def _replace(self, clause: ast.Clause) -> None:
        assert clause.replaces is not None
        name = clause.replaces[-1]
        if name not in self.clauses:
            self.report.error("R0203", clause.span, near_names(name, set(self.clauses)), name=name)
            return
        old, info = self.clauses.pop(name)
        for statement in old.statements:
            self.statements.pop(statement.name, None)
            self._forget(statement.name)
        for declaration in old.declarations:
            self._forget(getattr(declaration, "name", ""))
        self.requires = [r for r in self.requires if r[1] != info]

    def _forget(self, name: str) -> None:
        for table in (self.names, self.spans, self.defines, self.sets, self.parameters, self.readings, self.settings):
            table.pop(name, None)

    def _claim(self, name: str, role: str, what: Any, span: Span) -> None:
        """One namespace for everything that an expression or an `overrides` may name."""
        if name in self.names and self.names[name][0] not in ("field", "member"):
            first = self.spans.get(name, span)
            self.report.error("R0230", span, labels=(Label(first, "≡"),), name=name)
            return
        self.names[name] = (role, what)
        self.spans[name] = span

    def _declarations(self, declarations: Iterable[ast.Declaration], info: core.ClauseInfo) -> None:
        for d in declarations:
            match d:
                case ast.Entity():
                    self._entity(d)
                case ast.SetDeclaration():
                    self._claim(d.name, "set", d.entity, d.span)
                    self.sets[d.name] = d
                case ast.Levels():
                    self.levels += d.names
                case ast.Event():
                    self._event(d)
                case ast.Episode():
                    self._episode(d)
                case ast.State():
                    self.states[d.name] = d
                    self._claim(d.name, "cell", CellShape(d.of, self.type(d.type)), d.span)
                case ast.Kind():
                    self.kinds[d.name] = d
                    self._claim(d.name, "kind", d, d.span)
                case ast.Effect():
                    self.effects[d.name] = d
                case ast.Require():
                    self.requires.append((d, info))
                case ast.View():
                    self.views[d.name] = d
                case ast.Parameter():
                    self.parameters[d.name] = d
                    self._claim(d.name, "parameter", self.parameter_type(d), d.span)
                case ast.Setting():
                    self.settings[d.name] = d
                    self._claim(d.name, "setting", self.type(d.type), d.span)
                case ast.Reading():
                    self.readings[d.name] = (d, info)
                    self._claim(d.name, "reading", d.alternatives, d.span)
                    if d.default not in d.alternatives:
                        self.report.error("R0233", d.span, name=d.default, known=", ".join(d.alternatives))
                case ast.Define():
                    self.defines[d.name] = d
                    self._claim(d.name, "define", d, d.span)

    def _entity(self, d: ast.Entity) -> None:
        self.entities[d.name] = d
        self._claim(d.name, "entity", d, d.span)
        for member in d.members or ():
            self.members.setdefault(member.name, []).append(d.name)

    def _event(self, d: ast.Event) -> None:
        fields = tuple(self.field(f) for f in d.fields)
        key = d.key or core.json_key(d.name)
        self.events[d.name] = core.EventInfo(d.name, key, d.form, fields, d.alone)
        kind = Type("event", d.name, fields=tuple((f.name, f.type) for f in fields))
        self.event_types[d.name] = kind
        if d.alone:
            self.episodes[d.name] = core.EpisodeInfo(d.name, key, (), None, moments=False)
        if d.predicate is not None:
            subject, target = kind.field_type(d.predicate.subject), kind.field_type(d.predicate.object or "")
            if subject is None or d.predicate.object and target is None:
                self.report.error("R0205", d.predicate.span, name=d.predicate.subject, type=kind)
                return
            self.predicates[d.predicate.name] = PredicateInfo(
                d.name, d.predicate.subject, d.predicate.object, subject, target
            )

    def _episode(self, d: ast.Episode) -> None:
        declared = tuple(self.field(f) for f in d.fields)
        fields = tuple(f for f in declared if f.type.kind != "events")
        self.episodes[d.name] = core.EpisodeInfo(
            d.name, d.key or core.json_key(d.name), fields, d.corrects, moments=len(fields) < len(declared)
        )
        self._claim(d.name, "episode", d, d.span)
        for f in fields:
            known = self.names.get(f.name)
            if known and known[0] == "field" and known[1].required != f.type.required:
                self.report.error("R0231", d.span, name=f.name)
            optional = f.type.optional or f.default is REQUIRED
            self.names.setdefault(f.name, ("field", replace(f.type, optional=optional)))

    def _statements(self, statements: Iterable[ast.Statement], info: core.ClauseInfo) -> None:
        for statement in statements:
            self._claim(statement.name, "statement", statement, statement.span)
            self.statements.setdefault(statement.name, (statement, info))

    @abstractmethod
    def scope(self) -> Scope:
        """The scope of an expression outside any statement."""

    # ---- types

    def type(self, node: ast.Type) -> Type:
        match node:
            case ast.NamedType(name=name):
                if name in BASIC:
                    return BASIC[name]
                if name in self.entities:
                    return entity(name)
                self.report.error("R0212", node.span, near_names(name, set(BASIC) | set(self.entities)), name=name)
                return ANY
            case ast.SetType(item=item):
                return set_of(self.type(item))
            case ast.ListType(item=item):
                return Type("list", item=self.type(item))
            case ast.PairsType(entities=names):
                return Type("pairs", values=names)
            case ast.EnumType(values=values):
                return Type("enum", "/".join(values), values=values)
            case ast.RecordType(fields=fields):
                infos = tuple(self.field(f) for f in fields)
                return Type("record", fields=tuple((i.name, i.type) for i in infos), infos=infos)
            case ast.OptionalType(item=item):
                return self.type(item).maybe

    def field(self, node: ast.Field) -> core.FieldInfo:
        kind = self.type(node.type)
        default: Any = REQUIRED
        if node.default is not None:
            default = self._constant(self.scope().expr(node.default, kind)[0], node.default.span)
        return core.FieldInfo(node.name, node.key or core.json_key(node.name), kind, default)

    def _constant(self, node: core.Core, span: Span, through: tuple[str, ...] = ()) -> Any:
        """The value of a literal, or of a set of them; `through` are the sets that led here."""
        match node:
            case core.Const(value=value):
                return value
            case core.ListOf(items=items):
                return tuple(self._constant(item, span, through) for item in items)
            case core.SetOf(items=items) | core.PairOf(items=items):
                return frozenset(self._constant(item, span, through) for item in items)
            case core.DefineRef(name=name) if name in self.sets and name not in through:
                declared = self.sets[name]
                if declared.value is not None:
                    value = self.scope().expr(declared.value, set_of(entity(declared.entity)))[0]
                    return self._constant(value, span, (*through, name))
        self.report.error("R0228", span)
        return None

    def parameter_type(self, d: ast.Parameter) -> Type:
        value = d.values[0]
        if value.unit == "%":
            return PERCENT
        if value.unit is not None and len(value.unit) == 3 and value.unit.isupper():
            return MONEY
        if value.unit is None and (value.value in self.members or value.value in self.entities):
            return entity(self.members[value.value][0])
        if value.unit in self.entities:
            return entity(value.unit)
        return NUMBER
