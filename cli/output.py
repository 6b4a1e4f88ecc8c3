"""What `judge` writes: JSON lines for programs, sentences for people."""

import json
import sys
from typing import Any, Protocol

import click
import msgspec

from ..interpreter.book import Book
from ..interpreter.labels import Labels
from ..interpreter.log import Started
from ..interpreter.match import Match, Output, Retracted
from ..interpreter.sentences import Because, Report, localise
from ..interpreter.trace import Trace
from ..interpreter.verdict import Verdict
from ..interpreter.views import aligned, rows, words


class Printer(Protocol):
    """Writes the outputs of a run as they come."""

    def show(self, output: Started | Output) -> None:
        """Write one output."""

    def close(self) -> None:
        """Write what comes after the last line."""


class JsonLines:
    """One object a line, as the contract says."""

    def __init__(self, book: Book, lang: str | None, explain: bool, why_not: str | None, view: str | None) -> None:
        self.book, self.lang, self.explain, self.why_not, self.view = book, lang, explain, why_not, view
        self.labels: Labels | None = None
        self.match: Match | None = None
        self.trace: Trace | None = None

    def show(self, output: Started | Output) -> None:
        if isinstance(output, Started):
            self.match = output.match
            if self.lang is not None:
                self.labels = Labels(self.book, self.lang, output.match.setup.parameters)
            if self.explain or self.why_not is not None:
                self.trace = Trace(output.match)
        click.echo(json.dumps(self._object(output), ensure_ascii=False))

    def _object(self, output: Started | Output) -> dict[str, Any]:
        if not isinstance(output, Verdict):
            return output.as_dict()
        if self.lang is not None:
            output = localise(output, self.book, self.lang, self.labels)
        found = output.as_dict()
        if self.trace is not None and self.explain:
            found["explain"] = msgspec.to_builtins(self.trace.explain(output.n))
        if self.trace is not None and self.why_not is not None:
            found["why_not"] = msgspec.to_builtins(self.trace.why_not(output.n, self.why_not))
        return found

    def close(self) -> None:
        if self.view is not None and self.match is not None:
            table = {"type": "view", "name": self.view.replace("-", "_"), "rows": rows(self.match, self.view)}
            click.echo(json.dumps(table, ensure_ascii=False))


class Sentences:
    """Some lines a verdict, in a language."""

    def __init__(self, book: Book, lang: str, explain: bool, why_not: str | None, view: str | None) -> None:
        self.book, self.lang, self.explain, self.why_not, self.view = book, lang, explain, why_not, view
        self.report: Report | None = None
        self.trace: Trace | None = None

    def show(self, output: Started | Output) -> None:
        if isinstance(output, Started):
            self.report, self.trace = Report(output, self.lang), Trace(output.match)
            lines = self.report.header()
        elif isinstance(output, Retracted):
            lines = self._report.retracted(output)
        else:
            lines = [*self._report.verdict(output), *self._why(output)]
        click.echo("\n".join(lines))

    @property
    def _report(self) -> Report:
        assert self.report is not None, "the first output of a run is Started"
        return self.report

    def _why(self, verdict: Verdict) -> list[str]:
        assert self.trace is not None
        because = Because(self._report.labels)
        lines = because.lines(self.trace.explain(verdict.n)) if self.explain else []
        if self.why_not is not None:
            lines += because.lines(self.trace.why_not(verdict.n, self.why_not))
        return lines

    def close(self) -> None:
        if self.view is None or self.report is None:
            return
        headings, cells, numeric = words(self.report.match, self.view, self.report.labels)
        if sys.stdout.isatty():
            draw(headings, cells, numeric)
        else:
            click.echo("\n".join(["", *aligned(headings, cells, numeric)]))


def draw(headings: list[str], cells: list[list[str]], numeric: list[bool]) -> None:
    """A table on a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for heading, right in zip(headings, numeric, strict=True):
        table.add_column(Text(heading), justify="right" if right else "left")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)
