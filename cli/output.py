"""What `judge` writes: JSON lines for programs, sentences for people."""

import json
import re
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

SURROGATE = re.compile("[\ud800-\udfff]")
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


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
        echo_object(self._object(output))

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
            echo_object(table)


class Sentences:
    """Some lines a verdict, in a language."""

    def __init__(self, book: Book, lang: str, explain: bool, why_not: str | None, view: str | None) -> None:
        self.book, self.lang, self.explain, self.why_not, self.view = book, lang, explain, why_not, view
        self.report: Report | None = None
        self.trace: Trace | None = None

    def show(self, output: Started | Output) -> None:
        if isinstance(output, Started):
            self.report = Report(output, self.lang)
            if self.explain or self.why_not is not None:
                self.trace = Trace(output.match)
            lines = self.report.header()
        elif isinstance(output, Retracted):
            lines = self._report.retracted(output)
        else:
            lines = [*self._report.verdict(output), *self._why(output)]
        echo_lines(lines)

    @property
    def _report(self) -> Report:
        assert self.report is not None, "the first output of a run is Started"
        return self.report

    def _why(self, verdict: Verdict) -> list[str]:
        if self.trace is None:
            return []
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
            echo_lines(["", *aligned(headings, cells, numeric)])


def echo_object(value: dict[str, Any]) -> None:
    """An object on a line of its own; what is no text of Unicode stays escaped."""
    text = json.dumps(value, ensure_ascii=False)
    click.echo(json.dumps(value) if SURROGATE.search(text) else text)


def echo_lines(lines: list[str]) -> None:
    """Lines for people; a name from a log cannot move the cursor or begin a line."""
    click.echo("\n".join(UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", line) for line in lines))


def draw(headings: list[str], cells: list[list[str]], numeric: list[bool]) -> None:
    """A table on a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for heading, right in zip(headings, numeric, strict=True):
        table.add_column(Text(heading), justify="right" if right else "left")
    for row in cells:
        table.add_row(*(Text(UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", cell)) for cell in row))
    Console().print(table)
