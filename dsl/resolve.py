"""Resolving a rulebook: every name of the consolidated book is bound, every expression typed."""

from dataclasses import replace
from typing import Any

from . import ast, core
from .consolidate import Consolidation
from .diagnostics import Report, near_names
from .expressions import PredicateInfo, Scope
from .fingerprint import fingerprint, statement_stamp
from .lexicon import Lexicon
from .source import Span
from .types import ANY, NUMBER, Type, entity, set_of


def resolve(documents: tuple[ast.Document, ...], lexicon: Lexicon, report: Report) -> core.Resolved | None:
    """The consolidated book of these documents: vocabularies first, then books, the base before what extends it."""
    resolver = Resolver(documents, lexicon, report)
    resolver.declare()
    resolved = resolver.bind()
    return None if report.failed else resolved


MAX_CHAIN = 50  # defines that build on each other
MAX_EFFECTS = 8  # effects that perform each other


class Resolver(Consolidation):
    """Answers what a name is, and binds everything."""

    def scope(self) -> Scope:
        return Scope(self)

    # ---- what a name is (the Names protocol)

    def lookup(self, name: str) -> tuple[str, Any]:
        if name.startswith("event:"):
            kind = self.event_types.get(name[6:])
            return ("event", kind) if kind else ("nothing", None)
        if name in self.names:
            return self.names[name]
        owners = self.members.get(name, [])
        if len(owners) == 1:
            return "member", owners[0]
        return ("ambiguous", owners) if owners else ("nothing", None)

    def all_names(self) -> set[str]:
        return set(self.names) | set(self.members)

    def members_of(self, entity_name: str) -> tuple[str, ...] | None:
        d = self.entities.get(entity_name)
        if d is None or d.members is None:
            return None
        return tuple(m.name for m in d.members)

    def predicate(self, name: str) -> PredicateInfo | None:
        return self.predicates.get(name)

    def predicate_names(self) -> set[str]:
        return set(self.predicates)

    def statements_of(self, kind: str) -> tuple[str, ...]:
        return tuple(
            sorted(n for n, (s, _) in self.statements.items() if isinstance(s, ast.Finding) and s.kind == kind)
        )

    def define_type(self, name: str, span: Span) -> Type:
        if name in self.define_types:
            known = self.define_types[name]
            if known is None:
                self.report.error("R0301", span, members=name)
                return ANY
            return known
        self.define_types[name] = None
        if sum(kind is None for kind in self.define_types.values()) > MAX_CHAIN:
            self.report.error("R0302", span, name=name, limit=MAX_CHAIN)
            return ANY
        info = self._define(self.defines[name])
        self.define_types[name] = info.type
        return info.type

    def _define(self, d: ast.Define) -> core.DefineInfo:
        if d.name in self.bound_defines:
            return self.bound_defines[d.name]
        scope, variable = Scope(self), None
        if d.parameter is not None:
            kind, variable = d.parameter
            scope = scope.inner(**{variable: Type("entity", kind, optional=True)})
        value, found = self._cases(d, scope)
        info = core.DefineInfo(d.name, variable, value, found, d.span)
        self.bound_defines[d.name] = info
        return info

    def _cases(self, d: ast.Define, scope: Scope) -> tuple[core.Core, Type]:
        if len(d.cases) == 1 and d.cases[0][0] is None:
            return scope.expr(d.cases[0][1])
        kind: Type | None = None
        cases: list[tuple[core.Core, core.Core]] = []
        otherwise: core.Core = core.Const(None)
        optional = all(condition is not None for condition, _ in d.cases)
        for condition, node in d.cases:
            value, found = scope.expr(node, kind)
            kind = found if kind is None or kind.kind == "none" else kind
            scope.fit(found, kind.maybe, node.span)
            optional = optional or found.optional
            if condition is None:
                otherwise = value
            else:
                cases.append((scope.condition(condition), value))
        assert kind is not None
        return core.Cases(tuple(cases), otherwise, ordered=False), replace(kind, optional=optional)

    # ---- binding

    def bind(self) -> core.Resolved:
        """Bind every definition and statement; the result is only of use where nothing was reported."""
        for name, d in self.defines.items():
            self.define_type(name, d.span)
        sets = {name: self._set(d) for name, d in self.sets.items()}
        cells = {name: self._cell(d) for name, d in self.states.items()}
        statements = {name: self._statement(*owned) for name, owned in self.statements.items()}
        requirements = tuple(
            core.Requirement(d.name, self._require_kinds(d), Scope(self).condition(d.condition), info)
            for d, info in self.requires
        )
        return core.Resolved(
            id=self.book.id,
            title=self.book.title,
            authoritative=getattr(self.book, "authoritative", "en"),
            fingerprint=fingerprint(self.documents),
            entities={n: self._members(d) for n, d in self.entities.items()},
            levels=self.levels,
            events=self.events,
            episodes=self.episodes,
            cells=cells,
            kinds=self.kinds,
            sets=sets,
            defines=self.bound_defines,
            parameters=self.parameters,
            parameter_types={n: self.parameter_type(d) for n, d in self.parameters.items()},
            settings={n: self._setting(d) for n, d in self.settings.items()},
            readings={
                n: core.ReadingInfo(n, d.default, d.alternatives, d.wording, info)
                for n, (d, info) in self.readings.items()
            },
            statements=statements,
            requirements=requirements,
            views={n: self._view(d) for n, d in self.views.items()},
            clauses=tuple(self.clauses.values()),
            documents=self.documents,
            lexicon=self.lexicon,
        )

    def _members(self, d: ast.Entity) -> tuple[tuple[str, str], ...] | None:
        return None if d.members is None else tuple((m.name, m.key or m.name) for m in d.members)

    def _set(self, d: ast.SetDeclaration) -> core.Core:
        item = entity(d.entity)
        if d.value is not None:
            return Scope(self).value(d.value, set_of(item))
        assert d.where is not None
        inner = Scope(self).inner(it=item)
        inner.variables["@"] = item
        return core.Collect(core.Range(core.Members(d.entity), ("it", "@"), inner.condition(d.where), None))

    def _cell(self, d: ast.State) -> core.CellInfo:
        kind = self.type(d.type)
        if d.level is not None and d.level not in self.levels:
            self.report.error("R0213", d.span, near_names(d.level, set(self.levels)), name=d.level)
        return core.CellInfo(
            d.name, core.json_key(d.name), d.of, kind, Scope(self).value(d.initial, kind), d.level,
            self._position(d, kind),
        )  # fmt: skip

    def _position(self, d: ast.State, kind: Type) -> core.Core | None:
        return None if d.position is None else Scope(self).value(d.position, kind)

    def _setting(self, d: ast.Setting) -> core.SettingInfo:
        kind = self.type(d.type)
        return core.SettingInfo(
            d.name, core.json_key(d.name), kind, self._constant(Scope(self).value(d.default, kind), d.span)
        )

    def _require_kinds(self, d: ast.Require) -> tuple[str, ...]:
        for name in d.kinds:
            if name != "position" and name not in self.episodes:
                self.report.error("R0214", d.span, near_names(name, set(self.episodes)), name=name)
        return d.kinds

    def _view(self, d: ast.View) -> core.ViewInfo:
        chosen, _, inner = Scope(self).range(d.sequence)
        columns = tuple((c.name, inner.expr(c.value)[0]) for c in d.columns)
        return core.ViewInfo(d.name, chosen, columns, tuple((inner.expr(k.value)[0], k.descending) for k in d.order))

    def _statement(self, s: ast.Statement, info: core.ClauseInfo) -> core.Statement:
        scope = Scope(self, statement=s.name)
        each = None
        if isinstance(s, ast.Finding | ast.Change) and s.each is not None:
            each, _, scope = scope.range(s.each)
        condition = scope.condition(s.condition) if s.condition is not None else core.Const(True)
        form = "prepare" if isinstance(s, ast.Change) and s.before else type(s).__name__.strip("_").lower()
        common: dict[str, Any] = {
            "name": s.name, "form": form, "kind": "", "clause": info, "span": s.span, "condition": condition,
            "unless": tuple(scope.condition(u) for u in s.modifiers.unless),
            "overrides": self._targets(s.modifiers.overrides, s.name) + self._filled(s.modifiers),
            "keeps": self._targets(s.modifiers.keeps, s.name), "each": each,
        }  # fmt: skip
        match s:
            case ast.Finding():
                common |= self._finding(s, scope)
            case ast.Change() | ast.Void():
                common["ops"] = self._ops(s.acts, scope)
            case ast.Choice() | ast.Silent():
                common |= self._decision(s, scope)
            case ast.Deferred():
                common["cells"] = s.cells
                for cell in s.cells:
                    if cell not in self.states:
                        self.report.error("R0215", s.span, near_names(cell, set(self.states)), name=cell)
            case ast.Exception_():
                if not common["overrides"]:
                    self.report.error("R0240", s.span, name=s.name)
        return core.Statement(**common)

    def _filled(self, modifiers: ast.Modifiers) -> tuple[str, ...]:
        """`fills X`: the deferred statement X is decided here, so it is overridden."""
        if not modifiers.fills:
            return ()
        target = ast.Target(modifiers.span, "statement", modifiers.fills, None)
        return self._targets((target,), "")

    def _finding(self, s: ast.Finding, scope: Scope) -> dict[str, Any]:
        kind = self.kinds.get(s.kind)
        if kind is None:
            self.report.error("R0216", s.span, near_names(s.kind, set(self.kinds)), name=s.kind)
            return {"kind": s.kind}
        whom = s.whom if s.whom is not None else kind.whom
        return {"kind": s.kind, "role": s.role or kind.role, "whom": self._whom(whom, scope)}

    def _whom(self, node: ast.Expr | None, scope: Scope) -> core.Core | None:
        """Whom a finding or decision is about: one member of an entity."""
        if node is None:
            return None
        value, kind = scope.expr(node)
        if kind.kind not in ("entity", "none", "any"):
            player = next((name for name, d in self.entities.items() if d.members is None), "entity")
            self.report.error("R0221", node.span, expected=player, found=kind)
        return value

    def _decision(self, s: ast.Choice | ast.Silent, scope: Scope) -> dict[str, Any]:
        whom = self._whom(s.whom, scope) or core.Const("official")
        common: dict[str, Any] = {"wording": s.wording}
        if isinstance(s, ast.Choice) and s.member is not None:
            common["each"], _, scope = scope.range(s.member)
        if isinstance(s, ast.Silent):
            common["ops"] = self._ops(s.acts, scope)
        options = tuple(
            core.ResolvedOption(
                o.name,
                scope.condition(o.condition) if o.condition is not None else None,
                self._ops(o.acts, scope),
                o.wording,
            )
            for o in s.options
        )
        return {**common, "whom": whom, "options": options}

    def _ops(self, acts: tuple[ast.Act, ...], scope: Scope) -> tuple[core.AnyOp, ...]:
        return tuple(op for act in acts for op in self._op(act, scope))

    def _op(self, act: ast.Act, scope: Scope) -> list[core.AnyOp]:
        match act:
            case ast.Restart():
                if act.level not in self.levels:
                    self.report.error("R0213", act.span, near_names(act.level, set(self.levels)), name=act.level)
                return [core.RestartOp(act.level)]
            case ast.Perform():
                return self._perform(act, scope)
            case ast.Assign():
                return self._assign(act, scope)

    def _perform(self, act: ast.Perform, scope: Scope) -> list[core.AnyOp]:
        effect = self.effects.get(act.effect)
        if effect is None:
            self.report.error("R0217", act.span, near_names(act.effect, set(self.effects)), name=act.effect)
            return []
        if len(effect.parameters) != len(act.arguments):
            self.report.error("R0218", act.span, name=act.effect, count=len(effect.parameters))
            return []
        if act.effect in self.performing:
            circle = [*self.performing[self.performing.index(act.effect) :], act.effect]
            self.report.error("R0301", act.span, members=" → ".join(circle))
            return []
        if len(self.performing) >= MAX_EFFECTS:
            self.report.error("R0302", act.span, name=self.performing[0], limit=MAX_EFFECTS)
            return []
        bindings, variables = [], {}
        for (name, kind), argument in zip(effect.parameters, act.arguments, strict=True):
            expected = Type("entity", kind, optional=True)
            bindings.append((name, scope.value(argument, expected)))
            variables[name] = expected
        self.performing.append(act.effect)
        ops = self._ops(effect.acts, scope.inner(**variables))
        self.performing.pop()
        return [core.EffectOps(tuple(bindings), ops)]

    def _assign(self, act: ast.Assign, scope: Scope) -> list[core.AnyOp]:
        role, cell = self.lookup(act.place.cell)
        if role != "cell":
            near = near_names(act.place.cell, set(self.states))
            self.report.error("R0215", act.place.span, near, name=act.place.cell)
            return []
        key = None
        if (act.place.key is None) != (cell.of is None):
            self.report.error(
                "R0209" if cell.of is None else "R0206", act.place.span, name=act.place.cell, entity=cell.of
            )
        elif act.place.key is not None:
            key = scope.value(act.place.key, entity(cell.of))
        if act.op in ("gains", "loses") and cell.type.kind not in ("set", "list"):
            self.report.error("R0219", act.span, name=act.place.cell)
        expected = NUMBER if act.op == "increases" and cell.type.kind == "number" else cell.type
        return [core.Op(act.op, act.place.cell, key, scope.value(act.value, expected))]

    def _targets(self, targets: tuple[ast.Target, ...], owner: str) -> tuple[str, ...]:
        found: list[str] = []
        for target in targets:
            found += self._target(target, owner)
        return tuple(dict.fromkeys(found))

    def _target(self, target: ast.Target, owner: str) -> list[str]:
        name = target.parts[-1]
        if target.form == "kind":
            if name not in self.kinds:
                self.report.error("R0216", target.span, near_names(name, set(self.kinds)), name=name)
            return [n for n in self.statements_of(name) if n != owner]
        if target.form == "clause":
            names = [n for n, (_, info) in self.statements.items() if info.id == name and n != owner]
            if name not in self.clauses:
                self.report.error("R0203", target.span, near_names(name, set(self.clauses)), name=name)
            return names
        if name not in self.statements:
            self.report.error("R0203", target.span, near_names(name, set(self.statements)), name=name)
            return []
        if target.stamp is not None and target.stamp != statement_stamp(self.statements[name][0]):
            self.report.warning("R0310", target.span, name=name, stamp=statement_stamp(self.statements[name][0]))
        return [name]
