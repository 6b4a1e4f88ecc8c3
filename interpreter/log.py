"""A log: JSONL in, verdicts out. The first bad line is a diagnostic; verdicts before it stand."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .book import Book, UsageError
from .codec import Malformed
from .match import Match, Output

CONTRACT = 1
MAX_LINE = 4_000_000  # characters
START_KEYS = ("type", "rulebook", "players", "settings", "readings", "observes", "date")


@dataclass(frozen=True)
class Options:
    """What the caller sets for a run; a log's `start` line wins over none of it but its own keys."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    observes: tuple[str, ...] | None = None
    strict: bool = False
    silent_first: bool = False


@dataclass(frozen=True)
class LineProblem:
    """Why the run ended: line and column (both from 1) and the reason."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True)
class Started:
    """The answer to the `start` line."""

    header: dict[str, Any]
    match: Match

    def as_dict(self) -> dict[str, Any]:
        return self.header


def run(book: Book, lines: Iterable[str], options: Options = Options()) -> Iterator[Started | Output | LineProblem]:
    """Judge a log line by line. Ends after the first LineProblem."""
    match: Match | None = None
    for n, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = read_line(text)
            if match is None:
                started = start(book, line, options)
                match = started.match
                yield started
                continue
            yield from _submit(match, line, n)
        except _Unreadable as error:
            yield LineProblem(n, error.column, error.reason)
            return
        except (Malformed, UsageError) as error:
            yield LineProblem(n, 1, str(error))
            return
    if match is None:
        yield LineProblem(1, 1, 'the log is empty; it begins with {"type":"start", ...}')


def _submit(match: Match, line: dict[str, Any], n: int) -> list[Output]:
    if line.get("type") == "start":
        raise Malformed("`start` stands only on the first line")
    return match.submit_all(line, n)


class _Unreadable(Exception):
    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason)
        self.reason, self.column = reason, column


def read_line(text: str) -> dict[str, Any]:
    """The object of a line. Raises _Unreadable with the column where it breaks."""
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_LINE:
        raise _Unreadable(f"the line is longer than {MAX_LINE:,} characters", MAX_LINE)
    try:
        value = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _Unreadable(f"not JSON: {error.msg}", error.colno) from error
    except RecursionError as error:
        raise _Unreadable("nested too deeply", 1) from error
    except ValueError as error:
        raise _Unreadable(str(error), 1) from error
    if not isinstance(value, dict):
        raise _Unreadable("a line is one JSON object", 1)
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key `{key}` stands twice in one object")
        result[key] = value
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def start(book: Book, line: dict[str, Any], options: Options) -> Started:
    """Begin a match by a `start` line; the caller's options fill what the line leaves out."""
    from ..dsl.diagnostics import suggestion

    if line.get("type") != "start":
        raise Malformed('the first line is {"type":"start", "players":[...]}')
    for key in line:
        if key not in START_KEYS:
            raise Malformed(f"unknown key `{key}` in `start`" + suggestion(key, START_KEYS))
    players = line.get("players")
    if not isinstance(players, list) or not all(isinstance(p, str) for p in players):
        raise Malformed("`start` needs `players`, a list of names")
    _check_rulebook(book, line.get("rulebook"))
    settings = {**_object(line, "settings"), **options.settings}
    readings = {**_object(line, "readings"), **options.readings}
    observes = options.observes if options.observes is not None else line.get("observes")
    if observes is not None and (
        not isinstance(observes, list | tuple) or not all(isinstance(o, str) for o in observes)
    ):
        raise Malformed("`observes` takes a list of event kinds")
    match = book.start(players, settings, readings, observes, _date(line), options.strict)
    match.silent_first = options.silent_first
    return Started(header(book, match), match)


def _check_rulebook(book: Book, name: Any) -> None:
    if name is not None and name != book.id:
        raise Malformed(f"the log is for the rulebook {name!r}, not {book.id!r}")


def _object(line: dict[str, Any], key: str) -> dict[str, Any]:
    value = line.get(key, {})
    if not isinstance(value, dict):
        raise Malformed(f"`{key}` takes an object")
    return value


def _date(line: dict[str, Any]) -> str | None:
    from datetime import date

    if "date" not in line:
        return None
    try:
        return date.fromisoformat(line["date"]).isoformat()
    except (TypeError, ValueError) as error:
        raise Malformed("`date` takes a day such as 2026-12-01") from error


def header(book: Book, match: Match) -> dict[str, Any]:
    """What a `start` line yields."""
    setup, resolved = match.setup, book.resolved
    settings = {s.key: setup.codec.encode(setup.settings[s.name], s.type) for s in resolved.settings.values()}
    events = sorted(e.key for e in resolved.events.values() if e.name not in setup.unobserved)
    return {
        "type": "book", "rulebook": book.id, "edition": edition(book), "hash": book.fingerprint, "settings": settings,
        "readings": dict(sorted(setup.readings.items())), "observes": events, "contract": CONTRACT,
    }  # fmt: skip


def edition(book: Book) -> str:
    """The edition that the book names, or an empty string."""
    named = getattr(book.resolved.documents[-1], "edition", None)
    return named[0] if named else ""
