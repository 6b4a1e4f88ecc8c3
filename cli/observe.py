"""`tefter observe`: which statements a source can decide, by the event kinds that it reports."""

from collections.abc import Callable, Iterable

import click

from ..dsl import core
from ..dsl.strata import dependencies
from ..interpreter.book import Book, UsageError
from .common import load_or_exit, spoken


@click.command()
@click.argument("rulebook")
@click.option("--source", required=True, metavar="A,B", help="The event kinds that the source reports.")
@click.option("--lang", default="en", callback=spoken, metavar="L", help="The language of the diagnostics.")
def observe(rulebook: str, source: str, lang: str) -> None:
    """Say which statements of RULEBOOK can be judged from such a source, and what the others need."""
    book = load_or_exit(rulebook, lang)
    kinds = [kind.strip() for kind in source.split(",") if kind.strip()]
    try:
        missing = book.setup((), observes=kinds).unobserved
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    told = judged(book, missing)
    clause = ""
    for name, (needs, assumes) in told.items():
        statement = book.resolved.statements[name]
        if statement.clause.id != clause:
            clause = statement.clause.id
            click.echo("  ".join(part for part in (clause, statement.clause.label, statement.clause.title) if part))
        click.echo(f"  {line(name, needs, assumes)}")
    short = sum(bool(needs) for needs, _ in told.values())
    click.echo(f"{len(told) - short} can be judged, {short} cannot")


def line(name: str, needs: tuple[str, ...], assumes: tuple[str, ...]) -> str:
    """One statement: judged, judged on an assumption, or not judged."""
    if needs:
        return f"no   {name}: needs {', '.join(needs)}"
    return f"yes  {name}" + (f" (assuming no {', '.join(assumes)})" if assumes else "")


def judged(book: Book, missing: frozenset[str]) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Statement -> (kinds that its condition needs, further kinds that what may defeat it needs), by JSON key."""
    resolved = book.resolved
    own = {name: _asked(roots) for name, roots in _conditions(resolved).items()}
    waits = {name: set(needed) for name, needed in dependencies(resolved).items()}
    result = {}
    for name in resolved.statements:
        needs = _mentioned(_reach(name, lambda n: own[n][1]), own) & missing
        assumes = (_mentioned(_reach(name, lambda n: waits.get(n, set())), own) & missing) - needs
        result[name] = (_keys(needs, resolved), _keys(assumes, resolved))
    return result


def _conditions(book: core.Resolved) -> dict[str, tuple[object, ...]]:
    """Statement, define or set -> the expressions that decide it."""
    found: dict[str, tuple[object, ...]] = {
        s.name: (s.condition, *s.unless, *((s.each,) if s.each else ())) for s in book.statements.values()
    }
    found |= {d.name: (d.value,) for d in book.defines.values()}
    return found | {name: (value,) for name, value in book.sets.items()}


def _asked(roots: Iterable[object]) -> tuple[set[str], set[str]]:
    """(event kinds, names of statements, defines and sets) that some expressions mention."""
    events: set[str] = set()
    names: set[str] = set()
    for root in roots:
        for part in core.walk(root):
            match part:
                case core.Events(kind=kind) | core.Happened(kind=kind):
                    events.add(kind)
                case core.Stands(statement=name) | core.DefineRef(name=name):
                    names.add(name)
                case core.Standing(statements=several):
                    names.update(several)
    return events, names


def _reach(name: str, step: Callable[[str], set[str]]) -> set[str]:
    """A name and all that it leads to."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += sorted(step(current))
    return seen


def _mentioned(names: set[str], own: dict[str, tuple[set[str], set[str]]]) -> set[str]:
    return set().union(*(own[name][0] for name in names if name in own))


def _keys(kinds: set[str] | frozenset[str], book: core.Resolved) -> tuple[str, ...]:
    return tuple(sorted(book.events[kind].key for kind in kinds))
