"""`tefter books`: the rulebooks that are shipped."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from ..dsl import ast
from ..dsl.load import shipped_folder
from ..interpreter.book import Book, RulebookError, load
from ..interpreter.log import edition
from .common import show


@click.command()
@click.option("--json", "as_lines", is_flag=True, help="Write one JSON object a book.")
def books(as_lines: bool) -> None:
    """List the shipped rulebooks."""
    failed = False
    for path in shipped_files():
        try:
            book = load(str(path))
        except RulebookError as error:
            show(error.diagnostics, error.sources, "en")
            failed = True
            continue
        if isinstance(book.resolved.documents[-1], ast.Rulebook):
            click.echo(json.dumps(entry(book), ensure_ascii=False) if as_lines else line(entry(book)))
    sys.exit(1 if failed else 0)


def shipped_files() -> list[Path]:
    """The files of the shipped rulebooks and vocabularies."""
    return sorted(shipped_folder().glob("*.rules"))


def entry(book: Book) -> dict[str, Any]:
    """What is told of a book; `clauses` counts its own."""
    clauses = sum(info.book == book.id for _, info in book.resolved.clauses)
    return {
        "id": book.id, "title": book.resolved.title, "edition": edition(book), "hash": book.fingerprint,
        "clauses": clauses,
    }  # fmt: skip


def line(told: dict[str, Any]) -> str:
    named = f"edition {told['edition']}" if told["edition"] else "no edition"
    return f"{told['id']:<12} {told['title']} ({named}, {told['hash']}, {told['clauses']} clauses)"
