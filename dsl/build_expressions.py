"""Parse tree -> syntax tree, the expressions: names become ids, sugar is undone."""

import re
from collections.abc import Callable
from typing import Any

from lark import Token, Tree

from . import ast
from .diagnostics import Report
from .dialect import DIALECTS, keywords
from .lexicon import Lexicon
from .source import Source, Span

Parsed = Tree[Token]
PLACEHOLDER = re.compile(r"(?<!\{)\{[^{}]+\}(?!\})")
SET_PARTS = ("first", "last", "count")
CONCORD = ("sr", "tr")  # dialects in which "no X" asks for a negated predicate


def unquote(token: Any) -> str:
    """The text of a STRING token, or an empty one where there is none."""
    return "" if token is None else str(token)[1:-1]


class ExpressionBuilder:
    """One method a rule of the grammar that needs more than its children."""

    def __init__(self, source: Source, dialect: str, lexicon: Lexicon, report: Report) -> None:
        self.source, self.dialect, self.lexicon, self.report = source, dialect, lexicon, report

    # ---- small things

    def span(self, node: Any) -> Span:
        if isinstance(node, Token):
            return Span(self.source.file, node.start_pos or 0, node.end_pos or 0)
        meta = node.meta
        if meta.empty:
            return Span(self.source.file, 0, 0)
        end = meta.end_pos
        while end > meta.start_pos and self.source.text[end - 1 : end].isspace():
            end -= 1
        return Span(self.source.file, meta.start_pos, end)

    def id(self, token: Any) -> str:
        return self.lexicon.id_of(self.dialect, str(token))

    def ids(self, tree: Any) -> tuple[str, ...]:
        return tuple(self.id(t) for t in tree.children if isinstance(t, Token) and t.type == "NAME")

    def reference(self, tree: Any) -> tuple[str, ...]:
        return tuple(self.id(t) for t in tree.children if isinstance(t, Token))

    def named(self, tree: Any, *rules: str) -> list[Parsed]:
        return [c for c in tree.children if isinstance(c, Tree) and c.data in rules]

    def wording(self, tree: Parsed) -> str:
        """The `|` lines directly below a node, joined; a lone `|` parts paragraphs."""
        lines = [str(t.children[0])[1:] for t in self.named(tree, "text")]
        text = "\n".join(line.removeprefix(" ").rstrip() for line in lines)
        return PLACEHOLDER.sub(lambda match: self._placeholder(match.group()), text)

    def _placeholder(self, text: str) -> str:
        """A placeholder with ids for names; what follows a colon is a tag and stays."""
        head, colon, tag = text[1:-1].partition(":")
        words = [".".join(self._placeholder_word(part) for part in word.split(".")) for word in head.split()]
        return "{" + " ".join(words) + colon + tag + "}"

    def _placeholder_word(self, word: str) -> str:
        mark, name = ("@", word[1:]) if word.startswith("@") else ("", word)
        if self.dialect in DIALECTS:
            for part in SET_PARTS:
                if name in keywords(self.dialect)[part.upper()]:
                    return part
        return mark + self.lexicon.id_of(self.dialect, name)

    # ---- expressions

    def expr(self, tree: Any) -> ast.Expr:
        return EXPRESSIONS[str(tree.data)](self, tree, self.span(tree))

    def operands(self, tree: Parsed) -> list[ast.Expr]:
        return [self.expr(c) for c in tree.children if isinstance(c, Tree)]

    def path(self, tree: Any, span: Span) -> ast.Expr:
        parts = tuple("it" if t.type == "IT" else self.id(t) for t in tree.children)
        return ast.Path(span, parts)

    def sequence(self, tree: Any) -> ast.Sequence:
        other, path, _as, alias, _where, where = tree.children
        source = self.path(path, self.span(path))
        assert isinstance(source, ast.Path)
        return ast.Sequence(
            self.span(tree), other is not None, source, str(alias) if alias else None,
            self.expr(where) if where is not None else None,
        )  # fmt: skip

    def anchor(self, tree: Any) -> ast.Anchor | None:
        if tree is None:
            return None
        return ast.Anchor(self.span(tree), str(tree.data), self.expr(tree.children[1]))

    def holds(self, tree: Parsed, span: Span, negated: bool = False) -> ast.Expr:
        subject, predicate, objects, anchor = (c for c in tree.children if not _is_word(c))
        assert isinstance(predicate, Token)
        held = self._holds(span, self.expr(subject), predicate, objects, anchor)
        return ast.Not(span, held) if negated != self._negative(predicate) else held

    def _holds(self, span: Span, subject: ast.Expr, predicate: Any, objects: Any, anchor: Any) -> ast.Holds:
        given = tuple(self.expr(o) for o in objects.children) if objects is not None else ()
        return ast.Holds(span, subject, self.id(predicate), given, self.anchor(anchor))

    def _negative(self, predicate: Token) -> bool:
        return self.lexicon.is_negative(self.dialect, str(predicate))

    def quantified(self, tree: Parsed, span: Span, negated: bool = False) -> ast.Expr:
        quantifier, sequence, predicate, objects, anchor = (c for c in tree.children if not _is_word(c))
        assert isinstance(predicate, Token)
        negated = negated != self._negative(predicate)
        held: ast.Expr = self._holds(span, ast.Path(self.span(predicate), ("@",)), predicate, objects, anchor)
        return self._quantify(span, quantifier, sequence, held, negated)

    def quantified_relation(self, tree: Parsed, span: Span, op: str, negated: bool = False) -> ast.Expr:
        quantifier, sequence, right = (c for c in tree.children if isinstance(c, Tree))
        body = ast.Binary(span, op, ast.Path(span, ("@",)), self.expr(right))
        return self._quantify(span, quantifier, sequence, body, negated, verbless=op != "in")

    def _quantify(
        self, span: Span, quantifier: Any, sequence: Any, body: ast.Expr, negated: bool, verbless: bool = False
    ) -> ast.Expr:
        """`verbless`: a comparison, which has no word that could be denied."""
        name, amount = self.quantifier(quantifier)
        if name == "no":
            concord = self.dialect in CONCORD and not verbless
            if concord != negated:
                self.report.error("R0121" if concord else "R0120", span)
            negated = False
        if negated:
            body = ast.Not(span, body)
        return ast.Quantified(span, name, amount, self.sequence(sequence), None, body)

    def quantifier(self, tree: Any) -> tuple[str, ast.Expr | None]:
        amounts = [self.expr(c) for c in tree.children if isinstance(c, Tree)]
        return str(tree.data).replace("_", "-"), amounts[0] if amounts else None

    def exists(self, tree: Parsed, span: Span) -> ast.Expr:
        quantifier, sequence, anchor = tree.children
        name, amount = self.quantifier(quantifier)
        if name == "every":
            self.report.error("R0122", span)
        return ast.Quantified(span, name, amount, self.sequence(sequence), self.anchor(anchor), None)

    def pick(self, tree: Parsed, span: Span) -> ast.Expr:
        _word, sequence, anchor = tree.children
        return ast.Pick(span, str(tree.data), self.sequence(sequence), self.anchor(anchor))

    def count(self, tree: Parsed, span: Span) -> ast.Expr:
        _word, _of, sequence, anchor = tree.children
        return ast.Count(span, self.sequence(sequence), self.anchor(anchor))

    def sum_of(self, tree: Parsed, span: Span) -> ast.Expr:
        value, sequence = (c for c in tree.children if isinstance(c, Tree))
        return ast.Sum(span, self.expr(value), self.sequence(sequence))

    def conditional(self, tree: Parsed, span: Span) -> ast.Expr:
        parts = self.operands(tree)
        pairs = tuple((parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2))
        return ast.Conditional(span, pairs, parts[-1])


