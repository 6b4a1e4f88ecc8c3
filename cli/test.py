"""`tefter test`: the examples of a book, run."""

import sys

import click
from rich.console import Console
from rich.table import Table

from ..interpreter.book import Book
from ..interpreter.examples import MARKS, ExampleResult, covered, run_examples
from .common import load_or_exit, show, spoken


@click.command()
@click.argument("rulebook")
@click.option("--coverage", is_flag=True, help="Say of every statement which examples show what of it.")
@click.option("--lang", default="en", callback=spoken, metavar="L", help="The language of the diagnostics.")
def test(rulebook: str, coverage: bool, lang: str) -> None:
    """Run the examples of RULEBOOK (a shipped name or a path)."""
    book = load_or_exit(rulebook, lang)
    results = run_examples(book, coverage)
    clause = ""
    for result in results:
        if result.clause != clause:
            clause = result.clause
            click.echo(heading(book, clause))
        for line in report(result):
            click.echo(line)
        show(list(result.diagnostics), book.sources, lang)
    failed = sum(not result.passed for result in results)
    click.echo(f"{len(results) - failed} passed, {failed} failed")
    if coverage:
        Console(width=None if sys.stdout.isatty() else 140).print(table(book, results))
    sys.exit(1 if failed else 0)


def heading(book: Book, clause: str) -> str:
    """`illegal-start  3.1 "The start"`."""
    info = next(info for _, info in book.resolved.clauses if info.id == clause)
    return "  ".join(part for part in (clause, info.label, info.title) if part)


def report(result: ExampleResult) -> list[str]:
    """An example as a person reads it: whether it passed, and why not."""
    if result.passed:
        return [f"  ok      {result.title}"]
    unread = ["it cannot be run: see the diagnostics"] if result.diagnostics else []
    return [f"  FAILED  {result.title}", *(f"          {why}" for why in (*result.failures, *unread))]


def table(book: Book, results: list[ExampleResult]) -> Table:
    """For every statement, in how many examples it held, did not, stood, was defeated, could not be told."""
    shown = Table("clause", "statement", *(mark.replace("-", " ") for mark in MARKS), "stood in")
    for name, marks in covered(book, results).items():
        statement = book.resolved.statements[name]
        counts = [str(len(marks[mark]) or "-") for mark in MARKS]
        stood = marks["stood"]
        more = f" and {len(stood) - 1} more" if len(stood) > 1 else ""
        shown.add_row(statement.clause.id, name, *counts, f"{stood[0]}{more}" if stood else "no example")
    return shown
