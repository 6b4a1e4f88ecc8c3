"""What the commands share: loading a book, showing its diagnostics."""

import sys

import click

from ..dsl.diagnostics import Diagnostic, render_people
from ..dsl.source import Source
from ..interpreter.book import Book, RulebookError, UsageError, load
from ..interpreter.catalogs import dialect_for


def spoken(context: click.Context, option: click.Parameter, lang: str) -> str:
    """The value of `--lang`: a language that is spoken."""
    try:
        dialect_for(lang)
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    return lang


def load_or_exit(name: str, lang: str = "en") -> Book:
    """The book, or its diagnostics on standard error and exit status 1."""
    try:
        return load(name)
    except RulebookError as error:
        show(error.diagnostics, error.sources, lang)
        sys.exit(1)


def show(diagnostics: list[Diagnostic], sources: dict[str, Source], lang: str) -> None:
    """Diagnostics for people, on standard error."""
    for diagnostic in diagnostics:
        click.echo(render_people(diagnostic, sources.get(diagnostic.span.file), lang), err=True)
