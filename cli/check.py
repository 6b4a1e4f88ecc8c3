"""`tefter check`: what is wrong with rulebooks and vocabularies, without running anything."""

import json
import sys
from pathlib import Path

import click

from ..dsl.diagnostics import Diagnostic, as_json, render_people
from ..dsl.load import load_book
from ..dsl.source import Source
from ..interpreter.book import Book
from ..interpreter.scenario import prepare
from .common import spoken


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--json", "as_lines", is_flag=True, help="Write the diagnostics as JSON lines.")
@click.option("--lang", default="en", callback=spoken, metavar="L", help="The language of the diagnostics.")
def check(paths: tuple[str, ...], as_lines: bool, lang: str) -> None:
    """Check PATHs: shipped names, files, or folders (every .rules file in them)."""
    names = [name for path in paths for name in files_of(path)]
    found: dict[Diagnostic, Source | None] = {}
    for name in names:
        found |= diagnostics_of(name)
    for diagnostic, source in found.items():
        if as_lines:
            click.echo(json.dumps(as_json(diagnostic, source, lang), ensure_ascii=False))
        else:
            click.echo(render_people(diagnostic, source, lang) + "\n", err=True)
    errors = sum(d.severity == "error" for d in found)
    if not as_lines:
        click.echo(f"{_count(len(names), 'file')}: {_count(errors, 'error')}, {_count(len(found) - errors, 'warning')}")
    sys.exit(1 if errors else 0)


def files_of(path: str) -> list[str]:
    """The files that a path stands for; a shipped name stands for itself."""
    folder = Path(path)
    if not folder.is_dir():
        return [path]
    files = sorted(str(file) for file in folder.rglob("*.rules"))
    if not files:
        raise click.UsageError(f"there is no .rules file in {path}")
    return files


def diagnostics_of(name: str) -> dict[Diagnostic, Source | None]:
    """Everything that is wrong with a file and what it builds on, in order; also with its examples."""
    loaded = load_book(name)
    found = loaded.report.sorted()
    if loaded.book is not None:
        found += [d for example in prepare(Book(loaded.book, loaded.report.sources)) for d in example.diagnostics]
    return {d: loaded.report.sources.get(d.span.file) for d in found}


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
