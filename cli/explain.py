"""`tefter explain`: what a diagnostic means, or what a clause says and holds."""

import re
import sys
from collections.abc import Iterator

import click

from ..dsl import ast, core
from ..dsl.diagnostics import catalogue
from ..dsl.wording import render
from ..interpreter.book import Book, RulebookError, load
from ..interpreter.codec import money_text
from .books import shipped_files
from .common import load_or_exit, spoken

CODE = re.compile(r"[Rr]\d{4}")


@click.command()
@click.argument("what", metavar="CODE|CLAUSE")
@click.option("--book", "rulebook", metavar="RULEBOOK", help="The book of the clause; without it, the shipped ones.")
@click.option("--lang", default="en", callback=spoken, metavar="L", help="The language of the explanation.")
def explain(what: str, rulebook: str | None, lang: str) -> None:
    """Explain a diagnostic (R0203) or a clause."""
    if CODE.fullmatch(what):
        lines = code_page(what.upper(), lang)
    else:
        name = core.name_of(what)
        owners = [load_or_exit(rulebook, lang)] if rulebook else shipped()
        lines = [line for book in owners for line in clause_page(book, name, lang, own=not rulebook)]
    if not lines:
        click.echo(f"nothing is called {what}", err=True)
        sys.exit(1)
    click.echo("\n".join(lines))


def code_page(code: str, lang: str) -> list[str]:
    """The message of a code, its cure, and what is wrong and right to write."""
    entry = catalogue(lang).get(code) or catalogue("en").get(code)
    if entry is None:
        return []
    lines = [f"{code}: {entry['message']}"]
    if entry.get("hint"):
        lines += ["", entry["hint"]]
    for part in ("bad", "good"):
        if entry.get(part):
            lines += ["", f"{part}:", *(f"    {line}" for line in entry[part].strip("\n").split("\n"))]
    return lines


def shipped() -> Iterator[Book]:
    """The shipped books that can be loaded."""
    for path in shipped_files():
        try:
            yield load(str(path))
        except RulebookError:
            continue


def clause_page(book: Book, name: str, lang: str, own: bool = False) -> list[str]:
    """Title, sources, wording, declarations and statements of a clause; empty where the book has none."""
    pairs = (pair for pair in book.resolved.clauses if pair[0].id == name and (not own or pair[1].book == book.id))
    found = next(pairs, None)
    if found is None:
        return []
    clause, info = found
    lines = [f"{info.book}: " + "  ".join(part for part in (clause.id, info.label, info.title) if part)]
    if info.sources:
        lines.append(f"sources: {', '.join(info.sources)}")
    if clause.wording:
        lines += ["", *render(clause.wording, book.resolved, info.lang.split("-")[0], parameters(book)).split("\n")]
    held = [*declarations(clause, book), *statements(clause, book, lang)]
    return [*lines, *(["", *held] if held else [])]


def parameters(book: Book) -> dict[str, object]:
    """The values of the parameters, as they are read."""
    kinds = book.resolved.parameter_types
    return {name: _read(value, kinds[name].kind) for name, value in book.setup(()).parameters.items()}


def _read(value: object, kind: str) -> str:
    if kind == "money":
        return money_text(value)
    if kind == "percent":
        return f"{float(value * 100):g}%"  # type: ignore[operator]
    return str(value)


def declarations(clause: ast.Clause, book: Book) -> list[str]:
    values = parameters(book)
    lines = []
    for d in clause.declarations:
        if isinstance(d, ast.Parameter):
            lines.append(f"  parameter {d.name} = {values[d.name]}")
        elif isinstance(d, ast.Reading):
            lines.append(f"  reading {d.name} = {d.default} (among {', '.join(d.alternatives)})")
        elif isinstance(d, ast.Setting | ast.Define):
            lines.append(f"  {type(d).__name__.lower()} {d.name}")
    return lines


def statements(clause: ast.Clause, book: Book, lang: str) -> list[str]:
    """The statements of a clause by kind and name, with the gloss that the glossary has."""
    lines = []
    for written in clause.statements:
        s: core.Statement = book.resolved.statements[written.name]
        gloss = book.resolved.lexicon.gloss(s.name, lang.split("-")[0])
        lines.append(f"  {s.kind or s.form} {s.name}" + (f": {gloss}" if gloss else ""))
        lines += [f"    option {option.name}" for option in s.options]
    return lines
