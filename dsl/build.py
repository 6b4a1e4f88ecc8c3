"""Parse tree -> syntax tree: names become ids, sugar is undone, nothing is judged yet."""

from collections.abc import Callable
from typing import Any

from lark import Token, Tree

from . import ast
from .build_examples import ExampleBuilder
from .build_expressions import Parsed, split_amount, unquote
from .build_names import NameBuilder, subtrees, tokens_of
from .diagnostics import Report
from .lexicon import Lexicon
from .source import Source


def build(tree: Parsed, source: Source, dialect: str, lexicon: Lexicon, report: Report) -> ast.Document:
    """The document of a parse tree."""
    return Builder(source, dialect, lexicon, report).document(tree)


class Builder(ExampleBuilder, NameBuilder):
    """Documents, declarations and statements."""

    # ---- documents

    def document(self, tree: Parsed) -> ast.Document:
        top = next(c for c in tree.children if isinstance(c, Tree))
        return self.vocabulary(top) if top.data == "vocabulary" else self.rulebook(top)

    def vocabulary(self, tree: Parsed) -> ast.Vocabulary:
        name, title = self._head(tree)
        declarations, statements = self._content(tree)
        names = tuple(e for block in self.named(tree, "names") for e in self.names(block))
        return ast.Vocabulary(self.span(tree), name, title, declarations, statements, names)

    def _head(self, tree: Parsed) -> tuple[str, str]:
        tokens = [c for c in tree.children if isinstance(c, Token)]
        name = next(str(t) for t in tokens if t.type == "NAME")
        return name, unquote(next((t for t in tokens if t.type == "STRING"), None))

    def rulebook(self, tree: Parsed) -> ast.Rulebook:
        name, title = self._head(tree)
        uses: tuple[str, ...] = ()
        adopts: list[tuple[str, str]] = []
        extends, authoritative, edition = None, "en", None
        for line in self.named(tree, "use", "extends", "adopt", "authoritative", "edition"):
            tokens = tokens_of(line)
            names = [self.id(t) for t in tokens if t.type == "NAME"]
            if line.data == "use":
                uses += tuple(names)
            elif line.data == "extends":
                extends = names[0]
            elif line.data == "adopt":
                adopts += [(clause, names[-1]) for clause in names[:-1]]
            elif line.data == "authoritative":
                authoritative = names[0]
            else:
                day = next((str(t) for t in tokens if t.type == "DATE"), None)
                edition = (unquote(next(t for t in tokens if t.type == "STRING")), day)
        entries = tuple(e for block in subtrees(tree) if block.data == "names" for e in self.names(block))
        items = tuple(self.item(c) for c in self.named(tree, "part", "clause"))
        return ast.Rulebook(
            self.span(tree), name, title, uses, extends, tuple(adopts), authoritative, edition, entries, items
        )

    def item(self, tree: Parsed) -> ast.Clause | ast.Part:
        if tree.data == "clause":
            return self.clause(tree)
        title = unquote(next(t for t in tree.children if isinstance(t, Token) and t.type == "STRING"))
        items = tuple(self.item(c) for c in self.named(tree, "part", "clause"))
        return ast.Part(self.span(tree), title, self.wording(tree), items)

    def clause(self, tree: Parsed) -> ast.Clause:
        _word, name, title, _label_word, label, _replaces, replaces = tree.children[:7]
        informative = None
        for item in self.named(tree, "informative"):
            informative = self.wording(item)
        sources = tuple(
            str(t) for s in self.named(tree, "source") for n in self.named(s, "name_list") for t in n.children
        )
        declarations, statements = self._content(tree)
        return ast.Clause(
            self.span(tree),
            self.id(name),
            unquote(title),
            unquote(label),
            self.reference(replaces) if isinstance(replaces, Tree) else None,
            sources,
            self.wording(tree),
            tuple(self.wording(n) for n in self.named(tree, "note")),
            informative,
            declarations,
            statements,
            tuple(self.example(e) for e in self.named(tree, "example")),
            tuple(self.clause(c) for c in self.named(tree, "clause")),
        )

    def _content(self, tree: Parsed) -> tuple[tuple[ast.Declaration, ...], tuple[ast.Statement, ...]]:
        declarations: list[ast.Declaration] = []
        statements: list[ast.Statement] = []
        for child in tree.children:
            if not isinstance(child, Tree):
                continue
            if child.data in DECLARATIONS:
                declarations.append(DECLARATIONS[child.data](self, child))
            elif child.data in STATEMENTS:
                statements.append(STATEMENTS[child.data](self, child))
        return tuple(declarations), tuple(statements)

    # ---- declarations

    def entity(self, tree: Parsed) -> ast.Entity:
        _word, name, *members = tree.children
        found: list[ast.Member] = []
        for member in members:
            if not isinstance(member, Tree):
                continue
            span = self.span(member)
            first, second = member.children
            if member.data == "named_member":
                found.append(ast.Member(span, self.id(first), unquote(second) or None))
            else:
                low, high = int(float(str(first))), int(float(str(second or first)))
                found += [ast.Member(span, str(n), None) for n in range(low, min(high, low + 999) + 1)]
        return ast.Entity(self.span(tree), self.id(name), tuple(found) or None)

    def set_(self, tree: Parsed) -> ast.SetDeclaration:
        names = [t for t in tree.children if isinstance(t, Token)]
        body = self.expr(tree.children[-1])
        where = any(t.type == "WHERE" for t in names)
        name, entity = (self.id(t) for t in names if t.type == "NAME")
        return ast.SetDeclaration(self.span(tree), name, entity, None if where else body, body if where else None)

    def levels(self, tree: Parsed) -> ast.Levels:
        return ast.Levels(self.span(tree), self.ids(self.named(tree, "name_list")[0]))

    def event(self, tree: Parsed) -> ast.Event:
        _word, name, key, fields, alone, *predicate = tree.children
        assert isinstance(fields, Tree)
        form = str(fields.data).removesuffix("_fields")
        if form == "pair":
            entity = [t for t in fields.children if isinstance(t, Token) and t.type == "NAME"][-1]
            kind = ast.NamedType(self.span(entity), self.id(entity))
            items = tuple(ast.Field(self.span(entity), n, None, kind, None) for n in ("a", "b"))
        else:
            items = self.fields(fields.children[0])
        subject, verb, target = predicate
        known = (
            ast.Predicate(self.span(subject), self.id(subject), self.id(verb), self.id(target) if target else None)
            if subject
            else None
        )
        return ast.Event(self.span(tree), self.id(name), unquote(key) or None, form, items, alone is not None, known)

    def episode(self, tree: Parsed) -> ast.Episode:
        _word, name, key, fields, _corrects, old, new = tree.children
        corrects = (self.id(old), self.id(new)) if old else None
        items = self.fields(fields) if isinstance(fields, Tree) else ()
        return ast.Episode(self.span(tree), self.id(name), unquote(key) or None, items, corrects)

    def fields(self, tree: Any) -> tuple[ast.Field, ...]:
        result = []
        for item in self.named(tree, "field"):
            name, key, kind, default = item.children
            result.append(
                ast.Field(
                    self.span(item),
                    self.id(name),
                    unquote(key) or None,
                    self.type(kind),
                    self.expr(default) if default is not None else None,
                )
            )
        return tuple(result)

    def type(self, tree: Any) -> ast.Type:
        span, parts = self.span(tree), [c for c in tree.children if isinstance(c, Tree)]
        match tree.data:
            case "named_type":
                return ast.NamedType(span, self.ids(tree)[0])
            case "set_type":
                return ast.SetType(span, self.type(parts[0]))
            case "list_type":
                return ast.ListType(span, self.type(parts[0]))
            case "pairs_type":
                return ast.PairsType(span, self.ids(tree))
            case "enum_type":
                return ast.EnumType(span, self.ids(tree))
            case "record_type":
                return ast.RecordType(span, self.fields(parts[0]))
        return ast.OptionalType(span, self.type(parts[0]))

    def state(self, tree: Parsed) -> ast.State:
        _word, name, _of, entity, kind, initial, _each, level, _position, position = tree.children
        return ast.State(
            self.span(tree),
            self.id(name),
            self.id(entity) if entity else None,
            self.type(kind),
            self.expr(initial),
            self.id(level) if level else None,
            self.expr(position) if position is not None else None,
        )

    def kind(self, tree: Parsed) -> ast.Kind:
        _word, name, *rest = tree.children
        role = next((str(t.type).lower() for t in rest if isinstance(t, Token)), "none")
        whom = self.expr(rest[-1]) if rest and rest[-1] is not None else None
        return ast.Kind(self.span(tree), self.id(name), role if whom else "none", whom)

    def effect(self, tree: Parsed) -> ast.Effect:
        name = tree.children[1]
        parameters = []
        for group in self.named(tree, "effect_params"):
            for item in self.named(group, "effect_param"):
                variable, entity = item.children
                parameters.append((str(variable), self.id(entity)))
        return ast.Effect(self.span(tree), self.id(name), tuple(parameters), self.acts(tree))

    def require(self, tree: Parsed) -> ast.Require:
        _word, name, _for, kinds, condition = tree.children
        assert isinstance(kinds, Tree)
        tokens = [t for t in kinds.children if isinstance(t, Token)]
        names = tuple("position" if t.type == "POSITION" else self.id(t) for t in tokens)
        return ast.Require(self.span(tree), self.id(name), names, self.expr(condition))

    def view(self, tree: Parsed) -> ast.View:
        name = next(t for t in tree.children if isinstance(t, Token) and t.type == "NAME")
        columns = tuple(
            ast.Column(self.span(c), self.id(c.children[1]), self.expr(c.children[2]))
            for c in self.named(tree, "column")
        )
        order = tuple(
            ast.OrderKey(self.span(k), self.expr(k.children[0]), k.children[1] is not None)
            for o in self.named(tree, "order")
            for k in self.named(o, "order_key")
        )
        return ast.View(self.span(tree), self.id(name), self.sequence(self.named(tree, "sequence")[0]), columns, order)

    def parameter(self, tree: Parsed) -> ast.Parameter:
        name = tree.children[1]
        values = []
        for item in self.named(tree, "dated"):
            quantity, _after, day = item.children
            value, unit = self.quantity(quantity)
            values.append(ast.Dated(self.span(item), value, unit, str(day) if day else None))
        return ast.Parameter(self.span(tree), self.id(name), tuple(values))

    def quantity(self, tree: Any) -> tuple[str, str | None]:
        first, *rest = tree.children
        if tree.data == "amount":
            return split_amount(str(first))
        if tree.data == "name_quantity":
            return self.id(first), None
        unit = rest[0] if rest else None
        return str(first), self.id(unit) if unit else None

    def setting(self, tree: Parsed) -> ast.Setting:
        _word, name, kind, default = tree.children
        return ast.Setting(self.span(tree), self.id(name), self.type(kind), self.expr(default))

    def reading(self, tree: Parsed) -> ast.Reading:
        _word, name, default, _among, alternatives, *_ = tree.children
        return ast.Reading(
            self.span(tree),
            str(name),
            self.id(default),
            self.ids(alternatives),
            self.wording(tree),
        )

    def define(self, tree: Parsed) -> ast.Define:
        head = [t for t in tree.children if isinstance(t, Token) and t.type == "NAME"]
        parameter = (self.id(head[1]), str(head[2])) if len(head) == 3 else None
        if tree.data == "define":
            cases: tuple[tuple[ast.Expr | None, ast.Expr], ...] = ((None, self.expr(tree.children[-1])),)
        else:
            cases = tuple(self._case(c) for c in self.named(tree, "case", "default"))
        return ast.Define(self.span(tree), self.id(head[0]), parameter, cases)

    def _case(self, tree: Parsed) -> tuple[ast.Expr | None, ast.Expr]:
        parts = tree.children[1:]
        if tree.data == "default":
            return None, self.expr(parts[0])
        return self.expr(parts[0]), self.expr(parts[1])

    # ---- statements

    def modifiers(self, tree: Parsed) -> ast.Modifiers:
        unless: list[ast.Expr] = []
        overrides: list[ast.Target] = []
        keeps: list[ast.Target] = []
        fills: tuple[str, ...] = ()
        for item in self.named(tree, "unless", "overrides", "keeps", "fills"):
            if item.data == "unless":
                unless.append(self.expr(item.children[1]))
            elif item.data == "fills":
                fills = self.reference(self.named(item, "reference")[0])
            else:
                targets = [self.target(t) for t in item.children if isinstance(t, Tree)]
                (overrides if item.data == "overrides" else keeps).extend(targets)
        return ast.Modifiers(self.span(tree), tuple(unless), tuple(overrides), tuple(keeps), fills)

    def target(self, tree: Parsed) -> ast.Target:
        form = str(tree.data).removesuffix("_target")
        references = self.named(tree, "reference")
        parts = self.reference(references[0]) if references else self.ids(tree)
        stamp = next((str(t)[1:] for t in tree.children if isinstance(t, Token) and t.type == "STAMP"), None)
        return ast.Target(self.span(tree), form, parts, stamp)

    def for_every(self, tree: Parsed) -> ast.Sequence | None:
        found = self.named(tree, "for_every")
        return self.sequence(self.named(found[0], "sequence")[0]) if found else None

    def finding(self, tree: Parsed) -> ast.Finding:
        _each, kind, name, role, whom, when, condition, *_ = tree.children
        return ast.Finding(
            self.span(tree), self.id(name), self.id(kind), self.for_every(tree),
            self.expr(whom) if role is not None else None,
            self.expr(condition) if when is not None else None,
            self.modifiers(tree),
            role.type.lower() if isinstance(role, Token) else "",
        )  # fmt: skip

    def change(self, tree: Parsed) -> ast.Change:
        _each, _word, name, when, condition, *_ = tree.children
        return ast.Change(
            self.span(tree), self.id(name), False, self.for_every(tree),
            self.expr(condition) if when is not None else None, self.modifiers(tree), self.acts(tree),
        )  # fmt: skip

    def prepare(self, tree: Parsed) -> ast.Change:
        _word, name, _when, condition, *_ = tree.children
        return ast.Change(
            self.span(tree),
            self.id(name),
            True,
            None,
            self.expr(condition),
            self.modifiers(tree),
            self.acts(tree),
        )

    def exception(self, tree: Parsed) -> ast.Exception_:
        _word, name, _when, condition, *_ = tree.children
        return ast.Exception_(self.span(tree), self.id(name), self.expr(condition), self.modifiers(tree))

    def void(self, tree: Parsed) -> ast.Void:
        _word, name, _when, condition, *_ = tree.children
        return ast.Void(
            self.span(tree),
            self.id(name),
            self.expr(condition),
            self.modifiers(tree),
            self.acts(tree),
        )

    def choice(self, tree: Parsed) -> ast.Choice:
        _word, name, _for, whom, of, _every, member, _when, condition, *_ = tree.children
        return ast.Choice(
            self.span(tree), self.id(name), self.expr(whom),
            self.sequence(member) if of is not None else None,
            self.expr(condition), self.modifiers(tree), self.wording(tree), self.options(tree),
        )  # fmt: skip

    def silent(self, tree: Parsed) -> ast.Silent:
        _word, name, for_, whom, _when, condition, *_ = tree.children
        return ast.Silent(
            self.span(tree), self.id(name), self.expr(whom) if for_ is not None else None,
            self.expr(condition), self.modifiers(tree), self.wording(tree), self.options(tree), self.acts(tree),
        )  # fmt: skip

    def deferred(self, tree: Parsed) -> ast.Deferred:
        _word, name, when, condition, *_ = tree.children
        cells = tuple(c for group in self.named(tree, "name_list") for c in self.ids(group))
        return ast.Deferred(
            self.span(tree), self.id(name), self.expr(condition) if when is not None else None,
            self.modifiers(tree), cells,
        )  # fmt: skip

    def options(self, tree: Parsed) -> tuple[ast.Option, ...]:
        result = []
        for item in self.named(tree, "option"):
            _word, name, when, condition, *_ = item.children
            result.append(
                ast.Option(
                    self.span(item), self.id(name), self.expr(condition) if when is not None else None,
                    self.wording(item), self.acts(item),
                )
            )  # fmt: skip
        return tuple(result)

    def acts(self, tree: Parsed) -> tuple[ast.Act, ...]:
        return tuple(self.act(a) for line in self.named(tree, "acts") for a in line.children if isinstance(a, Tree))

    def act(self, tree: Parsed) -> ast.Act:
        span = self.span(tree)
        if tree.data == "restart":
            return ast.Restart(span, self.ids(tree)[0])
        if tree.data == "perform":
            name, *arguments = tree.children
            return ast.Perform(span, self.id(name), tuple(self.expr(a) for a in arguments if a is not None))
        op = {"assign": "becomes", "increase": "increases", "gain": "gains", "lose": "loses"}[tree.data]
        place, _word, value = tree.children
        return ast.Assign(span, op, self.place(place), self.expr(value))


DECLARATIONS: dict[str, Callable[[Builder, Parsed], Any]] = {
    "entity": Builder.entity, "set_": Builder.set_, "levels": Builder.levels, "event": Builder.event,
    "episode": Builder.episode, "state": Builder.state, "kind": Builder.kind, "effect": Builder.effect,
    "require": Builder.require, "view": Builder.view, "parameter": Builder.parameter, "setting": Builder.setting,
    "reading": Builder.reading, "define": Builder.define, "define_cases": Builder.define,
}  # fmt: skip

STATEMENTS: dict[str, Callable[[Builder, Parsed], Any]] = {
    "finding": Builder.finding, "change": Builder.change, "prepare": Builder.prepare, "exception": Builder.exception,
    "void": Builder.void, "void_acts": Builder.void, "choice": Builder.choice, "silent": Builder.silent,
    "deferred": Builder.deferred,
}  # fmt: skip
