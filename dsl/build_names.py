"""Parse tree -> syntax tree, the `names` blocks; they are read before anything else is named."""

from collections.abc import Iterator

from lark import Token

from . import ast
from .build_expressions import ExpressionBuilder, Parsed, unquote
from .diagnostics import Report
from .lexicon import TAGS, Lexicon
from .source import Source


class NameBuilder(ExpressionBuilder):
    """Ids with their forms in each dialect."""

    def names(self, tree: Parsed) -> list[ast.NameEntry]:
        entries = []
        for entry in self.named(tree, "name_entry"):
            name = str(entry.children[0])
            for line in self.named(entry, "name_line"):
                tokens = [c for c in line.children if isinstance(c, Token)]
                forms = tuple(self.form(f) for f in self.named(line, "name_form"))
                gloss = next((unquote(t) for t in tokens if t.type == "STRING"), "")
                entries.append(ast.NameEntry(self.span(entry), name, str(tokens[0]), forms, gloss))
        return entries

    def form(self, tree: Parsed) -> ast.Form:
        words = [str(t) for t in tree.children]
        tags = tuple(w for w in words if w in TAGS)
        text = next((w for w in words if w not in TAGS), words[-1])
        return ast.Form(self.span(tree), text, tags)


def scan_names(tree: Parsed, source: Source) -> tuple[ast.NameEntry, ...]:
    """The entries of every `names` block of a file, read before anything else is named."""
    builder = NameBuilder(source, "", Lexicon(), Report())
    return tuple(entry for block in subtrees(tree) if block.data == "names" for entry in builder.names(block))


def scan_uses(tree: Parsed) -> list[Token]:
    """The vocabularies and books that a rulebook builds on, as written."""
    found: list[Token] = []
    for node in subtrees(tree):
        if node.data == "use":
            found += [t for t in tokens_of(node) if t.type == "NAME"]
        elif node.data == "extends":
            found += [t for t in tokens_of(node) if t.type == "NAME"]
        elif node.data == "adopt":
            found.append([t for t in tokens_of(node) if t.type == "NAME"][-1])
    return found


def tokens_of(tree: Parsed) -> list[Token]:
    return list(tree.scan_values(lambda value: isinstance(value, Token)))


def subtrees(tree: Parsed) -> Iterator[Parsed]:
    found: Iterator[Parsed] = tree.iter_subtrees_topdown()  # type: ignore[no-untyped-call]
    return found
