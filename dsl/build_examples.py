"""Parse tree -> syntax tree, the examples inside a rulebook: given, happens, expect."""

from typing import Any

from lark import Tree

from . import ast
from .build_expressions import ExpressionBuilder, Parsed, unquote


class ExampleBuilder(ExpressionBuilder):
    """The steps of an example."""

    def example(self, tree: Parsed) -> ast.Example:
        steps: list[ast.Given | ast.Happens | ast.Expect] = []
        for child in tree.children:
            if not isinstance(child, Tree):
                continue
            if child.data == "given":
                steps.append(
                    ast.Given(self.span(child), tuple(self.binding(b) for b in child.children if isinstance(b, Tree)))
                )
            elif child.data == "expect":
                steps.append(ast.Expect(self.span(child), tuple(self.expr(e) for e in child.children[1:])))
            else:
                steps.append(self.happens(child))
        return ast.Example(self.span(tree), unquote(tree.children[1]), tuple(steps))

    def binding(self, tree: Parsed) -> ast.Binding:
        form, span = str(tree.data).removesuffix("_binding"), self.span(tree)
        if form == "cell":
            place = self.place(tree.children[0])
            return ast.Binding(span, form, place.cell, place.key, self.expr(tree.children[1]))
        name = tree.children[1]
        given = tree.children[2]
        if form == "reading":
            chosen = ast.Path(self.span(given), (self.id(given),))
            return ast.Binding(span, form, str(name), None, chosen)
        return ast.Binding(span, form, self.id(name), None, self.expr(given))

    def happens(self, tree: Parsed) -> ast.Happens:
        span = self.span(tree)
        if tree.data == "happens_choice":
            _h, _c, name, _o, option, for_, whom, of, about = tree.children
            return ast.Happens(
                span, "choice", self.id(name), self.id(option), self.expr(whom) if for_ is not None else None,
                self.given_value(about) if of is not None else None, (), (),
            )  # fmt: skip
        if tree.data == "happens_ruling":
            _h, _s, name, _o, option = tree.children
            return ast.Happens(span, "ruling", self.id(name), self.id(option), None, None, (), ())
        moments = tuple(
            ast.Moment(self.span(m), self.id(m.children[0]), tuple(self.argument(a) for a in m.children[1:]))
            for m in self.named(tree, "moment")
        )
        arguments = tuple(self.argument(a) for a in self.named(tree, "argument"))
        return ast.Happens(span, "episode", self.id(tree.children[1]), None, None, None, arguments, moments)

    def argument(self, tree: Any) -> ast.Argument:
        if isinstance(tree, Tree) and tree.data == "argument":
            name, value = tree.children
            return ast.Argument(self.span(tree), self.id(name), self.given_value(value))
        return ast.Argument(self.span(tree), None, self.given_value(tree))

    def given_value(self, tree: Any) -> ast.GivenValue:
        if tree.data == "given_name":
            return ast.Path(self.span(tree), (self.id(tree.children[0]),))
        if tree.data == "given_set":
            return ast.GivenSet(self.span(tree), tuple(self.argument(a) for a in tree.children if a is not None))
        value = self.expr(tree)
        assert isinstance(
            value, ast.Number | ast.Amount | ast.Text | ast.Date | ast.Truth | ast.Nothing | ast.Unknown | ast.Range
        )
        return value

    def place(self, tree: Any) -> ast.Place:
        """`score[A]`: a cell, with the member whose value is meant."""
        name, key = tree.children
        return ast.Place(self.span(tree), self.id(name), self.expr(key) if key is not None else None)