def _is_word(child: Any) -> bool:
    return isinstance(child, Token) and child.type == "NOT"


def split_amount(text: str) -> tuple[str, str]:
    """`500 RSD` -> ("500", "RSD"); `50%` -> ("50", "%")."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(.+)", text)
    assert match is not None
    return match.group(1), match.group(2)


def _binary(op: str) -> Callable[[ExpressionBuilder, Parsed, Span], ast.Expr]:
    def make(builder: ExpressionBuilder, tree: Parsed, span: Span) -> ast.Expr:
        left, right = builder.operands(tree)
        return ast.Binary(span, op, left, right)

    return make


def _compare(builder: ExpressionBuilder, tree: Parsed, span: Span) -> ast.Expr:
    left, op, right = tree.children
    name = _comparison(str(op))
    return ast.Binary(span, name, builder.expr(left), builder.expr(right))


def _index(b: ExpressionBuilder, t: Parsed, span: Span) -> ast.Expr:
    name, key = t.children
    return ast.Index(span, b.id(name), b.expr(key))


def _call(b: ExpressionBuilder, t: Parsed, span: Span) -> ast.Expr:
    name, *arguments = t.children
    return ast.Call(span, b.id(name), tuple(b.expr(a) for a in arguments))


def _leaf(make: Callable[[Span, str], ast.Expr]) -> Callable[[ExpressionBuilder, Parsed, Span], ast.Expr]:
    return lambda builder, tree, span: make(span, str(tree.children[0]) if tree.children else "")


def _comparison(written: str) -> str:
    return COMPARISONS.get(written, written)


COMPARISONS = {"!=": "≠", "≤": "<=", "≥": ">="}

EXPRESSIONS: dict[str, Callable[[ExpressionBuilder, Any, Span], ast.Expr]] = {
    "or_": _binary("or"), "and_": _binary("and"), "equal": _binary("="), "member_of": _binary("in"),
    "add": _binary("+"), "subtract": _binary("-"), "multiply": _binary("×"), "divide": _binary("/"),
    "compare": _compare,
    "not_": lambda b, t, s: ast.Not(s, b.operands(t)[0]),
    "not_member_of": lambda b, t, s: ast.Not(s, _binary("in")(b, t, s)),
    "holds": ExpressionBuilder.holds, "not_holds": lambda b, t, s: b.holds(t, s, negated=True),
    "quantified": ExpressionBuilder.quantified, "quantified_not": lambda b, t, s: b.quantified(t, s, negated=True),
    "quantified_in": lambda b, t, s: b.quantified_relation(t, s, "in"),
    "quantified_not_in": lambda b, t, s: b.quantified_relation(t, s, "in", negated=True),
    "quantified_equal": lambda b, t, s: b.quantified_relation(t, s, "="),
    "quantified_compare": lambda b, t, s: b.quantified_relation(t, s, _comparison(str(t.children[2]))),
    "exists": ExpressionBuilder.exists,
    "first": ExpressionBuilder.pick, "last": ExpressionBuilder.pick, "all": ExpressionBuilder.pick,
    "count": ExpressionBuilder.count, "sum_of": ExpressionBuilder.sum_of,
    "path": ExpressionBuilder.path, "index": _index, "call": _call, "conditional": ExpressionBuilder.conditional,
    "set_literal": lambda b, t, s: ast.SetLiteral(s, tuple(b.operands(t))),
    "number": _leaf(ast.Number), "string": lambda b, t, s: ast.Text(s, unquote(t.children[0])), "date": _leaf(ast.Date),
    "amount": lambda b, t, s: ast.Amount(s, *split_amount(str(t.children[0]))),
    "range_": lambda b, t, s: ast.Range(s, str(t.children[0]), str(t.children[1])),
    "true": lambda b, t, s: ast.Truth(s, True), "false": lambda b, t, s: ast.Truth(s, False),
    "none": lambda b, t, s: ast.Nothing(s), "unknown": lambda b, t, s: ast.Unknown(s),
}  # fmt: skip
