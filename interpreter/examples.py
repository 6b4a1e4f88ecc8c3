"""The examples of a book, run: each is a small log, and what the last verdict and the state after it must be.

`given` sets the position, the settings and the readings; the players are A and B, and whoever else is called by one
capital letter. Lines are numbered as in a log: the start is line 1, the position (where cells are given) 2, then the
steps; that is how a correction names one. `expect` speaks of the verdict of the last step and the state after it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..dsl.absent import UNKNOWN
from ..dsl.core import json_key
from ..dsl.diagnostics import Diagnostic
from ..dsl.source import Span
from .book import Book, UsageError
from .codec import Malformed
from .expectations import Outcome
from .judge import Judgement
from .match import Match
from .scenario import Bound, Expected, Line, Prepared, prepare
from .verdict import Verdict

MARKS = ("held", "not-held", "stood", "defeated", "undecided")


@dataclass(frozen=True)
class ExampleResult:
    """What came of one example. `marks` (statement -> some of MARKS) is filled where coverage was asked for."""

    clause: str
    title: str
    span: Span
    failures: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    marks: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return not self.failures and not self.diagnostics


def run_examples(book: Book, coverage: bool = False) -> list[ExampleResult]:
    """Run every example of the book itself (not of those it builds on), in order."""
    return [run_example(book, example, coverage) for example in prepare(book)]


def covered(book: Book, results: Iterable[ExampleResult]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Statement -> mark -> the examples (`clause: title`) that show it."""
    results = list(results)
    return {
        name: {m: tuple(f"{r.clause}: {r.title}" for r in results if m in r.marks.get(name, ())) for m in MARKS}
        for name in book.resolved.statements
    }


def run_example(book: Book, example: Prepared, coverage: bool = False) -> ExampleResult:
    """Run one example against a book with the names that it was prepared for."""
    run = _Run(book, example, coverage)
    if not example.diagnostics:
        try:
            run.all()
        except (Malformed, UsageError) as error:
            run.failures.append(f"step {run.step} cannot be submitted: {error}")
    verdicts = run.match.verdicts if run.match is not None else ()
    marks = {name: frozenset(seen) for name, seen in run.marks.items()}
    return ExampleResult(
        example.clause, example.title, example.span, tuple(run.failures), verdicts, example.diagnostics, marks
    )


class _Run:
    """One example under way: the match, the cells given but not yet set, what failed."""

    def __init__(self, book: Book, example: Prepared, coverage: bool) -> None:
        self.book, self.example, self.coverage = book, example, coverage
        self.match: Match | None = None
        self.pending: list[Bound] = []
        self.step = 0
        self.failures: list[str] = []
        self.marks: dict[str, set[str]] = {}
        self.judged: list[Judgement] = []  # those whose marks were taken

    def all(self) -> None:
        match = self.match = self._start()
        for step in self.example.steps:
            if isinstance(step, Bound):
                self.pending += [step] if step.form == "cell" else []
                continue
            self._position(match)
            if isinstance(step, Line):
                self.step += 1
                match.submit_all(step.make(match))
                self._mark(match)
            elif isinstance(step, Expected):
                self._check(match, step)

    def _start(self) -> Match:
        plain = self.book.setup(self.example.players)
        given = {form: {b.key: b.value(plain) for b in self._bound(form)} for form in ("setting", "reading")}
        return self.book.start(self.example.players, given["setting"], given["reading"])

    def _bound(self, form: str) -> list[Bound]:
        return [s for s in self.example.steps if isinstance(s, Bound) and s.form == form]

    def _position(self, match: Match) -> None:
        """Submit what was given since the last step; later on, what is not named stays as it is."""
        if not self.pending:
            return
        cells: dict[str, Any] = match.state if match.entries else {}
        for bound in self.pending:
            value = bound.value(match.setup)
            if bound.member is None:
                cells[bound.key] = value
            else:
                cells[bound.key] = {**(cells.get(bound.key) or {}), bound.member(match.setup): value}
        self.pending = []
        match.submit_all({"type": "position", "set": cells})

    def _check(self, match: Match, expected: Expected) -> None:
        last = match.entries[-1].judgement if match.entries else None
        nothing = Verdict(self.step, "verdict", "ruled", state=match.state)
        answer = expected.check(Outcome(match.setup, last or Judgement(nothing, match.current)))
        if not answer.met:
            after = f"after step {self.step}: " if self.step > 1 else ""
            self.failures.append(f"{after}expected {expected.text}, but {answer.instead}")

    # ---- coverage

    def _mark(self, match: Match) -> None:
        """Note of every statement how it fared in the judgements since the last step."""
        if not self.coverage:
            return
        for entry in match.entries:
            judgement = entry.judgement
            if judgement is not None and not any(judgement is j for j in self.judged):
                self.judged.append(judgement)
                self._mark_judgement(judgement)

    def _mark_judgement(self, judgement: Judgement) -> None:
        standing = judgement.standing
        if standing is None:
            return
        applied = {a.name for a in judgement.verdict.applied}
        for s in self.book.resolved.statements.values():
            seen = self.marks.setdefault(s.name, set())
            if s.form == "prepare":  # judged in the state before it
                seen |= {"held", "stood"} if json_key(s.name) in applied else {"not-held"}
                continue
            held, stands = standing.held(s.name)[0], standing.stands(s.name)[0]
            seen.add("undecided" if held is UNKNOWN else "held" if held else "not-held")
            if stands is True:
                seen.add("stood")
            elif held is True:
                seen.add("defeated" if standing.defeated_by(s.name) else "undecided")
