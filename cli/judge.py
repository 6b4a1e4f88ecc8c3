"""`tefter judge`: a log in, verdicts out."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from ..interpreter.book import Book, UsageError
from ..interpreter.catalogs import CatalogueError, default_language, dialect_for
from ..interpreter.log import LineProblem, Options, Started, run
from ..interpreter.match import Output
from ..interpreter.trace import statement_name
from ..interpreter.verdict import Verdict
from ..interpreter.views import view_info
from .common import load_or_exit
from .output import JsonLines, Printer, Sentences


@click.command()
@click.argument("rulebook")
@click.argument("log", default="-")
@click.option("--json", "as_json", is_flag=True, help="Write the verdicts as JSON lines.")
@click.option("--lang", metavar="L", help="The language: en, tr, sr-Latn (sr); the book's own by default.")
@click.option("--set", "assignments", multiple=True, metavar="K=V", help="A setting or a reading.")
@click.option("--observes", metavar="A,B", help="The event kinds that the source reports.")
@click.option("--strict", is_flag=True, help="A ruling that rests on an assumption is undecided.")
@click.option(
    "--silent", type=click.Choice(["wait", "first"]), default="wait", help="What to do where the text is silent."
)
@click.option("--explain", is_flag=True, help="Say of everything that held why it did, and what it rests on.")
@click.option("--why-not", metavar="NAME", help="Say of this statement, at each verdict, why it did not stand.")
@click.option("--view", metavar="NAME", help="Print this table of the rulebook after the last line.")
@click.option("--fail-on", type=click.Choice(["refused"]), help="Exit with 1 where a line was refused.")
def judge(
    rulebook: str, log: str, as_json: bool, lang: str | None, assignments: tuple[str, ...], observes: str | None,
    strict: bool, silent: str, explain: bool, why_not: str | None, view: str | None, fail_on: str | None,
) -> None:  # fmt: skip
    """Judge LOG (JSON lines; - for standard input) by RULEBOOK (a shipped name or a path)."""
    settings, readings = split_assignments(assignments)
    kinds = tuple(k.strip() for k in observes.split(",")) if observes is not None else None
    asked = Asked(as_json, lang, explain, why_not, view)
    try:
        asked.check_language()
        book = load_or_exit(rulebook)
        book.setup((), settings, readings, observes=kinds)  # what is wrong here is no fault of the log
        printer = asked.printer(book)
        options = Options(settings, readings, kinds, strict, silent == "first")
        refused = judge_lines(log, run(book, read_lines(log), options), printer)
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    except CatalogueError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    sys.exit(1 if refused and fail_on == "refused" else 0)


@dataclass(frozen=True)
class Asked:
    """What the caller wants to see."""

    as_json: bool
    lang: str | None
    explain: bool
    why_not: str | None
    view: str | None

    def check_language(self) -> None:
        """Raises UsageError for a language that is not spoken, before anything is loaded."""
        if self.lang is not None:
            dialect_for(self.lang)

    def printer(self, book: Book) -> Printer:
        """Who writes the output. Raises UsageError for an unknown statement or view."""
        why_not = statement_name(book, self.why_not) if self.why_not is not None else None
        view = view_info(book, self.view).name if self.view is not None else None
        if self.as_json:
            return JsonLines(book, self.lang, self.explain, why_not, view)
        return Sentences(book, self.lang or default_language(book), self.explain, why_not, view)


def judge_lines(log: str, outputs: Iterator[Started | Output | LineProblem], printer: Printer) -> bool:
    """Print the outputs as they come; whether a line was refused. A bad line ends the program with status 1."""
    refused = False
    for output in outputs:
        if isinstance(output, LineProblem):
            sys.stdout.flush()
            click.echo(f"{log}:{output.line}:{output.column}: error R0401 {output.reason}", err=True)
            sys.exit(1)
        printer.show(output)
        sys.stdout.flush()
        refused = refused or isinstance(output, Verdict) and output.status == "refused"
    printer.close()
    return refused


def split_assignments(assignments: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    """`--set k=v`: settings by their key, readings by their id (which has upper-case letters)."""
    settings: dict[str, Any] = {}
    readings: dict[str, str] = {}
    for item in assignments:
        key, equals, value = item.partition("=")
        if not equals:
            raise click.UsageError(f"--set takes K=V, not {item!r}")
        if key[:1].isupper():
            readings[key] = value
        else:
            settings[key] = _value(value)
    return settings, readings


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_lines(path: str) -> Iterator[str]:
    """The lines of a log, as they come; a file that cannot be read ends the program with status 1."""
    if path == "-":
        yield from _decoded(sys.stdin.buffer, path)
        return
    try:
        with open(path, "rb") as file:
            yield from _decoded(file, path)
    except OSError as error:
        click.echo(f"{path}:1:1: error R0004 the file cannot be read: {error.strerror}", err=True)
        sys.exit(1)


def _decoded(file: Any, path: str) -> Iterator[str]:
    for number, raw in enumerate(file, 1):
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError as error:
            click.echo(f"{path}:{number}:{error.start + 1}: error R0012 the file is not in UTF-8", err=True)
            sys.exit(1)
