"""`tefter judge`: a log in, verdicts out."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from ..interpreter.log import LineProblem, Options, Started, run
from ..interpreter.verdict import Verdict
from .common import load_or_exit


@click.command()
@click.argument("rulebook")
@click.argument("log", default="-")
@click.option("--json", "as_json", is_flag=True, help="Write the verdicts as JSON lines.")
@click.option("--set", "assignments", multiple=True, metavar="K=V", help="A setting or a reading.")
@click.option("--observes", metavar="A,B", help="The event kinds that the source reports.")
@click.option("--strict", is_flag=True, help="A ruling that rests on an assumption is undecided.")
@click.option("--silent", type=click.Choice(["wait", "first"]), default="wait", help="What to do where the text is silent.")
@click.option("--fail-on", type=click.Choice(["refused"]), help="Exit with 1 where a line was refused.")
def judge(
    rulebook: str, log: str, as_json: bool, assignments: tuple[str, ...], observes: str | None, strict: bool,
    silent: str, fail_on: str | None,
) -> None:  # fmt: skip
    """Judge LOG (JSON lines; - for standard input) by RULEBOOK (a shipped name or a path)."""
    book = load_or_exit(rulebook)
    settings, readings = split_assignments(assignments)
    kinds = tuple(k.strip() for k in observes.split(",")) if observes is not None else None
    options = Options(settings, readings, kinds, strict, silent == "first")
    refused = False
    for output in run(book, read_lines(log), options):
        if isinstance(output, LineProblem):
            click.echo(f"{log}:{output.line}:{output.column}: error R0401 {output.reason}", err=True)
            sys.exit(1)
        if as_json:
            click.echo(json.dumps(output.as_dict(), ensure_ascii=False))
            sys.stdout.flush()
        refused = refused or isinstance(output, Verdict) and output.status == "refused"
    sys.exit(1 if refused and fail_on == "refused" else 0)


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
    except json.JSONDecodeError:
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


__all__ = ["Started", "judge"]
